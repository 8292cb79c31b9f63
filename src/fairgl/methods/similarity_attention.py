r"""Attention on the pattern of a similarity S = Z Z^T, in row blocks: what GUIDE's second stage is made of.

Row i attends to the nodes j with S_ij > 0: :math:`e_{ij} = \mathrm{LeakyReLU}(l_j + r_i)\, S_{ij}`, a softmax over j,
and :math:`o_i = \sum_j a_{ij} h_j`. Forward and backward pass hold the weights of one block at a time and recompute
them, so memory beyond the pattern is O(block + N H); the gradient is exact. The pattern itself may be cut to the
largest entries of each row, and then says which share of the similarity it kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

SLOPE = 0.2  # of LeakyReLU


@dataclass(frozen=True)
class Block:
    """Consecutive rows of the pattern as CSR, and the order of its entries by column."""

    rows: slice
    start: Tensor  # [B + 1] first entry of each row
    row: Tensor  # [E] within the block
    column: Tensor  # [E]
    weight: Tensor  # [E] S_ij
    order: Tensor  # [E] entries sorted by column
    start_t: Tensor  # [N + 1]
    row_t: Tensor  # [E] row within the block, sorted by column

    def attention(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        """Softmax weights [E], and the derivative of the exponent in l_j + r_i [E]."""
        raw = left.index_select(0, self.column) + right[self.rows].index_select(0, self.row)
        slope = torch.where(raw > 0, self.weight, SLOPE * self.weight)
        exponent = raw * slope
        top = torch.segment_reduce(exponent, "max", offsets=self.start)
        power = torch.exp(exponent - top.index_select(0, self.row))
        total = torch.segment_reduce(power, "sum", offsets=self.start)
        return power / total.index_select(0, self.row), slope

    def matrix(self, values: Tensor, count: int) -> Tensor:
        """The entries as a sparse matrix [B, N]."""
        size = (len(self.start) - 1, count)
        return torch.sparse_csr_tensor(self.start, self.column, values, size=size, check_invariants=False)

    def transposed(self, values: Tensor, count: int) -> Tensor:
        """The entries as a sparse matrix [N, B]."""
        size = (count, len(self.start) - 1)
        return torch.sparse_csr_tensor(
            self.start_t, self.row_t, values[self.order], size=size, check_invariants=False
        )


@dataclass(frozen=True)
class Pattern:
    """All rows, and the share of the similarity between different nodes that its entries hold."""

    blocks: list[Block]
    kept: float
    entries: int

    def attend(self, h: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """o [N, H] for values h [N, H] and the two halves of the scores, l and r [N]."""
        return _Attend.apply(h, left, right, self)


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h: Tensor, left: Tensor, right: Tensor, pattern: Pattern) -> Tensor:
        parts, ctx.pattern, ctx.weights = [], pattern, None
        for block in pattern.blocks:
            weights = block.attention(left, right)
            parts.append(block.matrix(weights[0], len(h)) @ h)
        if len(parts) == 1:  # small enough to keep
            ctx.weights = weights
        out = torch.cat(parts)
        ctx.save_for_backward(h, left, right, out)
        return out

    @staticmethod
    def backward(ctx, gradient: Tensor):
        h, left, right, out = ctx.saved_tensors
        gradient = gradient.contiguous()
        grads = torch.zeros_like(h), torch.zeros_like(left), torch.zeros_like(right)
        weighted = (gradient * out).sum(dim=1)  # sum over j of a_ij da_ij
        for block in ctx.pattern.blocks:
            weight, slope = ctx.weights or block.attention(left, right)
            part = gradient[block.rows]
            grads[0].add_(block.transposed(weight, len(h)) @ part)
            empty = block.matrix(torch.zeros_like(weight), len(h))
            change = torch.sparse.sampled_addmm(empty, part, h.T, beta=0.0).values()  # da_ij
            change = weight * (change - weighted[block.rows].index_select(0, block.row)) * slope
            grads[1].index_add_(0, block.column, change)
            grads[2][block.rows] = torch.segment_reduce(change, "sum", offsets=block.start)
        return *grads, None


def similarity_pattern(
    rows: sp.csr_array, largest: int = 0, device: str = "cpu", entries: int = 4_000_000
) -> Pattern:
    """The non-zero entries of S = Z Z^T in row blocks.

    Args:
        rows: Unit rows Z [N, K].
        largest: Keep this many largest entries of each row, the diagonal among them; 0 keeps all.
        entries: Size of a block, before the cut; bounds the memory of the attention.
    """
    count, z = rows.shape[0], sp.csr_array(rows, dtype=np.float32)
    columns = z.T.tocsr()
    work = np.cumsum(z.astype(bool).astype(np.int64) @ np.diff(columns.indptr))
    blocks, kept, total, start = [], 0.0, 0.0, 0
    waiting: list[sp.csr_array] = []
    while start < count:
        done = work[start - 1] if start else 0
        stop = max(int(np.searchsorted(work, done + 8 * entries, side="right")), start + 1)
        part = sp.csr_array(z[start:stop] @ columns)
        total += float(part.sum())
        part = _cut(part, largest) if largest else part
        kept += float(part.sum())
        part.sort_indices()
        waiting.append(part)
        start = stop
        if start == count or sum(p.nnz for p in waiting) + part.nnz > entries:
            joined = sp.csr_array(sp.vstack(waiting, format="csr"))
            blocks.append(_block(joined, start - joined.shape[0], device))
            waiting = []
    share = (kept - count) / (total - count) if total - count > 1e-6 else 1.0
    return Pattern(blocks, share, sum(len(b.column) for b in blocks))


def _cut(part: sp.csr_array, largest: int) -> sp.csr_array:
    """The ``largest`` entries of each row."""
    keep = np.ones(part.nnz, dtype=bool)
    for i in np.flatnonzero(np.diff(part.indptr) > largest):
        a, b = part.indptr[i], part.indptr[i + 1]
        keep[a:b] = False
        keep[a + np.argpartition(-part.data[a:b], largest - 1)[:largest]] = True
    starts = np.concatenate([[0], np.cumsum(keep)])[part.indptr]
    return sp.csr_array((part.data[keep], part.indices[keep], starts), shape=part.shape)


def _block(part: sp.csr_array, first: int, device: str) -> Block:
    order = np.argsort(part.indices, kind="stable")
    row = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
    start_t = np.concatenate([[0], np.cumsum(np.bincount(part.indices, minlength=part.shape[1]))])
    integers = [torch.from_numpy(np.asarray(a, dtype=np.int64)).to(device)
                for a in (part.indptr, row, part.indices, order, start_t, row[order])]
    start, row_, column, order_t, start_t, row_t = integers
    weight = torch.from_numpy(np.asarray(part.data, dtype=np.float32)).to(device)
    return Block(slice(first, first + part.shape[0]), start, row_, column, weight, order_t, start_t, row_t)

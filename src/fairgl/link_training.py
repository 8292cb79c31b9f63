"""What link predictors share: only the needed rows of a GCN, inner products of many pairs, and the two schedules.

Exact reformulations of a plain full-graph step (nothing is sampled or approximated):

* the first layer is linear before its ReLU, so P X is computed once and (P X) W replaces P (X W);
* an encoder computes the rows of its pairs' ends and the neighbours they hear from, nothing else (:class:`Rows`);
* the scores of a batch are the entries of Z Z^T at a sparse pattern and their gradient is a sparse product, in place of
  gathering two rows per pair (:class:`Pairs`).

Letters: N nodes, F features, H hidden width, n pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from fairgl.nn import GCN
from fairgl.sparse import Sparse

CHUNK = 1 << 18  # pairs scored at a time where the sparse kernel is missing


def message_matrix(pairs: np.ndarray, nodes: int, one_way: bool = False) -> sp.csr_array:
    """Adjacency of the training edges [N, N]; row i hears from its non-zero columns.

    Args:
        pairs: Edges int64 [M, 2] with u < v.
        one_way: Keep messages from the smaller to the larger number only, as the published runs did.
    """
    u, v = pairs.T
    row, column = (v, u) if one_way else (np.concatenate([u, v]), np.concatenate([v, u]))
    return sp.csr_array((np.ones(len(row), np.float32), (row, column)), shape=(nodes, nodes))


def symmetric_scaling(adjacency: sp.csr_array) -> sp.csr_array:
    """D^-1/2 (A + I) D^-1/2 with D the row sums (in-degrees of a one-way graph), float32 CSR [N, N]."""
    a = sp.csr_array(adjacency + sp.eye_array(adjacency.shape[0], format="csr"), dtype=np.float64)
    scale = np.asarray(a.sum(axis=1)).ravel() ** -0.5
    out = sp.csr_array(sp.diags_array(scale) @ a @ sp.diags_array(scale), dtype=np.float32)
    out.sort_indices()
    return out


class Rows:
    """The rows of a GCN that are wanted, and what has to be known to compute them exactly.

    Args:
        p: Propagation matrix [N, N].
        px: P X, float32 [N, F] on the device.
        rows: Wanted nodes, sorted.
        layers: Convolutions of the encoder.
    """

    def __init__(self, p: sp.csr_array, px: Tensor, rows: np.ndarray, layers: int, device: str = "cpu"):
        self.rows, self.blocks, at = rows, [], rows
        for _ in range(layers - 1):
            block = p[at]
            columns, local = np.unique(block.indices, return_inverse=True)
            shape = (len(at), len(columns))
            self.blocks.insert(0, Sparse(sp.csr_array((block.data, local, block.indptr), shape=shape), device))
            at = columns
        self.x = px if len(at) == len(px) else px[torch.from_numpy(at).to(px.device)]

    def local(self, pairs: np.ndarray) -> np.ndarray:
        """Pairs of node numbers as pairs of positions in ``rows``."""
        return np.searchsorted(self.rows, pairs)


class RowEncoder(GCN):
    """:class:`~fairgl.nn.GCN` on :class:`Rows`: H_l = P (H_{l-1} W) + b, the last layer as (P H) W."""

    def forward(self, rows: Rows) -> Tensor:  # type: ignore[override]
        h = torch.addmm(self.biases[0], rows.x, self.linears[0].weight.T)
        for block, linear, bias in zip(rows.blocks, self.linears[1:], self.biases[1:], strict=True):
            h, weight = h.relu_(), linear.weight.T
            if self.training and self.dropout:
                h = h * torch.rand_like(h).ge_(self.dropout)
                weight = weight / (1 - self.dropout)  # the scale of dropout, on the small factor
            h = torch.addmm(bias, block @ h, weight)
        return h  # [rows, H]


class _PairDot(torch.autograd.Function):
    """z_u . z_v for pairs in the order of their CSR pattern; the gradient is S g times z, both directions."""

    @staticmethod
    def forward(ctx, z: Tensor, pairs: Pairs) -> Tensor:
        ctx.save_for_backward(z)
        ctx.pairs = pairs
        return torch.sparse.sampled_addmm(pairs.pattern, z, z.T).values()

    @staticmethod
    def backward(ctx, gradient: Tensor):
        (z,), pairs = ctx.saved_tensors, ctx.pairs
        values = gradient[pairs.twice]
        return torch.sparse_csr_tensor(*pairs.both, values, size=pairs.size, check_invariants=False) @ z, None


class Pairs:
    """Pairs of rows whose inner products are wanted, sorted; ``order`` leads back to the order they were given in.

    Args:
        local: Positions int64 [n, 2] in the encoder's rows, distinct pairs with u < v.
        rows: Number of rows.
    """

    def __init__(self, local: np.ndarray, rows: int, device: str = "cpu"):
        self.order = np.lexsort((local[:, 1], local[:, 0]))
        u, v = local[self.order].T
        self.size, n = (rows, rows), len(u)
        self.u, self.v = (torch.from_numpy(np.ascontiguousarray(end)).to(device) for end in (u, v))

        def pointers(ends: np.ndarray) -> Tensor:
            return torch.from_numpy(np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=rows))])).to(device)

        zeros = torch.zeros(n, device=device)
        self.pattern = torch.sparse_csr_tensor(pointers(u), self.v, zeros, size=self.size, check_invariants=False)
        ends, others = np.concatenate([u, v]), np.concatenate([v, u])
        by_row = np.argsort(ends, kind="stable")
        self.both = (pointers(ends), torch.from_numpy(others[by_row]).to(device))
        self.twice = torch.from_numpy(by_row % max(n, 1)).to(device)
        self.sparse = n > 0 and (device != "cpu" or torch.backends.mkl.is_available())

    def dot(self, z: Tensor) -> Tensor:
        """Inner products [n] in sorted order."""
        if self.sparse:
            return _PairDot.apply(z, self)
        parts = [(z[u] * z[v]).sum(-1) for u, v in zip(self.u.split(CHUNK), self.v.split(CHUNK), strict=True)]
        return torch.cat(parts) if parts else z.new_zeros(0)

    def hadamard(self, z: Tensor, head: nn.Module) -> Tensor:
        """``head`` of the element-wise products [n], in chunks, in sorted order."""
        pairs = zip(self.u.split(CHUNK), self.v.split(CHUNK), strict=True)
        return torch.cat([head(z[u] * z[v]).squeeze(-1) for u, v in pairs]) if len(self.u) else z.new_zeros(0)

    def sorted(self, values: np.ndarray, device: str = "cpu") -> Tensor:
        """Values given per pair (labels), float32 in sorted order."""
        return torch.from_numpy(np.asarray(values, dtype=np.float32)[self.order]).to(device)

    def restore(self, values: Tensor) -> np.ndarray:
        """Values in sorted order back to the order given, float64 [n]."""
        out = np.empty(len(self.order))
        out[self.order] = values.detach().double().cpu().numpy()
        return out


def batches(count: int, size: int | None, generator: np.random.Generator) -> Sequence[np.ndarray]:
    """A random partition of ``range(count)`` into batches of ``size``, the last one smaller; without one, all."""
    if size is None or size >= count:
        return [np.arange(count)]
    order = generator.permutation(count)
    return [order[i : i + size] for i in range(0, count, size)]


def batch_losses(scores: Tensor, labels: Tensor, size: int) -> list[float]:
    """Mean cross-entropy of consecutive batches of ``size``: what the published checkpoint rule averages."""
    losses = nn.functional.binary_cross_entropy_with_logits(scores, labels, reduction="none")
    return [part.mean().item() for part in losses.split(size)] if len(losses) else []

"""Learnable edge weights of fixed sparsity: propagation that is differentiable in them, and the simplex projection.

For methods that learn the graph (FairAdj, FairEGM): memory O(edges + N H), never N x N.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor


class EdgeWeights:
    """The pattern of a CSR matrix [N, N] on a device and of its transpose; the values are kept by the caller."""

    def __init__(self, matrix: sp.csr_array, device: str):
        matrix.sort_indices()
        n, nnz = matrix.shape[0], matrix.nnz
        order = sp.csr_array((np.arange(1, nnz + 1), matrix.indices, matrix.indptr), shape=matrix.shape).T.tocsr()
        order.sort_indices()

        def tensor(array: np.ndarray) -> Tensor:
            return torch.from_numpy(np.asarray(array, dtype=np.int64)).to(device)

        self.pattern = tensor(matrix.indptr), tensor(matrix.indices)
        self.flipped, self.order = (tensor(order.indptr), tensor(order.indices)), tensor(order.data - 1)
        self.size, self.rows = (n, n), tensor(np.repeat(np.arange(n), np.diff(matrix.indptr)))

    def project(self, values: Tensor) -> Tensor:
        """Every row onto the simplex over its own edges: non-negative weights that sum to 1."""
        order = torch.argsort(values, descending=True, stable=True)
        order = order[torch.argsort(self.rows[order], stable=True)]
        ranked, starts = values[order].double(), self.pattern[0][:-1][self.rows]
        total = torch.cat([ranked.new_zeros(1), ranked.cumsum(0)])
        position = torch.arange(len(values), device=values.device) - starts + 1
        threshold = (total[1:] - total[starts] - 1) / position
        kept = torch.zeros(self.size[0], dtype=torch.int64, device=values.device)
        kept.index_add_(0, self.rows, (ranked > threshold).long())
        last = threshold[self.pattern[0][:-1] + kept - 1]
        return (values.double() - last[self.rows]).clamp(min=0).to(values.dtype)


class _Propagate(torch.autograd.Function):
    """W h for learnable values of W; the gradient of a value is an inner product of two rows."""

    @staticmethod
    def forward(ctx, values: Tensor, h: Tensor, w: EdgeWeights) -> Tensor:
        ctx.save_for_backward(values, h)
        ctx.w = w
        return torch.sparse_csr_tensor(*w.pattern, values, size=w.size, check_invariants=False) @ h

    @staticmethod
    def backward(ctx, gradient: Tensor):
        (values, h), w, gradient = ctx.saved_tensors, ctx.w, gradient.contiguous()
        of_values = None
        if ctx.needs_input_grad[0]:
            columns = w.pattern[1].split(1 << 20)
            rows = w.rows.split(1 << 20)
            of_values = torch.cat([(gradient[r] * h[c]).sum(-1) for r, c in zip(rows, columns, strict=True)])
        transpose = torch.sparse_csr_tensor(*w.flipped, values[w.order], size=w.size, check_invariants=False)
        return of_values, transpose @ gradient, None


def propagate(values: Tensor, h: Tensor, w: EdgeWeights) -> Tensor:
    """W h [N, H] for weights ``values`` [nnz] in the pattern's order, differentiable in both."""
    return _Propagate.apply(values, h, w)

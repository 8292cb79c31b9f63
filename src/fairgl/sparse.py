"""Constant sparse matrices on a device, and the propagation matrices of graph encoders.

Everything constant about a graph is computed once here: nothing is normalised per epoch and no edge-sized message
tensor is stored. Letters: N nodes, F features, H hidden width.
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor


class _Product(torch.autograd.Function):
    """``matrix @ dense`` for a constant sparse matrix, with the transpose prepared for the backward pass."""

    @staticmethod
    def forward(ctx, matrix: Tensor, transpose: Tensor, dense: Tensor) -> Tensor:
        ctx.save_for_backward(transpose)
        return matrix @ dense

    @staticmethod
    def backward(ctx, gradient: Tensor):
        (transpose,) = ctx.saved_tensors
        return None, None, transpose @ gradient.contiguous()


class Sparse:
    """A constant sparse matrix on a device that multiplies dense tensors, differentiably in the latter.

    Args:
        matrix: SciPy sparse [R, C]; values are kept as float32 unless ``dtype`` says otherwise.
        symmetric: The transpose equals the matrix, so it is not stored twice.
    """

    def __init__(self, matrix: sp.spmatrix, device: str = "cpu", symmetric: bool = False, dtype=torch.float32):
        csr = sp.csr_matrix(matrix)
        self.shape, self.device, self.nnz = csr.shape, device, csr.nnz
        self.matrix = _csr_tensor(csr, device, dtype)
        self.transpose = self.matrix if symmetric else _csr_tensor(csr.T.tocsr(), device, dtype)

    def __matmul__(self, dense: Tensor) -> Tensor:
        return _Product.apply(self.matrix, self.transpose, dense)

    def t(self) -> Sparse:
        """The transposed matrix, sharing storage."""
        other = object.__new__(Sparse)
        other.shape, other.device, other.nnz = self.shape[::-1], self.device, self.nnz
        other.matrix, other.transpose = self.transpose, self.matrix
        return other


def _csr_tensor(csr: sp.csr_matrix, device: str, dtype) -> Tensor:
    csr.sort_indices()
    index = torch.from_numpy(csr.indptr.astype(np.int64)), torch.from_numpy(csr.indices.astype(np.int64))
    values = torch.from_numpy(np.ascontiguousarray(csr.data)).to(dtype)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(*index, values, size=csr.shape, check_invariants=False).to(device)


def propagation(adjacency: sp.spmatrix, kind: str = "symmetric", loops: float = 1.0, device: str = "cpu") -> Sparse:
    """The propagation matrix of an adjacency.

    Args:
        adjacency: [N, N] sparse, without self-loops, of non-negative weights; it may be directed (row i hears from
            its non-zero columns).
        kind: ``"symmetric"`` D^-1/2 (A + l I) D^-1/2 (GCN), ``"row"`` D^-1 (A + l I) (mean over the closed
            neighbourhood), ``"sum"`` A + l I.
        loops: The self-loop weight l; 0 leaves a node without neighbours with a zero row.

    Returns:
        A :class:`Sparse` [N, N].
    """
    a = sp.csr_matrix(adjacency, dtype=np.float64)
    if loops:
        a = a + loops * sp.identity(a.shape[0], format="csr")
    degree = np.asarray(a.sum(axis=1)).ravel()
    with np.errstate(divide="ignore"):
        if kind == "symmetric":
            scale = np.where(degree > 0, degree**-0.5, 0.0)
            a = sp.diags(scale) @ a @ sp.diags(scale)
        elif kind == "row":
            a = sp.diags(np.where(degree > 0, 1.0 / degree, 0.0)) @ a
        elif kind != "sum":
            raise ValueError(f"unknown propagation {kind!r}. Valid: symmetric, row, sum")
    symmetric = kind != "row" and abs(adjacency - adjacency.T).nnz == 0
    return Sparse(a, device, symmetric=symmetric)


def features(x: np.ndarray | sp.spmatrix, device: str = "cpu") -> Tensor | Sparse:
    """Features on a device: a dense float32 tensor, or :class:`Sparse` where they are stored sparse."""
    if sp.issparse(x):
        return Sparse(x, device)
    return torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)).to(device)

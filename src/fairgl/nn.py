"""The one set of encoders: MLP, GCN, SAGE and GIN, for dense or sparse features, on CPU or GPU.

All graph encoders take a fixed propagation matrix ``p`` [N, N] (sparse CSR), made once by :func:`propagation`, so that
nothing constant is recomputed per epoch and no edge-sized message tensor is stored. Features ``x`` [N, F] are a dense
tensor or a sparse CSR tensor. Letters: N nodes, F features, H hidden width.

Sources: GCN, Kipf and Welling (2017), Eq. 2; SAGE, Hamilton et al. (2017), mean aggregator; GIN, Xu et al. (2019),
Eq. 4.1 with epsilon 0. The tests compare each layer with torch-geometric's.
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from fairgl.graph import Graph


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


class Linear(nn.Linear):
    """``x W^T + b`` for dense or :class:`Sparse` ``x``, Glorot-uniform weights and zero bias (as PyG's GCN layer)."""

    def reset_parameters(self) -> None:
        nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x: Tensor | Sparse) -> Tensor:
        if isinstance(x, Sparse):
            out = x @ self.weight.T
            return out if self.bias is None else out + self.bias
        return super().forward(x)


class MLP(nn.Module):
    """Linear layers with ReLU and dropout between; sees no edges."""

    def __init__(self, in_dim: int, hidden: int = 16, layers: int = 2, dropout: float = 0.5):
        super().__init__()
        self.linears = nn.ModuleList([Linear(in_dim if i == 0 else hidden, hidden) for i in range(layers)])
        self.dropout, self.out_dim = dropout, hidden

    def forward(self, x: Tensor | Sparse, p: Sparse | None = None) -> Tensor:
        for i, linear in enumerate(self.linears):
            x = linear(x)
            if i + 1 < len(self.linears):
                x = nn.functional.dropout(x.relu(), self.dropout, self.training)
        return x  # [N, H]


class GCN(nn.Module):
    """Graph convolutions H = P (X W) + b.

    Args:
        in_dim, hidden: F and H.
        layers: Number of convolutions; 1 with ``activation=False`` is the linear backbone that five of the
            benchmark's methods use.
        dropout: After each activation, and never after the last convolution.
        activation: ReLU between convolutions.
        spectral: Spectral normalisation of every weight (NIFTY's Lipschitz constraint).
    """

    def __init__(self, in_dim: int, hidden: int = 16, layers: int = 2, dropout: float = 0.5, activation: bool = True,
                 spectral: bool = False):
        super().__init__()
        linears = [Linear(in_dim if i == 0 else hidden, hidden, bias=False) for i in range(layers)]
        self.linears = nn.ModuleList([spectral_norm(linear) if spectral else linear for linear in linears])
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(hidden)) for _ in range(layers)])
        self.dropout, self.activation, self.out_dim = dropout, activation, hidden

    def forward(self, x: Tensor | Sparse, p: Sparse, propagated: bool = False) -> Tensor:
        """Encode. ``propagated=True`` says that ``x`` is P X already (exact: the first layer is linear before ReLU)."""
        for i, (linear, bias) in enumerate(zip(self.linears, self.biases, strict=True)):
            h = linear(x)
            x = (h if propagated and i == 0 else p @ h) + bias
            if i + 1 < len(self.linears):
                x = x.relu() if self.activation else x
                x = nn.functional.dropout(x, self.dropout, self.training)
        return x  # [N, H]


class SAGE(nn.Module):
    """Mean-aggregator layers H = X W_self + P X W_neigh, P row-normalised without loops.

    ``normalize`` L2-normalises every output row; ``batch_norm`` follows ReLU between layers (both as in the NIFTY and
    GEAR authors' encoder).
    """

    def __init__(self, in_dim: int, hidden: int = 16, layers: int = 2, dropout: float = 0.5, normalize: bool = False,
                 batch_norm: bool = False):
        super().__init__()
        dims = [in_dim] + [hidden] * (layers - 1)
        self.own = nn.ModuleList([Linear(d, hidden) for d in dims])
        self.neigh = nn.ModuleList([Linear(d, hidden, bias=False) for d in dims])
        self.norms = nn.ModuleList([nn.BatchNorm1d(hidden) if batch_norm else nn.Identity() for _ in range(layers - 1)])
        self.dropout, self.normalize, self.out_dim = dropout, normalize, hidden

    def forward(self, x: Tensor | Sparse, p: Sparse) -> Tensor:
        for i, (own, neigh) in enumerate(zip(self.own, self.neigh, strict=True)):
            x = own(x) + p @ neigh(x)
            if self.normalize:
                x = nn.functional.normalize(x, dim=-1)
            if i + 1 < len(self.own):
                x = nn.functional.dropout(self.norms[i](x.relu()), self.dropout, self.training)
        return x  # [N, H]


class GIN(nn.Module):
    """Isomorphism layers H = MLP(P X), P = A + (1 + eps) I with eps = 0, i.e. ``propagation(kind="sum")``."""

    def __init__(self, in_dim: int, hidden: int = 16, layers: int = 1, dropout: float = 0.5):
        super().__init__()
        self.first = nn.ModuleList([Linear(in_dim if i == 0 else hidden, hidden) for i in range(layers)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(hidden) for _ in range(layers)])
        self.second = nn.ModuleList([Linear(hidden, hidden) for _ in range(layers)])
        self.dropout, self.out_dim = dropout, hidden

    def forward(self, x: Tensor | Sparse, p: Sparse) -> Tensor:
        for i, (first, norm, second) in enumerate(zip(self.first, self.norms, self.second, strict=True)):
            h = p @ nn.functional.linear(x, first.weight) if not isinstance(x, Sparse) else p @ (x @ first.weight.T)
            x = second(norm(h + first.bias).relu())
            if i + 1 < len(self.first):
                x = nn.functional.dropout(x.relu(), self.dropout, self.training)
        return x  # [N, H]


ENCODERS = {"mlp": MLP, "gcn": GCN, "sage": SAGE, "gin": GIN}
_PROPAGATION = {"mlp": None, "gcn": ("symmetric", 1.0), "sage": ("row", 0.0), "gin": ("sum", 1.0)}


def encoder(kind: str, in_dim: int, **options) -> nn.Module:
    """An encoder by name; raises ``ValueError`` with the valid names."""
    if kind not in ENCODERS:
        raise ValueError(f"unknown encoder {kind!r}. Valid: {', '.join(ENCODERS)}")
    return ENCODERS[kind](in_dim, **options)


def propagation_for(kind: str, graph: Graph, device: str = "cpu") -> Sparse | None:
    """The propagation matrix that the encoder of this name expects on ``graph``; none for the MLP."""
    rule = _PROPAGATION[kind]
    return None if rule is None else propagation(graph.adjacency(), *rule, device=device)


class Classifier(nn.Module):
    """An encoder and a linear head: one logit per node."""

    def __init__(self, body: nn.Module, spectral: bool = False):
        super().__init__()
        self.body = body
        head = Linear(body.out_dim, 1)
        self.head = spectral_norm(head) if spectral else head

    def forward(self, x: Tensor | Sparse, p: Sparse | None = None, **options) -> Tensor:
        return self.head(self.body(x, p, **options)).squeeze(-1)  # [N]

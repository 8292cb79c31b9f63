"""The one set of encoders: MLP, GCN, SAGE and GIN, for dense or sparse features, on CPU or GPU.

All graph encoders take a fixed propagation matrix ``p`` [N, N], made once by :func:`fairgl.sparse.propagation`.
Features ``x`` [N, F] are a dense tensor or a :class:`~fairgl.sparse.Sparse` matrix. Letters: N nodes, F features,
H hidden width.

Sources: GCN, Kipf and Welling (2017), Eq. 2; SAGE, Hamilton et al. (2017), mean aggregator; GIN, Xu et al. (2019),
Eq. 4.1 with epsilon 0. The tests compare each layer with torch-geometric's.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from fairgl.graph import Graph
from fairgl.sparse import Sparse, propagation


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

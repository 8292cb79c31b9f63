"""Views of a graph: scaled features, flipped attributes, dropped edges.

All are pure: they take a graph or its arrays and return new ones.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from fairgl.graph import Graph

SCALES = ("none", "minmax11", "minmax01", "standard")


def scale_features(
    graph: Graph, kind: str = "minmax11", keep_sensitive: bool = True, like: Graph | None = None
) -> np.ndarray | sp.csr_matrix:
    """Features scaled per column over all nodes (no labels are used).

    Args:
        graph: Its ``x`` [N, F] is dense, or sparse CSR.
        like: Take the columns' statistics from this graph, so that a perturbed graph is scaled like the factual one.
        kind: ``"minmax11"`` 2 (x - min) / (max - min) - 1, as the NIFTY, EDITS and FairVGNN authors do for the credit
            and recidivism graphs; ``"minmax01"``; ``"standard"`` zero mean and unit variance; ``"none"``.
            Constant columns become 0. Sparse features are divided by the largest absolute value of their column and
            never shifted, so they stay sparse.
        keep_sensitive: Put the raw sensitive column back, as those authors do.

    Raises:
        ValueError: Unknown ``kind``; the message lists the valid ones.
    """
    if kind not in SCALES:
        raise ValueError(f"unknown scaling {kind!r}. Valid: {', '.join(SCALES)}")
    x, base = graph.x, (like or graph).x
    if kind == "none":
        return x
    if sp.issparse(x):
        largest = np.asarray(abs(base).max(axis=0).todense()).ravel()
        return (x @ sp.diags(1.0 / np.where(largest > 0, largest, 1.0))).tocsr().astype(np.float32)
    x, base = x.astype(np.float64), base.astype(np.float64)
    if kind == "standard":
        spread = base.std(axis=0)
        out = (x - base.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    else:
        low, spread = base.min(axis=0), np.ptp(base, axis=0)
        out = (x - low) / np.where(spread > 0, spread, 1.0)
        if kind == "minmax11":
            out = np.where(spread > 0, 2.0 * out - 1.0, 0.0)
    if keep_sensitive and graph.sens_column is not None:
        out[:, graph.sens_column] = graph.x[:, graph.sens_column]
    return out.astype(np.float32)


def set_sensitive(graph: Graph, sens: np.ndarray) -> Graph:
    """The graph with other sensitive values [N], written into the sensitive feature column too where there is one.

    Edges, labels and all other features stay as they are: this is a perturbation of the attribute, not a structural
    counterfactual.
    """
    x = graph.x
    if graph.sens_column is not None:
        values = np.asarray(sens, dtype=np.float32)
        if sp.issparse(x):
            x = x.tolil(copy=True)
            x[:, graph.sens_column] = values[:, None]
            x = x.tocsr()
        else:
            x = x.copy()
            x[:, graph.sens_column] = values
    return graph.replace(x=x, sens=np.asarray(sens, dtype=np.int64))


def flip_sensitive(graph: Graph) -> Graph:
    """Every node's binary attribute replaced by the other value; raises ``ValueError`` for more than two groups."""
    if graph.num_groups > 2:
        raise ValueError(f"flipping needs two groups; {graph.sens_name} of {graph.name} has {graph.num_groups}")
    return set_sensitive(graph, 1 - graph.sens)


def drop_edges(edges: np.ndarray, rate: float, generator: np.random.Generator) -> np.ndarray:
    """Undirected pairs [M, 2] that survive dropping each one with probability ``rate`` in 0..1."""
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"a drop rate lies in 0..1, not {rate}")
    return edges[generator.random(len(edges)) >= rate]

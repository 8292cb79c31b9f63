"""The data contract: an attributed graph with a label and a sensitive attribute, and the checks that make it one.

NumPy and SciPy only. Everything downstream (methods, metrics, splits) may rely on what :func:`check` enforces.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from fairgl.cleaning import GraphError, attribute_columns, canonical_edges, encode_sensitive, index_ids

__all__ = ["Graph", "GraphError", "attribute_columns", "canonical_edges", "check", "encode_sensitive", "index_ids"]


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph with node features, binary labels and groups.

    Attributes:
        name: Data set name.
        x: Features, float32 [N, F], dense or SciPy CSR.
        edges: int64 [M, 2], unordered pairs ``u < v``, unique, without loops, in lexicographic order.
        y: int64 [N] in {0, 1} and -1 for unlabelled nodes, or None where the data set has no node label.
        sens: Group of each node, int64 [N] in ``0 .. G-1``.
        sens_name: What the groups are ("Gender").
        sens_labels: What group ``g`` is called ("Male", "Female").
        sens_column: Index of the attribute in ``x`` (its values there map one to one to groups), or None if it is not
            a feature.
        feature_names: One name per column of ``x``; empty when unknown.
        label_name, label_meaning: The label's column, and what 1 stands for.
        card: Where the data came from: source, licence, how edges were made, counts of the raw file, published counts.
    """

    name: str
    x: np.ndarray | sp.csr_matrix | sp.csr_array
    edges: np.ndarray
    y: np.ndarray | None
    sens: np.ndarray
    sens_name: str = "group"
    sens_labels: tuple[str, ...] = ("0", "1")
    sens_column: int | None = None
    feature_names: tuple[str, ...] = ()
    label_name: str = ""
    label_meaning: str = ""
    card: dict[str, Any] = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        return int(self.x.shape[0])

    @property
    def num_edges(self) -> int:
        """Undirected edges, each counted once."""
        return len(self.edges)

    @property
    def num_groups(self) -> int:
        return len(self.sens_labels)

    @property
    def num_features(self) -> int:
        return int(self.x.shape[1])

    def edge_index(self) -> np.ndarray:
        """Both directions of every edge, int64 [2, 2M], first ``u -> v`` in order, then ``v -> u``."""
        return np.concatenate([self.edges, self.edges[:, ::-1]]).T.copy()

    def adjacency(self, loops: bool = False) -> sp.csr_array:
        """Symmetric 0/1 matrix, float32 CSR [N, N]; ``loops=True`` puts ones on the diagonal."""
        row, column = self.edge_index()
        if loops:
            nodes = np.arange(self.num_nodes)
            row, column = np.concatenate([row, nodes]), np.concatenate([column, nodes])
        shape = (self.num_nodes, self.num_nodes)
        matrix = sp.csr_array((np.ones(len(row), dtype=np.float32), (row, column)), shape=shape)
        matrix.sort_indices()
        return matrix

    def degree(self) -> np.ndarray:
        """Number of neighbours, int64 [N]."""
        return np.bincount(self.edges.ravel(), minlength=self.num_nodes).astype(np.int64)

    def replace(self, **changes: Any) -> Graph:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def checksum(self) -> str:
        """SHA-256 of features, edges, labels and groups; equal graphs have equal checksums on every platform."""
        digest = hashlib.sha256()
        if sp.issparse(self.x):
            x = self.x.tocsr().sorted_indices()
            parts = [x.data.astype("<f4"), x.indices.astype("<i8"), x.indptr.astype("<i8")]
        else:
            parts = [np.ascontiguousarray(self.x, dtype="<f4")]
        y = np.zeros(0) if self.y is None else self.y
        parts += [self.edges.astype("<i8"), y.astype("<i8"), self.sens.astype("<i8"), np.array(self.x.shape, "<i8")]
        for part in parts:
            digest.update(str(part.shape).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        digest.update(str(self.sens_column).encode())
        return digest.hexdigest()

    def summary(self) -> dict[str, Any]:
        """Counts computed from the arrays, next to what the card says about the raw file."""
        sizes = np.bincount(self.sens, minlength=self.num_groups)
        pair = self.sens[self.edges]
        same = pair[:, 0] == pair[:, 1]
        counts: dict[str, Any] = {
            "nodes": self.num_nodes,
            "edges": self.num_edges,
            "features": self.num_features,
            "isolated": int((self.degree() == 0).sum()),
            "sensitive": self.sens_name,
            "groups": {label: int(size) for label, size in zip(self.sens_labels, sizes, strict=True)},
            "same_group_edges": float(same.mean()) if len(same) else float("nan"),
            "sens_column": self.sens_column,
        }
        if self.y is not None:
            known = self.y >= 0
            counts |= {"label": self.label_name, "labelled": int(known.sum()), "positive": int((self.y == 1).sum())}
            counts["positive_by_group"] = {
                label: int(((self.y == 1) & (self.sens == g)).sum()) for g, label in enumerate(self.sens_labels)
            }
        for key in ("rows_in_file", "loops_removed", "duplicates_removed", "published_nodes", "published_edges"):
            if key in self.card:
                counts[key] = self.card[key]
        return counts

    def to_pyg(self, split: Any = None) -> Any:
        """A PyG ``Data``: ``x`` (dense), ``edge_index``, ``y``, ``sens`` and, given a split, its three masks."""
        import torch
        from torch_geometric.data import Data

        x = self.x.toarray() if sp.issparse(self.x) else self.x
        data = Data(x=torch.tensor(x), edge_index=torch.tensor(self.edge_index()), sens=torch.tensor(self.sens))
        if self.y is not None:
            data.y = torch.tensor(self.y)
        data.sens_column = self.sens_column
        for part in ("train", "val", "test") if split is not None else ():
            mask = torch.zeros(self.num_nodes, dtype=torch.bool)
            mask[torch.tensor(getattr(split, part))] = True
            data[f"{part}_mask"] = mask
        return data

    @classmethod
    def from_pyg(cls, data: Any, sens: Any = None, **fields: Any) -> Graph:
        """A graph from a PyG ``Data``; the attribute is ``sens``, or ``data.sens``. Other fields by keyword."""
        attribute = getattr(data, "sens", None) if sens is None else sens
        if attribute is None:
            raise GraphError("no sensitive attribute: pass sens=..., or set data.sens")
        coded = encode_sensitive(np.asarray(attribute), fields.get("sens_name", "group"))
        edges, report = canonical_edges(np.asarray(data.edge_index).T, int(data.num_nodes))
        y = getattr(data, "y", None)
        defaults: dict[str, Any] = {
            "name": "pyg", "sens_labels": coded.labels,
            "sens_column": getattr(data, "sens_column", None),
            "card": {"source": "PyG Data object", **report},
        }
        x = np.array(data.x, dtype=np.float32)
        x[:, attribute_columns(x, coded.codes)] = coded.codes[:, None]  # as methods do that change the attribute
        y = None if y is None else np.asarray(y).astype(np.int64).ravel()
        return check(cls(x=x, edges=edges, y=y, sens=coded.codes, **(defaults | fields)))


def check(graph: Graph) -> Graph:
    """The graph itself if it keeps the contract; otherwise :class:`GraphError` naming what is wrong."""
    n, wrong = graph.num_nodes, []
    x, edges = graph.x, graph.edges
    if x.dtype != np.float32 or x.ndim != 2:
        wrong.append(f"x must be a float32 matrix, got {x.dtype} {x.shape}")
    if not np.isfinite(x.data if sp.issparse(x) else x).all():
        wrong.append("x has entries that are not finite")
    canonical = canonical_edges(edges, n)[0]
    if edges.dtype != np.int64 or not np.array_equal(edges, canonical):
        wrong.append("edges must be int64 pairs u < v, unique, without loops, in lexicographic order")
    groups = graph.num_groups
    if graph.sens.dtype != np.int64 or graph.sens.shape != (n,):
        wrong.append(f"sens must be int64 [{n}], got {graph.sens.dtype} {graph.sens.shape}")
    elif n and (graph.sens.min() < 0 or graph.sens.max() >= groups):
        wrong.append(f"sens must lie in 0 .. {groups - 1}, one per name in {graph.sens_labels}")
    if graph.y is not None and (graph.y.dtype != np.int64 or graph.y.shape != (n,)):
        wrong.append(f"y must be int64 [{n}], got {graph.y.dtype} {graph.y.shape}")
    elif graph.y is not None and not np.isin(graph.y, (-1, 0, 1)).all():
        wrong.append(f"y must be 0, 1, or -1 for unlabelled, got {np.unique(graph.y)[:10].tolist()}: make it binary")
    if graph.feature_names and len(graph.feature_names) != graph.num_features:
        wrong.append(f"{len(graph.feature_names)} feature names for {graph.num_features} features")
    if not wrong:
        found = attribute_columns(x, graph.sens).tolist()
        if graph.sens_column is None and len(found):
            wrong.append(f"sens_column is None but column {found[0]} of x is {graph.sens_name}")
        elif graph.sens_column is not None and graph.sens_column not in found and len(np.unique(graph.sens)) > 1:
            wrong.append(f"column {graph.sens_column} of x is not {graph.sens_name}; columns that are: {found}")
    if wrong:
        raise GraphError(f"graph {graph.name!r}: " + "; ".join(wrong))
    return graph

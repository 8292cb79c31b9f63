"""The data contract: an attributed graph with a label and a sensitive attribute, and the checks that make it one.

NumPy and SciPy only. Everything downstream (methods, metrics, splits) may rely on what :func:`check` enforces.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp


class GraphError(ValueError):
    """A graph breaks the contract, or cannot be built from what was given."""


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
        """A ``torch_geometric.data.Data`` with ``x`` (dense), ``edge_index``, ``y``, ``sens`` and, given a split, masks."""
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
            "name": "pyg",
            "sens_labels": coded.labels,
            "sens_column": getattr(data, "sens_column", None),
            "card": {"source": "PyG Data object", **report},
        }
        x = np.asarray(data.x, dtype=np.float32)
        label = None if y is None else np.asarray(y).astype(np.int64).ravel()
        return check(cls(x=x, edges=edges, y=label, sens=coded.codes, **(defaults | fields)))


def canonical_edges(pairs: Any, num_nodes: int) -> tuple[np.ndarray, dict[str, int]]:
    """Unordered unique pairs without loops, and how many rows of each kind were removed.

    Args:
        pairs: Integer [R, 2], rows in any order and direction.
        num_nodes: Ids have to lie in ``0 .. num_nodes - 1``.

    Returns:
        ``edges`` int64 [M, 2] and a report with ``rows_in_file``, ``loops_removed``, ``duplicates_removed``, where a
        reverse copy counts as a duplicate.

    Raises:
        GraphError: An id is out of range, or the shape or type is wrong.
    """
    pairs = np.asarray(pairs)
    if pairs.size == 0:
        pairs = np.zeros((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise GraphError(f"edges need two columns, got shape {pairs.shape}")
    if not np.issubdtype(pairs.dtype, np.integer):
        raise GraphError(f"edge ids have to be integers, got {pairs.dtype}: an id beyond 2**53 is lost in a float")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= num_nodes):
        bad = pairs[(pairs < 0) | (pairs >= num_nodes)]
        raise GraphError(f"{len(bad)} edge ends are no row of the node table (0 .. {num_nodes - 1}), first: {bad[0]}")
    pairs = pairs.astype(np.int64)
    loops = pairs[:, 0] == pairs[:, 1]
    low, high = pairs[~loops].min(axis=1), pairs[~loops].max(axis=1)
    codes = np.unique(low * np.int64(num_nodes) + high)
    edges = np.column_stack([codes // num_nodes, codes % num_nodes]).astype(np.int64) if num_nodes else pairs
    removed = int(len(low) - len(edges))
    return edges, {"rows_in_file": len(pairs), "loops_removed": int(loops.sum()), "duplicates_removed": removed}


def index_ids(ids: Any, pairs: Any) -> np.ndarray:
    """Edges given by ids → edges given by rows of the node table, int64 [R, 2], order kept.

    Raises:
        GraphError: No ids are given, ids repeat, or an edge names an id that the table lacks.
    """
    if ids is None:
        raise GraphError("no node table: ids are not row numbers, so the edges alone do not say which nodes exist")
    index = pd.Index(ids)
    if index.has_duplicates:
        raise GraphError(f"id {index[index.duplicated()][0]!r} stands in the node table more than once")
    pairs = np.asarray(pairs)
    rows = index.get_indexer(pairs.ravel())
    missing = pd.unique(pairs.ravel()[rows < 0])
    if len(missing):
        names = ", ".join(str(value) for value in missing[:5])
        raise GraphError(f"{len(missing)} edge ids are not in the node table: {names}{' …' if len(missing) > 5 else ''}")
    return rows.reshape(-1, 2).astype(np.int64)


class Sensitive(NamedTuple):
    """Groups as codes: ``codes`` of the rows used, ``labels`` per code, ``kept`` rows [N] bool, how many were dropped."""

    codes: np.ndarray
    labels: tuple[str, ...]
    kept: np.ndarray
    dropped: int


def encode_sensitive(values: Any, name: str, missing: str = "error") -> Sensitive:
    """Groups of an attribute column, sorted by value, with missing values never becoming a group of their own.

    Args:
        values: One value per node: list, array or Series of anything that sorts.
        name: The attribute, for messages.
        missing: "error", or "drop" to leave the rows out and report how many.

    Raises:
        GraphError: Values are missing (None, NaN, NA) and ``missing`` is "error", or none are left.
    """
    if missing not in ("error", "drop"):
        raise ValueError(f"missing must be 'error' or 'drop', got {missing!r}")
    values = pd.Series(values).reset_index(drop=True)
    absent = values.isna().to_numpy()
    if absent.any() and missing == "error":
        raise GraphError(f"attribute {name!r} is missing for {int(absent.sum())} of {len(values)} nodes")
    used = values[~absent]
    if not len(used):
        raise GraphError(f"attribute {name!r} has no value at all")
    used = pd.Series(used.tolist())
    codes, levels = pd.factorize(used, sort=True)
    labels = tuple(str(int(v)) if isinstance(v, float) and v.is_integer() else str(v) for v in levels)
    return Sensitive(codes.astype(np.int64), labels, ~absent, int(absent.sum()))


def attribute_columns(x: Any, sens: np.ndarray) -> np.ndarray:
    """Columns of ``x`` that equal the attribute up to a one-to-one renaming of its values."""
    groups = np.unique(sens)
    if len(groups) < 2:
        return np.zeros(0, dtype=np.int64)
    low, high = [], []
    for g in groups:
        part = x[np.flatnonzero(sens == g)]
        for extreme, keep in (("min", low), ("max", high)):
            value = getattr(part, extreme)(axis=0)
            keep.append(value.toarray().ravel() if sp.issparse(value) else np.asarray(value).ravel())
    constant = (np.array(low) == np.array(high)).all(axis=0)
    distinct = (np.diff(np.sort(np.array(low), axis=0), axis=0) != 0).all(axis=0)
    return np.flatnonzero(constant & distinct)


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
        found = attribute_columns(x, graph.sens)
        if graph.sens_column is None and len(found):
            wrong.append(f"sens_column is None but column {int(found[0])} of x is {graph.sens_name}")
        elif graph.sens_column is not None and graph.sens_column not in found and len(np.unique(graph.sens)) > 1:
            wrong.append(f"column {graph.sens_column} of x is not {graph.sens_name} (columns that are: {found.tolist()})")
    if wrong:
        raise GraphError(f"graph {graph.name!r}: " + "; ".join(wrong))
    return graph

"""From raw rows to arrays: edges without copies, ids to row numbers, attribute values to groups.

Each function either returns clean arrays with counts of what it removed, or raises :class:`GraphError` naming the
fault. Nothing is dropped without a count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp


class GraphError(ValueError):
    """A graph breaks the contract, or cannot be built from what was given."""


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
        names = ", ".join(str(value) for value in missing[:5]) + (" …" if len(missing) > 5 else "")
        raise GraphError(f"{len(missing)} edge ids are not in the node table: {names}")
    return rows.reshape(-1, 2).astype(np.int64)


class Sensitive(NamedTuple):
    """Groups: ``codes`` of the rows used, ``labels`` per code, ``kept`` [N] bool, and how many rows were dropped."""

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

"""Link splits: positives and negatives for training, validation and test, stratified by pair type.

Protocol: the MORAL
reproducibility study, Sections 3.1, 3.5 and 3.6.3. Deviations: negatives keep the exact share of every type
(LINK-1), candidates come in a random order (LINK-2), and a type with few edges trains on one of them before any is
tested (LINK-3). Pairs are undirected: a pair is one row ``u < v``, so no part can hold it in the other direction.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairgl.graph import Graph
from fairgl.pair_types import num_types, pair_types, type_groups
from fairgl.seeding import rng

PARTS = ("train", "val", "test")


class NotEnoughPairs(ValueError):
    """More negatives are asked for than pairs without an edge exist; the message has both numbers."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Labelled pairs of one part.

    Attributes: ``pairs`` int64 [n, 2] with u < v, ``label`` int8 [n] (1 is an edge), ``type`` int64 [n]. The order is
    random and carries no information about the labels, so ties leak nothing.
    """

    pairs: np.ndarray
    label: np.ndarray
    type: np.ndarray

    @property
    def positives(self) -> np.ndarray:
        """Edges of this part, int64 [P, 2]."""
        return self.pairs[self.label == 1]

    @property
    def negatives(self) -> np.ndarray:
        """Pairs without an edge, int64 [Q, 2]."""
        return self.pairs[self.label == 0]

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True, eq=False)
class LinkSplit:
    """Candidates of the three parts. Messages may flow along ``train.positives`` only."""

    train: Candidates
    val: Candidates
    test: Candidates
    num_nodes: int
    num_groups: int

    @property
    def num_types(self) -> int:
        """Pair types T."""
        return num_types(self.num_groups)

    def checksum(self) -> str:
        """SHA-256 of all parts."""
        digest = hashlib.sha256()
        for part in PARTS:
            c: Candidates = getattr(self, part)
            for array in (c.pairs.astype("<i8"), c.label.astype("<i1"), c.type.astype("<i8")):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def save(self, path: str | Path) -> None:
        """Write plain integer arrays (``.npz``), readable without pickle; equal splits give equal bytes."""
        arrays = {f"{p}_{f}": getattr(getattr(self, p), f) for p in PARTS for f in ("pairs", "label", "type")}
        np.savez_compressed(path, num_nodes=self.num_nodes, num_groups=self.num_groups, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> LinkSplit:
        """Read what :meth:`save` wrote."""
        with np.load(path, allow_pickle=False) as z:
            parts = {p: Candidates(*(z[f"{p}_{f}"] for f in ("pairs", "label", "type"))) for p in PARTS}
            return cls(**parts, num_nodes=int(z["num_nodes"]), num_groups=int(z["num_groups"]))


def link_split(
    graph: Graph, seed: int, ratios: tuple[float, float, float] = (0.7, 0.1, 0.2), negatives: float = 1.0
) -> LinkSplit:
    """Split the edges of a graph and draw negatives.

    Within every type, training and validation take the floor of their share and test the rest, as published.

    Args:
        graph: Its canonical edges and groups are used.
        seed: Fixes the split, in a random generator of its own.
        ratios: Shares of train, validation, test; each in 0..1, summing to 1. A share of 0 gives an empty part.
        negatives: Negatives per positive, in every part and type.

    Raises:
        NotEnoughPairs: A type has fewer pairs without an edge than negatives are asked for.
        ValueError: Shares that are no shares.
    """
    shares = np.asarray(ratios, dtype=float)
    if shares.shape != (3,) or (shares < 0).any() or abs(shares.sum() - 1) > 1e-9 or not negatives >= 0:
        raise ValueError(f"ratios are three shares that sum to 1 and negatives is 0 or more, got {ratios}, {negatives}")
    generator = rng("link split", seed)
    n, types = graph.num_nodes, pair_types(graph.sens, graph.edges, graph.num_groups)
    kept: dict[str, list[tuple[np.ndarray, int, int]]] = {part: [] for part in PARTS}
    for t, (a, b) in enumerate(type_groups(graph.num_groups)):
        edges = graph.edges[generator.permutation(np.flatnonzero(types == t))]
        sizes = _part_sizes(len(edges), shares)
        wanted = np.rint(negatives * sizes).astype(int)
        members = np.flatnonzero(graph.sens == a), np.flatnonzero(graph.sens == b)
        others = _sample_negatives(members, a == b, edges, n, int(wanted.sum()), generator, _name(graph, a, b))
        for part, yes, no in zip(PARTS, _cut(edges, sizes), _cut(others, wanted), strict=True):
            kept[part] += [(yes, 1, t), (no, 0, t)]
    parts = {}
    for part in PARTS:
        pairs = np.concatenate([np.zeros((0, 2), np.int64)] + [rows for rows, _, _ in kept[part]])
        label = np.concatenate([np.full(len(rows), value, np.int8) for rows, value, _ in kept[part]])
        type_ = np.concatenate([np.full(len(rows), t, np.int64) for rows, _, t in kept[part]])
        order = generator.permutation(len(pairs))
        parts[part] = Candidates(pairs[order], label[order], type_[order])
    return LinkSplit(**parts, num_nodes=n, num_groups=graph.num_groups)


def target_distribution(source: Graph | LinkSplit, edges: str = "train") -> np.ndarray:
    """Share of every pair type among edges, float64 [T]: the target pi of the rankings.

    Args:
        source: A graph (all its edges) or a split.
        edges: Of a split, ``"train"`` for its training edges, or ``"all"`` for those of all parts, as published.

    Raises:
        ValueError: No edges, or an unknown ``edges``.
    """
    if isinstance(source, Graph):
        types, count = pair_types(source.sens, source.edges, source.num_groups), num_types(source.num_groups)
    else:
        chosen = {"train": ("train",), "all": PARTS}.get(edges)
        if chosen is None:
            raise ValueError(f"unknown edges {edges!r}. Valid: train, all")
        parts = [getattr(source, part) for part in chosen]
        types, count = np.concatenate([c.type[c.label == 1] for c in parts]), source.num_types
    if not len(types):
        raise ValueError("no edges, so there is no target distribution")
    return np.bincount(types, minlength=count) / len(types)


def _name(graph: Graph, a: int, b: int) -> str:
    return f"pair type {graph.sens_labels[a]} - {graph.sens_labels[b]} of {graph.sens_name}"


def _part_sizes(count: int, shares: np.ndarray) -> np.ndarray:
    train, val = (int(np.floor(shares[i] * count + 1e-9)) for i in (0, 1))
    if shares[0] > 0:
        train = max(train, min(1, count - val))  # Deviation LINK-3: a model needs one edge to learn from.
    return np.array([train, val, 0]) + (0, 0, count - train - val) if shares[2] > 0 else np.array([count - val, val, 0])


def _cut(rows: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
    return np.split(rows, np.cumsum(sizes)[:-1])


def _sample_negatives(
    members: tuple[np.ndarray, np.ndarray], same: bool, edges: np.ndarray, n: int, wanted: int,
    generator: np.random.Generator, name: str,
) -> np.ndarray:  # fmt: skip
    """``wanted`` distinct pairs of one type without an edge, drawn uniformly: int64 [wanted, 2], u < v, shuffled."""
    left, right = members
    possible = len(left) * (len(left) - 1) // 2 if same else len(left) * len(right)
    existing = possible - len(edges)
    if wanted > existing:
        raise NotEnoughPairs(f"{name}: asked for {wanted} negatives, only {existing} pairs without an edge exist")
    taken = np.sort(edges[:, 0] * np.int64(n) + edges[:, 1])
    if 2 * wanted >= existing:  # so many of them that rejection would stall: list them all (at most 3 times the edges)
        i, j = np.triu_indices(len(left), 1) if same else map(np.ravel, np.indices((len(left), len(right))))
        keys = np.setdiff1d(_keys(left[i], right[j], n), taken, assume_unique=True)
    else:
        keys = np.zeros(0, np.int64)
        while len(keys) < wanted:
            size = int(1.2 * (wanted - len(keys))) + 16
            u, v = generator.choice(left, size), generator.choice(right, size)
            drawn = _keys(u[u != v], v[u != v], n)
            at = np.minimum(np.searchsorted(taken, drawn), max(len(taken) - 1, 0))
            free = taken[at] != drawn if len(taken) else np.ones(len(drawn), bool)
            keys = np.union1d(keys, drawn[free])
    keys = generator.permutation(keys)[:wanted]
    return np.column_stack([keys // n, keys % n])


def _keys(u: np.ndarray, v: np.ndarray, n: int) -> np.ndarray:
    return np.minimum(u, v) * np.int64(n) + np.maximum(u, v)

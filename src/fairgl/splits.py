"""Splits of nodes into training, validation and test: the benchmark's rule and a general stratified one.

Benchmark rule, which differs by data set in the loaders of PyGDebias 1.1.1:

- German, credit, recidivism (after Agarwal et al., NIFTY, 2021) and GEAR's synthetic graph: every class is shuffled;
  training takes its first ``min(half, label_number / 2)`` nodes, validation the part from 50 to 75 %, test the last
  quarter. Where ``label_number`` is small, the rest of the first half is not used at all. Unnamed data sets follow this
  rule without a cap.
- Pokec and NBA (after Dai and Wang, FairGNN, 2021): the same cuts over all labelled nodes at once, with
  ``label_number`` training nodes at most.
- AMiner: a random 80, 10 and 10 % of the nodes.

Deviation: NBA's validation part is the second quarter-cut above; the loader used the test nodes for both.
Deviation: seeds are derived from the data set's name and the split seed instead of one global ``random.seed(20)``, so
that splits are many, independent of what ran before, and the same for every method.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairgl.graph import Graph
from fairgl.seeding import rng

LABEL_NUMBERS = {
    "german": 100, "credit": 6000, "recidivism": 100, "gear-synthetic": 1000,
    "pokec-z": 500, "pokec-n": 500, "nba": 100,
}  # fmt: skip
UNSTRATIFIED = ("pokec-z", "pokec-n", "nba", "aminer-s", "aminer-l")
THIN_SPLIT = (0.8, 0.1, 0.1)
RULES = ("benchmark", "stratified")
PARTS = ("train", "val", "test")


@dataclass(frozen=True, eq=False)
class NodeSplit:
    """Node indices of a split: int64, sorted, disjoint. Nodes in no part carry labels that nobody may use."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray

    def __post_init__(self) -> None:
        for part in PARTS:
            object.__setattr__(self, part, np.sort(np.asarray(getattr(self, part), dtype=np.int64)))
        joined = np.concatenate([self.train, self.val, self.test])
        if len(np.unique(joined)) != len(joined):
            raise ValueError("train, val and test of a split overlap or repeat a node")

    def save(self, path: Path | str) -> None:
        """Write a plain ``.npz`` of integer arrays: it loads anywhere without trusting pickled objects."""
        with open(path, "wb") as file:
            np.savez_compressed(file, train=self.train, val=self.val, test=self.test)

    @classmethod
    def load(cls, path: Path | str) -> NodeSplit:
        """Read what :meth:`save` wrote."""
        with np.load(path, allow_pickle=False) as file:
            missing = [part for part in PARTS if part not in file]
            if missing:
                raise ValueError(f"{path} is no saved node split: {', '.join(missing)} missing")
            return cls(*(file[part] for part in PARTS))


def node_split(
    graph: Graph,
    seed: int,
    rule: str = "benchmark",
    label_number: int | None = None,
    fractions: tuple[float, float, float] = (0.5, 0.25, 0.25),
) -> NodeSplit:
    """Split the labelled nodes of a graph.

    Args:
        graph: Its ``y`` must hold both classes.
        seed: Split seed; with the data set's name it determines the split.
        rule: "benchmark", or "stratified", which keeps the shares of every label-and-group cell.
        label_number: Benchmark rule only: cap of training nodes over both classes; default is the authors' for their
            data sets and no cap elsewhere.
        fractions: Stratified rule only: shares of training, validation and test; a sum below 1 leaves nodes out.

    Raises:
        ValueError: Unknown rule, no labels, only one class, bad fractions, or a part that would be empty.
    """
    if rule not in RULES:
        raise ValueError(f"unknown split rule {rule!r}. Valid: {', '.join(RULES)}")
    if graph.y is None:
        raise ValueError(f"data set {graph.name!r} has no node labels, so there is nothing to split")
    classes = np.unique(graph.y[graph.y >= 0])
    if len(classes) < 2:
        raise ValueError(f"data set {graph.name!r}: labelled nodes have {len(classes)} class; a split needs two")
    draw = rng("split", graph.name, rule, seed)
    if rule == "benchmark":
        if label_number is None:
            label_number = LABEL_NUMBERS.get(graph.name, 2 * graph.num_nodes)
        if graph.name in UNSTRATIFIED:
            nodes = draw.permutation(np.flatnonzero(graph.y >= 0))
            aminer = graph.name.startswith("aminer")
            pieces = [_shares(nodes, THIN_SPLIT) if aminer else _benchmark(nodes, label_number)]
        else:
            shuffled = [draw.permutation(np.flatnonzero(graph.y == c)) for c in classes]
            pieces = [_benchmark(nodes, label_number // 2) for nodes in shuffled]
    else:
        if min(fractions) <= 0 or sum(fractions) > 1 + 1e-9:
            raise ValueError(f"fractions must be positive and sum to at most 1, got {fractions}")
        cells = [(graph.y == c) & (graph.sens == g) for c in classes for g in range(graph.num_groups)]
        pieces = [_shares(draw.permutation(np.flatnonzero(cell)), fractions) for cell in cells if cell.any()]
    split = NodeSplit(*(np.concatenate(part) for part in zip(*pieces, strict=True)))
    empty = [part for part in PARTS if not len(getattr(split, part))]
    if empty:
        raise ValueError(f"data set {graph.name!r} is too small for this split: {', '.join(empty)} would be empty")
    return split


def _benchmark(nodes: np.ndarray, most: int) -> list[np.ndarray]:
    """First half, capped at ``most``; third quarter; last quarter of shuffled nodes."""
    half, quarter = len(nodes) // 2, int(0.75 * len(nodes))
    return [nodes[: min(half, most)], nodes[half:quarter], nodes[quarter:]]


def _shares(nodes: np.ndarray, fractions: tuple[float, float, float]) -> list[np.ndarray]:
    """Parts of one shuffled cell by rounded cumulative shares."""
    ends = np.round(np.cumsum(fractions) * len(nodes)).astype(int)
    return [nodes[: ends[0]], nodes[ends[0] : ends[1]], nodes[ends[1] : ends[2]]]


def match_validation(split: NodeSplit, y: np.ndarray, seed: int) -> NodeSplit:
    """The split with its validation part thinned to the class shares of its training part.

    The benchmark's rule balances the classes of the training part but not of the validation part. Under such a shift
    the validation loss is lowest for a model that has hardly been trained and leans to the larger class; see PROT-5 in
    ``book/deviations.md``. The largest subset with the right shares is kept, drawn at random by the split seed.

    Args:
        y: Labels [N], known on training and validation nodes.
        seed: Split seed.
    """
    share = (y[split.train] == 1).mean()
    classes = [split.val[y[split.val] == c] for c in (0, 1)]
    wanted = np.array([1 - share, share])
    total = min(len(nodes) / part for nodes, part in zip(classes, wanted, strict=True) if part > 0)
    draw = rng("match validation", seed)
    sizes = np.round(total * wanted).astype(int)
    kept = [draw.permutation(nodes)[:size] for nodes, size in zip(classes, sizes, strict=True)]
    return NodeSplit(split.train, np.concatenate(kept), split.test)

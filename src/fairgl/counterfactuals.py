r"""Counterfactual graphs: what would features and edges be, had the sensitive attribute been another?

Source: Ma et al. (GEAR, 2022). Their test sets a share of all nodes to s = 1 and everyone else to s = 0, and compares
predictions with those on the factual graph. Four variants of "the graph under s'" are kept apart by name:

* ``shipped``: only the sensitive column changes, as in the files that the authors ship for their synthetic graph.
* ``as_coded``: what the authors' script computes. Features keep 90 % (synthetic) or 95 % (real data) of their factual
  value, and adjacency keeps 90 % of its, which is why no edge of the synthetic graph can ever change (see below).
* ``structural``: the causal model itself. For generated data its equations, with their own draws; for real data the
  card's assumption, naive Bayes and cosine (:mod:`fairgl.assumed_causes`).
* ``rebuilt``: for graphs derived from a table, naive Bayes for the features, and the edges
  by the rule that made them.

``as_coded`` keeps an edge if 0.9 A + 0.1 (cos + 0.01 [s'_i = s'_j]) >= 0.4. With A = 1 the left side is at least 0.8,
with A = 0 at most 0.101. Changing nothing but ``s`` is therefore all that the edges of that variant ever do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from fairgl.assumed_causes import AssumedCauses
from fairgl.datasets.gear_synthetic import GearModel
from fairgl.graph import Graph
from fairgl.registry import DATASETS, UnknownName
from fairgl.seeding import rng
from fairgl.views import set_sensitive

VARIANTS = ("shipped", "as_coded", "structural", "rebuilt")
LEVELS = (0.0, 0.5, 1.0)  # the paper's shares of nodes with s = 1
KEPT = 0.9  # of the factual features and adjacency, in the authors' script for the synthetic graph


class Causes(Protocol):
    """What a causal model offers: the variants it has, and the world under other sensitive values."""

    variants: tuple[str, ...]
    knows_labels: bool  # whether labels of the structural world follow too

    def as_coded(self, graph: Graph, s: np.ndarray) -> Graph: ...

    def structural(self, graph: Graph, s: np.ndarray) -> Graph: ...

    def rebuilt(self, graph: Graph, s: np.ndarray) -> Graph: ...


@dataclass(frozen=True, eq=False)
class Equations:
    """The causal model of a generated graph: its own equations."""

    model: GearModel
    variants: tuple[str, ...] = ("shipped", "as_coded", "structural")
    knows_labels: bool = True

    def as_coded(self, graph: Graph, s: np.ndarray) -> Graph:
        """Nine tenths of the factual features, one tenth of those under ``s``; edges and labels stay."""
        x = np.asarray(graph.x, dtype=np.float64).copy()
        shown = np.delete(np.arange(graph.num_features), graph.sens_column)
        x[:, shown] = KEPT * x[:, shown] + (1 - KEPT) * self.model.features(s)
        return set_sensitive(graph.replace(x=x.astype(np.float32)), s)

    def structural(self, graph: Graph, s: np.ndarray) -> Graph:
        """Features, edges and labels under ``s`` from the equations, with every other draw unchanged."""
        return self.model.graph(s)


def causes_of(graph: Graph, dataset: str, **parameters: Any) -> Causes:
    """The causal model behind a data set: its equations if it was generated, the card's assumption otherwise.

    Args:
        graph: The factual graph, ``load(dataset, **parameters)``.
        dataset, parameters: As given to :func:`fairgl.load`.

    Raises:
        ValueError: The attribute has more than two groups, or is not among the features.
    """
    reason = unsuited(graph)
    if reason:
        raise ValueError(reason)
    maker = getattr(DATASETS[dataset], "model", None) if dataset in DATASETS else None
    return AssumedCauses.fit(graph) if maker is None else Equations(maker(**parameters))


def unsuited(graph: Graph) -> str | None:
    """Why a graph has no counterfactual worlds here, or ``None``."""
    if graph.num_groups != 2:
        return f"defined for two groups; {graph.sens_name} has {graph.num_groups}"
    if graph.sens_column is None:
        return f"{graph.sens_name} is not among the features, so no model can react to it directly"
    if sp.issparse(graph.x):
        return "defined for dense features"
    return None


def attribute_at(graph: Graph, level: float, draw: int = 0) -> np.ndarray:
    """Sensitive values with a share ``level`` of the nodes at 1 and all others at 0, int64 [N].

    Nodes are chosen at random, by the data set's name and ``draw``, and nested: who is 1 at a level stays it at
    every higher one.
    """
    if not 0.0 <= level <= 1.0:
        raise ValueError(f"a level is a share of nodes in 0..1, not {level}")
    order = rng("counterfactual attribute", graph.name, draw).permutation(graph.num_nodes)
    s = np.zeros(graph.num_nodes, dtype=np.int64)
    s[order[: int(round(level * graph.num_nodes))]] = 1
    return s


def counterfactual(graph: Graph, s: np.ndarray, variant: str, causes: Causes) -> Graph:
    """The graph under sensitive values ``s``.

    Args:
        graph: The factual graph.
        s: Sensitive values, 0/1 [N]; the factual ones give the factual graph back (but for ``as_coded`` on real data).
        variant: One of :data:`VARIANTS`.
        causes: From :func:`causes_of`.

    Returns:
        A graph with the same nodes and columns. Labels follow the equations where they are known, else stay.

    Raises:
        UnknownName: No such variant for this causal model; the message lists those it has.
    """
    if variant not in causes.variants:
        raise UnknownName(f"variant for {graph.name}", variant, list(causes.variants))
    s = np.asarray(s, dtype=np.int64)
    return set_sensitive(graph, s) if variant == "shipped" else getattr(causes, variant)(graph, s)

"""Chameleon (filtered): 890 Wikipedia pages about chameleons, linked by hyperlinks.

Source: Platonov et al. (2023), who removed the duplicates of Rozemberczki et al.'s graph. There is no attribute of
people: the link-prediction study makes one from the five traffic classes, the two-part grouping with the fewest edges
inside.
"""

from __future__ import annotations

import itertools

import numpy as np

from fairgl.datasets import floats, one_of, origin
from fairgl.fetch import fetched
from fairgl.graph import Graph, canonical_edges
from fairgl.registry import DATASETS


def most_crossed(classes: np.ndarray, edges: np.ndarray) -> tuple[int, ...]:
    """The classes whose split from the rest leaves the smallest share of edges within groups; first of equals."""
    levels = np.unique(classes).tolist()
    subsets = [c for size in range(1, len(levels)) for c in itertools.combinations(levels, size)]

    def within(subset: tuple[int, ...]) -> float:
        inside = np.isin(classes, subset)[edges]
        return float((inside[:, 0] == inside[:, 1]).mean())

    return min(subsets, key=within)


@DATASETS.register("chameleon", title="Chameleon (filtered)", kind="fetched", tasks=("links",), licence="MIT")
def chameleon(task: str = "links") -> Graph:
    """Chameleon with a grouping of traffic classes, appended to 2,325 word flags."""
    one_of(task, ("links",), "task")
    with np.load(fetched("chameleon/chameleon_filtered.npz"), allow_pickle=False) as file:
        words, classes, pairs = file["node_features"], file["node_labels"], file["edges"]
    edges, report = canonical_edges(pairs, len(words))
    chosen = most_crossed(classes, edges)
    sens = np.isin(classes, chosen).astype(np.int64)
    rest = sorted(set(np.unique(classes).tolist()) - set(chosen))
    return Graph(
        name="chameleon",
        x=floats(np.column_stack([words, sens])),
        edges=edges,
        y=None,
        sens=sens,
        sens_name="traffic class",
        sens_labels=tuple("classes " + ", ".join(map(str, part)) for part in (rest, chosen)),
        sens_column=words.shape[1],
        feature_names=(*(f"word {i}" for i in range(words.shape[1])), "traffic class"),
        card={**origin("chameleon"), "edges_how": "a hyperlink between two pages, in either direction",
              "published_nodes": 890, "published_edges": 8854, **report},
    )  # fmt: skip

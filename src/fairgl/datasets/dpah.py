"""DPAH: directed preferential attachment with homophily, a synthetic graph with a majority and a minority.

Source: Espín-Noboa et al. (2022), as the link-prediction study ran it (its section 3.6): a source is drawn by activity,
a target by homophily times in-degree plus one, among nodes that have been a source themselves once ten edges exist.

The draws follow the study's order with NumPy's legacy generator, so the counts of edges per pair type equal the
published ones. Deviation: own code, one pass over the nodes per edge in array operations (about 0.4 s a graph instead
of minutes).
"""

from __future__ import annotations

import numpy as np
from scipy.special import zeta

from fairgl.datasets import floats
from fairgl.graph import Graph, canonical_edges
from fairgl.registry import DATASETS

EXPONENT, NODES, DENSITY, FEATURES, EDGE_OF_HOMOPHILY = 2.5, 1000, 0.006, 16, 1e-5


def dpah_edges(minority: float, homophily: tuple[float, float], seed: int, nodes: int, density: float):
    """Directed edges int64 [E, 2] and groups int64 [N] (1 = minority) of one graph."""
    draw = np.random.RandomState(seed)
    ids = np.arange(nodes)
    draw.shuffle(ids)
    group = np.zeros(nodes, dtype=np.int64)  # by position; the last positions are the minority
    group[nodes - round(nodes * minority) :] = 1
    # Activities from the zeta distribution by its exact inverse; beyond the table one draw in 10^8 would change.
    table = np.cumsum(np.arange(1.0, 200_000.0) ** -EXPONENT) / zeta(EXPONENT)
    activity = np.searchsorted(table, draw.random_sample(nodes)) + 1.0
    sources = np.cumsum(activity / activity.sum())
    same = np.clip(homophily, EDGE_OF_HOMOPHILY, 1 - EDGE_OF_HOMOPHILY)
    taste = np.array([[same[0], 1 - same[0]], [1 - same[1], same[1]]])[:, group]
    indegree, active = np.zeros(nodes), np.zeros(nodes, dtype=bool)
    wanted, edges = round(nodes * (nodes - 1) * density), {}
    while len(edges) < wanted:
        source = min(int(np.searchsorted(sources, draw.random_sample())), nodes - 1)
        weight = taste[group[source]] * (indegree + 1)
        if len(edges) > nodes / 100:
            weight = weight * active
        weight[source] = 0
        total = np.cumsum(weight)
        target = int(np.searchsorted(total, draw.random_sample() * total[-1]))
        if (source, target) not in edges:
            edges[source, target] = None
            indegree[target] += 1
            active[source] = True
    sens = np.zeros(nodes, dtype=np.int64)
    sens[ids] = group
    return ids[np.array(list(edges), dtype=np.int64)], sens


@DATASETS.register("dpah", title="DPAH (synthetic)", kind="generated", tasks=("links",), licence="generated here")
def dpah(
    minority: float = 0.3, majority_homophily: float = 0.5, minority_homophily: float = 0.5, seed: int = 42
) -> Graph:
    """One graph of 1,000 nodes; features are 16 columns of noise, the same for every graph, without the group.

    Args:
        minority: Share of minority nodes, in (0, 0.5].
        majority_homophily, minority_homophily: Tendency of each group towards itself, in [0, 1]; 0 and 1 stand for 1e-5
            from the edge.
        seed: Of the graph; the study uses 42 for all.
    """
    if not 0 < minority <= 0.5:
        raise ValueError(f"minority must lie in (0, 0.5], got {minority}")
    if not (0 <= majority_homophily <= 1 and 0 <= minority_homophily <= 1):
        raise ValueError(f"homophily must lie in [0, 1], got {majority_homophily}, {minority_homophily}")
    pairs, sens = dpah_edges(minority, (majority_homophily, minority_homophily), seed, NODES, DENSITY)
    edges, report = canonical_edges(pairs, NODES)
    return Graph(
        name="dpah",
        x=floats(np.random.default_rng(42).standard_normal((NODES, FEATURES))),
        edges=edges,
        y=None,
        sens=sens,
        sens_name="group",
        sens_labels=("majority", "minority"),
        feature_names=tuple(f"noise {i}" for i in range(FEATURES)),
        card={
            "source": "generated after Espín-Noboa et al. (2022)",
            "licence": "generated here",
            "edges_how": "directed preferential attachment with homophily; direction dropped afterwards",
            "published_nodes": NODES,
            "published_note": "5,803 to 5,966 undirected edges over the study's 726 settings",
            "minority": minority,
            "homophily": [majority_homophily, minority_homophily],
            "seed": seed,
            **report,
        },
    )

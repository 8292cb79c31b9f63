"""GEAR's synthetic equations with a dial: a graph on which the sensitive attribute matters as much as one wishes.

In the authors' generator ``s`` hardly moves a label: the score's part from latent vectors has a standard deviation of
about 7, the part from ``s`` one of about 0.26. Here the weight of the latter and the extra similarity within a group
are parameters. ``sens_weight=1, homophily=0.01`` are the authors' values, with the same draws as ``gear-synthetic`` of
the same seed; ``sens_weight=0, homophily=0`` makes labels and edges blind to ``s`` (features still carry it).
"""

from __future__ import annotations

from dataclasses import replace

from fairgl.datasets.gear_synthetic import GearModel
from fairgl.graph import Graph
from fairgl.registry import DATASETS


def dial_model(seed: int = 0, sens_weight: float = 10.0, homophily: float = 0.05) -> GearModel:
    """The equations behind ``load("gear-dial", ...)`` with the same parameters."""
    if not 0.0 <= homophily <= 1.0:
        raise ValueError(f"homophily is an added cosine similarity and lies in 0..1, not {homophily}")
    return replace(GearModel.draw(seed), w_s=float(sens_weight), bonus=float(homophily), name="gear-dial")


@DATASETS.register("gear-dial", title="GEAR synthetic with a dial", kind="generated", tasks=("nodes",),
                   licence="generated here", model=dial_model)  # fmt: skip
def gear_dial(seed: int = 0, sens_weight: float = 10.0, homophily: float = 0.05) -> Graph:
    """GEAR's graph with other weights of ``s``.

    Args:
        seed: Of the draws; those of ``gear-synthetic``.
        sens_weight: Effect on the score of the mean ``s`` over a node and its neighbours.
        homophily: Added cosine similarity of nodes with equal ``s``, in 0..1.
    """
    graph = dial_model(seed, sens_weight, homophily).graph()
    card = {key: value for key, value in graph.card.items() if not key.startswith("published")}
    how = f"cosine similarity of latent vectors, plus {homophily:g} within a group, at least 0.4"
    return graph.replace(card={**card, "edges_how": how})

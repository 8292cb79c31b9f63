"""Node classification under individual fairness: the group task's metrics, and whether similar nodes are treated alike.

B_Lipschitz and GDIF run over all nodes of the graph, training nodes included, as equations (3) and (4) of the benchmark
do; they stand under "test". NDCG@10 is over the nodes of its part. Similarity is the cosine of rows of A + I, relevance
the cosine of standardised features without the sensitive column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairgl.graph import Graph
from fairgl.metrics.individual import (
    lipschitz_bias,
    lipschitz_mean,
    lipschitz_relative,
    lipschitz_trace_logits,
    lipschitz_trace_probabilities,
    unit_rows,
)
from fairgl.metrics.individual_disparity import gdif, gdif_released
from fairgl.metrics.individual_ranking import oracle_rows, ranking_agreement
from fairgl.registry import TASKS
from fairgl.splits import NodeSplit
from fairgl.tasks import Outcome
from fairgl.tasks.nodes import evaluate_nodes, fit_nodes
from fairgl.views import scale_features

if TYPE_CHECKING:
    from fairgl.runs import RunSpec

JUDGED = 5000  # lists per part; the standard error is recorded where a part is larger


def evaluate_individual(graph: Graph, split: NodeSplit, logits: np.ndarray) -> dict[str, dict[str, float]]:
    """Individual fairness of scores, ``{"val": {...}, "test": {...}}``.

    Args:
        logits: Log-odds of class 1 [N], of all nodes.
    """
    rows, sens = unit_rows(graph.adjacency(loops=True)), graph.sens
    probability = 0.5 * (1 + np.tanh(logits / 2))
    groups = {"sens": sens, "groups": range(graph.num_groups)}
    found = {
        "lipschitz_bias": lipschitz_bias(probability=probability, rows=rows),
        "lipschitz_mean": lipschitz_mean(probability=probability, rows=rows),
        "lipschitz_relative": lipschitz_relative(probability=probability, rows=rows),
        "lipschitz_trace_logits": lipschitz_trace_logits(logits=logits, rows=rows),
        "lipschitz_trace_probabilities": lipschitz_trace_probabilities(probability=probability, rows=rows),
        "gdif": gdif(probability=probability, rows=rows, **groups),
        "gdif_released": gdif_released(logits=logits, rows=rows, sens=sens),
    }
    oracle = oracle_rows(graph.x, graph.sens_column)
    parts = {}
    for part, index in (("val", split.val), ("test", split.test)):
        lists = ranking_agreement(values=probability[index], features=oracle[index], most=JUDGED)
        parts[part] = {"ndcg_at_10": lists.ndcg, "ndcg_at_10_chance": lists.chance, "ndcg_at_10_lift": lists.lift}
        if lists.error:
            parts[part]["ndcg_at_10_error"] = lists.error
    # As the released library has them: scaled features, the sensitive one among them, and lists by label alone.
    raw = oracle_rows(scale_features(graph, "minmax11"), standardise=False)[split.test]
    lists = ranking_agreement(values=np.sign(logits[split.test]), features=raw, k=9, most=JUDGED)
    found |= {"ndcg_released": lists.ndcg, "ndcg_released_chance": lists.chance}
    parts["test"] = {**found, **parts["test"]}
    return parts


@TASKS.register("individual")
def run_individual(spec: RunSpec, device: str) -> Outcome:
    """Fit one node method; evaluate it under group and individual fairness."""
    graph, split, scores, config, seconds = fit_nodes(spec, device)
    more = evaluate_individual(graph, split, scores.logits)
    parts = {"val": split.val, "test": split.test}
    return Outcome(
        metrics={part: {**evaluate_nodes(graph, i, scores.logits), **more[part]} for part, i in parts.items()},
        graph_checksum=graph.checksum(),
        config=config,
        epoch=scores.epoch,
        val_loss=scores.val_loss,
        diagnostics=scores.diagnostics,
        fit_seconds=seconds,
    )

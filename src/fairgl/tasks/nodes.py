"""Node classification under group fairness: fit a node method, evaluate utility and group gaps on test nodes."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

import numpy as np

from fairgl.datasets import load
from fairgl.graph import Graph
from fairgl.methods import Scores
from fairgl.metrics.group import (
    auc_difference,
    equal_opportunity_difference,
    statistical_parity_difference,
    utility_difference,
)
from fairgl.metrics.utility import accuracy, auc, average_precision, balanced_accuracy, f1
from fairgl.registry import NODE_METHODS, TASKS
from fairgl.splits import NodeSplit, match_validation, node_split
from fairgl.tasks import Outcome, Skipped

if TYPE_CHECKING:
    from fairgl.runs import RunSpec


def hide_labels(graph: Graph, split: NodeSplit) -> Graph:
    """The graph with labels outside the training and validation nodes replaced by -1."""
    y = np.full_like(graph.y, -1)
    seen = np.concatenate([split.train, split.val])
    y[seen] = graph.y[seen]
    return graph.replace(y=y)


def evaluate_nodes(graph: Graph, index: np.ndarray, logits: np.ndarray) -> dict[str, float]:
    """Utility and group metrics of scores on the nodes ``index``; predictions are ``logits > 0``.

    ``balanced_accuracy`` is what the released library reports as AUC, ``accuracy`` what it reports as micro-F1.
    """
    y, score, sens = graph.y[index], logits[index], graph.sens[index]
    pred = (score > 0).astype(np.int64)
    grouped = {"sens": sens, "groups": range(graph.num_groups)}
    return {
        "accuracy": accuracy(y=y, pred=pred),
        "f1": f1(y=y, pred=pred),
        "auc": auc(y=y, score=score),
        "average_precision": average_precision(y=y, score=score),
        "balanced_accuracy": balanced_accuracy(y=y, pred=pred),
        "selection_rate": float(pred.mean()),
        "statistical_parity_difference": statistical_parity_difference(pred=pred, **grouped),
        "equal_opportunity_difference": equal_opportunity_difference(y=y, pred=pred, **grouped),
        "utility_difference": utility_difference(y=y, pred=pred, **grouped),
        "auc_difference": auc_difference(y=y, score=score, **grouped),
    }


def fit_nodes(spec: RunSpec, device: str) -> tuple[Graph, NodeSplit, Scores, dict, float]:
    """Load, split, fit: graph, split, scores, full configuration, seconds of the fit.

    Raises:
        Skipped: The method's ``skip`` gave a reason.
    """
    graph = load(spec.dataset, **spec.dataset_config)
    split = node_split(graph, spec.split_seed)
    method = NODE_METHODS[spec.method].configure(spec.config)
    reason = method.skip(graph)
    if reason:
        raise Skipped(reason)
    selection = match_validation(split, graph.y, spec.split_seed)  # Deviation PROT-5
    start = time.perf_counter()
    scores = method.fit(hide_labels(graph, split), selection, spec.seed, device)
    return graph, split, scores, dataclasses.asdict(method), time.perf_counter() - start


@TASKS.register("nodes")
def run_nodes(spec: RunSpec, device: str) -> Outcome:
    """Fit and evaluate one node method under group fairness."""
    graph, split, scores, config, seconds = fit_nodes(spec, device)
    parts = {"val": split.val, "test": split.test}
    return Outcome(
        metrics={part: evaluate_nodes(graph, index, scores.logits) for part, index in parts.items()},
        graph_checksum=graph.checksum(),
        config=config,
        epoch=scores.epoch,
        val_loss=scores.val_loss,
        diagnostics=scores.diagnostics,
        fit_seconds=seconds,
    )

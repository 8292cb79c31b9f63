"""Link prediction under exposure fairness: split the edges, fit a link method, rank its candidates several ways."""

from __future__ import annotations

import dataclasses
import inspect
import time
from typing import TYPE_CHECKING

from fairgl.datasets import load
from fairgl.link_evaluation import CALIBRATED, evaluate_links
from fairgl.link_splits import link_split, target_distribution
from fairgl.registry import DATASETS, LINK_METHODS, TASKS
from fairgl.rerank.detconstsort import detconstsort
from fairgl.rerank.moral import moral
from fairgl.rerank.none import none
from fairgl.tasks import Outcome, Skipped

if TYPE_CHECKING:
    from fairgl.graph import Graph
    from fairgl.runs import RunSpec

K = 1000  # the study's only cut-off in tables
CUTS = (10, 20, 50, 100, 200, 500, K)  # its Figures 6 and 7, and the first 100 of Figure 11
RERANKED = (none.name, CALIBRATED, moral.name, detconstsort.name)


def load_links(name: str, **parameters: object) -> Graph:
    """The data set with the columns of the link-prediction study, if its loader distinguishes tasks."""
    if "task" in inspect.signature(DATASETS[name]).parameters:
        parameters.setdefault("task", "links")
    return load(name, **parameters)


@TASKS.register("links")
def run_links(spec: RunSpec, device: str) -> Outcome:
    """Fit one link method and measure its list, raw, calibrated and reranked, against the make-up of training edges."""
    graph = load_links(spec.dataset, **spec.dataset_config)
    split = link_split(graph, spec.split_seed)
    method = LINK_METHODS[spec.method].configure(spec.config)
    reason = method.skip(graph)
    if reason:
        raise Skipped(reason)
    start = time.perf_counter()
    scores = method.fit(graph, split, spec.seed, device)
    seconds = time.perf_counter() - start
    return Outcome(
        metrics={"test": evaluate_links(scores, split, target_distribution(split), CUTS, RERANKED)},
        graph_checksum=graph.checksum(),
        config=dataclasses.asdict(method),
        epoch=scores.epoch,
        val_loss=scores.val_loss,
        diagnostics=scores.diagnostics,
        fit_seconds=seconds,
    )

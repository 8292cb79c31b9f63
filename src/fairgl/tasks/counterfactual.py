"""Graph counterfactual fairness: fit a method on the factual graph, compare its predictions with counterfactual graphs.

Records hold, for the test nodes, what :mod:`fairgl.tasks.nodes` measures, R² on the neighbourhood's sensitive
values, and per variant of a counterfactual graph (never mixed) one flip rate per level and their mean:
``flip_rate_structural_0.5``, ``delta_cf_structural``. Where the labels of a counterfactual world are known,
``delta_cf_labels`` is what a perfect predictor would show, and ``accuracy_structural_0.5`` compares predictions with
those labels.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fairgl.counterfactuals import LEVELS, VARIANTS, Causes, attribute_at, causes_of, counterfactual, unsuited
from fairgl.datasets import load
from fairgl.graph import Graph
from fairgl.methods import Scores
from fairgl.metrics.counterfactual import delta_cf, flip_rate, neighbour_r2, neighbour_r2_unfitted, neighbourhood_share
from fairgl.metrics.utility import accuracy
from fairgl.registry import COUNTERFACTUAL_METHODS, TASKS
from fairgl.splits import match_validation, node_split
from fairgl.tasks import Outcome, Skipped
from fairgl.tasks.nodes import evaluate_nodes, hide_labels

if TYPE_CHECKING:
    from fairgl.runs import RunSpec

MANY_LEVELS = tuple(level / 10 for level in range(11))


@lru_cache(maxsize=4)
def _factual(dataset: str, parameters: tuple) -> tuple[Graph, Causes | None]:
    graph = load(dataset, **dict(parameters))
    return graph, None if unsuited(graph) else causes_of(graph, dataset, **dict(parameters))


@lru_cache(maxsize=64)
def _world(dataset: str, parameters: tuple, variant: str, level: float, draw: int) -> Graph:
    """A counterfactual graph; methods of one data set and draw share it. Small: 64 of credit's take 250 MB."""
    graph, causes = _factual(dataset, parameters)
    return counterfactual(graph, attribute_at(graph, level, draw), variant, causes)


def _draw(level: float, seed: int) -> int:
    """Who has s = 1 is a matter of chance only between the extremes."""
    return seed if 0 < level < 1 else 0


def evaluate_worlds(
    scores: Scores, factual: Graph, index: np.ndarray, worlds: dict[float, Graph], variant: str, labelled: bool = False
) -> dict[str, float]:
    """Flip rates of one variant's worlds (level to graph) and their mean, on the nodes ``index``.

    Args:
        labelled: The worlds' labels follow from equations, so they are compared as well.
    """
    pred, others, labels, out = scores.logits[index] > 0, {}, {}, {}
    for level, world in worlds.items():
        others[level] = scores.predict(world)[index] > 0
        out[f"flip_rate_{variant}_{level:g}"] = flip_rate(pred=pred, other=others[level])
        if labelled:
            labels[level] = world.y[index]
            out[f"accuracy_{variant}_{level:g}"] = accuracy(y=labels[level], pred=others[level])
    out[f"delta_cf_{variant}"] = delta_cf(pred=pred, others=others)
    if labels:
        out["delta_cf_labels"] = delta_cf(pred=factual.y[index], others=labels)
    return out


def _run(spec: RunSpec, device: str, levels: Sequence[float]) -> Outcome:
    parameters = tuple(sorted(spec.dataset_config.items()))
    graph, causes = _factual(spec.dataset, parameters)
    method = COUNTERFACTUAL_METHODS[spec.method].configure(spec.config)
    reason = unsuited(graph) or method.skip(graph)
    if reason:
        raise Skipped(reason)
    split = match_validation(node_split(graph, spec.split_seed), graph.y, spec.split_seed)  # Deviation PROT-5
    start = time.perf_counter()
    scores = method.fit(hide_labels(graph, split), split, spec.seed, device)
    seconds = time.perf_counter() - start
    metrics = {part: evaluate_nodes(graph, getattr(split, part), scores.logits) for part in ("val", "test")}
    test, share = metrics["test"], neighbourhood_share(edges=graph.edges, sens=graph.sens)[split.test]
    pred = scores.logits[split.test] > 0
    test["neighbour_r2"] = neighbour_r2(pred=pred, share=share)
    test["neighbour_r2_unfitted"] = neighbour_r2_unfitted(pred=pred, share=share)
    for variant in VARIANTS:
        if variant in causes.variants:
            draws = {float(x): _draw(x, spec.split_seed) for x in levels}
            worlds = {x: _world(spec.dataset, parameters, variant, x, draw) for x, draw in draws.items()}
            labelled = causes.knows_labels and variant == "structural"
            test |= evaluate_worlds(scores, graph, split.test, worlds, variant, labelled)
    return Outcome(
        metrics=metrics,
        graph_checksum=graph.checksum(),
        config=dataclasses.asdict(method),
        epoch=scores.epoch,
        val_loss=scores.val_loss,
        diagnostics=scores.diagnostics,
        fit_seconds=seconds,
    )


@TASKS.register("counterfactual")
def run_counterfactual(spec: RunSpec, device: str) -> Outcome:
    """Fit, and evaluate at the paper's three levels; the draw of counterfactual attributes is the split seed's."""
    return _run(spec, device, LEVELS)


@TASKS.register("counterfactual_levels")
def run_counterfactual_levels(spec: RunSpec, device: str) -> Outcome:
    """The same at eleven levels."""
    return _run(spec, device, MANY_LEVELS)

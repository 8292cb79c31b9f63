r"""Graph counterfactual fairness: how often predictions change when the sensitive values of a graph do.

Source: Ma et al. (GEAR, 2022), section 5. A prediction on the factual graph is compared with predictions on
counterfactual graphs, and with the share of s = 1 in a node's closed neighbourhood. What a counterfactual graph *is*
decides the number, so records hold one :math:`\delta_{CF}` per variant (:mod:`fairgl.counterfactuals`), never a mix.

Deviation CF-1: the card's recipe for :math:`R^2` compares predictions with neighbourhood means directly; the authors'
code fits a line first. Both are here, under two names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairgl.metrics import labels_of, reason_of, scores_of, undefined
from fairgl.registry import METRICS


def neighbourhood_share(*, edges: Any, sens: Any) -> np.ndarray:
    """Mean sensitive value over a node and its neighbours.

    Args:
        edges: Unordered pairs [M, 2] without loops.
        sens: Sensitive values [N], 0 or 1.

    Returns:
        Float64 [N] in [0, 1]; a node without neighbours has its own value.
    """
    edges, sens = np.asarray(edges).reshape(-1, 2), np.asarray(sens, dtype=np.float64)
    ends, others = np.concatenate([edges[:, 0], edges[:, 1]]), np.concatenate([edges[:, 1], edges[:, 0]])
    total = sens + np.bincount(ends, weights=sens[others], minlength=len(sens))
    return total / (1 + np.bincount(ends, minlength=len(sens)))


@METRICS.register(
    "flip_rate", symbol=r"flips", direction="lower", range=(0, 1), unit="fraction",
    zero="no prediction differs between the two graphs", task="node",
)
def flip_rate(*, pred: Any, other: Any) -> float:
    """Share of nodes whose predicted label differs between the factual graph and another one.

    Args:
        pred, other: Predicted labels 0/1 [N] of the same nodes.

    Returns:
        In [0, 1]; undefined without nodes.
    """
    pred = labels_of("pred", pred)
    other = labels_of("other", other, len(pred))
    return float(np.mean(pred != other)) if len(pred) else undefined("no nodes")


@METRICS.register(
    "delta_cf", symbol=r"\delta_{CF}", direction="lower", range=(0, 1), unit="fraction",
    zero="no prediction changes in any of the counterfactual graphs", task="node",
)
def delta_cf(*, pred: Any, others: Mapping[Any, Any]) -> float:
    """Mean flip rate over counterfactual graphs.

    Args:
        pred: Predicted labels on the factual graph [N].
        others: Perturbation level to predicted labels [N] on that counterfactual graph. Every level counts alike.

    Returns:
        In [0, 1]; undefined without levels or nodes.
    """
    rates = [flip_rate(pred=pred, other=labels) for labels in others.values()]
    if not rates:
        return undefined("no counterfactual graph")
    return float(np.mean(rates)) if rates[0] == rates[0] else rates[0]


def _centred(pred: Any, share: Any) -> tuple[np.ndarray, np.ndarray] | float:
    """Both columns around their means, or why a correlation is undefined."""
    pred = labels_of("pred", pred).astype(np.float64)
    share = scores_of("share", share, len(pred))
    for name, values in (("predictions", pred), ("neighbourhood shares", share)):
        if len(values) < 2 or np.ptp(values) == 0:
            return undefined(f"all {name} are equal")
    return pred - pred.mean(), share - share.mean()


@METRICS.register(
    "neighbour_r2", aliases=("neighbor_r2",), symbol="R²", direction="lower", range=(0, 1), unit="ratio",
    zero="predictions are uncorrelated with the sensitive values around a node", task="node",
)
def neighbour_r2(*, pred: Any, share: Any) -> float:
    """R² of the least-squares line, with intercept, from neighbourhood shares to predicted labels.

    Args:
        pred: Predicted labels [N].
        share: :func:`neighbourhood_share` of the same nodes [N].

    Returns:
        In [0, 1], the squared correlation; undefined when either is constant.
    """
    columns = _centred(pred, share)
    if isinstance(columns, float):
        return undefined(reason_of(columns))
    p, u = columns
    return float((p @ u) ** 2 / ((p @ p) * (u @ u)))


@METRICS.register(
    "neighbour_r2_unfitted", symbol="R² (no fit)", direction="higher", range=(float("-inf"), 1), unit="ratio",
    zero="predictions are as far from the neighbourhood shares as the mean share is", task="node",
)
def neighbour_r2_unfitted(*, pred: Any, share: Any) -> float:
    """The evaluation card's recipe: the share of variance of ``share`` that ``pred``, taken as it is, explains.

    No line is fitted, so the number is mostly far below 0. "Higher" only says that predictions copy the shares more
    closely, which is not what the paper wants; it is here to compare with code that computes it.

    Args:
        pred, share: As in :func:`neighbour_r2`.
    """
    pred = labels_of("pred", pred).astype(np.float64)
    share = scores_of("share", share, len(pred))
    if len(share) < 2 or np.ptp(share) == 0:
        return undefined("all neighbourhood shares are equal")
    return float(1 - np.sum((share - pred) ** 2) / np.sum((share - share.mean()) ** 2))


def _of_variant(variant: str, symbol: str, what: str) -> None:
    """File one delta per causal model under a name of its own, so that records and tables cannot mix them."""

    def measure(*, pred: Any, others: Mapping[Any, Any]) -> float:
        return delta_cf(pred=pred, others=others)

    measure.__name__ = measure.__qualname__ = f"delta_cf_{variant}"
    measure.__doc__ = f"Mean flip rate over counterfactual graphs in which {what}."
    zero = "no prediction changes in any of these graphs"
    METRICS.register(measure.__name__, symbol=symbol, direction="lower", range=(0, 1), unit="fraction", zero=zero,
                     task="node")(measure)  # fmt: skip


_of_variant("shipped", r"\delta_{CF} (s only)", "the sensitive column changes and nothing else")
_of_variant("as_coded", r"\delta_{CF} (as coded)", "features and edges change as the authors' script has it")
_of_variant("structural", r"\delta_{CF} (structural)", "features and edges follow from the causal model")
_of_variant("rebuilt", r"\delta_{CF} (rebuilt)", "features follow from the causal model and edges from the data's rule")
_of_variant("labels", r"\delta_{CF} of the labels", "the true labels follow from the equations: a perfect predictor's")

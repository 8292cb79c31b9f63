"""How well a binary classifier or link scorer does its job.

Names say what is computed. ``auc`` ranks scores; thresholding first turns it into balanced accuracy, which several code
bases print under the name AUC, so it is registered here as ``balanced_accuracy`` with the alias ``thresholded_auc``.
F1 is the F1 of class 1 unless an average is asked for: micro-F1 of single-label predictions equals accuracy.
Definitions are scikit-learn's where they agree; they differ where a value does not exist (NaN with a reason, never 0).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from fairgl.metrics import labels_of, scores_of, undefined
from fairgl.registry import METRICS


def _labels_and_ranks(y: Any, score: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Labels, and dense ranks of the scores (equal scores share a rank); ``None`` if a score is not a number."""
    y = labels_of("y", y)
    score = scores_of("score", score, len(y))
    if np.isnan(score).any():
        return y, None
    # Ranks keep order and ties, and let infinite scores through, which scikit-learn refuses.
    return y, np.unique(score, return_inverse=True)[1]


@METRICS.register(
    "accuracy", symbol=r"\mathrm{ACC}", direction="higher", range=(0, 1), unit="fraction",
    zero="every label is predicted wrongly", task="node",
)
def accuracy(*, y: Any, pred: Any) -> float:
    r"""Share of correct labels, :math:`\frac1N\sum_i 1[\hat y_i = y_i]`.

    Args:
        y: True labels 0/1 [N].
        pred: Predicted labels 0/1 [N].

    Returns:
        In [0, 1]; undefined for no rows.
    """
    y = labels_of("y", y)
    pred = labels_of("pred", pred, len(y))
    return float(np.mean(y == pred)) if len(y) else undefined("no rows")


@METRICS.register(
    "f1", symbol=r"F_1", direction="higher", range=(0, 1), unit="fraction",
    zero="no row of the class is found", task="node",
)
def f1(*, y: Any, pred: Any, average: str = "binary") -> float:
    r"""Harmonic mean of precision and recall, :math:`F_1 = 2TP / (2TP + FP + FN)`.

    Args:
        y: True labels 0/1 [N].
        pred: Predicted labels 0/1 [N].
        average: ``"binary"``: of class 1 (default); ``"macro"``: plain mean over the classes that occur;
            ``"micro"``: counts pooled over both classes, which is the accuracy.

    Returns:
        In [0, 1]; undefined for no rows, and for ``"binary"`` when class 1 occurs neither in ``y`` nor in ``pred``.
    """
    if average not in ("binary", "macro", "micro"):
        raise ValueError(f"average: {average!r} is not one of binary, macro, micro")
    y = labels_of("y", y)
    pred = labels_of("pred", pred, len(y))
    if not len(y):
        return undefined("no rows")
    if average == "binary" and not (y.any() or pred.any()):
        return undefined("no positives, neither true nor predicted")
    return float(f1_score(y, pred, average=average))


@METRICS.register(
    "auc", symbol=r"\mathrm{AUC}", direction="higher", range=(0, 1), unit="fraction",
    zero="every negative is ranked above every positive", task="node, link",
)
def auc(*, y: Any, score: Any) -> float:
    r"""Probability that a positive outranks a negative, :math:`P(s_+ > s_-) + \frac12 P(s_+ = s_-)`, from scores.

    Args:
        y: True labels 0/1 [N].
        score: Scores, logits or probabilities [N]. Predicted labels give :func:`balanced_accuracy` instead.

    Returns:
        In [0, 1], 0.5 for a constant score; undefined if only one class occurs or a score is not a number.
    """
    y, ranks = _labels_and_ranks(y, score)
    if ranks is None:
        return undefined("a score is not a number")
    return float(roc_auc_score(y, ranks)) if 0 < y.sum() < len(y) else undefined("one class")


@METRICS.register(
    "average_precision", symbol=r"\mathrm{AP}", direction="higher", range=(0, 1), unit="fraction",
    zero="approached when all positives come last", task="node, link",
)
def average_precision(*, y: Any, score: Any) -> float:
    r"""Precision averaged over the recall steps, :math:`\sum_t (R_t - R_{t-1}) P_t`, one step per distinct score.

    Args:
        y: True labels 0/1 [N].
        score: Scores [N].

    Returns:
        In (0, 1], the share of positives for a constant score; undefined without positives or if a score is NaN.
    """
    y, ranks = _labels_and_ranks(y, score)
    if ranks is None:
        return undefined("a score is not a number")
    return float(average_precision_score(y, ranks)) if y.any() else undefined("no positives")


@METRICS.register(
    "balanced_accuracy", aliases=("thresholded_auc",), symbol=r"\mathrm{BA}", direction="higher", range=(0, 1),
    unit="fraction", zero="every label is predicted wrongly", task="node",
)
def balanced_accuracy(*, y: Any, pred: Any) -> float:
    r"""Mean of the two classes' recalls, :math:`\frac12(TPR + TNR)`: the AUC of labels instead of scores.

    Args:
        y: True labels 0/1 [N].
        pred: Predicted labels 0/1 [N].

    Returns:
        In [0, 1], 0.5 for a constant prediction; undefined if only one class occurs in ``y``.
    """
    y = labels_of("y", y)
    pred = labels_of("pred", pred, len(y))
    if not 0 < y.sum() < len(y):
        return undefined("one class")
    return float((pred[y == 1].mean() + (1 - pred[y == 0]).mean()) / 2)

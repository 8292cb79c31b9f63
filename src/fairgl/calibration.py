"""Platt scaling: logits a s + b fitted on labelled validation pairs, so that scores of different models can be merged.

Platt (1999), with his smoothed targets. Decoupled predictors are trained apart, and merging their raw logits mostly
compares the scales of the encoders; a fair "before reranking" calibrates them first, each pair type on its own.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit


def platt(scores: np.ndarray, labels: np.ndarray, steps: int = 100) -> tuple[float, float]:
    """Slope and intercept of the calibrated logit.

    Args:
        scores: Finite scores [n]. labels: 0 or 1 [n].
        steps: Limit of Newton steps.

    Returns:
        ``(a, b)`` with a >= 0; ``(0, b)`` where the scores carry no positive signal. Without labels of both classes the
        scores stay as they are: ``(1, 0)``.
    """
    labels = np.asarray(labels)
    positive, negative = int((labels == 1).sum()), int((labels == 0).sum())
    if not positive or not negative:
        return 1.0, 0.0
    goal = np.where(labels == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))
    center, spread = scores.mean(), scores.std() or 1.0
    x = np.column_stack([(scores - center) / spread, np.ones(len(scores))])
    weights = np.array([0.0, np.log((positive + 1) / (negative + 1))])
    for _ in range(steps):
        p = expit(x @ weights)
        step = np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]) + 1e-9 * np.eye(2), x.T @ (p - goal))
        weights = weights - np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    if weights[0] < 0:
        return 0.0, float(np.log((positive + 1) / (negative + 1)))
    return float(weights[0] / spread), float(weights[1] - weights[0] * center / spread)


def calibrate(
    fit_scores: np.ndarray, fit_labels: np.ndarray, fit_types: np.ndarray, scores: np.ndarray, types: np.ndarray
) -> np.ndarray:
    """Calibrated logits of ``scores`` [n], each pair type by its own :func:`platt` on the ``fit_`` pairs.

    Within a type the order never changes direction; a type without a positive slope becomes constant, up to the 1e-9 of
    its scores that keep their order.
    """
    out = np.array(scores, dtype=np.float64)
    for t in np.unique(types):
        a, b = platt(fit_scores[fit_types == t], fit_labels[fit_types == t])
        out[types == t] = max(a, 1e-9) * out[types == t] + b
    return out

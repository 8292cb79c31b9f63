r"""Utility of a ranked list: precision, NDCG and hits among the first K, with a stated rule for ties.

Precision and NDCG as in the link prediction reproducibility study, equation (8), with discounts
:math:`\delta_k = 1/\log_2(k+1)`. A list is given in rank order, best first, or together with its scores. With scores,
tied items share their places: the value is the mean over all orders of the ties, so the order of the rows cannot matter
(a stored order with positives first would leak the labels).

Deviation METRIC-5 is this sharing of ties, METRIC-3 the ideal: NDCG's is by default the best list of the *candidates*,
as the text defines it; ``ideal="list"`` is what the published numbers use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgl.metrics import labels_of, scores_of, undefined
from fairgl.registry import METRICS


def discounts(length: int) -> np.ndarray:
    r"""Rank discounts :math:`\delta_k = 1/\log_2(k+1)` for ranks 1 to ``length``; equation (1)."""
    return 1 / np.log2(np.arange(2, length + 2))


def rank_order(*, score: Any, rng: np.random.Generator | None = None) -> np.ndarray:
    """Positions by decreasing score, int64 [N]; ties in random order with ``rng``, else in row order."""
    score = np.asarray(score, dtype=np.float64)
    if np.isnan(score).any():
        raise ValueError(f"score: {int(np.isnan(score).sum())} of {len(score)} are not a number, so no order exists")
    ties = np.arange(len(score)) if rng is None else rng.permutation(len(score))
    return np.lexsort((ties, -score))


def cut_of(k: int | None, length: int) -> int:
    """The cut-off as an int, at most 0 meaning "no such list"; raises ``ValueError`` for ``k`` below 1."""
    if k is not None and (isinstance(k, bool) or int(k) != k or k < 1):
        raise ValueError(f"k: the cut-off must be a whole number of at least 1, got {k!r}")
    return length if k is None else int(k) if k <= length else 0


def too_short(k: int | None, length: int) -> float:
    """The undefined value of a list that is shorter than its cut-off."""
    return undefined("empty list" if not length else f"asked for the first {k}, the list has {length}")


def _shared_gains(gain: np.ndarray, score: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Gains in rank order, own and averaged over ties [N]; ``None`` if a score is not a number."""
    if score is None:
        return gain, gain
    score = scores_of("score", score, len(gain))
    if np.isnan(score).any():
        return None
    _, block, size = np.unique(-score, return_inverse=True, return_counts=True)
    mean = np.bincount(block, weights=gain) / size if len(gain) else gain
    order = np.lexsort((-gain, block))
    return gain[order], np.repeat(mean, size)


@METRICS.register(
    "precision_at_k", symbol=r"\mathrm{Prec}@K", direction="higher", range=(0, 1), unit="fraction",
    zero="no true link among the first K", task="link",
)
def precision_at_k(*, y: Any, k: int | None, score: Any = None) -> float:
    """Share of positives among the first K.

    Args:
        y: True labels 0/1 [N]; in rank order if no score is given.
        k: Cut-off K; ``None`` for the whole list.
        score: Scores [N]; ties across the cut count in expectation.

    Returns:
        In [0, 1]; undefined if the list is shorter than K or a score is not a number.
    """
    y = labels_of("y", y)
    cut = cut_of(k, len(y))
    gains = _shared_gains(y.astype(np.float64), score)
    if gains is None:
        return undefined("a score is not a number")
    return float(gains[1][:cut].mean()) if cut else too_short(k, len(y))


@METRICS.register(
    "ndcg_at_k", symbol=r"\mathrm{NDCG}@K", direction="higher", range=(0, 1), unit="fraction",
    zero="no relevant item among the first K", task="link",
)
def ndcg_at_k(*, y: Any, k: int | None = None, score: Any = None, ideal: str = "candidates") -> float:
    r"""Normalised discounted gain, :math:`\sum_{k \le K} \delta_k y_k` over its value for an ideal list; equation (8).

    Args:
        y: Relevance of each item, 0 or larger [N]; in rank order if no score is given.
        k: Cut-off K; ``None`` for the whole list.
        score: Scores [N]; tied items share the mean gain of their places.
        ideal: ``"candidates"``: the best K of all items. ``"list"``: the K listed items in their best order, which the
            published link numbers use and which stays high even for chance-level lists.

    Returns:
        In [0, 1]; undefined if the list is shorter than K, no item that counts is relevant, or a score is NaN.
    """
    if ideal not in ("candidates", "list"):
        raise ValueError(f"ideal: {ideal!r} is not one of candidates, list")
    y = np.asarray(y, dtype=np.float64)
    if y.ndim != 1 or not (np.isfinite(y) & (y >= 0)).all():
        raise ValueError("y: relevances must be a flat list of finite numbers, none below 0")
    cut = cut_of(k, len(y))
    gains = _shared_gains(y, score)
    if gains is None:
        return undefined("a score is not a number")
    if not cut:
        return too_short(k, len(y))
    own, shared = gains
    if ideal == "list" and score is not None and cut < len(y):
        ranked = -np.sort(-np.asarray(score, dtype=np.float64))
        straddling = (ranked == ranked[cut]) & (ranked[cut - 1] == ranked[cut])
        own = np.where(straddling, shared, own)  # which of the items tied across the cut are listed is left open
    best = -np.sort(-(y if ideal == "candidates" else own[:cut]))[:cut]
    ideal_gain = best @ discounts(cut)
    return float(shared[:cut] @ discounts(cut) / ideal_gain) if ideal_gain else undefined("no relevant item")


@METRICS.register(
    "hits_at_k", symbol=r"\mathrm{Hits}@K", direction="higher", range=(0, 1), unit="fraction",
    zero="no positive beats the K-th best negative", task="link",
)
def hits_at_k(*, y: Any, score: Any, k: int) -> float:
    """Share of positives scored above the K-th best negative. Pessimistic: a tie with that negative is no hit.

    Args:
        y: True labels 0/1 [N].
        score: Scores [N].
        k: Rank of the negative to beat.

    Returns:
        In [0, 1]; undefined without positives, with fewer than K negatives, or if a score is not a number.
    """
    y = labels_of("y", y)
    score = scores_of("score", score, len(y))
    positive, negative = score[y == 1], score[y == 0]
    cut = cut_of(k, len(negative))
    if np.isnan(score).any() or not len(positive):
        return undefined("no positives" if not len(positive) else "a score is not a number")
    if not cut:
        return undefined(f"asked for negative number {k}, there are {len(negative)}")
    return float(np.mean(positive > np.sort(negative)[-cut]))

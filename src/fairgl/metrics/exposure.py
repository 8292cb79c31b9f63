r"""Who is seen in a ranked list, and demographic parity of link scores.

Exposure of a rank is its discount :math:`\delta_k = 1/\log_2(k+1)`. Dyadic parity is equation (2) of the link
prediction reproducibility study. Its one-against-all form for more than two groups is named there but not written down:
ours (deviation METRIC-6) treats each group in turn as the attribute "in the group or not" and reports the worst.

Lists are in rank order. Scores of dyadic parity are probabilities; a logit is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgl.metrics import Gap, members, reason_of, scores_of, undefined, widest_gap
from fairgl.metrics.top_k import cut_of, discounts, too_short
from fairgl.registry import METRICS


def mean_exposure(*, types: Any, k: int | None = None, groups: Any = None) -> dict[Any, float]:
    r"""Mean discount per item of group g, :math:`\frac{1}{|R_g|} \sum_{i \in R_g} \delta_{rank(i)} 1[rank(i) \le K]`.

    Args:
        types: Group at each rank, best first [N].
        k: Cut-off K: items further down count as members with exposure 0. ``None`` for the whole list.
        groups: Declared groups; ``None`` takes those that occur.

    Returns:
        ``{group: value in [0, 1]}``, undefined for a declared group without items or a list shorter than K.
    """
    rows = members(types, groups)
    length = len(np.asarray(types))
    cut = cut_of(k, length)
    if not cut:
        return {group: too_short(k, length) for group in rows}
    seen = np.zeros(length)
    seen[:cut] = discounts(cut)
    return {g: float(seen[m].mean()) if m.any() else undefined(f"nobody in group {g}") for g, m in rows.items()}


@METRICS.register(
    "exposure_difference", symbol=r"\Delta_{Exp}", direction="lower", range=(0, 1), unit="mean discount",
    zero="items of all groups are equally visible on average", task="link",
)
def exposure_difference(*, types: Any, k: int | None = None, groups: Any = None) -> float:
    """Largest gap in :func:`mean_exposure` over pairs of groups; undefined with fewer than two groups in the list."""
    sizes = {group: int(mask.sum()) for group, mask in members(types, groups).items()}
    return widest_gap(mean_exposure(types=types, k=k, groups=groups), sizes)


@METRICS.register(
    "exposure_ratio", symbol=r"R_{Exp}", direction="higher", range=(0, 1), unit="ratio",
    zero="some group is not visible at all", task="link",
)
def exposure_ratio(*, types: Any, k: int | None = None, groups: Any = None) -> float:
    """Smallest over largest :func:`mean_exposure`; undefined with fewer than two groups in the list."""
    gap = exposure_difference(types=types, k=k, groups=groups)
    if not isinstance(gap, Gap):
        return gap
    values = mean_exposure(types=types, k=k, groups=groups)
    return Gap(values[gap.pair[1]] / values[gap.pair[0]], gap.pair[::-1])


def _probabilities(score: Any, length: int, k: int | None) -> np.ndarray | float:
    """The first K scores, checked to be probabilities, or the undefined value that the metric returns."""
    score = scores_of("score", score, length)
    cut = cut_of(k, length)
    if not cut:
        return too_short(k, length)
    if np.isnan(score).any():
        return undefined("a score is not a number")
    if score.min() < 0 or score.max() > 1:
        raise ValueError("score: parity of scores is about probabilities in [0, 1]; pass the sigmoid of logits")
    return score[:cut]


def _parity(score: np.ndarray, intra: np.ndarray, what: str) -> float:
    if intra.all() or not intra.any():
        return undefined(f"no {'inter' if intra.all() else 'intra'}-group pair{what}")
    return abs(float(score[intra].mean() - score[~intra].mean()))


@METRICS.register(
    "dyadic_parity_difference", symbol=r"\Delta_{DP}@K", direction="lower", range=(0, 1), unit="probability",
    zero="pairs within a group and across groups score equally on average", task="link",
)
def dyadic_parity_difference(*, score: Any, intra: Any, k: int | None = None) -> float:
    r"""Gap between the mean score of same-group and of cross-group pairs among the first K; equation (2).

    .. math:: \Delta_{DP}@K = \left| \overline{f}(R_{1:K} \cap E_{intra}) - \overline{f}(R_{1:K} \cap E_{inter}) \right|

    Args:
        score: Link probabilities f in [0, 1] in rank order [P].
        intra: Whether both ends belong to one group [P].
        k: Cut-off K; ``None`` for all pairs.

    Returns:
        In [0, 1]; undefined when the first K pairs are of one kind, the list is shorter than K, or a score is NaN.
    """
    intra = np.asarray(intra, dtype=bool)
    score = _probabilities(score, len(intra), k)
    return score if isinstance(score, float) else _parity(score, intra[: len(score)], f" among the first {len(score)}")


@METRICS.register(
    "one_vs_all_parity_difference", symbol=r"\Delta_{DP}^{OvA}@K", direction="lower", range=(0, 1), unit="probability",
    zero="dyadic parity holds for every group against the rest", task="link",
)
def one_vs_all_parity_difference(*, score: Any, ends: Any, k: int | None = None, groups: Any = None) -> float:
    """Worst :func:`dyadic_parity_difference` over groups, each taken as a two-valued attribute against all others.

    Args:
        score: Link probabilities in [0, 1] in rank order [P].
        ends: Groups of the two ends of each pair [P, 2].
        k: Cut-off K; ``None`` for all pairs.
        groups: Declared groups; one that no end belongs to takes no part.

    Returns:
        :class:`~fairgl.metrics.Gap` with ``pair = (group, "all others")``; undefined as there, or for one group only.
    """
    ends = np.asarray(ends)
    score = _probabilities(score, len(ends), k)
    if isinstance(score, float):
        return score
    present = {g: mask.reshape(-1, 2) for g, mask in members(ends.reshape(-1), groups).items() if mask.any()}
    if len(present) < 2:
        return undefined(f"needs two groups, found {len(present)}")
    values = {g: _parity(score, (mask[:, 0] == mask[:, 1])[: len(score)], f" for group {g}")
              for g, mask in present.items()}
    lacking = [value for value in values.values() if reason_of(value)]
    worst = max(values, key=values.get)
    return lacking[0] if lacking else Gap(values[worst], (worst, "all others"))


@METRICS.register(
    "pair_type_parity_difference", symbol=r"\Delta_{DP}^{type}@K", direction="lower", range=(0, 1), unit="probability",
    zero="all kinds of pairs score equally on average", task="link",
)
def pair_type_parity_difference(*, score: Any, types: Any, k: int | None = None) -> float:
    """Largest gap in mean score over all pairs of pair types among the first K: parity without merging the types.

    ``types`` holds the pair type of each pair [P], ``score`` and ``k`` are as in :func:`dyadic_parity_difference`. A
    :class:`~fairgl.metrics.Gap` in [0, 1] over the types that occur among the first K; undefined if only one does.
    """
    score = _probabilities(score, len(np.asarray(types)), k)
    if isinstance(score, float):
        return score
    rows = members(np.asarray(types)[: len(score)])
    return widest_gap({g: float(score[m].mean()) for g, m in rows.items()}, {g: int(m.sum()) for g, m in rows.items()})

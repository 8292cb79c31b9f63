r"""Group fairness: how differently the groups of one sensitive attribute are treated.

Statistical parity and equal opportunity follow equations (1) and (2) of the fair graph learning benchmark (arXiv
2407.12112), which also gives the utility difference in words; equalized odds is Hardt et al. (2016). All are stated for
any number of groups as the largest gap over pairs of groups; for two groups that is the papers' absolute difference.

Deviations METRIC-1 (the utility is accuracy) and METRIC-2 (more than two groups). Against common practice, a rate with
an empty denominator is undefined, and so is a gap that needs it; fairlearn takes such a rate as 0. See PROT-4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fairgl.metrics import Gap, labels_of, members, reason_of, undefined, widest_gap
from fairgl.metrics.per_group import by_group, selection_rates
from fairgl.metrics.utility import accuracy, auc, balanced_accuracy, f1
from fairgl.registry import METRICS

UTILITIES = {"accuracy": accuracy, "f1": f1, "balanced_accuracy": balanced_accuracy, "auc": auc}


def _conditional_gap(label: int, y: Any, pred: Any, sens: Any, groups: Iterable | None) -> float:
    y = labels_of("y", y, len(np.asarray(sens)))
    return widest_gap(*selection_rates(pred, sens, groups, y == label, "positives" if label else "negatives"))


@METRICS.register(
    "statistical_parity_difference", aliases=("demographic_parity_difference",), symbol=r"\Delta_{SP}",
    direction="lower", range=(0, 1), unit="fraction", zero="all groups are selected at the same rate", task="node",
)
def statistical_parity_difference(*, pred: Any, sens: Any, groups: Iterable | None = None) -> float:
    r"""Gap in selection rates, :math:`\Delta_{SP} = \max_{a,b} |P(\hat Y=1 \mid S=a) - P(\hat Y=1 \mid S=b)|`.

    Args:
        pred: Predicted labels 0/1 [N].
        sens: Sensitive value of each row [N].
        groups: Declared values; ``None`` takes those that occur.

    Returns:
        :class:`~fairgl.metrics.Gap` in [0, 1]; undefined when fewer than two groups have rows. Benchmark, equation (1).
    """
    return widest_gap(*selection_rates(pred, sens, groups))


@METRICS.register(
    "statistical_parity_ratio", aliases=("demographic_parity_ratio",), symbol=r"R_{SP}", direction="higher",
    range=(0, 1), unit="ratio", zero="some group is never selected while another is", task="node",
)
def statistical_parity_ratio(
    *, pred: Any, sens: Any, groups: Iterable | None = None, pair: tuple[Any, Any] | None = None
) -> float:
    r"""Smallest over largest selection rate, :math:`\min_a P(\hat Y=1 \mid S=a) / \max_b P(\hat Y=1 \mid S=b)`.

    Args:
        pred, sens, groups: As in :func:`statistical_parity_difference`.
        pair: ``(a, b)`` gives the directed ratio of a's rate to b's instead, which may exceed 1.

    Returns:
        In [0, 1] without ``pair``; undefined when the denominator is 0 or fewer than two groups have rows.
    """
    rates, sizes = selection_rates(pred, sens, groups)
    gap = widest_gap(rates, sizes)
    if pair is None and gap != gap:
        return gap
    pair = pair or gap.pair[::-1]
    top, bottom = rates[pair[0]], rates[pair[1]]
    if top != top or bottom != bottom:
        return undefined(reason_of(top) or reason_of(bottom))
    return Gap(top / bottom, pair) if bottom else undefined(f"nobody selected in group {pair[1]}")


@METRICS.register(
    "equal_opportunity_difference", symbol=r"\Delta_{EO}", direction="lower", range=(0, 1), unit="fraction",
    zero="those who qualify are selected at the same rate in all groups", task="node",
)
def equal_opportunity_difference(*, y: Any, pred: Any, sens: Any, groups: Iterable | None = None) -> float:
    r"""Gap in true positive rates, :math:`\max_{a,b} |P(\hat Y=1 \mid Y=1,S=a) - P(\hat Y=1 \mid Y=1,S=b)|`.

    Arguments as in :func:`false_positive_rate_difference`. Undefined also when a group has rows but no positives.
    Benchmark, equation (2).
    """
    return _conditional_gap(1, y, pred, sens, groups)


@METRICS.register(
    "false_positive_rate_difference", symbol=r"\Delta_{FPR}", direction="lower", range=(0, 1), unit="fraction",
    zero="those who do not qualify are selected at the same rate in all groups", task="node",
)
def false_positive_rate_difference(*, y: Any, pred: Any, sens: Any, groups: Iterable | None = None) -> float:
    r"""Gap in false positive rates, :math:`\max_{a,b} |P(\hat Y=1 \mid Y=0,S=a) - P(\hat Y=1 \mid Y=0,S=b)|`.

    Args:
        y: True labels 0/1 [N].
        pred, sens, groups: As in :func:`statistical_parity_difference`.

    In [0, 1]; undefined when a group has rows but no negatives, or fewer than two groups have rows.
    """
    return _conditional_gap(0, y, pred, sens, groups)


@METRICS.register(
    "equalized_odds_difference", symbol=r"\Delta_{EOdds}", direction="lower", range=(0, 1), unit="fraction",
    zero="true and false positive rates agree in all groups", task="node",
)
def equalized_odds_difference(*, y: Any, pred: Any, sens: Any, groups: Iterable | None = None) -> float:
    r"""The larger of the two conditional gaps, :math:`\max(\Delta_{EO}, \Delta_{FPR})`; undefined if either is.

    Arguments as in :func:`false_positive_rate_difference`; Hardt et al. (2016), worst case over both rates.
    """
    gaps = [_conditional_gap(label, y, pred, sens, groups) for label in (1, 0)]
    return next((gap for gap in gaps if reason_of(gap)), max(gaps))


@METRICS.register(
    "utility_difference", symbol=r"\Delta_{Utility}", direction="lower", range=(0, 1), unit="fraction",
    zero="the model serves all groups equally well", task="node",
)
def utility_difference(
    *, y: Any, sens: Any, pred: Any = None, score: Any = None, groups: Iterable | None = None, utility: str = "accuracy"
) -> float:
    r"""Largest gap of a per-group utility, :math:`\Delta_{Utility} = \max_{a,b} |U(a) - U(b)|`.

    Args:
        y: True labels 0/1 [N].
        sens, groups: As in :func:`statistical_parity_difference`.
        pred: Predicted labels 0/1 [N], for every utility but ``"auc"``, which takes ``score`` instead.
        utility: ``"accuracy"`` (our choice, the paper names none), ``"f1"``, ``"balanced_accuracy"`` or ``"auc"``.

    In [0, 1]; undefined when a group's utility is, for instance its AUC with one class only.
    """
    if utility not in UTILITIES:
        raise ValueError(f"utility: {utility!r} is not one of {', '.join(UTILITIES)}")
    name, array = ("score", score) if utility == "auc" else ("pred", pred)
    if array is None:
        raise ValueError(f"utility {utility!r} needs {name}=")
    values = by_group(UTILITIES[utility], sens=sens, groups=groups, y=y, **{name: array})
    return widest_gap(values, {group: int(mask.sum()) for group, mask in members(sens, groups).items()})


@METRICS.register(
    "auc_difference", symbol=r"\Delta_{AUC}", direction="lower", range=(0, 1), unit="fraction",
    zero="scores rank equally well within all groups", task="node",
)
def auc_difference(*, y: Any, score: Any, sens: Any, groups: Iterable | None = None) -> float:
    """:func:`utility_difference` of the AUC from scores."""
    return utility_difference(y=y, score=score, sens=sens, utility="auc", groups=groups)

"""What every metric shares: numbers that admit they are undefined, and the checks on labels, scores and groups.

A metric is a pure function of NumPy arrays with keyword-only arguments, one number out. A number that cannot be
computed is :class:`Undefined`: NaN to every calculation, with the reason. A gap between groups is :class:`Gap`:
a float that remembers which two groups are furthest apart. Argument names mean the same in every module: ``y`` true
labels 0/1, ``pred`` predicted labels 0/1, ``score`` larger means more likely positive, ``sens`` the sensitive value of
each row, ``groups`` the declared sensitive values (default: those that occur).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd


class Undefined(float):
    """NaN that says why: ``undefined("one class").reason == "one class"``."""

    reason: str

    def __new__(cls, reason: str) -> Undefined:
        value = super().__new__(cls, "nan")
        value.reason = reason
        return value

    def __getnewargs__(self) -> tuple[str]:
        return (self.reason,)

    def __repr__(self) -> str:
        return f"undefined({self.reason!r})"


class Gap(float):
    """A difference or ratio between two groups; ``pair`` is ``(larger, smaller)``, the groups furthest apart."""

    pair: tuple

    def __new__(cls, value: float, pair: tuple) -> Gap:
        gap = super().__new__(cls, value)
        gap.pair = pair
        return gap

    def __getnewargs__(self) -> tuple[float, tuple]:
        return (float(self), self.pair)


class MissingSensitive(ValueError):
    """Rows without a sensitive value: they would count overall, but in no group."""


def undefined(reason: str) -> Undefined:
    """A NaN that carries ``reason``."""
    return Undefined(reason)


def reason_of(value: float) -> str:
    """Why ``value`` is undefined: its reason, ``"not a number"`` for a plain NaN, ``""`` for a number."""
    if value == value:
        return ""
    return getattr(value, "reason", "not a number")


def labels_of(name: str, values: Any, length: int | None = None) -> np.ndarray:
    """``values`` as int64 [N] of 0 and 1; raises ``ValueError`` naming the argument otherwise."""
    array = np.asarray(values)
    if array.ndim != 1 or (length is not None and len(array) != length):
        raise ValueError(f"{name}: expected {'one value per row' if length is None else f'{length} values'}, "
                         f"got shape {array.shape}")
    if not np.isin(array, (0, 1)).all():
        strange = sorted({str(value) for value in array[~np.isin(array, (0, 1))]})[:5]
        raise ValueError(f"{name}: labels must be 0 or 1, found {', '.join(strange)}")
    return array.astype(np.int64)


def scores_of(name: str, values: Any, length: int) -> np.ndarray:
    """``values`` as float64 [N]; the length is checked, not-a-number is left for the metric to report."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (length,):
        raise ValueError(f"{name}: expected {length} values, got shape {array.shape}")
    return array


def members(sens: Any, groups: Iterable | None = None) -> dict[Any, np.ndarray]:
    """Rows of every group, also of declared groups that nobody belongs to.

    Args:
        sens: Sensitive value of each row [N]: integers, strings or objects; list, array or pandas Series,
            whose name the messages use.
        groups: Declared values, in display order; ``None`` takes the values that occur, sorted.

    Returns:
        ``{value: bool [N]}``.

    Raises:
        MissingSensitive: A value is missing (``None``, NaN, ``pandas.NA``); the message has attribute and count.
        ValueError: A value is not among the declared ones.
    """
    attribute = getattr(sens, "name", None) or "sens"
    values = sens if isinstance(sens, np.ndarray) and sens.dtype.kind in "iub" else np.asarray(sens, dtype=object)
    if values.ndim != 1:
        raise ValueError(f"{attribute}: expected one value per row, got shape {values.shape}")
    missing = int(pd.isna(values).sum())
    if missing:
        raise MissingSensitive(f"{attribute}: {missing} of {len(values)} rows have no sensitive value; "
                               "drop or complete them before measuring")
    codes, present = pd.factorize(values)
    known = {value: codes == code for code, value in enumerate(present.tolist())}
    declared = sorted(known) if groups is None else list(groups)
    stray = [value for value in known if value not in declared]
    if stray:
        raise ValueError(f"{attribute}: values {stray} are not among the declared groups {declared}")
    return {value: known.get(value, np.zeros(len(values), dtype=bool)) for value in declared}


def widest_gap(rates: Mapping[Any, float], sizes: Mapping[Any, int]) -> float:
    """Largest difference of ``rates`` over all pairs of groups, as :class:`Gap`.

    Declared groups without a single row take no part. Undefined when fewer than two groups have rows, or when the rate
    of a group that does have rows is undefined: the missing pair could be the worst one.
    """
    taking_part = [group for group in rates if sizes[group] > 0]
    if len(taking_part) < 2:
        return undefined(f"needs two groups, found {len(taking_part)}")
    for group in taking_part:
        if rates[group] != rates[group]:
            return undefined(reason_of(rates[group]))
    first, second = max(combinations(taking_part, 2), key=lambda pair: abs(rates[pair[0]] - rates[pair[1]]))
    pair = (first, second) if rates[first] >= rates[second] else (second, first)
    return Gap(rates[pair[0]] - rates[pair[1]], pair)

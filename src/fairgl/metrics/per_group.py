"""Per-group values behind every gap: any metric by group, selection rates, the table with counts and worst pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from fairgl.metrics import labels_of, members, reason_of, undefined, widest_gap
from fairgl.metrics.utility import accuracy


def by_group(metric: Any, *, sens: Any, groups: Iterable | None = None, **arrays: Any) -> dict[Any, float]:
    """``metric`` of each group's rows: ``{group: value}``, undefined for a declared group without rows.

    Args:
        metric: A function with keyword-only array arguments, for instance :func:`~fairgl.metrics.utility.auc`.
        sens: Sensitive value of each row [N].
        groups: Declared values; ``None`` takes those that occur.
        **arrays: The metric's row-wise arguments [N].
    """
    rows = members(sens, groups)
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    wrong = [name for name, array in arrays.items() if len(array) != len(np.asarray(sens))]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}: not one value per row of sens")
    return {
        group: metric(**{name: array[mask] for name, array in arrays.items()}) if mask.any()
        else undefined(f"nobody in group {group}")
        for group, mask in rows.items()
    }


def selection_rates(pred: Any, sens: Any, groups: Iterable | None, where: np.ndarray | None = None, what: str = "rows"):
    """Share of ``pred == 1`` per group among the rows in ``where``, and every group's number of rows."""
    pred = labels_of("pred", pred, len(np.asarray(sens)))
    where = np.ones(len(pred), dtype=bool) if where is None else where
    rates, sizes = {}, {}
    for group, mask in members(sens, groups).items():
        chosen = pred[mask & where]
        lacking = f"no {what} in" if mask.any() else "nobody in"
        rates[group] = float(chosen.mean()) if len(chosen) else undefined(f"{lacking} group {group}")
        sizes[group] = int(mask.sum())
    return rates, sizes


def per_group(
    *, y: Any, pred: Any, sens: Any, groups: Iterable | None = None, labels: Iterable[str] | None = None
) -> pd.DataFrame:
    """Counts and rates of every declared group, with the worst pair of each rate.

    Args:
        y: True labels 0/1 [N].
        pred: Predicted labels 0/1 [N].
        sens: Sensitive value of each row [N].
        groups: Declared values; ``None`` takes those that occur.
        labels: Names to show instead of the values, in the order of ``groups``.

    Returns:
        One row per group: ``count``, ``positives``, ``selected``, ``selection_rate``, ``true_positive_rate``,
        ``false_positive_rate``, ``accuracy`` (NaN where undefined) and ``undefined`` with the reasons.
        ``attrs["worst_pairs"]`` maps each rate to its :class:`~fairgl.metrics.Gap`.
    """
    groups = None if groups is None else list(groups)
    rows = members(sens, groups)
    names = dict(zip(rows, rows if labels is None else labels, strict=True))
    y = labels_of("y", y, len(np.asarray(sens)))
    pred = labels_of("pred", pred, len(y))
    rates = {
        "selection_rate": selection_rates(pred, sens, groups)[0],
        "true_positive_rate": selection_rates(pred, sens, groups, y == 1, "positives")[0],
        "false_positive_rate": selection_rates(pred, sens, groups, y == 0, "negatives")[0],
        "accuracy": by_group(accuracy, y=y, pred=pred, sens=sens, groups=groups),
    }
    table = pd.DataFrame({
        "count": {names[g]: int(mask.sum()) for g, mask in rows.items()},
        "positives": {names[g]: int(y[mask].sum()) for g, mask in rows.items()},
        "selected": {names[g]: int(pred[mask].sum()) for g, mask in rows.items()},
        **{rate: {names[g]: float(value) for g, value in values.items()} for rate, values in rates.items()},
        "undefined": {names[g]: "; ".join(dict.fromkeys(filter(None, (reason_of(v[g]) for v in rates.values()))))
                      for g in rows},
    })
    named = {rate: {names[g]: value for g, value in values.items()} for rate, values in rates.items()}
    table.attrs["worst_pairs"] = {rate: widest_gap(values, table["count"]) for rate, values in named.items()}
    return table

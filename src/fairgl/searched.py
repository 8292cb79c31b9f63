"""What was searched: the grid of each method, what won, by how much, and every configuration that was tried.

Search records are runs like any other, so the tables here can show test values too. They are shown after the choice:
the winner is the lowest validation loss (:func:`fairgl.studies.winners`).
"""

from __future__ import annotations

import json
from math import prod

import numpy as np
import pandas as pd

from fairgl.catalogue import label, order
from fairgl.studies import search_table, study, winners
from fairgl.summaries import column, display


def written(config: str | dict, names: tuple[str, ...] | list[str]) -> str:
    """The named hyperparameters of a configuration as text: ``"alpha 10, beta 0.01"``."""
    config = json.loads(config) if isinstance(config, str) else config
    return ", ".join(f"{name} {_number(config.get(name))}" for name in names)


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def grids(frame: pd.DataFrame, name: str, *, datasets: list[str], methods: list[str] | None = None) -> pd.DataFrame:
    """One row per method: the grid of the study, and per data set the winner with how many points were tried.

    Args:
        frame: All stored records of the study, of every stage.
        name: The study.
        datasets: Columns.
        methods: Rows; ``None`` for all of the study.
    """
    about, best, tried = study(name), winners(frame), search_table(frame)
    rows = {}
    for method in order(list(methods or about.methods)):
        grid = about.search.get(method, {})
        points = prod(len(values) for values in grid.values())
        row = {"searched": "; ".join(f"{key}: {', '.join(map(_number, values))}" for key, values in grid.items())}
        row["searched"] = row["searched"] or "nothing to search"
        for dataset in datasets:
            mine = tried[(tried["dataset"] == dataset) & (tried["method"] == method)]
            if not grid:
                row[dataset] = ""
            elif (dataset, method) not in best:
                row[dataset] = "not searched yet: defaults" if mine.empty else "no point finished"
            else:
                won, loss = written(best[dataset, method], list(grid)), mine["val_loss"].min()
                row[dataset] = f"{won} (loss {loss:.3f}, {len(mine)} of {points})"
        rows[label(method)] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")


def configurations_tried(frame: pd.DataFrame, name: str, metrics: list[str], *, datasets: list[str]) -> pd.DataFrame:
    """Every searched configuration: validation loss, test metrics as tables print them, a mark on the winner."""
    about, best, tried = study(name), winners(frame), search_table(frame)
    runs = frame[(frame["stage"] == "search") & (frame["status"] == "ok")]
    means = runs.groupby(["dataset", "method", "config"])[[column(runs, m) for m in metrics if column(runs, m) in runs]]
    means, rows = means.mean(), []
    tried = tried[tried["dataset"].isin(datasets)]
    places = [(datasets.index(d), order(list(tried["method"])).index(m))
              for d, m in zip(tried["dataset"], tried["method"], strict=True)]  # fmt: skip
    for _, row in tried.iloc[sorted(range(len(tried)), key=places.__getitem__)].iterrows():
        key = (row["dataset"], row["method"], row["config"])
        won = json.dumps(best.get(key[:2]), sort_keys=True) == row["config"]
        shown = {
            "data set": row["dataset"], "method": label(row["method"]),
            "configuration": written(row["config"], list(about.search.get(row["method"], json.loads(row["config"])))),
            "validation loss": f"{row['val_loss']:.3f}" if np.isfinite(row["val_loss"]) else "failed",
        }
        for metric in metrics:
            show = display(metric)
            value = means.loc[key].get(column(runs, metric), np.nan) if key in means.index else np.nan
            shown[show.heading] = show.number(value) if np.isfinite(value) else "–"
        rows.append(shown | {"": "won" if won else ""})
    return pd.DataFrame(rows)

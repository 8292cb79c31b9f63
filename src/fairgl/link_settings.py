"""Records of one data set in many settings: the homophily grid and the number of groups."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from fairgl.homophily import AXES, stored_surface
from fairgl.link_lists import LISTS, lists
from fairgl.live import MODES, NoRecords
from fairgl.store import frame
from fairgl.studies import study
from fairgl.studies.dpah import setting
from fairgl.summaries import column

AGE_LISTS = ("single-gcn", "single-gcn+moral", "moral-unranked", "moral")


def settings(runs: pd.DataFrame) -> pd.DataFrame:
    """``runs`` with the loader's parameters of every run as columns."""
    parameters = pd.DataFrame([json.loads(text) for text in runs["dataset_config"]], index=runs.index)
    return runs.join(parameters)


def with_homophily(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs on DPAH graphs with the homophily of their graph, and its exact NDKL and AWRF after MORAL."""
    if "edge_homophily" in runs:
        return runs
    return settings(runs).merge(stored_surface(), on=AXES, how="left", validate="many_to_one")


def over_seeds(runs: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row per DPAH setting with the mean of a metric: seeds of a setting share its graph, so they are no settings.

    Args:
        runs: Of :func:`with_homophily`.
        metric: Column of ``runs``.

    Returns:
        The setting, its homophily, and the column ``metric``; settings outside of the stored grid are left out.
    """
    keys = [*AXES, "edge_homophily", "excess_homophily"]
    return runs.assign(**{metric: runs[metric].astype(float)}).groupby(keys, as_index=False)[metric].mean()


def log_ratio(runs: pd.DataFrame) -> pd.Series:
    """ln of the share of 0-0 pairs over that of 1-1 pairs among those listed; undefined where one is absent."""
    both = (runs["share0"] > 0) & (runs["share2"] > 0)
    return np.log(runs["share0"].where(both) / runs["share2"].where(both))


def moral_lists(runs: pd.DataFrame) -> pd.DataFrame:
    """MORAL's lists on DPAH graphs, with the homophily of their graph and ``log_ratio`` (:func:`log_ratio`)."""
    found = lists(runs, rows={"moral": LISTS["moral"]})
    if len(found):
        found = with_homophily(found)
        found["log_ratio"] = log_ratio(found)
    return found


def age_lists(runs: pd.DataFrame) -> pd.DataFrame:
    """Lists of the study "categories": one encoder and one per pair type, before and after reranking."""
    return lists(runs, rows={name: LISTS[name] for name in AGE_LISTS})


def by_bins(runs: pd.DataFrame, metric: str) -> pd.Series:
    """Mean of a metric per number of age bins, in increasing order; empty without such runs."""
    runs = settings(runs) if len(runs) else runs
    if "age_bins" not in runs:
        return pd.Series(dtype=float)
    runs = runs.dropna(subset="age_bins").astype({"age_bins": int})
    return runs.groupby("age_bins")[column(runs, metric)].mean().astype(float)


def grid_records(
    minorities: list[float], homophilies: list[float], *, seeds: int = 1, mode: str = "store", **options
) -> pd.DataFrame:
    """Runs of the study "dpah" on the grid ``minorities`` x ``homophilies`` x ``homophilies``.

    Args:
        minorities: Shares of the minority, in (0, 0.5].
        homophilies: Values of both homophilies, in [0, 1]; points that the study does not train may be asked for in the
            modes that train.
        seeds: Repetitions of each point.
        mode: As in :func:`fairgl.live.records`.
        **options: Of :func:`fairgl.sweep.run`.

    Raises:
        NoRecords: Nothing of the grid is stored.
        ValueError: Another mode.
    """
    if mode not in MODES:
        raise ValueError(f"mode: {mode!r} is not one of {', '.join(MODES)}")
    points = [setting(*point) for point in product(minorities, homophilies, homophilies)]
    specs = replace(study("dpah"), variants={"dpah": tuple(points)}).specs(seeds=seeds)
    with TemporaryDirectory(prefix="fresh-") as folder:
        root = Path(folder) if mode == "fresh" else None
        if mode != "store":
            from fairgl.sweep import run

            run(specs, root=root, **options)
        found = frame("dpah", root)
    found = found[found["key"].isin({spec.key for spec in specs})].reset_index(drop=True)
    if found.empty:
        raise NoRecords(f"study 'dpah': no records on this grid of {len(points)} settings; mode=\"missing\" runs them")
    return found

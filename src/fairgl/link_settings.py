"""Records of one data set in many settings: the homophily grid and the number of groups."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from fairgl.homophily import AXES, stored_surface
from fairgl.summaries import column


def settings(frame: pd.DataFrame) -> pd.DataFrame:
    """``frame`` with the loader's parameters of every run as columns."""
    parameters = pd.DataFrame([json.loads(text) for text in frame["dataset_config"]], index=frame.index)
    return frame.join(parameters)


def with_homophily(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs on DPAH graphs with the homophily of their graph, and its exact NDKL and AWRF after MORAL."""
    return settings(frame).merge(stored_surface(), on=AXES, how="left", validate="many_to_one")


def log_ratio(frame: pd.DataFrame) -> pd.Series:
    """ln of the share of 0-0 pairs over that of 1-1 pairs among those listed; undefined where one is absent."""
    both = (frame["share0"] > 0) & (frame["share2"] > 0)
    return np.log(frame["share0"].where(both) / frame["share2"].where(both))


def by_bins(frame: pd.DataFrame, metric: str) -> pd.Series:
    """Mean of a metric per number of age bins, in increasing order; empty without such runs."""
    runs = settings(frame) if len(frame) else frame
    if "age_bins" not in runs:
        return pd.Series(dtype=float)
    return runs.dropna(subset="age_bins").groupby("age_bins")[column(runs, metric)].mean().astype(float)

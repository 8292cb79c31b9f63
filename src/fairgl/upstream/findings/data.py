"""What the data sets themselves do to the tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgl.datasets import load
from fairgl.upstream.findings import Cells, finding, read


@finding(
    "DATA-1", method="Recidivism", kind="data",
    says="The feature TIME gives the label away: it is positive almost exactly where the label is 1, and zero or "
         "negative "
         "elsewhere. High accuracies on this data set measure how well a method reads one column.",
    right="Report runs without the column, or say what it is: time until the event that the label records.",
    places="data: recidivism, column TIME",
    holds=lambda v: v["agree"] > 0.98,
    size="TIME > 0 agrees with the label on {agree:.1%} of {nodes:,} nodes; the next best column at its best threshold "
         "reaches {second:.1%}",
    cells=(Cells("benchmark.table4", (), ("accuracy", "auc"), ("recidivism",)),
           Cells("benchmark.table5", (), ("accuracy", "auc"), ("recidivism",))), source="our own finding",
)  # fmt: skip
def label_in_a_feature() -> dict[str, Any]:
    graph = load("recidivism")
    names = list(graph.feature_names)
    time = np.asarray(graph.x[:, names.index("TIME")], dtype=np.float64)
    agree = float(((time > 0) == (graph.y == 1)).mean())
    others = [best_threshold(np.asarray(graph.x[:, i], dtype=np.float64), graph.y) for i in range(len(names))
              if names[i] != "TIME"]  # fmt: skip
    return {"agree": max(agree, 1 - agree), "nodes": graph.num_nodes, "second": max(others)}


def best_threshold(values: np.ndarray, y: np.ndarray) -> float:
    """Largest accuracy of a single cut through one column, in either direction."""
    order = np.argsort(values, kind="stable")
    ones = np.cumsum(y[order] == 1)
    last = np.r_[np.diff(values[order]) > 0, True]  # a cut falls between different values only
    below = np.arange(1, len(y) + 1)
    right = (below - ones + ones[-1] - ones)[last] / len(y)
    return float(max(right.max(), 1 - right.min()))


read(
    "DATA-2", method="AMiner-S, AMiner-L",
    says="AMiner-S is described as a largest connected component and has thousands of isolated nodes; its sensitive "
         "attribute has seven values, of which the measures use two.",
    right="Counts from the files, and all groups.",
    places="datasets/datasets.py:1762",
    cells=(Cells("benchmark.table4", (), (), ("aminer-s", "aminer-l")),), source="data files",
)

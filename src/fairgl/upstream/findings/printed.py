"""What the benchmark's printed numbers show by themselves: cells that cannot be, and tables that disagree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fairgl import published
from fairgl.upstream.findings import Cells, finding

GAPS = ("statistical_parity_difference", "equal_opportunity_difference")
# Share of positives among test nodes. The split takes the last quarter of each class, so it is the share of the class
# sizes: of 1,000, 30,000 and 18,876 labelled nodes.
POSITIVE = {"german": 0.700, "credit": 0.779, "recidivism": 0.376}
THRESHOLDED = ("gnn", "fairgnn", "nifty", "edits", "fairedit")


def implied_rates() -> pd.DataFrame:
    """True positive and negative rates behind each printed (ACC, AUC), if AUC is the mean of the two rates."""
    rows = []
    for dataset, share in POSITIVE.items():
        for method in THRESHOLDED:
            acc, auc = (published.lookup("benchmark.table4", dataset=dataset, method=method, metric=m)
                        for m in ("accuracy", "auc"))  # fmt: skip
            if acc is None or auc is None or "oom" in (acc["status"], auc["status"]):
                continue
            tpr = (acc["value"] - 2 * (1 - share) * auc["value"]) / (2 * share - 1)
            rows.append((dataset, method, acc["value"], auc["value"], tpr, 2 * auc["value"] - tpr))
    frame = pd.DataFrame(rows, columns=["dataset", "method", "accuracy", "auc", "tpr", "tnr"])
    return frame.assign(possible=frame[["tpr", "tnr"]].apply(lambda r: r.between(-0.005, 1.005)).all(axis=1))


@finding(
    "PRINTED-1", method="Table 4", kind="live",
    says="If the printed AUC is the thresholded one that the library computes, accuracy and AUC fix the two rates "
         "behind "
         "them. One cell needs more true positives than there are positives.",
    right="Two rates between 0 and 1; the cell comes from other code, another split, or different runs.",
    places="paper: Table 4",
    holds=lambda v: v["impossible"] > 0,
    size="{possible} of {pairs} pairs are possible; {cell} needs a true positive rate of {tpr:.3f}",
    cells=(Cells("benchmark.table4", ("fairgnn",), ("accuracy", "auc"), ("recidivism",)),), source="paper",
)  # fmt: skip
def infeasible_pair() -> dict[str, Any]:
    frame = implied_rates()
    bad = frame[~frame["possible"]]
    return {"pairs": len(frame), "possible": int(frame["possible"].sum()), "impossible": len(bad),
            "cell": ", ".join(f"{r.method} on {r.dataset}" for r in bad.itertuples()),
            "tpr": float(bad["tpr"].max()) if len(bad) else np.nan}  # fmt: skip


@finding(
    "PRINTED-2", method="Table 4", kind="live",
    says="Three numbers that cannot be negative, with mean m, have a standard deviation of at most √3·m. Some printed "
         "spreads of ΔSP and ΔEO are larger.",
    right="The spread of the runs behind the mean.",
    places="paper: Table 4",
    holds=lambda v: v["odd"] > 0,
    size="{odd} of {cells} gaps; the widest is {widest}",
    cells=(Cells("benchmark.table4", (), GAPS),), source="paper",
)
def impossible_spreads() -> dict[str, Any]:
    return _odd(GAPS)


def _odd(metrics: tuple[str, ...]) -> dict[str, Any]:
    frame = published.load("benchmark.table4")
    frame = frame[frame["metric"].isin(metrics) & (frame["status"] == "ok")]
    odd = frame[~frame["spread_possible"]]
    widest = odd.loc[(odd["spread"] / odd["value"]).idxmax()]
    return {"cells": len(frame), "odd": len(odd),
            "widest": f"{widest['method']} on {widest['dataset']}, {published.cell(widest)}"}  # fmt: skip


@finding(
    "PRINTED-3", method="Table 4", kind="live",
    says="The same holds for ΔUtility.",
    right="As above, unless ΔUtility is the difference of means; the paper does not say.",
    places="paper: Table 4",
    holds=lambda v: v["odd"] > 0,
    size="{odd} of {cells}; the widest is {widest}",
    cells=(Cells("benchmark.table4", (), ("utility_difference",)),), source="paper",
)
def impossible_utility_spreads() -> dict[str, Any]:
    return _odd(("utility_difference",))


@finding(
    "PRINTED-4", method="Tables 4 and 5", kind="live",
    says="The row GNN of the group table and the row GNN of the individual table differ on the same data sets; two "
         "classes "
         "of the release carry them.",
    right="One baseline, or two names.",
    places="paper: Table 4, paper: Table 5, debiasing/GNN.py:194, debiasing/GNN_individual.py:592",
    holds=lambda v: v["largest"] > 0.01,
    size="AUC differs by {largest:.1f} points on {dataset}, by {mean:.1f} on average over {datasets} data sets",
    cells=(Cells("benchmark.table4", ("gnn",)), Cells("benchmark.table5", ("gnn",))), source="paper",
)
def two_baselines() -> dict[str, Any]:
    four, five = (published.load(f"benchmark.table{k}").query("method == 'gnn' and metric == 'auc' and status == 'ok'")
                  .set_index("dataset")["value"] for k in (4, 5))  # fmt: skip
    gap = 100 * (four - five).abs().dropna()
    return {"largest": float(gap.max()), "dataset": str(gap.idxmax()), "mean": float(gap.mean()), "datasets": len(gap)}


@finding(
    "PRINTED-9", method="FairWalk, CrossWalk", kind="live",
    says="Two rows of Table 4 belong to classes that run the same code (WALK-1). If the release made both, only chance "
         "separates them.",
    right="Cells that differ by more than twice both printed spreads come from other code, or from more than another "
          "seed.",
    places="paper: Table 4",
    holds=lambda v: v["beyond"] > 0,
    size="mean difference {auc:.1f} points of AUC, {gaps:.1f} of ΔSP and ΔEO, up to {largest:.1f}; {beyond} of {cells} "
         "cells differ by more than twice both spreads",
    cells=(Cells("benchmark.table4", ("fairwalk", "crosswalk")),), source="paper",
)
def equal_code_unequal_rows() -> dict[str, Any]:
    frame = published.load("benchmark.table4").query("status == 'ok' and method in ['fairwalk', 'crosswalk']")
    wide = 100 * frame.pivot(index=["dataset", "metric"], columns="method", values="value")
    spread = 100 * frame.pivot(index=["dataset", "metric"], columns="method", values="spread").sum(axis=1)
    gap = (wide["fairwalk"] - wide["crosswalk"]).abs()
    metric = gap.index.get_level_values("metric")
    return {"auc": float(gap[metric == "auc"].mean()), "gaps": float(gap[metric.isin(GAPS)].mean()),
            "largest": float(gap[metric.isin(GAPS)].max()), "cells": len(gap),
            "beyond": int((gap > 2 * spread).sum())}  # fmt: skip

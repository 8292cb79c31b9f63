"""The release's README against the paper's tables and against its own code."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fairgl import paths, published
from fairgl.upstream.findings import Cells, finding


def readme() -> pd.DataFrame:
    """The leaderboards of the release's README (section 7), with our names."""
    frame = pd.read_csv(paths.published() / "benchmark_readme_leaderboard.csv", dtype={"section": str})
    for kind in ("method", "dataset", "metric"):
        frame[kind] = frame[kind].map(published.names(kind) | {"f1": "f1"})
    return frame


@finding(
    "PRINTED-5", method="README, Tables 4 and 5", kind="live",
    says="The release's own leaderboards print three different AUCs for the plain GCN on Recidivism, and none is the "
         "paper's.",
    right="One number, or one sentence on what differs.",
    places="README: section 7",
    holds=lambda v: v["values"] == 3,
    size="README {readme}; Table 4 {four:.3f}, Table 5 {five:.3f}",
    cells=(Cells("benchmark.table4", ("gnn",), ("auc",), ("recidivism",)),
           Cells("benchmark.table5", ("gnn",), ("auc",), ("recidivism",))),
)  # fmt: skip
def three_baselines() -> dict[str, Any]:
    frame = readme().query("method == 'gnn' and dataset == 'recidivism' and metric == 'auc'")
    four, five = (published.lookup(f"benchmark.table{k}", dataset="recidivism", method="gnn", metric="auc")["value"]
                  for k in (4, 5))  # fmt: skip
    return {"values": frame["mean"].nunique(), "readme": ", ".join(f"{v:.3f}" for v in frame["mean"]), "four": four,
            "five": five}  # fmt: skip


@finding(
    "PRINTED-6", method="README", kind="live",
    says="The README's F1 is not its accuracy, although the released classes return the accuracy under that name: its "
         "leaderboard was made by other code.",
    right="Code that makes the leaderboard.",
    places="README: section 7.1.1, debiasing/GNN.py:411",
    holds=lambda v: v["differ"] == v["pairs"],
    size="F1 and accuracy differ in {differ} of {pairs} rows, by {mean:.2f} on average",
)
def readme_from_other_code() -> dict[str, Any]:
    frame = readme().query("fairness == 'group'").pivot(index=["method", "dataset"], columns="metric", values="mean")
    gap = (frame["f1"] - frame["accuracy"]).abs()
    gap = gap[frame.index.get_level_values("method") != "fairvgnn"]  # the one class with binary F1
    return {"pairs": len(gap), "differ": int((gap > 5e-4).sum()), "mean": float(gap.mean())}


@finding(
    "PRINTED-7", method="README, Table 5", kind="live",
    says="README and Table 5 report the individual-fairness measures of the same methods, data sets and library with "
         "values "
         "that cannot both be right.",
    right="One number.",
    places="README: section 7.3, paper: Table 5",
    holds=lambda v: v["lipschitz"] > 100 and v["ndcg"] > 0.3,
    size="B_Lipschitz differs by a factor of up to {lipschitz:.0e}; NDCG@10 by up to {ndcg:.2f} (Recidivism: README "
         "{readme_ndcg}, Table 5 {table_ndcg})",
    cells=(Cells("benchmark.table5", (), ("lipschitz_bias", "ndcg_at_10"), ("credit", "recidivism")),),
)
def incompatible_individual_tables() -> dict[str, Any]:
    both = _readme_and_table5()
    factor = (both["mean"] / both["value"]).groupby(both["metric"])
    ndcg = both[both["metric"] == "ndcg_at_10"]
    bail = ndcg[ndcg["dataset"] == "recidivism"]
    ratio = factor.agg(lambda r: max(r.max(), (1 / r).max()))["lipschitz_bias"]
    return {"lipschitz": float(ratio), "ndcg": float((ndcg["mean"] - ndcg["value"]).abs().max()),
            "readme_ndcg": ", ".join(f"{v:.2f}" for v in bail["mean"]),
            "table_ndcg": ", ".join(f"{v:.2f}" for v in bail["value"])}  # fmt: skip


def _readme_and_table5() -> pd.DataFrame:
    five = published.load("benchmark.table5").query("status == 'ok'")[["dataset", "method", "metric", "value"]]
    return readme().query("fairness == 'individual'").merge(five, on=["dataset", "method", "metric"])


@finding(
    "PRINTED-8", method="Table 5", kind="live",
    says="GDIF, a ratio of at least 1, is printed times 100 without saying so. Under the library's definition a "
         "network without any fairness term already lies near 100.",
    right="The ratio as Equation 4 defines it, beside the baseline's.",
    places="paper: Table 5, debiasing/GUIDE.py:854",
    holds=lambda v: 30 < v["factor"] < 300 and v["smallest"] >= 100,
    size="printed from {smallest:.0f} up; {factor:.0f} times the README's values in the median",
    cells=(Cells("benchmark.table5", (), ("gdif",)),),
)
def gdif_times_100() -> dict[str, Any]:
    both = _readme_and_table5().query("metric == 'gdif'")
    printed = published.load("benchmark.table5").query("metric == 'gdif' and status == 'ok'")["value"]
    return {"factor": float((100 * both["value"] / both["mean"]).median()), "smallest": float(100 * printed.min())}

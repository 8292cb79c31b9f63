"""The reproduction study of MORAL: what its stored scores say when they are read in their own order.

The recomputed values in ``data/published/moral_reproduction_recomputed.csv`` come from the study's published score
files: ``raw`` in their own order, ``raw_misaligned`` with the groups of a split rebuilt from another seed, ``reranked``
as stored.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from fairgl import paths, published
from fairgl.metrics.ranking import ndkl
from fairgl.rerank.moral import greedy_types
from fairgl.upstream.findings import STUDY, Cells, finding

NAMES = {"airtraffic": "garn", "pokec_n": "pokec-n", "pokec_z": "pokec-z"}


@cache
def recomputed() -> pd.DataFrame:
    """Our recomputation, with our names of data sets and lower-case methods."""
    frame = pd.read_csv(paths.published() / "moral_reproduction_recomputed.csv")
    return frame.assign(dataset=frame["dataset"].replace(NAMES), method=frame["method"].str.lower())


def means_of(method: str, metric: str) -> pd.DataFrame:
    frame = recomputed().query("method == @method")
    return frame.pivot_table(index="dataset", columns="ordering", values=metric)


@finding(
    "LINK-1", method="MORAL before reranking, FairWalk, FairAdj", kind="live", source=STUDY,
    says="Where a split file is absent, the evaluation rebuilds the split from an unseeded generator and pairs its "
         "groups "
         "with scores of another candidate order. Every 'raw' fairness value is scored with somebody else's groups.",
    right="Groups from the file that holds the scores.",
    places="scripts/helpers/metrics.py:447, scripts/helpers/create_splits.py:302",
    holds=lambda v: v["off_misaligned"] < 1e-4 and v["off_aligned"] > 0.01,
    size="the printed NDKL of {datasets} data sets equal the misaligned ones to {off_misaligned:.0e}; aligned ones are "
         "{times:.1f} times as large on average",
    cells=(Cells("moral_study.table13", ("moral-unranked",)), Cells("moral_study.table2", ("fairwalk", "fairadj")),
           Cells("moral_study.table4", ("fairwalk", "fairadj"), ("awrf",))),
)  # fmt: skip
def groups_of_another_split() -> dict[str, Any]:
    means = means_of("moral", "ndkl").dropna()
    printed = _printed("ndkl", "moral-unranked").reindex(means.index)
    return {"datasets": len(means), "off_misaligned": float((means["raw_misaligned"] - printed).abs().max()),
            "off_aligned": float((means["raw"] - printed).abs().min()),
            "times": float((means["raw"] / printed).mean())}  # fmt: skip


def _printed(metric: str, method: str) -> pd.Series:
    frame = published.load("moral_study.table13")
    return frame[(frame["metric"] == metric) & (frame["method"] == method)].set_index("dataset")["value"]


@finding(
    "LINK-2", method="MORAL", kind="live", source=STUDY,
    says="Aligned, reranking lowers NDKL and AWRF far more than printed.",
    right="Before and after on the same candidates.",
    places="paper: Table 13",
    holds=lambda v: v["ndkl"] > v["ndkl_printed"] and v["awrf"] > v["awrf_printed"],
    size="mean NDKL falls by {ndkl:.1%} (printed {ndkl_printed:.1%}), mean AWRF by {awrf:.1%} (printed "
         "{awrf_printed:.1%})",
    cells=(Cells("moral_study.table13", ("moral-unranked",), ("ndkl", "awrf")),),
)
def reranking_matters_more() -> dict[str, Any]:
    out = {}
    for metric in ("ndkl", "awrf"):
        means = means_of("moral", metric)
        out[metric] = float(1 - means["reranked"].mean() / means["raw"].mean())
        before, after = (_printed(metric, method).mean() for method in ("moral-unranked", "moral"))
        out[f"{metric}_printed"] = float(1 - after / before)
    return out


@finding(
    "LINK-3", method="MORAL", kind="live", source=STUDY,
    says="ΔDP is printed before reranking over the whole test list and after it over the first 1,000. At the same "
         "cut-off it "
         "rises, where the table has it fall.",
    right="The same cut-off on both sides.",
    places="scripts/helpers/metrics.py:745, paper: Table 13",
    holds=lambda v: v["rises"] == v["datasets"],
    size="rises on {rises} of {datasets} data sets at 1,000; the printed columns fall on {printed}",
    cells=(Cells("moral_study.table13", (), ("dyadic_parity_difference",)),),
)
def parity_rises() -> dict[str, Any]:
    means = means_of("moral", "dp")
    before, after = (_printed("dyadic_parity_difference", method) for method in ("moral-unranked", "moral"))
    return {"rises": int((means["reranked"] > means["raw"]).sum()), "datasets": len(means),
            "printed": int((after < before).sum())}  # fmt: skip


@finding(
    "LINK-4", method="MORAL", kind="live", source=STUDY,
    says="NDKL and AWRF after the greedy are functions of the target and the length of the list: the sequence of "
         "types needs "
         "no scores. The printed ± 0.0000 says the same.",
    right="Name it a property of the target; only precision and NDCG speak of the predictor.",
    places="paper: Tables 2 and 4",
    holds=lambda v: v["difference"] < 2e-4,
    size="the greedy without any scores gives the NDKL of all {datasets} data sets to {difference:.0e}",
    cells=(Cells("moral_study.table2", ("moral",)), Cells("moral_study.table4", ("moral",), ("awrf",)),
           Cells("moral_study.table13", ("moral",), ("ndkl", "awrf"))),
)  # fmt: skip
def no_scores_needed() -> dict[str, Any]:
    stats = pd.read_csv(paths.published() / "moral_reproduction_graph_stats.csv")
    stats = stats.assign(name=stats["dataset"].str.rsplit("_", n=1).str[0].replace(NAMES)).drop_duplicates("name")
    stored, gaps = means_of("moral", "ndkl")["reranked"], []
    for row in stats.itertuples():
        if row.name in stored.index:
            target = np.array([row.global_p00, row.global_p01, row.global_p11])
            value = ndkl(types=greedy_types(target, 1000), target=target / target.sum(), k=1000, clamp=1e-12)
            gaps.append(abs(value - stored[row.name]))
    return {"datasets": len(gaps), "difference": float(max(gaps))}

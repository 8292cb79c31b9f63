"""What the released measures do to numbers, shown with our own functions on stored runs and small cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgl import store
from fairgl.datasets import load
from fairgl.metrics.individual import lipschitz_trace_logits, unit_rows
from fairgl.metrics.individual_ranking import ndcg_released_chance, oracle_rows
from fairgl.published import lookup
from fairgl.splits import node_split
from fairgl.upstream.findings import Cells, finding
from fairgl.views import scale_features


@finding(
    "AUC-2", method="AUC column", kind="live",
    says="How much the two readings of AUC differ over seeds, for the linear GNN of our own runs.",
    right="The AUC of the scores.",
    places="debiasing/GNN.py:417",
    holds=lambda v: v["mean"] > 1,
    size="scores minus labels: {each} points on average, {largest:.1f} at most in {runs} runs",
    cells=(Cells("benchmark.table4", (), ("auc",)),), source="our records",
)  # fmt: skip
def two_readings_of_auc() -> dict[str, Any]:
    frame = store.frame("group")
    frame = frame[(frame["method"] == "gnn") & (frame["stage"] == "final") & (frame["status"] == "ok")]
    gap = 100 * (frame["test.auc"] - frame["test.balanced_accuracy"])
    means = gap.groupby(frame["dataset"]).mean()
    return {"mean": float(gap.mean()), "largest": float(gap.max()), "runs": len(gap),
            "each": ", ".join(f"{name} {value:.1f}" for name, value in means.items())}  # fmt: skip


@finding(
    "NDCG-3", method="NDCG@10 column", kind="live",
    says="Gains grow exponentially and cosines of unscaled rows are nearly equal, so a random list scores high, and "
         "the level "
         "depends on the scaling of the features, not on the method.",
    right="The score beside the score of a random list on the same features.",
    places="debiasing/GNN_individual.py:68, metrics/metrics.py:176",
    holds=lambda v: v["raw"] > 0.9 and v["printed"] - v["scaled"] < 0.1,
    size="german, random list: {raw:.3f} on raw features, {scaled:.3f} on features in [−1, 1]; Table 5 prints "
         "{printed:.3f} "
         "for GNN and {best:.3f} for REDRESS",
    cells=(Cells("benchmark.table5", (), ("ndcg_at_10",)),),
)
def random_lists() -> dict[str, Any]:
    graph = load("german")
    test = node_split(graph, 0).test
    raw = ndcg_released_chance(features=oracle_rows(graph.x, standardise=False)[test])
    scaled = ndcg_released_chance(features=oracle_rows(scale_features(graph, "minmax11"), standardise=False)[test])
    printed, best = (lookup("benchmark.table5", dataset="german", method=m, metric="ndcg_at_10")["value"]
                     for m in ("gnn", "redress"))  # fmt: skip
    return {"raw": float(raw), "scaled": float(scaled), "printed": printed, "best": best}


@finding(
    "LIPSCHITZ-2", method="B_Lipschitz column", kind="live",
    says="The trace over logits is quadratic in their scale, which no predicted label depends on: a less confident "
         "copy of a "
         "model is 'fairer'.",
    right="A measure on probabilities, with norms instead of squares (Equation 3).",
    places="debiasing/GNN_individual.py:841",
    holds=lambda v: abs(v["ratio"] - 4) < 1e-9 and v["changed"] == 0,
    size="halving all logits divides it by {ratio:.0f}; {changed} of {nodes} predicted labels change",
    cells=(Cells("benchmark.table5", ("gnn", "inform", "guide"), ("lipschitz_bias",)),),
)
def quadratic_in_scale() -> dict[str, Any]:
    graph = load("german")
    rows, logits = unit_rows(graph.adjacency(loops=True)), np.random.default_rng(0).normal(size=graph.num_nodes)
    ratio = lipschitz_trace_logits(logits=logits, rows=rows) / lipschitz_trace_logits(logits=logits / 2, rows=rows)
    return {"ratio": float(ratio), "changed": int(((logits > 0) != (logits / 2 > 0)).sum()), "nodes": graph.num_nodes}


@finding(
    "SEARCH-1", method="all", kind="live",
    says='"Lowest loss on the validation nodes" is the attribute val_loss, which holds another quantity in each class: '
         "cross-entropy (GNN, FairEdit), λ·similarity + cross-entropy (NIFTY), minus accuracy (FairGNN, FairVGNN), the "
         "distance of the groups' features over all nodes (EDITS), 100 times the test error (walks).",
    right="One criterion for all methods, on validation labels.",
    places="debiasing/GNN.py:384, debiasing/NIFTY.py:558, debiasing/FairGNN.py:280, debiasing/FairVGNN.py:1257, "
           "debiasing/EDITS.py:717, debiasing/FairWalk.py:612",
    holds=lambda v: v["negative"] >= 1 and v["above_one"] >= 1,
    size="val_loss after the runs below: {losses}",
    cells=(Cells("benchmark.table4"),),
)
def one_name_many_losses() -> dict[str, Any]:
    losses = {r["config"]["class"]: r["val_loss"] for r, _ in store.records("audit")
              if r["task"] == "upstream" and r["status"] == "ok" and r["val_loss"] is not None}  # fmt: skip
    return {"losses": ", ".join(f"{name} {loss:.3g}" for name, loss in losses.items()) or "no records",
            "negative": sum(v < 0 for v in losses.values()),
            "above_one": sum(v > 1 for v in losses.values())}  # fmt: skip


@finding(
    "TIME-1", method="EDITS, FairEdit", kind="live",
    says="Two classes train inside predict, so a clock around fit misses it.",
    right="Time everything between the data and the predictions.",
    places="debiasing/EDITS.py:668, debiasing/FairEdit.py:1412",
    holds=lambda v: v["edits"] > 0.5 and v["fairedit"] > 0.5,
    size="share of the time spent in predict: EDITS {edits:.0%}, FairEdit {fairedit:.0%} (short runs on german)",
)
def trained_in_predict() -> dict[str, Any]:
    share = {}
    for result, _ in store.records("audit"):
        if result["task"] == "upstream" and result["status"] == "ok":
            seconds = result["diagnostics"]["seconds"]
            share[result["config"]["class"]] = seconds["predict"] / sum(seconds[s] for s in ("build", "fit", "predict"))
    return {"edits": share.get("EDITS", 0.0), "fairedit": share.get("FairEdit", 0.0)}

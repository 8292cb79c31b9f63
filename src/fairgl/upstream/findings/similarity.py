"""The release's measures of individual fairness: ranking, traces, and the matrices of the groups."""

from __future__ import annotations

from typing import Any

from fairgl.upstream.findings import Cells, finding
from fairgl.upstream.findings.individual import SMALL, lists


@finding(
    "NDCG-1", method="GNN_individual, REDRESS, metrics",
    says="NDCG@10 looks at nine positions: the list is cut at k − 1 after the node itself was removed from its first "
         "place.",
    right="Ten.",
    places="debiasing/GNN_individual.py:310, debiasing/REDRESS.py:533, metrics/metrics.py:215",
    holds=lambda v: v["positions"] == v["k"] - 1,
    size="k = {k}, {positions} positions",
    cells=(Cells("benchmark.table5", (), ("ndcg_at_10",)),), also="authors of REDRESS, in their report",
)
def nine_positions(case: Any) -> dict[str, Any]:
    module = case.module("debiasing.GNN_individual")
    x, y, k = lists()
    listed = module.lambdas_computation_only_review(module.simi(x), module.simi(y), k, 1)[2]
    return {"k": k, "positions": listed.shape[1]}


@finding(
    "NDCG-2", method="GNN_individual",
    says="A model with one logit z is ranked by the cosine of the vectors (z, −z), which is 1 for every pair with the "
         "same "
         "label and −1 for every other pair. All nodes of a label tie, and the list is whatever order the sort leaves.",
    right="Rank by |p − p′|, and average over the orders of what ties.",
    places="debiasing/GNN_individual.py:857",
    holds=lambda v: v["values"] == 2,
    size="{pairs:,} pairs of test nodes have {values} distinct similarities ({low:.1f} and {high:.1f})",
    cells=(Cells("benchmark.table5", ("gnn", "inform", "guide"), ("ndcg_at_10",)),),
)
def all_tied(case: Any) -> dict[str, Any]:
    import torch

    module = case.module("debiasing.GNN_individual")
    z = torch.randn(100, 1, generator=torch.Generator().manual_seed(0))
    inverse = 1 - z.sigmoid()
    inverse = torch.log(inverse / (1 - inverse))
    seen = torch.unique(module.simi(torch.cat([z, inverse], dim=1)).round(decimals=3))
    return {"pairs": 100 * 99, "values": len(seen), "low": float(seen.min()) + 0.0, "high": float(seen.max())}


@finding(
    "LIPSCHITZ-1", method="GNN_individual, InFoRM_GNN, GUIDE against REDRESS",
    says="The individual-unfairness trace is taken over logits in three classes and over probabilities in REDRESS; "
         "rows of "
         "one column are on different scales.",
    right="Equation 3 of the paper: norms, not squares, of differences of probability vectors, for every method.",
    places="debiasing/GNN_individual.py:841, debiasing/InFoRM_GNN.py:693, debiasing/GUIDE.py:840, "
           "debiasing/REDRESS.py:869",
    holds=lambda v: v["factor"] > 3,
    size="one model: trace over logits {logits:.3g}, over probabilities {probabilities:.3g}, a factor of {factor:.0f}",
    cells=(Cells("benchmark.table5", (), ("lipschitz_bias",)),),
)
def trace_of_logits(case: Any) -> dict[str, Any]:
    import torch

    instance = case.trained("GNN_individual", fit={"epochs": 60})
    z = instance.forwarding_predict(instance.forward(instance.features, instance.edge_index)).detach()

    def trace(values: Any) -> float:
        return float(torch.trace(values.t() @ torch.sparse.mm(instance.lap, values)))

    return {"logits": trace(z), "probabilities": trace(z.sigmoid()), "factor": trace(z) / trace(z.sigmoid())}


@finding(
    "GDIF-1", method="metrics.GDIF",
    says="The stand-alone metric always fails: it uses a similarity matrix that it neither receives nor computes.",
    right="An argument.",
    places="metrics/metrics.py:305",
    holds=lambda v: v["error"] == "NameError",
    size="{error}",
)
def metric_that_fails(case: Any) -> dict[str, Any]:
    try:
        case.module("metrics.metrics").GDIF(case.entries["labels"], case.entries["sens"])
        return {"error": "none"}
    except Exception as error:
        return {"error": type(error).__name__}


@finding(
    "GROUP-2", method="InFoRM_GNN, REDRESS, GUIDE, GNN_individual", without=("group matrices",),
    says="The groups' similarity matrices are filled in a Python loop over all entries, with item access to sparse "
         "matrices.",
    right="Whole-array code gives the same matrices; our metric needs none of them.",
    places="debiasing/GNN_individual.py:391, debiasing/REDRESS.py:150, debiasing/GUIDE.py:438",
    holds=lambda v: v["difference"] < 1e-6,
    size="{micro:.0f} µs per entry on 90 nodes, at least {seconds:.0f} s for the 527 thousand entries of german's "
         "matrix; whole-array code agrees to {difference:.0e} of the largest entry",
)
def slow_loop(case: Any) -> dict[str, Any]:
    import time

    import scipy.sparse as sp

    from fairgl.upstream.substitutes import group_matrices

    small = case.first(90)
    module = case.module("debiasing.GNN_individual")
    adj = small.entries["adj"]
    matrix = sp.csr_matrix((adj.values().numpy(), adj.indices().numpy()), adj.shape)
    sim = module.calculate_similarity_matrix(matrix, None, metric="cosine")
    start = time.process_time()
    slow = module.calculate_group_lap(sim, small.entries["sens"])
    micro = 1e6 * (time.process_time() - start) / sim.nnz
    quick = group_matrices(sim, small.entries["sens"])
    difference = max(float(abs(a - b).max() / abs(a).max()) for a, b in zip(slow[0], quick[0], strict=True))
    difference = max(difference, *(abs(float(a) - b) for a, b in zip(slow[1], quick[1], strict=True)))
    return {"micro": micro, "seconds": micro * 526_982 / 1e6, "difference": difference}


@finding(
    "CACHE-1", method="GNN_individual",
    says="The groups' matrices are kept in a file named after the data set and read back without a check, also for "
         "another "
         "graph or other groups.",
    right="A name that depends on the content.",
    places="debiasing/GNN_individual.py:689",
    holds=lambda v: v["again"] == v["first"] and v["again"] != v["own"],
    size="entries counted for group 0: {first:,.0f}; after the groups are swapped {again:,.0f} under the same name, "
         "{own:,.0f} under another",
    cells=(Cells("benchmark.table5", ("gnn",), ("gdif",)),),
)
def stale_cache(case: Any) -> dict[str, Any]:
    small, out = case.first(SMALL), {}
    swapped = 1 - small.entries["sens"]
    for key, name, sens in (("first", "a", small.entries["sens"]), ("again", "a", swapped), ("own", "b", swapped)):
        out[key] = float(small.steps("GNN_individual", build={"dataset_name": name, "sens": sens})[0]().m_u1)
    return out

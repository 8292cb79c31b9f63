"""InFoRM, REDRESS, GUIDE and the individual-fairness baseline of the release."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgl.upstream.findings import Cells, finding, read

SMALL = 150


@finding(
    "INFORM-1", method="InFoRM_GNN, REDRESS", without=("name os",),
    says="Neither class can be created: an import inside the constructor makes a name local that is used before it.",
    right="One import at the top of the file.",
    places="debiasing/InFoRM_GNN.py:465, debiasing/REDRESS.py:716",
    holds=lambda v: set(v.values()) == {"UnboundLocalError"},
    size="InFoRM_GNN(…): {InFoRM_GNN}; REDRESS(…): {REDRESS}",
    cells=(Cells("benchmark.table5", ("inform", "redress")),),
)
def cannot_be_created(case: Any) -> dict[str, Any]:
    out = {}
    for name in ("InFoRM_GNN", "REDRESS"):
        try:
            case.first(SMALL).steps(name)[0]()
            out[name] = "created"
        except Exception as error:
            out[name] = type(error).__name__
    return out


@finding(
    "INFORM-2", method="InFoRM_GNN",
    says="The weights with the lowest validation loss are saved to a file that predict never reads: the last epoch is "
         "tested.",
    right="Load them, as the authors of this variant do.",
    places="debiasing/InFoRM_GNN.py:616, debiasing/InFoRM_GNN.py:656",
    holds=lambda v: v["loads"] == 0 and v["distance"] > 0,
    size="{loads} files read by predict; the tested weights are {distance:.2f} away from the saved best ones",
    cells=(Cells("benchmark.table5", ("inform",)),),
)
def best_weights_unused(case: Any) -> dict[str, Any]:
    import torch

    small = case.first(SMALL)
    small.seeded()
    build, fit, predict = small.steps("InFoRM_GNN", build={"lr": 0.1}, fit={"epochs": 40})
    instance = build()
    fit()
    before = case.around.used["own pickles"]
    predict()
    loads = case.around.used["own pickles"] - before
    best = torch.load("v0_weights_vanilla.pt")
    tested = instance.model.state_dict()
    return {"loads": loads, "distance": max(float((best[k] - tested[k]).abs().max()) for k in best)}


def lists(n: int = 24, k: int = 10) -> tuple[Any, Any, Any]:
    import torch

    generator = torch.Generator().manual_seed(0)
    x, y = torch.rand(n, 6, generator=generator), torch.rand(n, 2, generator=generator)
    return x, y, k


@finding(
    "REDRESS-1", method="REDRESS",
    says="The weight of swapping two nodes of a list is filled in only where the two already stand in the right order. "
         "Pairs that stand in the wrong order, the ones to be learnt from, get weight zero.",
    right="The same weight for both orders, as in LambdaRank.",
    places="debiasing/REDRESS.py:481",
    holds=lambda v: v["difference"] < 1e-5 and v["dropped"] > 0.2,
    size="the library's gradient equals that of rightly ordered pairs to {difference:.0e}; {dropped:.0%} of the full "
         "gradient's mass, all of it from wrongly ordered pairs, is missing",
    cells=(Cells("benchmark.table5", ("redress",)),), also="authors",
)
def wrong_pairs_dropped(case: Any) -> dict[str, Any]:
    module = case.module("debiasing.REDRESS")
    x, y, k = lists()
    steep = 0.5
    xs, ys = module.simi(x), module.simi(y)
    found = module.lambdas_computation(xs.clone(), ys.clone(), k, 1, steep)[0].numpy()
    right, both = _lambdas(xs.double().numpy(), ys.double().numpy(), k, steep)
    return {"difference": float(np.abs(found - right).max()),
            "dropped": float(1 - np.abs(right).sum() / np.abs(both).sum())}  # fmt: skip


def _lambdas(x: np.ndarray, y: np.ndarray, k: int, steep: float) -> tuple[np.ndarray, np.ndarray]:
    """Gradients on outcome similarities from rightly ordered pairs and from all pairs; rows past 60 % are zero."""
    n = len(x)
    right, both = np.zeros((n, n)), np.zeros((n, n))
    discount = 1 / np.log2(np.arange(k) + 2)
    for i in range(n):
        if i >= 0.6 * n:
            break
        others = np.delete(np.arange(n), i)
        listed = others[np.argsort(-y[i, others], kind="stable")][:k]
        gain, ideal = 2 ** x[i, listed] - 1, np.sort(2 ** x[i, others] - 1)[::-1][:k]
        for a in range(k):
            for b in range(k):
                if x[i, listed[a]] <= x[i, listed[b]]:
                    continue
                swap = abs((gain[a] - gain[b]) * (discount[a] - discount[b])) / (ideal * discount).sum()
                push = -steep / (1 + np.exp(steep * (y[i, listed[a]] - y[i, listed[b]]))) * swap
                for total in (both, right) if a < b else (both,):
                    total[i, listed[a]] += push
                    total[i, listed[b]] -= push
    return right, both


@finding(
    "REDRESS-2", method="REDRESS",
    says="Only the first 60 % of the training rows are given a gradient: the loop over them breaks off.",
    right="All rows.",
    places="debiasing/REDRESS.py:475",
    holds=lambda v: v["rows"] < v["all"],
    size="{rows} of {all} rows have a gradient",
    cells=(Cells("benchmark.table5", ("redress",)),), also="authors",
)
def rows_left_out(case: Any) -> dict[str, Any]:
    module = case.module("debiasing.REDRESS")
    x, y, k = lists()
    found = module.lambdas_computation(module.simi(x), module.simi(y), k, 1, 0.5)[0]
    return {"rows": int((found.abs().sum(dim=1) > 0).sum()), "all": len(x)}


@finding(
    "GUIDE-1", method="GUIDE",
    says="The optimiser of the second stage also owns the frozen backbone. Under torch 1.12, which the library pins, "
         "cleared gradients are zeros, not none, so weight decay alone moves the weights by a full step each epoch "
         "and wipes "
         "the backbone out. Newer versions of torch leave it alone.",
    right="An optimiser of the second stage's parameters only.",
    places="debiasing/GUIDE.py:578, debiasing/GUIDE.py:703",
    holds=lambda v: v["old"] < 0.6 * v["new"],
    size="mean size of the backbone's weights after {epochs} epochs of the second stage: {new:.3f} under the present "
         "rule, "
         "{old:.3f} when gradients are cleared as torch 1.12 did",
    cells=(Cells("benchmark.table5", ("guide",)),),
)
def backbone_erased(case: Any) -> dict[str, Any]:
    import torch

    small, out, original = case.first(SMALL), {}, torch.optim.Optimizer.zero_grad
    for key, none in (("new", True), ("old", False)):
        torch.optim.Optimizer.zero_grad = lambda self, set_to_none=none: original(self, set_to_none=set_to_none)
        settings = {"initialize_training_epochs": 10, "epochs": 200}
        weights = [p for p in small.trained("GUIDE", fit=settings).model.parameters() if p.dim() == 2]
        out[key] = float(weights[0].abs().mean())
    torch.optim.Optimizer.zero_grad = original
    return {**out, "epochs": 200}


@finding(
    "GUIDE-2", method="GUIDE",
    says="The best validation loss is recorded and no weights are saved with it; the last epoch is tested.",
    right="Save and load them, as the authors do.",
    places="debiasing/GUIDE.py:781, debiasing/GUIDE.py:783",
    holds=lambda v: v["saved"] == 0,
    size="{saved} files of weights saved",
    cells=(Cells("benchmark.table5", ("guide",)),),
)
def nothing_saved(case: Any) -> dict[str, Any]:
    import torch

    original, saved = torch.save, []
    torch.save = lambda *args, **kwargs: saved.append(args[1:]) or original(*args, **kwargs)
    case.first(100).trained("GUIDE", fit={"initialize_training_epochs": 3, "epochs": 3})
    torch.save = original
    return {"saved": len(saved)}


read(
    "REDRESS-3", method="REDRESS",
    says="The cross-entropy is applied to outputs that already went through a softmax, and the convolution multiplies "
         "by the "
         "raw adjacency with loops, without normalisation.",
    right="Logits into the loss; a normalised adjacency.",
    places="debiasing/REDRESS.py:759, debiasing/REDRESS.py:584",
    cells=(Cells("benchmark.table5", ("redress",)),),
)
read(
    "TABLE-5", method="InFoRM_GNN, REDRESS, GUIDE",
    says="These classes return micro-F1, accuracy, thresholded AUC, trace and GDIF. The table's NDCG and its other "
         "columns "
         "for them come from code that is not in the release.",
    right="Code for every cell.",
    places="debiasing/InFoRM_GNN.py:717, debiasing/REDRESS.py:895, debiasing/GUIDE.py:864",
    cells=(Cells("benchmark.table5", ("inform", "redress", "guide"), ("ndcg_at_10",)),),
)

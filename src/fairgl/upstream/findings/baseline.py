"""The release's GNN baseline, and what it shares with the other classes: metrics, checkpoints, selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgl.upstream.findings import Cells, finding, read

HARD = ("gnn", "fairgnn", "nifty", "edits", "fairedit", "deepwalk", "fairwalk", "crosswalk")


def _logits(instance: Any) -> np.ndarray:
    output = instance.forwarding_predict(instance.forward(instance.features, instance.edge_index))
    return output.detach().numpy().ravel()


@finding(
    "AUC-1", method="all but FairVGNN",
    says="Predictions are cut at the threshold first and then handed to the AUC routine, so the printed AUC is the "
         "balanced accuracy at one threshold. FairVGNN alone passes scores.",
    right="The AUC of the scores; or the name balanced accuracy.",
    places="debiasing/GNN.py:417, debiasing/FairGNN.py:298, debiasing/NIFTY.py:689, debiasing/EDITS.py:862, "
           "debiasing/FairEdit.py:1029, debiasing/FairWalk.py:590, debiasing/InFoRM_GNN.py:682",
    holds=lambda v: abs(v["returned"] - v["balanced"]) < 1e-12 and abs(v["returned"] - v["score"]) > 1e-6,
    size="one model: returned {returned:.3f} = balanced accuracy {balanced:.3f}; AUC of its scores {score:.3f}",
    cells=(Cells("benchmark.table4", HARD, ("auc",)), Cells("benchmark.table5", (), ("auc",))),
)  # fmt: skip
def auc_of_labels(case: Any) -> dict[str, Any]:
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    instance, returned = case.run("GNN")
    test, logits = case.arrays["test"], _logits(instance)
    y = case.arrays["y"][test]
    return {"returned": float(returned[1]), "balanced": float(balanced_accuracy_score(y, logits[test] > 0)),
            "score": float(roc_auc_score(y, logits[test]))}  # fmt: skip


@finding(
    "F1-1", method="all but FairVGNN",
    says="F1 is asked for with the micro average, which is the accuracy for single-label data.",
    right="F1 of class 1.",
    places="debiasing/GNN.py:411, debiasing/FairGNN.py:285, debiasing/NIFTY.py:683, debiasing/EDITS.py:852, "
           "debiasing/FairEdit.py:1023",
    holds=lambda v: v["f1"] == v["accuracy"] and abs(v["f1"] - v["binary"]) > 1e-6,
    size="returned F1 {f1:.3f} = accuracy {accuracy:.3f}; F1 of class 1 {binary:.3f}",
)  # fmt: skip
def micro_f1(case: Any) -> dict[str, Any]:
    from sklearn.metrics import f1_score

    instance, returned = case.run("GNN", fit={"epochs": 30})
    test, logits = case.arrays["test"], _logits(instance)
    return {"f1": float(returned[2]), "accuracy": float(returned[0]),
            "binary": float(f1_score(case.arrays["y"][test], logits[test] > 0))}  # fmt: skip


@finding(
    "GNN-1", method="GNN, NIFTY",
    says="The best weights go to one file in the working directory whose name depends on the layer sizes alone. A run "
         "that "
         "diverges saves nothing, and predict then loads what an earlier run left there.",
    right="A file of the run's own, or weights kept in memory; an error if there is no checkpoint.",
    places="debiasing/GNN.py:383, debiasing/GNN.py:389, debiasing/GNN.py:393, debiasing/NIFTY.py:557, "
           "debiasing/NIFTY.py:622",
    holds=lambda v: v["difference"] == 0 and not v["has_loss"],
    size="a run with learning rate 10,000 returns the {values} numbers of the run before it, to the last digit",
)  # fmt: skip
def stale_checkpoint(case: Any) -> dict[str, Any]:
    _, first = case.run("GNN", fit={"epochs": 20})
    scaled = case.entries["features"] * 1e6
    instance, second = case.run("GNN", build={"lr": 1e4, "features": scaled}, fit={"epochs": 5})
    # The features are put back, so that the same weights give the same numbers.
    instance.features = case.entries["features"]
    second = instance.predict()
    return {"difference": float(max(abs(a - b) for a, b in zip(first, second, strict=True))), "values": len(first),
            "has_loss": hasattr(instance, "val_loss")}  # fmt: skip


@finding(
    "GNN-2", method="GNN, NIFTY, GNN_individual",
    says="Two of the five encoders on offer cannot be created: spectral normalisation is asked for on a layer whose "
         "weight "
         "lies in a sub-layer, in the pinned version of the graph library as well.",
    right="Normalise the inner linear map.",
    places="debiasing/GNN.py:70, debiasing/GNN.py:133",
    holds=lambda v: v["failed"] == 2,
    size="{failed} of 5 encoders end in an error ({errors})",
)
def encoders_that_fail(case: Any) -> dict[str, Any]:
    errors = []
    for encoder in ("gcn", "gin", "sage", "jk", "infomax"):
        try:
            case.steps("GNN", build={"encoder": encoder})[0]()
        except Exception as error:
            errors.append(type(error).__name__)
    return {"failed": len(errors), "errors": ", ".join(sorted(set(errors)))}


@finding(
    "GNN-3", method="GNN",
    says="Seven arguments (the similarity weight, four perturbation rates, two projection sizes) change nothing.",
    right="Arguments that do something.",
    places="debiasing/GNN.py:209, debiasing/GNN.py:240",
    holds=lambda v: v["difference"] == 0,
    size="similarity weight 0.9 and rates 0.9 in place of 0.5 and 0.1: largest change of a returned number "
         "{difference:g}",
)
def dead_arguments(case: Any) -> dict[str, Any]:
    _, plain = case.run("GNN", fit={"epochs": 10})
    rates = {f"drop_{part}_rate_{k}": 0.9 for part in ("edge", "feature") for k in (1, 2)}
    _, other = case.run("GNN", build={"sim_coeff": 0.9, **rates}, fit={"epochs": 10})
    return {"difference": float(max(abs(a - b) for a, b in zip(plain, other, strict=True)))}


@finding(
    "GNN-4", method="GNN and the backbones of NIFTY, FairGNN, EDITS, FairVGNN",
    says="The network has one graph convolution without an activation and a linear layer: logistic regression on "
         "averaged "
         "features. Its dropout argument is unused.",
    right="Say so. It is the authors' backbone in three of the four papers, but not what the word GNN suggests.",
    places="debiasing/GNN.py:46",
    holds=lambda v: v["curvature"] < 1e-4,
    size="f(u+v) + f(0) − f(u) − f(v) is {curvature:.0e} of f on random inputs",
    cells=(Cells("benchmark.table4", ("gnn",)),),
)
def linear_backbone(case: Any) -> dict[str, Any]:
    import torch

    instance = case.trained("GNN", fit={"epochs": 20})
    instance.eval()
    shape = case.entries["features"].shape
    u, v = torch.randn(shape), torch.randn(shape)

    def f(x: Any) -> Any:
        return instance.forwarding_predict(instance.forward(x, instance.edge_index)).detach()

    gap = f(u + v) + f(torch.zeros(shape)) - f(u) - f(v)
    return {"curvature": float(gap.abs().max() / f(u).abs().max())}


@finding(
    "GROUP-1", method="all",
    says="ΔSP and ΔEO look at the groups 0 and 1 only. Nodes of any other group are left out without a word; AMiner "
         "has "
         "seven groups.",
    right="The largest difference over all pairs of groups.",
    places="debiasing/GNN.py:445",
    holds=lambda v: v["returned"] == 0 and v["widest"] == 1,
    size="every node of a third group selected and nobody else: returned ΔSP {returned:g}, largest difference between "
         "two groups {widest:g}",
    cells=(Cells("benchmark.table4", (), ("statistical_parity_difference", "equal_opportunity_difference"),
                 ("aminer-s", "aminer-l")),),
)  # fmt: skip
def third_group(case: Any) -> dict[str, Any]:
    gnn = case.module("debiasing.GNN").GNN
    sens = np.repeat([0, 1, 2, 3], 10)
    pred = np.where(sens == 2, 1, 0)
    returned, _ = gnn.fair_metric(None, pred, np.ones(40, dtype=int), sens)
    rates = [pred[sens == g].mean() for g in range(4)]
    return {"returned": float(returned), "widest": float(max(rates) - min(rates))}


read(
    "INPUT-1", method="all",
    says="The sensitive attribute is an input feature for every method; loaders append it where the raw table lacks "
         "it.",
    right="State it, and report a run without it. FairGNN's authors leave it out.",
    places="datasets/datasets.py:693, datasets/datasets.py:1762",
    cells=(Cells("benchmark.table4"),),
)
read(
    "INPUT-2", method="GNN, FairGNN, NIFTY, EDITS",
    says="Features come unscaled (amounts up to tens of thousands beside 0/1 flags), and the loader's own scaling, "
         "off by "
         "default, also maps the sensitive column to −1 and 1, after which 1 − s is no flip.",
    right="Scale all columns but the sensitive one, as the authors do on Credit and Recidivism.",
    places="datasets/datasets.py:83",
)
read(
    "LOADER-1", method="German loader",
    says="A string column is replaced by chained assignment, which pandas 3 ignores; the loader then fails.",
    right="Assign through .loc.",
    places="datasets/datasets.py:1333",
)

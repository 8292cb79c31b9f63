"""Random-walk methods of the release: FairWalk, CrossWalk, and the classifier behind both."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgl.upstream.findings import Cells, finding, read

NODES = 60
WALKS = ("fairwalk", "crosswalk")


@finding(
    "WALK-1", method="FairWalk, CrossWalk",
    says="Both classes train the same plain node2vec with p = q = 1. The lines that would build fair transition "
         "probabilities are commented out in one file and were not copied into the other, so neither looks at the "
         "groups.",
    right="Two different walks that depend on the groups: an even choice among the groups of the neighbours "
          "(FairWalk), "
          "re-weighted edges at group borders (CrossWalk).",
    places="debiasing/FairWalk.py:426, debiasing/FairWalk.py:433, debiasing/CrossWalk.py:768",
    holds=lambda v: v["methods"] == 0 and v["groups"] == 0,
    size="with one seed the two embeddings differ by {methods:g} in every entry, and by {groups:g} after all groups "
         "are "
         "swapped ({entries} entries compared)",
    cells=(Cells("benchmark.table4", WALKS),),
)  # fmt: skip
def the_same_walk(case: Any) -> dict[str, Any]:
    small = case.first(NODES)
    fair = small.trained("FairWalk").embs
    cross = small.trained("CrossWalk").embs
    swapped = small.trained("FairWalk", fit={"sens": 1 - small.entries["sens"]}).embs
    return {
        "methods": float(np.abs(fair - cross).max()), "groups": float(np.abs(fair - swapped).max()),
        "entries": int(fair.size),
    }  # fmt: skip


def _classified(case: Any, embedding: np.ndarray) -> tuple[Any, tuple, int]:
    """FairWalk's classifier on a given embedding: instance, returned values, nodes whose label it was given."""
    import sklearn.semi_supervised as semi

    instance = case.module("debiasing.FairWalk").FairWalk()
    instance.embs, instance.labels, instance.sens = embedding, case.entries["labels"], case.entries["sens"]
    original, given = semi.LabelPropagation, []

    class Watched(original):
        def fit(self, x: Any, y: Any) -> Any:
            given.append(int((np.asarray(y) != -1).sum()))
            return super().fit(x, y)

    semi.LabelPropagation = Watched
    try:
        returned = instance.predict(case.entries["idx_test"], case.entries["idx_val"])
    finally:
        semi.LabelPropagation = original
    return instance, returned, given[0]


def _features(case: Any) -> np.ndarray:
    x = case.arrays["x"].astype(np.float64)
    return 0.3 * (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9)


@finding(
    "WALK-2", method="FairWalk, CrossWalk",
    says="The attribute val_loss, which a search over hyperparameters would minimise, is the cross-entropy of hard "
         "test "
         "predictions: 100 times the test error.",
    right="A loss on validation nodes; test labels take no part in choosing anything.",
    places="debiasing/FairWalk.py:612, debiasing/CrossWalk.py:727",
    holds=lambda v: abs(v["val_loss"] - 100 * (1 - v["accuracy"])) < 1e-3,
    size="test accuracy {accuracy:.3f}, val_loss {val_loss:.2f}",
    cells=(Cells("benchmark.table4", WALKS),),
)  # fmt: skip
def selected_on_test(case: Any) -> dict[str, Any]:
    instance, returned, _ = _classified(case, _features(case))
    return {"accuracy": float(returned[0]), "val_loss": float(instance.val_loss)}


@finding(
    "WALK-3", method="FairWalk, CrossWalk",
    says="The classifier is given the label of every node outside the test split, validation nodes and nodes of no "
         "split "
         "included; the logistic regression fitted on the training split is never used.",
    right="Training labels only, as for every other method of the table.",
    places="debiasing/FairWalk.py:538, debiasing/CrossWalk.py:648",
    holds=lambda v: v["given"] > v["train"],
    size="{given} labels given on german, where the training split has {train}",
    cells=(Cells("benchmark.table4", WALKS),),
)  # fmt: skip
def labels_outside_training(case: Any) -> dict[str, Any]:
    _, _, given = _classified(case, _features(case))
    return {"given": given, "train": len(case.arrays["train"])}


@finding(
    "WALK-4", method="FairWalk, CrossWalk",
    says="The width of the label-propagation kernel is the mean distance of the embeddings. For long vectors all its "
         "off-diagonal entries underflow to zero, every test node gets class 0, and the gaps are exactly zero.",
    right="A classifier that cannot collapse unnoticed, such as logistic regression on the training nodes.",
    places="debiasing/FairWalk.py:542, debiasing/CrossWalk.py:657",
    holds=lambda v: v["parity"] == 0 and v["auc"] == 0.5,
    size="on an embedding of pure noise: accuracy {accuracy:.2f}, AUC {auc:.2f}, ΔSP = {parity:g}, ΔEO = "
         "{opportunity:g}",
    cells=(Cells("benchmark.table4", WALKS, ("statistical_parity_difference", "equal_opportunity_difference")),),
)  # fmt: skip
def perfectly_fair_noise(case: Any) -> dict[str, Any]:
    noise = np.random.default_rng(0).normal(size=(len(case.arrays["x"]), 128))
    _, returned, _ = _classified(case, noise)
    return {"accuracy": float(returned[0]), "auc": float(returned[1]), "parity": float(returned[9]),
            "opportunity": float(returned[10])}  # fmt: skip


@finding(
    "WALK-5", method="FairWalk, CrossWalk",
    says="Dimension, p and q are accepted and ignored: literals stand in the call.",
    right="The arguments reach the model, or do not exist.",
    places="debiasing/FairWalk.py:436, debiasing/CrossWalk.py:770",
    holds=lambda v: v["got"] != v["asked"] and v["difference"] == 0,
    size="{asked} dimensions and p = q = 9 asked for, {got} dimensions and the embedding of p = q = 1 returned",
)
def ignored_arguments(case: Any) -> dict[str, Any]:
    small = case.first(40)
    plain = small.trained("FairWalk").embs
    asked = small.trained("FairWalk", fit={"dimensions": 16, "p": 9, "q": 9}).embs
    return {"asked": 16, "got": asked.shape[1], "difference": float(np.abs(plain - asked).max())}


@finding(
    "WALK-6", method="FairWalk, CrossWalk",
    says="Importing the file parses the command line of whatever program imports it, and an option it does not know "
         "ends "
         "that program. Importing also seeds the global generators.",
    right="An import reads no command line.",
    places="debiasing/FairWalk.py:48, debiasing/CrossWalk.py:81",
    holds=lambda v: v["exit"] == 2,
    size="a program started with the option --lr ends with code {exit} at the import",
)
def import_reads_the_command_line(case: Any) -> dict[str, Any]:
    import sys

    sys.argv = ["study", "--lr", "0.01"]
    try:
        case.module("debiasing.FairWalk")
    except SystemExit as error:
        return {"exit": int(error.code)}
    return {"exit": 0}


@finding(
    "WALK-7", method="DeepWalk",
    says="The release has no class for DeepWalk, which has rows in the group tables.",
    right="Code for every row of a table.",
    places="debiasing/__init__.py:1",
    holds=lambda v: v["classes"] == 0,
    size="{classes} classes of that name in {files} files",
    cells=(Cells("benchmark.table4", ("deepwalk",)),),
)
def no_deepwalk(case: Any) -> dict[str, Any]:
    import ast

    files = sorted((case.around.folder / case.around.package / "debiasing").glob("*.py"))
    defined = [node.name for file in files for node in ast.walk(ast.parse(file.read_text("utf8")))
               if isinstance(node, ast.ClassDef)]  # fmt: skip
    return {"classes": sum("deepwalk" in name.lower() for name in defined), "files": len(files)}


read(
    "WALK-8", method="FairWalk",
    says="Even the unused code would not read the sensitive attribute: the group it stores for a node is a random "
         "whole "
         "number from 0 to 4.",
    right="The node's group.",
    places="debiasing/FairWalk.py:394",
)  # fmt: skip

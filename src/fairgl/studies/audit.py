"""Our methods as they stand beside the released library: one short run each on german, the same split, few epochs.

These runs are no results. They show that both sides run on the same nodes and what they cost; the settings follow those
of the released classes in :mod:`fairgl.upstream.classes`.
"""

from __future__ import annotations

from fairgl.runs import RunSpec
from fairgl.studies import Study, study

EPOCHS = 50

STUDY = Study(
    name="audit",
    title="What does the released library compute, and what do our methods on the same split?",
    task="individual",
    datasets=("german",),
    methods=("gnn", "fairwalk", "crosswalk", "fairgnn", "nifty", "edits", "fairedit", "fairvgnn", "inform", "redress",
             "guide"),
    seeds=1,
    settings={
        ("german", "gnn"): {"epochs": EPOCHS},
        ("german", "fairgnn"): {"epochs": EPOCHS},
        ("german", "nifty"): {"epochs": EPOCHS},
        ("german", "edits"): {"epochs": 10, "classifier_epochs": 40},
        ("german", "fairedit"): {"epochs": EPOCHS, "edits": 2},
        ("german", "fairvgnn"): {"epochs": 10},
        ("german", "inform"): {"epochs": EPOCHS},
        ("german", "redress"): {"pretrain": EPOCHS, "epochs": 2},
        ("german", "guide"): {"stage1_epochs": EPOCHS, "epochs": EPOCHS},
    },
).registered()  # fmt: skip

# GEAR is measured by its own task; the release's class takes german too, so ours does here.
GEAR = RunSpec("audit", "counterfactual", "german", "gear",
               config={"hidden": 64, "epochs": EPOCHS, "augmentation_epochs": 5})  # fmt: skip


def ours(method: str) -> RunSpec:
    """The one run of our method beside the released class."""
    return GEAR if method == GEAR.method else study("audit").specs(methods=[method])[0]

"""The released classes under audit: how each is called, what it returns, and which of our methods stands beside it.

Arguments are matched by name: ``adj`` is the sparse adjacency with self-loops that the library's own loaders return,
``features`` the unscaled feature table, and so on (:data:`ARGUMENTS`). Settings only shorten training; everything else
stays at the library's defaults. Ours gets corresponding settings in :mod:`fairgl.studies.audit`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

GROUP = (
    "accuracy", "auc", "f1", "accuracy.0", "auc.0", "f1.0", "accuracy.1", "auc.1", "f1.1",
    "statistical_parity_difference", "equal_opportunity_difference",
)  # fmt: skip
INDIVIDUAL = ("f1", "accuracy", "auc", "individual_unfairness", "gdif")

# Argument names of the library, and the entry of a case that each receives.
ARGUMENTS = {
    "adj": "adj", "adj_matrix": "adj", "adj_ori": "adj", "g": "adj", "features": "features", "feats": "features",
    "feat": "features", "nfeat": "num_features", "labels": "labels", "sens": "sens", "sens_idx": "sens_idx",
    "idx_train": "idx_train", "idx_val": "idx_val", "idx_test": "idx_test", "device": "device",
}  # fmt: skip


@dataclass(frozen=True)
class Released:
    """One class of the released library.

    Attributes:
        name: Class, and the name of its file.
        ours: Our method, or "" where there is none.
        build, fit, predict: Names of arguments that are passed to the constructor and the two methods.
        returns: Names of the returned values, in order.
        settings: Extra arguments of each step, which shorten training.
        nodes: The first so many nodes of the graph, for classes that would take long on all of them; 0 for all.
        trains_in: The step that trains, for timing.
    """

    name: str
    ours: str
    build: str = ""
    fit: str = ""
    predict: str = ""
    returns: tuple[str, ...] = GROUP
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    nodes: int = 0
    trains_in: str = "fit"


_SPLIT = "idx_train idx_val idx_test"
EPOCHS = 50

CLASSES = {
    c.name: c
    for c in (
        Released(
            "GNN", "gnn", build=f"adj features labels {_SPLIT} sens sens_idx device",
            settings={"fit": {"epochs": EPOCHS}},
        ),
        Released("FairWalk", "fairwalk", fit="adj labels idx_train sens", predict="idx_test idx_val"),
        Released(
            "CrossWalk", "crosswalk", fit="adj_matrix feats labels idx_train sens", predict="idx_test idx_val",
        ),
        Released(
            "FairGNN", "fairgnn", build="nfeat", fit=f"g features labels {_SPLIT} sens device", predict="idx_test",
            settings={"build": {"epoch": EPOCHS}},
        ),
        Released(
            "NIFTY", "nifty", build=f"adj features labels {_SPLIT} sens sens_idx device",
            settings={"fit": {"epochs": EPOCHS}},
        ),
        Released(
            "EDITS", "edits", build="feat", fit="adj features sens idx_train idx_val",
            predict=f"adj_ori labels sens {_SPLIT}", trains_in="predict",
            settings={"fit": {"epochs": 10}, "predict": {"epochs": 40}},
        ),
        Released(
            "FairEdit", "fairedit", fit=f"adj features labels {_SPLIT} sens sens_idx", trains_in="predict",
            settings={"fit": {"edit_num": 2}},
        ),
        Released(
            "FairVGNN", "fairvgnn", fit=f"adj feats labels {_SPLIT} sens sens_idx",
            settings={"fit": {"epochs": 10}},
        ),
        Released(
            "GNN_individual", "gnn", build=f"adj features labels {_SPLIT} sens sens_idx device",
            returns=(*GROUP, "individual_unfairness", "gdif", "ndcg"),
            settings={"build": {"dataset_name": "german"}, "fit": {"epochs": EPOCHS}},
        ),
        Released(
            "InFoRM_GNN", "inform", build=f"adj features {_SPLIT} labels sens device", returns=INDIVIDUAL,
            settings={"fit": {"epochs": EPOCHS}},
        ),
        Released(
            "REDRESS", "redress", build=f"adj features labels sens {_SPLIT}", returns=INDIVIDUAL,
            settings={"build": {"pre_train": EPOCHS, "epochs": 2}},
        ),
        Released(
            "GUIDE", "guide", build="", fit=f"adj features {_SPLIT} labels sens device", returns=INDIVIDUAL,
            settings={"fit": {"initialize_training_epochs": EPOCHS, "epochs": EPOCHS}},
        ),
        Released(
            "GEAR", "gear", build=f"adj features labels {_SPLIT} sens sens_idx",
            settings={"build": {"hidden_size": 64, "encoder_hidden_size": 64}, "fit": {"epochs": EPOCHS}}, nodes=100,
        ),
    )
}  # fmt: skip

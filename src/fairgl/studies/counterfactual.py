"""Graph counterfactual fairness: five methods, three graphs, and every variant of a counterfactual graph.

Deviations CF-1 to CF-4, CF-6 and CF-7 (metrics and counterfactual graphs), CF-5 (schedules) and GEAR-1 to GEAR-8 are
explained in ``book/deviations.md``.
"""

from __future__ import annotations

from itertools import product

from fairgl.studies import Study

LARGE = ("recidivism", "credit")
SUPERVISED = ("gcn", "sage", "gin")
METHODS = (*SUPERVISED, "nifty", "gear")
SHORT = {  # CF-5: ten times the authors' learning rate in a fraction of their epochs
    **{("gear-synthetic", method): {"lr": 1e-2, "epochs": 300} for method in SUPERVISED},
    **{pair: {"lr": 1e-2, "epochs": 150} for pair in product(LARGE, SUPERVISED)},
    ("gear-synthetic", "nifty"): {"epochs": 600, "every": 5},
    **{(dataset, "nifty"): {"epochs": 300, "every": 3} for dataset in LARGE},
    ("gear-synthetic", "gear"): {"hidden": 64, "epochs": 500},
    **{(dataset, "gear"): {"hidden": 64, "epochs": 300, "augmentation_epochs": 5} for dataset in LARGE},
}

STUDY = Study(
    name="counterfactual",
    title="Do predictions change when sensitive values of a node and its neighbours do?",
    task="counterfactual",
    datasets=("gear-synthetic", *LARGE),
    methods=METHODS,
    seeds=10,
    fewer_seeds={pair: 5 for pair in product(LARGE, METHODS)},
    settings=SHORT,
).registered()

"""RQ1 and RQ3 of the benchmark: node classification under group fairness.

Deviations PROT-1 (seeds and splits), PROT-5 (selection), PROT-6 (grids) and PROT-7 (fewer epochs and seeds on the two
larger graphs) are explained in ``book/deviations.md``.
"""

from __future__ import annotations

from fairgl.studies import Study

LARGE = ("credit", "recidivism")
METHODS = ("constant", "mlp", "gcn", "gnn", "deepwalk", "fairwalk", "crosswalk", "fairgnn", "nifty", "edits",
           "fairedit", "fairvgnn")  # fmt: skip

SHORT_WALKS = {"per_node": 5, "length": 20, "skipgram_epochs": 2}

STUDY = Study(
    name="group",
    title="How well do fairness-aware methods do under group fairness?",
    task="nodes",
    datasets=("german", *LARGE, "nba"),
    methods=METHODS,
    seeds=10,
    fewer_seeds={(dataset, method): 5 for dataset in LARGE for method in METHODS if method != "constant"},
    settings={
        ("german", "fairgnn"): {"epochs": 1000, "every": 5},
        ("nba", "fairgnn"): {"hidden": 16, "lr": 1e-2, "epochs": 400, "every": 5},
        ("nba", "nifty"): {"lr": 1e-2, "epochs": 300, "every": 5},
        **{
            (dataset, "fairgnn"): {"hidden": 16, "lr": 1e-2, "epochs": 200, "estimator_epochs": 200, "every": 5}
            for dataset in LARGE
        },
        ("credit", "nifty"): {"lr": 1e-2, "epochs": 200, "every": 5},
        ("recidivism", "nifty"): {"lr": 1e-2, "epochs": 300, "every": 5},
        **{(dataset, method): SHORT_WALKS for dataset in LARGE for method in ("deepwalk", "fairwalk", "crosswalk")},
    },
    search={
        "mlp": {"lr": (1e-3, 1e-2), "dropout": (0.0, 0.5)},
        "gcn": {"lr": (1e-3, 1e-2), "dropout": (0.0, 0.5)},
        "gnn": {"lr": (1e-3, 1e-2)},
        "crosswalk": {"alpha": (0.3, 0.5, 0.7), "exponent": (1.0, 4.0)},
        "fairgnn": {"alpha": (1.0, 10.0, 100.0), "beta": (0.01, 1.0)},
        "nifty": {"similarity": (0.2, 0.4, 0.6, 0.8)},
        "fairedit": {"lr": (1e-3, 5e-3)},
    },
).registered()

"""RQ2 of the benchmark: node classification under individual fairness.

Deviations PROT-1 (seeds and splits), PROT-5 (selection) and INDIVIDUAL-1 (what the search compares) are explained in
``book/deviations.md``. The weight of the fairness term is the only searched hyperparameter: its grid is also the
trade-off that the chapter draws. The baselines have one setting, the group study's larger rate; its search prefers the
smaller one for the linear GNN on german.
"""

from __future__ import annotations

from fairgl.studies import Study

LARGE = ("credit", "recidivism")
DATASETS = ("german", *LARGE)
BASELINES = ("mlp", "gcn", "gnn")
METHODS = ("constant", *BASELINES, "inform", "inform-result", "redress", "guide")

STUDY = Study(
    name="individual",
    title="How well do fairness-aware methods do under individual fairness?",
    task="individual",
    datasets=(*DATASETS, "nba"),
    methods=METHODS,
    seeds=10,
    fewer_seeds={(dataset, method): 5 for dataset in LARGE for method in METHODS if method != "constant"},
    settings={(dataset, method): {"lr": 1e-2, "epochs": 300} for dataset in (*DATASETS, "nba") for method in BASELINES},
    search={
        "inform": {"alpha": (0.1, 1.0, 10.0)},
        "inform-result": {"alpha": (0.5, 5.0, 50.0)},
        "redress": {"alpha": (1e-3, 1e-2, 1e-1)},
        "guide": {"alpha": (0.1, 1.0, 10.0)},
    },
).registered()

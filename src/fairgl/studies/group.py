"""RQ1 and RQ3 of the benchmark: node classification under group fairness.

Deviations PROT-1 (seeds and splits), PROT-5 (selection) and PROT-6 (grids) are explained in ``book/deviations.md``.
"""

from __future__ import annotations

from fairgl.studies import Study

STUDY = Study(
    name="group",
    title="How well do fairness-aware methods do under group fairness?",
    task="nodes",
    datasets=("german", "credit", "recidivism"),
    methods=("constant", "mlp", "gcn", "gnn"),
    seeds=10,
    search={
        "mlp": {"lr": (1e-3, 1e-2), "dropout": (0.0, 0.5)},
        "gcn": {"lr": (1e-3, 1e-2), "dropout": (0.0, 0.5)},
        "gnn": {"lr": (1e-3, 1e-2)},
    },
).registered()

"""RQ4 of the benchmark: time and memory of the twelve methods, each run in a process of its own, one after the other.

Settings are those of the two studies that report the methods' results, without a search. Run it with one worker on an
idle machine: ``fairgl sweep efficiency``.
"""

from __future__ import annotations

from fairgl.studies import Study
from fairgl.studies.group import STUDY as GROUP
from fairgl.studies.individual import DATASETS, LARGE
from fairgl.studies.individual import STUDY as INDIVIDUAL

METHODS = ("constant", "deepwalk", "gcn", "gnn", "fairwalk", "crosswalk", "fairgnn", "nifty", "edits", "fairedit",
           "fairvgnn", "inform", "redress", "guide")  # fmt: skip

STUDY = Study(
    name="efficiency",
    title="What do fairness-aware methods cost?",
    task="nodes",
    datasets=DATASETS,
    methods=METHODS,
    seeds=3,
    fewer_seeds={(dataset, method): 2 for dataset in LARGE for method in METHODS},
    settings={**GROUP.settings, **INDIVIDUAL.settings},
    isolated=True,
).registered()

"""What the counterfactual number depends on besides the method: each choice varied alone, in a small study of its own.

The variant of the causal model is varied in the main study already, where each record has all of them. Here: the
number of perturbation levels, the age that makes the attribute of credit binary, how much the attribute matters in
generated data, and, for GEAR, the released reuse of factual neighbourhoods and the authors' width.
"""

from __future__ import annotations

from fairgl.studies import Study
from fairgl.studies.counterfactual import SHORT

AGES = (30, 40, 50)  # the published cut, 25, is in the main study
WEIGHTS = (0.0, 3.0, 10.0, 30.0)  # of the neighbourhood's s in the score; the authors' value is 1
DIAL = {("gear-dial", method): SHORT["gear-synthetic", method] for method in ("gcn", "nifty", "gear")}

LEVELS = Study(
    name="counterfactual_levels",
    title="Are three perturbation levels enough?",
    task="counterfactual_levels",
    datasets=("gear-synthetic", "gear-dial", "credit"),
    methods=("gcn", "nifty"),
    seeds=3,
    settings={**SHORT, **DIAL},
).registered()

for cut in AGES:
    Study(
        name=f"counterfactual_age_{cut}",
        title=f"Credit with the attribute 'under {cut}'",
        task="counterfactual",
        datasets=("credit",),
        methods=("gcn", "nifty"),
        seeds=3,
        dataset_config={"credit": {"age_cut": cut}},
        settings=SHORT,
    ).registered()

for weight in WEIGHTS:
    Study(
        name=f"counterfactual_dial_{weight:g}",
        title=f"Generated data in which s has weight {weight:g}",
        task="counterfactual",
        datasets=("gear-dial",),
        methods=("gcn", "nifty", "gear"),
        seeds=3,
        dataset_config={"gear-dial": {"sens_weight": weight}},
        settings={**DIAL, ("gear-dial", "gear"): {**DIAL["gear-dial", "gear"], "epochs": 300}},
    ).registered()

RELEASED = Study(
    name="counterfactual_released",
    title="GEAR with the factual neighbourhoods in counterfactual graphs, as released",
    task="counterfactual",
    datasets=("gear-synthetic",),
    methods=("gear",),
    seeds=5,
    settings={("gear-synthetic", "gear"): {**SHORT["gear-synthetic", "gear"], "neighbourhoods": "factual"}},
).registered()

WIDE = Study(
    name="counterfactual_wide",
    title="GEAR with the authors' 1,024 hidden units",
    task="counterfactual",
    datasets=("gear-synthetic",),
    methods=("gear",),
    seeds=2,
    settings={("gear-synthetic", "gear"): {"hidden": 1024, "epochs": 300}},
).registered()

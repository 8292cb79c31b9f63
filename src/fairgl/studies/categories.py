"""E3: more than two groups on credit, by quantile bins of the real ages, and the study's only run (three levels of
education).

The paper's predictor is one encoder per pair type, 55 of them at ten bins. The single encoder costs the same at any
number of bins, and the make-up of its reranked list is the same function of the target.
"""

from __future__ import annotations

from fairgl.studies.links import CREDIT
from fairgl.studies.variants import VariantStudy

EDUCATION = {"sensitive": "EducationLevel"}
BINS = tuple({"age_bins": m} for m in range(2, 11))

CATEGORIES = VariantStudy(
    name="categories",
    title="Does exposure fairness get harder with more groups?",
    task="links",
    datasets=("credit",),
    methods=("single-gcn", "decoupled"),
    seeds=1,
    settings={("credit", method): CREDIT for method in ("single-gcn", "decoupled")},
    variants={"credit": (EDUCATION, *BINS)},
).registered()

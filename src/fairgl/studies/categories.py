"""E3: more than two groups on credit, by quantile bins of the real ages, and the study's only run (three levels of
education).

One encoder per pair type costs 55 encoders at ten bins, so the decoupled predictor stops at five; the single encoder
goes all the way, and the make-up of its reranked list is the same function of the target.
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
    only={("credit", "decoupled"): (EDUCATION, *({"age_bins": m} for m in (2, 3, 5)))},
).registered()

"""E1: the homophily stress test on DPAH graphs.

NDKL and AWRF after MORAL follow from the make-up of a graph's edges, so the full published grid (6 x 11 x 11) needs no
training; what needs records is precision, as in the paper for every setting and three training seeds.
"""

from __future__ import annotations

from itertools import product

from fairgl.studies.variants import VariantStudy

MINORITIES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
HOMOPHILIES = tuple(round(0.1 * i, 1) for i in range(11))


def setting(minority: float, majority_homophily: float, minority_homophily: float) -> dict[str, float]:
    """Loader parameters of one graph."""
    return {
        "minority": minority, "majority_homophily": majority_homophily, "minority_homophily": minority_homophily
    }  # fmt: skip


DPAH = VariantStudy(
    name="dpah",
    title="How do precision and exposure fairness change with homophily?",
    task="links",
    datasets=("dpah",),
    methods=("decoupled",),
    seeds=3,
    cuts=(1000,),  # the only length that E1 shows; 2,178 records of seven lengths are four times as large
    settings={("dpah", "decoupled"): {"schedule": "fast", "epochs": 150, "patience": 25}},
    variants={"dpah": tuple(setting(*point) for point in product(MINORITIES, HOMOPHILIES, HOMOPHILIES))},
).registered()

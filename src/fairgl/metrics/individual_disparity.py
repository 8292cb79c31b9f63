r"""Individual fairness between groups: GDIF, the ratio of the groups' B_Lipschitz.

Equation (4) of the fair graph learning benchmark (arXiv 2407.12112), after GUIDE (Song et al., 2022), for any number of
groups. Similarity and the exact forms without the similarity matrix are those of :mod:`fairgl.metrics.individual`.

Deviation from the released library, which prints 100 times a ratio of *traces* of the first two groups under the name
GDIF: that is here as ``gdif_released`` (as a ratio, not 100 times it); ``gdif`` follows the equation.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from fairgl.metrics import members, undefined
from fairgl.metrics.individual import centred, similar_pairs, similarity_mass, weighted_differences
from fairgl.registry import METRICS


def group_biases(
    *, probability: Any, rows: Any, sens: Any, groups: Iterable | None = None, per_similarity: bool = True
) -> dict[Any, float]:
    """Subgroup-level B_Lipschitz: Eq. 3 with i in the group and any j, ``{group: value}`` for groups with rows.

    ``per_similarity`` divides by the group's similarity mass, as GUIDE divides by its number of similar pairs; without
    it a group twice as large has twice the bias.
    """
    shares, mass = weighted_differences(probability, rows), similarity_mass(rows)
    found = {}
    for group, mask in members(sens, groups).items():
        if mask.any():
            divisor = mass[mask].sum() if per_similarity else 1.0
            found[group] = float(shares[mask].sum() / divisor) if divisor > 1e-9 else undefined("nobody is similar")
    return found


def _sum_of_ratios(values: dict[Any, float], pairs: Iterable) -> float:
    total = 0.0
    for a, b in pairs:
        low, high = sorted((values[a], values[b]))
        if not low > 0:
            return undefined(f"group {a if values[a] == low else b} has no bias to compare with")
        total += high / low
    return total


@METRICS.register(
    "gdif", symbol=r"\mathrm{GDIF}", direction="lower", range=(1, float("inf")), unit="ratio",
    zero="never: 1 means that two groups have the same bias", task="node",
)
def gdif(
    *, probability: Any, rows: Any, sens: Any, groups: Iterable | None = None, per_similarity: bool = True
) -> float:
    r"""Equation (4), :math:`\sum_{i<j} \max(B^{(i)}/B^{(j)}, B^{(j)}/B^{(i)})` over pairs of groups.

    Arguments as in :func:`group_biases`. The least value is the number of pairs: 1 for two groups, 3 for three.
    Undefined with fewer than two groups, or when a group has no bias (a constant prediction).
    """
    biases = group_biases(
        probability=probability, rows=rows, sens=sens, groups=groups, per_similarity=per_similarity
    )
    if len(biases) < 2:
        return undefined(f"needs two groups, found {len(biases)}")
    return _sum_of_ratios(biases, combinations(biases, 2))


@METRICS.register(
    "gdif_released", symbol=r"\mathrm{GDIF}_{released}", direction="lower", range=(1, float("inf")), unit="ratio",
    zero="never: 1 means that the first two groups have the same bias", task="node",
)
def gdif_released(*, logits: Any, rows: Any, sens: Any, pairs: Any = None) -> float:
    r"""As the released library: :math:`\max(f_0/f_1, f_1/f_0)`, :math:`f_g = Tr(z^T L_{S^g} z) / m_g`, two groups.

    Args:
        logits: [N].
        rows: Unit rows Z [N, K].
        sens: Group of each node [N]; S^g counts a pair once for each member in g.
        pairs: Result of :func:`similar_pairs`, if at hand; m_g is its sum over the group.

    Returns:
        From 1 up (the tables print 100 times that); undefined as in :func:`gdif`. Groups beyond the
        second are ignored, as they are there.
    """
    v, pairs = centred(logits, rows), similar_pairs(rows) if pairs is None else pairs
    degree, smooth, found = rows @ (rows.T @ np.ones(len(v))), rows.T @ v, {}
    for group, mask in members(sens).items():
        inside = mask.astype(np.float64)
        weight = inside * degree + rows @ (rows.T @ inside)
        found[group] = float(weight @ v**2 - 2 * smooth @ (rows.T @ (inside * v))) / max(int(pairs[mask].sum()), 1)
    if len(found) < 2:
        return undefined(f"needs two groups, found {len(found)}")
    return _sum_of_ratios(found, [tuple(found)[:2]])

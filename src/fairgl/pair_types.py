"""Pair types: the unordered pair of groups that a pair of nodes belongs to.

G groups give T = G (G + 1) / 2 types, numbered as the row-wise upper triangle: for two groups 0 is (0,0), 1 is (0,1)
and 2 is (1,1). Source: the MORAL reproducibility study, Sections 3.1 and 3.6.3.
"""

from __future__ import annotations

import numpy as np


def num_types(groups: int) -> int:
    """Pair types of ``groups`` groups: G (G + 1) / 2."""
    return groups * (groups + 1) // 2


def num_groups(types: int) -> int:
    """Groups that give ``types`` pair types; raises ``ValueError`` if no number of groups does."""
    groups = round(((8 * types + 1) ** 0.5 - 1) / 2)
    if types < 1 or num_types(groups) != types:
        raise ValueError(f"{types} is not G (G + 1) / 2 for any number of groups G")
    return groups


def pair_types(sens: np.ndarray, pairs: np.ndarray, groups: int) -> np.ndarray:
    """Type of every pair, int64 [n].

    Args:
        sens: Group of every node, int [N] in ``0 .. groups-1``.
        pairs: Node numbers [n, 2], ends in any order.
    """
    ends = np.sort(sens[pairs].astype(np.int64), axis=1)
    low, high = ends[:, 0], ends[:, 1]
    return low * groups - low * (low - 1) // 2 + (high - low)


def type_groups(groups: int) -> np.ndarray:
    """The two groups of every type, int64 [T, 2], in the order of the type numbers."""
    return np.column_stack(np.triu_indices(groups)).astype(np.int64)


def intra(groups: int) -> np.ndarray:
    """Whether both ends of a type lie in one group, bool [T]."""
    ends = type_groups(groups)
    return ends[:, 0] == ends[:, 1]


def type_labels(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the types, "Male-Female", in the order of the type numbers."""
    return tuple(f"{names[a]}-{names[b]}" for a, b in type_groups(len(names)))

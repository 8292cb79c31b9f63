"""Rerankers: functions of scores, pair types, a target distribution and a list length, one file each.

``f(scores [n], types [n], target [T], k) -> positions [k]``, best first. They see neither labels nor nodes, and work
for any number of types. Scores have to be finite: sorting a list with NaN keeps its storage order, which in one
published case put all positives first.
"""

from __future__ import annotations

import numpy as np


def checked(
    scores: np.ndarray, types: np.ndarray, target: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arguments as float64 [n], int64 [n], float64 [T].

    Raises:
        ValueError: A score is not finite, ``k`` is not in 1..n, a type has no target share, or the shares do not sum
            to 1.
    """
    scores, types = np.asarray(scores, dtype=np.float64), np.asarray(types, dtype=np.int64)
    target = np.asarray(target, dtype=np.float64)
    if scores.shape != types.shape or scores.ndim != 1:
        raise ValueError(f"scores and types need one value per candidate, got {scores.shape} and {types.shape}")
    if not np.isfinite(scores).all():
        raise ValueError(f"{int((~np.isfinite(scores)).sum())} of {len(scores)} scores are not finite: no ranking")
    if not 1 <= k <= len(scores):
        raise ValueError(f"a list of k = {k} from {len(scores)} candidates does not exist")
    if types.min() < 0 or types.max() >= len(target):
        raise ValueError(f"types lie in 0..{len(target) - 1}, found {types.min()}..{types.max()}")
    if not (np.isfinite(target).all() and (target >= 0).all() and abs(target.sum() - 1) < 1e-6):
        raise ValueError("the target has to be shares that sum to 1")
    return scores, types, target


def top(scores: np.ndarray, k: int) -> np.ndarray:
    """Positions of the k largest scores, best first, ties in the order given: int64 [k]."""
    if k < len(scores):
        bound = np.partition(scores, len(scores) - k)[len(scores) - k]
        among = np.flatnonzero(scores >= bound)
        return among[np.argsort(-scores[among], kind="stable")][:k]
    return np.argsort(-scores, kind="stable")


def pools(scores: np.ndarray, types: np.ndarray, count: int, k: int) -> list[np.ndarray]:
    """For every type its k best candidates (all if there are fewer), best first."""
    by_type = np.argsort(types.astype(np.uint16), kind="stable")  # a radix sort: linear time
    ends = np.concatenate([[0], np.cumsum(np.bincount(types, minlength=count))])
    members = [by_type[ends[t] : ends[t + 1]] for t in range(count)]
    return [m[top(scores[m], min(k, len(m)))] if len(m) else m for m in members]

r"""Distances of a ranked list's make-up from a target distribution: NDKL and AWRF.

Mattos et al. (2025) and its reproducibility study, equations (1), (3) and (5)-(7). Discounts are
:math:`\delta_k = 1/\log_2(k+1)`; divergences use the natural logarithm, so NDKL is in nats. Both need a rank order:
ties are settled beforehand, by :func:`~fairgl.metrics.top_k.rank_order` for instance. Utility of the same list is in
:mod:`fairgl.metrics.top_k`, exposure per group in :mod:`fairgl.metrics.exposure`.

Deviation METRIC-4: a listed type with target share 0 makes NDKL an error, unless ``clamp`` asks for the
published smoothing (1e-12).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import rel_entr

from fairgl.metrics.top_k import cut_of, discounts, hits_at_k, ndcg_at_k, precision_at_k, rank_order, too_short
from fairgl.registry import METRICS

__all__ = ["awrf", "hits_at_k", "ndcg_at_k", "ndkl", "precision_at_k", "rank_order"]


def _types_and_target(types: Any, target: Any, k: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The first K types as int64 and the target shares; raises ``ValueError`` where a distance would be meaningless."""
    types, target = np.asarray(types), np.asarray(target, dtype=np.float64)
    if types.ndim != 1 or (len(types) and (types.dtype.kind not in "iu" or types.min() < 0)):
        raise ValueError("types: expected one whole number from 0 per rank")
    if target.ndim != 1 or not (target >= 0).all() or abs(target.sum() - 1) > 1e-6:
        raise ValueError(f"target: expected shares that sum to 1, got {target.tolist()}")
    if len(types) and types.max() >= len(target):
        raise ValueError(f"types: type {types.max()} has no target share, the target has {len(target)}")
    return types[: cut_of(k, len(types))].astype(np.int64), target


@METRICS.register(
    "ndkl", symbol=r"\mathrm{NDKL}@K", direction="lower", range=(0, float("inf")), unit="nats",
    zero="every prefix of the list has exactly the target make-up", task="link",
)
def ndkl(*, types: Any, target: Any, k: int | None = None, clamp: float = 0.0) -> float:
    r"""Discounted divergence of every prefix's make-up from a target.

    .. math:: \mathrm{NDKL}@K = \frac1Z \sum_{k \le K} \delta_k D_{KL}(\hat\pi_k \| \pi),\; Z = \sum_{k \le K} \delta_k

    Args:
        types: Type (group, or kind of pair) at each rank, best first: int [N] in 0..T-1.
        target: Target shares :math:`\pi` [T], summing to 1.
        k: Cut-off K; ``None`` for the whole list.
        clamp: Smallest target share; larger shares are scaled down. 0: none; published link numbers: 1e-12.

    Returns:
        In nats, from 0 up; undefined if the list is shorter than K. Equation (3), from Geyik et al. (2019). A list
        never reaches 0 unless one type has the whole target, because rank 1 holds one type only.

    Raises:
        ValueError: A listed type has target share 0, K is below 1, or the shares do not sum to 1.
    """
    listed, shares = _types_and_target(types, target, k)
    if not len(listed):
        return too_short(k, len(np.asarray(types)))
    if clamp:
        shares = np.maximum(shares, clamp)
        shares = shares / shares.sum()
    lost = [kind for kind in np.unique(listed).tolist() if shares[kind] == 0]
    if lost:
        raise ValueError(f"target: types {lost} are in the list but have target share 0: their divergence is infinite")
    counts = np.cumsum(np.eye(len(shares))[listed], axis=0)  # [K, T]
    prefix = counts / np.arange(1, len(listed) + 1)[:, None]
    weights = discounts(len(listed))
    return float(weights @ rel_entr(prefix, shares).sum(axis=1) / weights.sum())


@METRICS.register(
    "awrf", symbol=r"\mathrm{AWRF}@K", direction="lower", range=(0, 2), unit="fraction",
    zero="the types share the list's exposure exactly as the target says", task="link",
)
def awrf(*, types: Any, target: Any, k: int | None = None) -> float:
    r"""L1 distance of the types' shares of exposure from a target, :math:`\sum_j |\epsilon_j - \pi_j|`.

    The share of exposure of a type is :math:`\epsilon_j = \sum_k \delta_k 1[g(R_k)=j] / \sum_k \delta_k`. Arguments as
    in :func:`ndkl`. In [0, 2], finite also for a listed type with target share 0; undefined if the list is shorter than
    K. Equations (5)-(7), after Sapiezynski et al. (2019).
    """
    listed, shares = _types_and_target(types, target, k)
    if not len(listed):
        return too_short(k, len(np.asarray(types)))
    weights = discounts(len(listed))
    exposure = np.bincount(listed, weights=weights, minlength=len(shares)) / weights.sum()
    return float(np.abs(exposure - shares).sum())

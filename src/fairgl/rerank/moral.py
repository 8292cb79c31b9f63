"""MORAL's greedy: at every rank the pair type that keeps the list's make-up closest to the target.

Mattos et al. (2025), Algorithm 1 of the reproducibility study: with counts c and rank t, take the type j that minimises
KL(q' || pi), q' = (c + 1_j) / t, and emit its best remaining pair. As implemented there, 1e-12 is added to both sides.

The sequence of types needs no scores: it is a function of the target alone until a type runs out of candidates
(:func:`greedy_types`). So NDKL and AWRF of the list are properties of the target, not of the predictor.

Ties: objectives within 1e-12 count as equal, and the lowest type number wins (the published float32 code ties by
rounding; the sequences differ in at most six of 1,000 places, and NDKL by less than 1e-9).
"""

from __future__ import annotations

import numpy as np

from fairgl.registry import RERANKERS
from fairgl.rerank import checked, pools

SMOOTHING = 1e-12
TIE = 1e-12


@RERANKERS.register("moral", label="MORAL greedy", reference="mattos2026moral")
def moral(scores: np.ndarray, types: np.ndarray, target: np.ndarray, k: int) -> np.ndarray:
    """Positions of the list, int64 [k]: the type at each rank by :func:`greedy_types`, within a type by score.

    O(n + k T) time. Raises ``ValueError`` as :func:`~fairgl.rerank.checked` does.
    """
    scores, types, target = checked(scores, types, target, k)
    best = pools(scores, types, len(target), k)
    sequence = greedy_types(target, k, np.array([len(pool) for pool in best]))
    out = np.empty(k, dtype=np.int64)
    for t, pool in enumerate(best):
        places = np.flatnonzero(sequence == t)
        out[places] = pool[: len(places)]
    return out


def greedy_types(target: np.ndarray, k: int, available: np.ndarray | None = None) -> np.ndarray:
    """The type at each rank, int64 [k]: f(pi, K), without scores or training.

    Args:
        target: Shares of the types [T], or of several targets at once [B, T], which gives [B, k].
        k: Length of the list.
        available: Candidates of each type, shaped like ``target``; ``None`` for no shortage. A type that runs out is
            passed over.

    Raises:
        ValueError: Fewer than k candidates.
    """
    targets = np.atleast_2d(np.asarray(target, dtype=np.float64))
    left = np.full(targets.shape, k) if available is None else np.atleast_2d(np.array(available, dtype=np.int64))
    if left.sum(axis=1).min() < k:
        raise ValueError(f"asked for {k} pairs, {int(left.sum(axis=1).min())} candidates exist")
    log_target = np.log(targets + SMOOTHING)
    # The divergence is a sum over types and only the chosen type's term changes, so comparing changes is enough.
    counts, out = np.zeros(targets.shape, dtype=np.int64), np.empty((len(targets), k), dtype=np.int64)
    each = np.arange(len(targets))
    for t in range(1, k + 1):
        now, then = counts / t, (counts + 1) / t
        change = then * (np.log(then + SMOOTHING) - log_target) - now * (np.log(now + SMOOTHING) - log_target)
        change[left == 0] = np.inf
        chosen = np.argmax(change <= change.min(axis=1, keepdims=True) + TIE, axis=1)
        out[:, t - 1] = chosen
        counts[each, chosen] += 1
        left[each, chosen] -= 1
    return out if np.ndim(target) == 2 else out[0]

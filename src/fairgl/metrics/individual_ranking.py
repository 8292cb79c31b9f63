r"""Individual fairness as ranking: does each node's list of nearest outputs agree with its list of nearest inputs?

NDCG@k of REDRESS (Dong et al., 2021), the :math:`B_{ranking}` of the fair graph learning benchmark. For node i the
relevance of j is :math:`5(\cos(x_i, x_j) + 1)`, its gain :math:`2^{rel} - 1`, its discount
:math:`1/\log_2(1 + position)`; nodes are listed by closeness of the output, :math:`|v_i - v_j|`. Exact, in row blocks
of one matrix product.

Deviations from the released library: k positions instead of k - 1; tied outputs share their places (mean over all
orders of the ties) instead of keeping whatever order a sort leaves; features are standardised, without the sensitive
column; and the expected value of a random list stands beside the number, because exponential gains of concentrated
cosines put it anywhere from 0.05 to 0.999.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from fairgl.metrics import scores_of, undefined
from fairgl.metrics.individual import unit_rows
from fairgl.metrics.top_k import discounts
from fairgl.registry import METRICS


class Agreement(NamedTuple):
    """Mean NDCG@k, its expectation for a random list, nodes whose list was judged, standard error if sampled."""

    ndcg: float
    chance: float
    judged: int
    error: float

    @property
    def lift(self) -> float:
        """Where the value lies between chance (0) and a perfect list (1); negative below chance."""
        room = 1 - self.chance
        return (self.ndcg - self.chance) / room if room != 0 else undefined("every list is perfect")


def oracle_rows(features: Any, sens_column: int | None = None, standardise: bool = True) -> Any:
    """Unit feature rows for the relevance: columns standardised over all nodes, the sensitive column left out.

    Sparse features are only scaled by their column's spread, never shifted, and stay sparse.
    """
    x = sp.csr_array(features, dtype=np.float64) if sp.issparse(features) else np.asarray(features, dtype=np.float64)
    if sens_column is not None:
        x = x[:, np.delete(np.arange(x.shape[1]), sens_column)]
    if standardise:
        mean = np.asarray(x.mean(axis=0)).ravel()
        if sp.issparse(x):
            spread = np.sqrt(np.maximum(np.asarray(x.multiply(x).mean(axis=0)).ravel() - mean**2, 0.0))
            x = x @ sp.diags_array(1 / np.where(spread > 0, spread, 1.0))
        else:
            spread = x.std(axis=0)
            x = (x - mean) / np.where(spread > 0, spread, 1.0)
    return unit_rows(x)


def _listed_gain(distance: np.ndarray, gain: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Expected discounted gain of the k nearest per row [B], all orders of equal distances being equally likely."""
    k, rows = len(weight), np.arange(len(distance))[:, None]
    near = np.argpartition(distance, k - 1, axis=1)[:, :k]
    near = near[rows, np.argsort(distance[rows, near], axis=1)]
    ordered = distance[rows, near]  # [B, k]
    last = ordered[:, -1:]
    block = np.cumsum(np.diff(ordered, axis=1, prepend=-1.0) != 0, axis=1) + (k + 1) * rows
    flat = block.ravel()
    mean = np.bincount(flat, weights=gain[rows, near].ravel()) / np.maximum(np.bincount(flat), 1)
    own = mean[block]
    # Who ties with the k-th may stand outside of the k picked: take the mean of all of them.
    tied = distance == last
    shared = np.where(tied, gain, 0.0).sum(axis=1, keepdims=True) / tied.sum(axis=1, keepdims=True)
    return np.where(ordered == last, shared, own) @ weight


def ranking_agreement(
    *, values: Any, features: Any, k: int = 10, most: int | None = None, cells: int = 4_000_000
) -> Agreement:
    """NDCG@k of all nodes' lists and its chance level.

    Args:
        values: Output of each node [N]; lists are ordered by ``|v_i - v_j|``. Signs of logits reproduce the cosine of
            one-logit outputs, angles of (1 - p, p) that of two-column outputs.
        features: Unit rows [N, F] of :func:`oracle_rows`, the same nodes.
        k: Length of the lists.
        most: Judge at most this many nodes, drawn with a fixed seed, against all others; ``None`` judges all. Time is
            O(judged N F).
        cells: Size of a block; bounds the memory.

    Returns:
        :class:`Agreement`; undefined if there are not more than k nodes or an output is not finite.
    """
    count = features.shape[0]
    values = scores_of("values", values, count)
    if isinstance(k, bool) or int(k) != k or k < 1:
        raise ValueError(f"k: the length of the lists must be a whole number of at least 1, got {k!r}")
    if count <= k or not np.isfinite(values).all():
        short = f"asked for the first {k} of {count - 1} others"
        reason = undefined(short if count <= k else "an output is not finite")
        return Agreement(reason, reason, 0, reason)
    judged = np.arange(count)
    if most is not None and most < count:
        judged = np.sort(np.random.default_rng(0).choice(count, most, replace=False))
    weight = discounts(k)
    step = max(1, cells // count)
    transposed = features.T.tocsr() if sp.issparse(features) else np.ascontiguousarray(features.T)
    scores, chances = [], []
    for start in range(0, len(judged), step):
        part = judged[start : start + step]
        cosine = features[part] @ transposed
        cosine = cosine.toarray() if sp.issparse(cosine) else cosine
        gain = np.exp2(5 * (np.clip(cosine, -1, 1) + 1)) - 1  # [B, N]
        distance = np.abs(values[part][:, None] - values[None, :])
        own = np.arange(len(part)), part
        gain[own], distance[own] = 0.0, np.inf
        best = -np.sort(-np.partition(gain, count - k, axis=1)[:, -k:], axis=1) @ weight
        best = np.where(best > 0, best, np.nan)  # opposite to everybody: no list is better than another
        scores.append(_listed_gain(distance, gain, weight) / best)
        chances.append(gain.sum(axis=1) / (count - 1) * weight.sum() / best)
    score, chance = np.concatenate(scores), np.concatenate(chances)
    valid = np.isfinite(score)
    if not valid.any():
        return Agreement(*(undefined("no relevant node"),) * 2, 0, undefined("no relevant node"))
    score, chance = score[valid], chance[valid]
    error = float(score.std(ddof=1) / np.sqrt(len(score))) if len(judged) < count and len(score) > 1 else 0.0
    return Agreement(float(score.mean()), float(chance.mean()), len(score), error)


@METRICS.register(
    "ndcg_at_10", aliases=("individual_ndcg",), symbol=r"\mathrm{NDCG}@10", direction="higher", range=(0, 1),
    unit="fraction", zero="never: read it against its chance level", task="node",
)
def individual_ndcg(*, probability: Any, features: Any, k: int = 10, most: int | None = None) -> float:
    """NDCG@k of the lists by closeness of probability; arguments and cases without a value as in the function above."""
    return ranking_agreement(values=probability, features=features, k=k, most=most).ndcg


@METRICS.register(
    "ndcg_at_10_chance", symbol=r"\mathrm{NDCG}@10_{chance}", direction="higher", range=(0, 1), unit="fraction",
    zero="never", task="node",
)
def individual_ndcg_chance(*, features: Any, k: int = 10, most: int | None = None) -> float:
    """Expected NDCG@k of a random list: a property of the features and the nodes listed, not of a method."""
    return ranking_agreement(values=np.zeros(features.shape[0]), features=features, k=k, most=most).chance


@METRICS.register(
    "ndcg_at_10_lift", symbol=r"\mathrm{NDCG}@10_{lift}", direction="higher", range=(-float("inf"), 1), unit="fraction",
    zero="lists are as good as random ones", task="node",
)
def individual_ndcg_lift(*, probability: Any, features: Any, k: int = 10, most: int | None = None) -> float:
    """Where NDCG@k lies between chance (0) and a perfect list (1), comparable across data sets."""
    return ranking_agreement(values=probability, features=features, k=k, most=most).lift


@METRICS.register(
    "ndcg_released", symbol=r"\mathrm{NDCG}@10_{released}", direction="higher", range=(0, 1), unit="fraction",
    zero="never: read it against its chance level", task="node",
)
def ndcg_released(*, logits: Any, features: Any, k: int = 10, most: int | None = None) -> float:
    """As the released library for one-logit models: k - 1 positions, and every node of the same label tied.

    It lists by the cosine of (z, -z), which is 1 or -1: no ranking within a label. Its stored order of ties is
    arbitrary; here ties share their places. ``features``: unit rows with the sensitive column, as in that library.
    """
    return ranking_agreement(values=np.sign(np.asarray(logits)), features=features, k=k - 1, most=most).ndcg


@METRICS.register(
    "ndcg_released_chance", symbol=r"\mathrm{NDCG}@10_{released, chance}", direction="higher", range=(0, 1),
    unit="fraction", zero="never", task="node",
)
def ndcg_released_chance(*, features: Any, k: int = 10, most: int | None = None) -> float:
    """Expected :func:`ndcg_released` of a random list."""
    return ranking_agreement(values=np.zeros(features.shape[0]), features=features, k=k - 1, most=most).chance

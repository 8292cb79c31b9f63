"""What the scores of a link predictor are worth: one set of candidates, several ways to rank them, each measured alike.

Every list is judged with the pair types of its own candidates, and before and after reranking at the same K. (In the
audited study the types of unranked lists came from a split drawn anew, and parity was taken over the whole list before
reranking and over the first 1,000 after.)
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.special import expit

from fairgl.calibration import calibrate
from fairgl.link_splits import LinkSplit
from fairgl.methods.links import LinkScores
from fairgl.metrics import undefined
from fairgl.metrics.exposure import dyadic_parity_difference, one_vs_all_parity_difference
from fairgl.metrics.ranking import awrf, ndkl
from fairgl.metrics.top_k import hits_at_k, ndcg_at_k, precision_at_k
from fairgl.metrics.utility import auc
from fairgl.pair_types import intra, num_groups, type_groups
from fairgl.registry import RERANKERS

CALIBRATED = "calibrated"
CLAMP = 1e-12  # smallest target share in NDKL, as published: a listed type may be absent from the training edges
SHARES = 10  # shares of the types are recorded up to this many types


def rankings(
    scores: LinkScores, split: LinkSplit, target: np.ndarray, k: int, rerankers: Iterable[str]
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Ranked test candidates by several rules.

    Args:
        rerankers: Names in RERANKERS, and ``"calibrated"``: by score after calibrating every pair type on validation.

    Returns:
        ``{name: (positions [k], logits [k])}``, best first. The list is shorter than ``k`` if there are fewer
        candidates.

    Raises:
        ValueError: Scores that are not finite.
    """
    types, out = split.test.type, {}
    k = min(k, len(split.test))
    for name in rerankers:
        logits = np.asarray(scores.test, dtype=np.float64)
        rule = RERANKERS["none" if name == CALIBRATED else name]
        if name == CALIBRATED:
            logits = calibrate(scores.val, split.val.label, split.val.type, logits, types)
        places = rule(logits, types, target, k)
        out[name] = (places, logits[places])
    return out


def evaluate_links(
    scores: LinkScores,
    split: LinkSplit,
    target: np.ndarray,
    k: int | Iterable[int],
    rerankers: Iterable[str] = ("none", CALIBRATED, "moral", "detconstsort"),
) -> dict[str, float]:
    """Utility and fairness of scores on the test candidates.

    Args:
        target: Shares of the pair types [T], aimed at and measured against.
        k: Cut-off or cut-offs; a list is made once, at the largest, and cut.
        rerankers: As in :func:`rankings`.

    Returns:
        ``auc``, ``hits@100`` and, per cut-off and reranker, ``<metric>@<k>.<reranker>`` with metrics ``precision``,
        ``ndcg`` (ideal over all candidates), ``ndcg_list`` (ideal of the list, as published), ``ndkl``, ``awrf``,
        ``dp`` (dyadic parity of sigmoid scores), ``dp_ova`` (one against all, more than two groups) and ``share<t>``.
    """
    cuts = sorted({int(c) for c in ((k,) if isinstance(k, int) else k)})
    label, types = split.test.label.astype(np.int64), split.test.type
    out = {"auc": auc(y=label, score=scores.test), "hits@100": hits_at_k(y=label, score=scores.test, k=100)}
    for name, (places, logits) in rankings(scores, split, target, cuts[-1], rerankers).items():
        rest = np.setdiff1d(np.arange(len(label)), places)
        ordered = np.concatenate([label[places], label[rest]])  # places beyond the list only enter the ideal
        for cut in cuts:
            values = list_metrics(types[places], expit(logits), target, cut)
            values["precision"] = precision_at_k(y=label[places], k=cut)
            values["ndcg"] = ndcg_at_k(y=ordered, k=cut) if cut <= len(places) else undefined("list too short")
            values["ndcg_list"] = ndcg_at_k(y=label[places], k=cut, ideal="list")
            out |= {f"{metric}@{cut}.{name}": value for metric, value in values.items()}
    return out


def list_metrics(types: np.ndarray, probability: np.ndarray, target: np.ndarray, k: int) -> dict[str, float]:
    """Fairness of one ranked list: the pair types and link probabilities in rank order, cut at ``k``."""
    groups = num_groups(len(target))
    values = {
        "ndkl": ndkl(types=types, target=target, k=k, clamp=CLAMP),
        "awrf": awrf(types=types, target=target, k=k),
        "dp": dyadic_parity_difference(score=probability, intra=intra(groups)[types], k=k),
    }
    if groups > 2:
        ends = type_groups(groups)[types]
        values["dp_ova"] = one_vs_all_parity_difference(score=probability, ends=ends, k=k, groups=range(groups))
    if len(target) <= SHARES and k <= len(types):
        shares = np.bincount(types[:k], minlength=len(target)) / k
        values |= {f"share{t}": float(share) for t, share in enumerate(shares)}
    return values

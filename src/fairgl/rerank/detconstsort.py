"""DetConstSort (Geyik et al., 2019, Algorithm 3): deterministic sorting under prefix constraints.

A list of length t has to hold at least floor(t p_j) items of type j. Items are taken when they fall due, the better
score first, and each moves up past lower scores as long as those keep their own deadlines. (As printed, the algorithm
compares a deadline counted from 1 with a position counted from 0, so an item may end one rank late; kept.)

The published lists of the reproducibility study aimed at a target that counts a self-loop of every node as a same-group
edge; with that target this code gives the same lists, index for index. The target here is what the caller passes. A
list may overshoot by some items, which are cut off; a type that runs out is passed over, and where too few items fall
due the best remaining scores fill the list.
"""

from __future__ import annotations

import numpy as np

from fairgl.registry import RERANKERS
from fairgl.rerank import checked, pools, top


@RERANKERS.register("detconstsort", label="DetConstSort", reference="geyik2019detconstsort")
def detconstsort(scores: np.ndarray, types: np.ndarray, target: np.ndarray, k: int) -> np.ndarray:
    """Positions of the list, int64 [k]. O(n) plus the swaps; raises ``ValueError`` as ``checked`` does."""
    scores, types, target = checked(scores, types, target, k)
    best = pools(scores, types, len(target), k)
    sizes = np.array([len(pool) for pool in best])
    taken = np.zeros(len(target), dtype=np.int64)
    order: list[int] = []
    deadline: list[int] = []
    for t in range(1, k + len(target) + 1):  # floor(t p) sums to more than t - T, so k items are due by then
        due = np.flatnonzero((np.floor(t * target) > taken) & (taken < sizes))
        for j in sorted(due, key=lambda j: -scores[best[j][taken[j]]]):
            order.append(int(best[j][taken[j]]))
            deadline.append(t)
            taken[j] += 1
            at = len(order) - 1
            while at and deadline[at - 1] >= at and scores[order[at - 1]] < scores[order[at]]:
                order[at - 1], order[at] = order[at], order[at - 1]
                deadline[at - 1], deadline[at] = deadline[at], deadline[at - 1]
                at -= 1
        if len(order) >= k:
            break
    out = np.array(order[:k], dtype=np.int64)
    if len(out) < k:
        rest = np.setdiff1d(np.arange(len(scores)), out)
        out = np.concatenate([out, rest[top(scores[rest], k - len(out))]])
    return out

"""No reranking: the best scores first, whatever their pair type."""

from __future__ import annotations

import numpy as np

from fairgl.registry import RERANKERS
from fairgl.rerank import checked, top


@RERANKERS.register("none", aliases=("raw",), label="by score", reference="")
def none(scores: np.ndarray, types: np.ndarray, target: np.ndarray, k: int) -> np.ndarray:
    """Positions of the k best scores, int64 [k]; ties keep the candidates' order, which is random."""
    scores, types, target = checked(scores, types, target, k)
    return top(scores, k)

"""Link predictors, one file each: they score the candidate pairs of a split and never rank or evaluate them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairgl.graph import Graph
from fairgl.link_splits import LinkSplit
from fairgl.methods import Method


@dataclass(frozen=True)
class LinkScores:
    """What a link method returns.

    Attributes:
        val, test: Scores of the candidates of ``split.val`` and ``split.test`` in their order, float64, larger for
            likelier links. Logits where the method has them.
        epoch: Selected epoch, if the method trains by epochs.
        val_loss: Value of the selection criterion on validation pairs at that epoch (lower is better).
        diagnostics: Small JSON-able facts about the fit.
    """

    val: np.ndarray
    test: np.ndarray
    epoch: int | None = None
    val_loss: float | None = None
    diagnostics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LinkMethod(Method):
    """A method that scores pairs of nodes."""

    def fit(self, graph: Graph, split: LinkSplit, seed: int, device: str = "cpu") -> LinkScores:
        """Train on ``split.train``, select on ``split.val``, score the candidates of validation and test.

        ``graph.edges`` holds all edges, test edges too: a method may use ``split.train.positives`` only.
        """
        raise NotImplementedError

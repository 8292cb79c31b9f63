"""Products with propagated features, for methods whose model is linear in them.

A linear graph model needs P^h X only as a linear map on few columns. Where X is dense, P^h X is computed once, and the
rows of the training and validation nodes are cut out once; where X is sparse, P^h X would be dense, so columns are
multiplied by X and then by P each time. Both are exact.
"""

from __future__ import annotations

import torch
from torch import Tensor

from fairgl.sparse import Sparse
from fairgl.training import NodeData


class Propagated:
    """``P^hops X columns`` on all nodes or a part of them.

    Args:
        data: Its ``x`` [N, F] is dense or sparse.
        hops: Number of propagations h.
    """

    def __init__(self, data: NodeData, hops: int = 1):
        self.data, self.hops = data, hops
        self.rows = {"train": data.train, "val": data.val}
        self.tables: dict[str, Tensor] = {}
        if not isinstance(data.x, Sparse):
            whole = self._propagate(data.x)
            self.tables = {"all": whole} | {part: whole[index] for part, index in self.rows.items()}

    def _propagate(self, h: Tensor) -> Tensor:
        for _ in range(self.hops):
            h = self.data.p @ h
        return h

    def __call__(self, columns: Tensor, part: str = "all") -> Tensor:
        """[rows, K] for columns [F, K] and a part "all", "train" or "val"."""
        if self.tables:
            return self.tables[part] @ columns
        out = self._propagate(self.data.x @ columns)
        return out if part == "all" else out[self.rows[part]]

    def ones(self) -> dict[str, Tensor]:
        """``P 1`` [rows] for every part: what a constant added before the last propagation becomes."""
        whole = (self.data.p @ torch.ones(self.data.x.shape[0], 1, device=self.data.y.device)).squeeze(-1)
        return {"all": whole} | {part: whole[index] for part, index in self.rows.items()}

"""Ranked lists of nodes by closeness of their outputs, and the LambdaRank gradient of REDRESS on them.

Outputs have two columns, so they lie on a circle once their length is ignored: a node's k nearest by cosine are among
the k before and the k after it in the order of angles. Relevance is 5 (cos + 1) of the inputs, gain 2^relevance - 1.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch
from sklearn.utils.extmath import randomized_svd
from torch import Tensor, nn

from fairgl.graph import Graph
from fairgl.metrics.individual_ranking import oracle_rows

COMPONENTS = 200  # the paper's PCA
BLOCK = 8_000_000


def oracle(graph: Graph) -> np.ndarray:
    """Unit rows [N, F] whose products are the relevance cosines; more than 200 columns are reduced to 200."""
    rows = oracle_rows(graph.x, graph.sens_column)
    if rows.shape[1] > COMPONENTS:
        left, size, _ = randomized_svd(rows, COMPONENTS, random_state=0)
        rows = left * size
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return rows.toarray() if sp.issparse(rows) else rows


class Lists:
    """The ranked lists of some nodes among themselves.

    Args:
        rows: Oracle rows [n, F] of these nodes.
        k: Length of the lists, cut to n - 1.
    """

    def __init__(self, rows: np.ndarray, k: int, device: str = "cpu"):
        self.x = torch.from_numpy(rows).float().to(device)
        self.k = min(k, len(rows) - 1)
        self.discount = 1 / torch.log2(torch.arange(2, self.k + 2, dtype=torch.float32, device=device))
        ideal, step = [], max(1, BLOCK // len(rows))
        for start in range(0, len(rows), step):
            relevance = 5 * (self.x[start : start + step] @ self.x.T + 1)
            here = torch.arange(len(relevance), device=device)
            relevance[here, here + start] = -1.0
            ideal.append(gain(relevance.topk(self.k, dim=1).values) @ self.discount)
        self.ideal = torch.cat(ideal).clamp_min(1e-12)  # [n]

    def nearest(self, out: Tensor) -> Tensor:
        """The k nodes nearest in angle of every node, best first, int64 [n, k], for outputs [n, 2]."""
        count = len(out)
        angle = torch.atan2(out[:, 1], out[:, 0]).detach()
        order = torch.argsort(angle, stable=True)
        half = torch.arange(1, self.k + 1, device=out.device)
        offsets = torch.cat([half, -half]) if count > 2 * self.k else torch.arange(1, count, device=out.device)
        around = order[(torch.arange(count, device=out.device)[:, None] + offsets) % count]  # [n, 2k]
        close = torch.cos(angle[around] - angle[order][:, None]).topk(self.k, dim=1).indices
        found = torch.empty((count, self.k), dtype=torch.int64, device=out.device)
        found[order] = around.gather(1, close)
        return found

    def relevance(self, lists: Tensor) -> Tensor:
        """5 (cos + 1) of the inputs of every node and those on its list [n, k]."""
        step = max(1, BLOCK // (self.k * self.x.shape[1]))
        parts = [
            torch.einsum("nf,nkf->nk", self.x[i : i + step], self.x[lists[i : i + step]])
            for i in range(0, len(lists), step)
        ]
        return 5 * (torch.cat(parts) + 1)

    def ndcg(self, out: Tensor) -> float:
        """Mean NDCG@k of the lists by ``out`` [n, 2]."""
        return float((gain(self.relevance(self.nearest(out))) @ self.discount / self.ideal).mean())

    def loss(self, out: Tensor, alpha: float, released: bool = False) -> Tensor:
        """A number whose gradient in the outputs [n, 2] is the LambdaRank gradient; its value means nothing."""
        lists = self.nearest(out)
        unit = nn.functional.normalize(out, dim=1)
        similarity = 5 * ((unit[:, None] * unit[lists]).sum(dim=2) + 1)  # [n, k]
        with torch.no_grad():
            force = lambdas(similarity, self.relevance(lists), self.discount, self.ideal, alpha, released)
            if released:
                force[int(0.6 * len(force)) :] = 0
        return (force * similarity).sum()


def gain(relevance: Tensor) -> Tensor:
    """2^rel - 1."""
    return torch.exp2(relevance) - 1


def lambdas(
    similarity: Tensor, relevance: Tensor, discount: Tensor, ideal: Tensor, alpha: float, released: bool = False
) -> Tensor:
    """Derivative of the ranking loss in the output similarities.

    Args:
        similarity, relevance: Of the listed nodes, in list order [n, k].
        discount: [k].
        ideal: Discounted gain of the best list [n].
        released: Only pairs that stand in the right order already, as the authors' code fills its table of swaps.

    Returns:
        [n, k]; negative where the similarity should grow.
    """
    g = gain(relevance)
    swap = (g[:, :, None] - g[:, None, :]).abs() * (discount[:, None] - discount).abs()  # [n, k, k]
    swap = swap / ideal[:, None, None]
    wanted = relevance[:, :, None] > relevance[:, None, :]
    if released:
        wanted = wanted & torch.ones_like(wanted[0]).triu(1)
    force = -alpha * torch.sigmoid(-alpha * (similarity[:, :, None] - similarity[:, None, :])) * swap * wanted
    return force.sum(dim=2) - force.sum(dim=1)

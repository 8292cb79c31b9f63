"""UGE (Wang et al., 2022): embeddings as if learned from a graph whose edges do not depend on the attribute.

UGE-W weighs the loss of every edge by how likely it would be without the attribute over how likely it is; UGE-R asks
that the mean score of every pair of groups equals the mean over all pairs; UGE-C, the default, does both.

Deviation LINK-10: the authors condition on hand-picked categories (region, age) besides the sensitive attribute, which
only their data sets have. Here the attribute is the only category: an edge of type t weighs (density of all pairs) /
(density of type t). Means over all pairs of two groups are inner products of group sums, so nothing is sampled.
Encoder, decoder and training are those of ``decoupled.py`` with one encoder and the fast schedule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, one_hot

from fairgl.graph import Graph
from fairgl.link_splits import LinkSplit
from fairgl.methods.links.decoupled import Decoupled, Objective
from fairgl.pair_types import type_groups
from fairgl.registry import LINK_METHODS, hp


def edge_weights(graph: Graph, split: LinkSplit) -> np.ndarray:
    """Density of training edges among all pairs over that of every type, float64 [T]; 1 for a type without edges."""
    sizes = np.bincount(graph.sens, minlength=graph.num_groups)
    a, b = type_groups(graph.num_groups).T
    possible = np.where(a == b, sizes[a] * (sizes[a] - 1) / 2, sizes[a] * sizes[b])
    edges = np.bincount(split.train.type[split.train.label == 1], minlength=len(a))
    overall = edges.sum() / possible.sum()
    return np.where(edges > 0, overall * possible / np.maximum(edges, 1), 1.0)


@LINK_METHODS.register("uge")
@dataclass(frozen=True)
class UGE(Decoupled):
    """One encoder, weighted edges and equal mean scores. Any number of groups; cost as a single GCN."""

    label = "UGE"
    family = "in-processing"
    notion = "group"
    reference = "wang2022uge"

    shared: bool = hp(True, "authors' code: one encoder")
    schedule: str = hp("fast", "ours (LINK-5); the authors' code trains on full batches for 300 epochs at 0.01 too")
    variant: str = hp("c", "authors' paper: the combination; 'w' and 'r' are its parts")
    strength: float = hp(0.5, "authors' README: weight of the regulariser")

    def objective(self, graph: Graph, split: LinkSplit, device: str) -> Objective:
        if self.variant not in ("w", "r", "c"):
            raise ValueError(f"unknown variant {self.variant!r}. Valid: w, r, c")
        weights = edge_weights(graph, split) if self.variant in "wc" else np.ones(split.num_types)
        by_type = torch.from_numpy(weights).float().to(device)
        groups = one_hot(torch.from_numpy(graph.sens).to(device), graph.num_groups).float()

        def loss(scores: Tensor, labels: Tensor, types: np.ndarray, z: Tensor, nodes: np.ndarray) -> Tensor:
            weight = torch.where(labels == 1, by_type[torch.from_numpy(types).to(device)], 1.0)
            value = binary_cross_entropy_with_logits(scores, labels, weight)
            if self.variant == "w":
                return value
            return value + self.strength * disparity(z, groups[torch.from_numpy(nodes).to(device)])

        return loss


def disparity(z: Tensor, groups: Tensor) -> Tensor:
    """Mean squared distance of the mean scores of all ordered pairs of groups from that of all pairs.

    Args:
        z: Embedding [r, H]. groups: One-hot [r, G]; a group without a node takes no part.
    """
    sizes = groups.sum(0)
    present = sizes > 0
    means = (groups.T @ z)[present] / sizes[present, None]
    overall = z.mean(0)
    return ((means @ means.T - overall @ overall) ** 2).mean()

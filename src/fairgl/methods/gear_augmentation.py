r"""CFDA, the graph autoencoder that draws GEAR's augmented graphs.

Source: Ma et al. (GEAR, 2022), section 4.2, and their code. Two graph encoders see the features without s and give
z_a and z_x; decoders take them together with s: row i of the adjacency is :math:`\sigma(W [z_{a,i}, s_i] + b)`, W
being [N, h + 1], and features are linear in :math:`[z_{x,i}, s_i]`. An adversary predicts, from both, in which
quarter of its range the aggregated s lies. With other values of s the decoders draw another graph: features move by
1 % towards the decoded ones, an edge appears where its probability exceeds 0.9 and goes where it is below 0.1.

The loss over all N² entries is exact and never holds more than a block of rows: a sum of softplus over the block,
corrected at the entries that are edges. Cost O(N² h) per pass, memory O(block N); ``rows`` samples rows in each
step, whose mean is unbiased for that loss.

Deviations: GEAR-3 sampled rows and fewer passes than the authors' 16,000; GEAR-4 degree-normalised encoders; GEAR-5
one undirected edge from the mean of its two log-odds; GEAR-6 the sensitive column is hidden at generation as in
training.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from fairgl.graph import Graph, canonical_edges
from fairgl.nn import Linear
from fairgl.sparse import Sparse, propagation
from fairgl.training import adam

CLASSES = 4  # quarters of the range of the aggregated attribute
MOVED = 0.01  # share of the decoded features in augmented ones
CERTAIN = float(np.log(9))  # log-odds of probability 0.9
BLOCK = 512


@dataclass(frozen=True)
class Augmentation:
    """Settings of CFDA.

    Attributes:
        hidden: Width h of both encoders.
        epochs: Rounds of three adversary and five generator steps.
        rows: Adjacency rows sampled in each step; 0 takes all.
        kind: Propagation matrix of the encoders: "sum" (A + I, the authors') or "symmetric".
    """

    hidden: int = 32
    lr: float = 1e-4
    weight_decay: float = 1e-5
    epochs: int = 2000
    rows: int = 0
    kind: str = "sum"


class CFDA(nn.Module):
    """Encoders, decoders and adversary for a graph of ``nodes`` nodes and ``dim`` features."""

    def __init__(self, nodes: int, dim: int, hidden: int):
        super().__init__()
        self.first_a, self.second_a = Linear(dim, hidden, bias=False), Linear(hidden, hidden, bias=False)
        self.first_x, self.second_x = Linear(dim, hidden, bias=False), Linear(hidden, hidden, bias=False)
        self.adjacency = nn.Linear(hidden + 1, nodes)
        self.features = nn.Linear(hidden + 1, dim)
        self.adversary = nn.Linear(2 * hidden, CLASSES)

    def encode(self, x: Tensor, p: Sparse) -> tuple[Tensor, Tensor]:
        """z_a and z_x, [N, h] each."""
        parts = ((self.first_a, self.second_a), (self.first_x, self.second_x))
        return tuple(p @ second((p @ first(x)).relu()) for first, second in parts)


def adjacency_loss(z: Tensor, decoder: nn.Linear, edges: Tensor, rows: Tensor, density: float) -> Tensor:
    """Class-weighted cross-entropy of decoded adjacency rows, the mean over all their entries.

    Args:
        z: [N, h + 1] decoder input.
        edges: int64 [2, E], both directions and loops, sorted by row.
        rows: Sorted row indices [R].
        density: Share of ones; the weight of a zero, 1 - density being that of a one.
    """
    logits = decoder(z[rows])  # [R, N]
    place = torch.full((len(z),), -1, dtype=torch.int64, device=z.device)
    place[rows] = torch.arange(len(rows), device=z.device)
    here = place[edges[0]] >= 0
    ones = logits[place[edges[0, here]], edges[1, here]]
    softplus = nn.functional.softplus
    total = density * (softplus(logits).sum() - softplus(ones).sum()) + (1 - density) * softplus(-ones).sum()
    return total / logits.numel()


def backward_by_rows(z: Tensor, decoder: nn.Linear, edges: Tensor, rows: Tensor, density: float, other: Tensor,
                     block: int = BLOCK) -> float:
    """Gradients of ``other`` plus the adjacency loss over ``rows``, holding one block of rows at a time.

    The encoder is traversed once: blocks leave their gradient in a copy of ``z``, which is then passed on.
    """
    leaf, value = z.detach().requires_grad_(True), 0.0
    for part in rows.split(block):
        loss = adjacency_loss(leaf, decoder, edges, part, density) * (len(part) / len(rows))
        loss.backward()
        value += loss.item()
    torch.autograd.backward([other, z], [None, leaf.grad])
    return value


def aggregated_classes(graph: Graph) -> np.ndarray:
    """In which quarter of its range the share of neighbours (self included, over N) with s = 1 lies: int64 [N].

    Classes count from zero, not from the smallest value, as in the authors' code; hence almost everyone is in one class
    where degrees are skewed.
    """
    total = graph.adjacency(loops=True) @ graph.sens.astype(np.float64) / graph.num_nodes
    width = (total.max() + 1e-6 - total.min()) / CLASSES
    return np.clip(np.floor(total / width), 0, CLASSES - 1).astype(np.int64)


def augment(graph: Graph, x: np.ndarray, settings: Augmentation, device: str = "cpu") -> tuple[list[Graph], dict]:
    """The three augmented graphs: s inverted, s = 0 for all, s = 1 for all.

    Args:
        x: Scaled features, float32 [N, F].

    Returns:
        Graphs whose ``x`` is in the scaled units, and facts about the fit. Randomness is torch's global generator.
    """
    n, column = graph.num_nodes, graph.sens_column
    hidden_x = torch.from_numpy(x.copy()).to(device)
    hidden_x[:, column] = 0.0
    s = torch.from_numpy(graph.sens).float()[:, None].to(device)
    loops = np.tile(np.arange(n), (2, 1))
    edges = np.concatenate([graph.edge_index(), loops], axis=1)
    density, edges = edges.shape[1] / n**2, torch.from_numpy(edges[:, np.lexsort(edges[::-1])]).to(device)
    classes = torch.from_numpy(aggregated_classes(graph)).to(device)
    p = propagation(graph.adjacency(), settings.kind, 1.0, device)
    model = CFDA(n, x.shape[1], settings.hidden).to(device)
    others = [part for name, part in model.named_children() if name != "adversary"]
    generate = adam(*others, lr=settings.lr, weight_decay=settings.weight_decay)
    oppose = adam(model.adversary, lr=settings.lr, weight_decay=settings.weight_decay)
    everyone, loss = torch.arange(n, device=device), float("nan")

    def guess(z_a: Tensor, z_x: Tensor) -> Tensor:
        # The authors apply softmax, and then a loss that applies it again.
        return nn.functional.cross_entropy(model.adversary(torch.cat([z_a, z_x], 1)).softmax(1), classes)

    for _ in range(settings.epochs):
        with torch.no_grad():
            fixed = model.encode(hidden_x, p)
        for _ in range(3):
            oppose.zero_grad()
            guess(*fixed).backward()
            oppose.step()
        for _ in range(5):
            generate.zero_grad()
            z_a, z_x = model.encode(hidden_x, p)
            other = nn.functional.mse_loss(model.features(torch.cat([z_x, s], 1)), hidden_x) - guess(z_a, z_x)
            rows = torch.randperm(n)[: settings.rows].sort()[0].to(device) if 0 < settings.rows < n else everyone
            loss = backward_by_rows(torch.cat([z_a, s], 1), model.adjacency, edges, rows, density, other)
            generate.step()
    with torch.no_grad():
        z_a, z_x = model.encode(hidden_x, p)
        worlds = (1 - graph.sens, np.zeros_like(graph.sens), np.ones_like(graph.sens))
        graphs = [_decode(graph, x, model, z_a, z_x, sens) for sens in worlds]
    before = set(map(tuple, graph.edges.tolist()))
    changed = [len(before ^ set(map(tuple, g.edges.tolist()))) for g in graphs]
    return graphs, {"augmentation_loss": loss, "augmented_edges_changed": changed}


def _decode(graph: Graph, x: np.ndarray, model: CFDA, z_a: Tensor, z_x: Tensor, sens: np.ndarray) -> Graph:
    """The graph that the decoders draw for ``sens``."""
    s = torch.from_numpy(sens).float()[:, None].to(z_a.device)
    decoded = model.features(torch.cat([z_x, s], 1)).cpu().numpy()
    moved = ((1 - MOVED) * x + MOVED * decoded).astype(np.float32)
    moved[:, graph.sens_column] = sens
    z, w, b = torch.cat([z_a, s], 1), model.adjacency.weight, model.adjacency.bias
    left, right, limit, added = torch.cat([z, w], 1), torch.cat([w, z], 1), 10 * graph.num_edges, []
    for start in range(0, graph.num_nodes, BLOCK):
        logits = (left[start : start + BLOCK] @ right.T + b + b[start : start + BLOCK, None]) / 2
        i, j = torch.nonzero(logits > CERTAIN, as_tuple=True)
        pairs = torch.stack([i + start, j], 1)[j > i + start].cpu().numpy()
        added.append(pairs)
        limit -= len(pairs)
        if limit < 0:
            raise RuntimeError(f"the augmentation would add more than {10 * graph.num_edges} edges: train it longer")
    u, v = torch.from_numpy(graph.edges).to(z.device).T
    odds = ((left[u] * right[v]).sum(1) + b[u] + b[v]).cpu().numpy() / 2
    edges, _ = canonical_edges(np.concatenate([graph.edges[odds >= -CERTAIN], *added]), graph.num_nodes)
    return graph.replace(x=moved, edges=edges, sens=sens.astype(np.int64))

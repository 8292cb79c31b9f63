"""How close EDITS on a restricted support is to EDITS on all pairs of nodes.

    python benchmarks/edits_agreement.py german --seeds 3

The reference here is dense: Ã is an N x N float64 array, and its gradients come from autograd, so it shares no formula
with :mod:`fairgl.methods.soft_adjacency`. Agreement is the Jaccard index of the pairs added and of the edges removed.
The last line of each block compares two seeds of the dense reference: what the random dropout alone changes.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch

from fairgl.datasets import load
from fairgl.graph import Graph
from fairgl.methods.distribution_gap import group_weights
from fairgl.methods.nodes.edits import EDITS
from fairgl.seeding import rng
from fairgl.splits import NodeSplit, node_split


def dense(method: EDITS, graph: Graph, split: NodeSplit, seed: int, half: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """theta [F] and Ã [N, N] by autograd, with the draws of ``method.learn``; ``half`` rounds Ã as the method does."""
    draw = rng("edits", seed)
    x = torch.tensor(np.asarray(graph.x), dtype=torch.float64)
    length = x.norm(dim=0)
    x = x / torch.where(length > 0, length, 1.0)
    n, size = x.shape
    a = torch.tensor(graph.adjacency(loops=True).toarray(), dtype=torch.float64)
    c = torch.tensor(group_weights(graph.sens, split.train), dtype=torch.float64)
    soft, theta = a.clone().requires_grad_(), torch.ones(size, dtype=torch.float64, requires_grad=True)
    critic = torch.tensor(draw.uniform(-1, 1, (3, size)) / np.sqrt(3 * size), requires_grad=True)
    decay = {"eps": 1e-4, "weight_decay": method.weight_decay}
    by_theta = torch.optim.RMSprop([theta], lr=method.lr, **decay)
    by_critic = torch.optim.RMSprop([critic], lr=method.lr, **decay)
    by_soft = torch.optim.SGD([soft], lr=method.lr, momentum=0.9)

    def masks(count: int) -> torch.Tensor:
        kept = draw.random((n, count), dtype=np.float32) >= method.critic_dropout
        return torch.tensor(kept / (1.0 - method.critic_dropout), dtype=torch.float64)

    def distance(mask: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
        h = x * theta
        f = h @ critic[0] + matrix @ (h @ critic[1]) + matrix @ (matrix @ (h @ critic[2]))
        return (c * mask * f).sum()

    def rounded(values: torch.Tensor) -> torch.Tensor:
        return values.half().double() if half else values

    for epoch in range(method.epochs):
        for optimizer in (by_theta, by_critic, by_soft):
            optimizer.param_groups[0]["lr"] = method.lr if epoch <= 400 else method.late_lr
            optimizer.zero_grad()
        pair = masks(2)
        (method.closeness * (x * theta - x).norm() + method.beta * distance(pair[:, 0], soft.detach())).backward()
        by_theta.step()
        with torch.no_grad():
            theta.copy_(theta.sign() * (theta.abs() - method.lr * method.shrink_features).clamp(min=0))
        by_soft.zero_grad()
        ((soft - a).square().sum() + method.pull * distance(pair[:, 1], soft)).backward()
        by_soft.step()
        with torch.no_grad():
            soft.copy_(rounded(rounded(soft) - method.lr * method.shrink_edges).clamp(0, 1))
            soft.copy_(rounded(rounded(soft + soft.T) / 2))
            theta.clamp_(0, 1)
        eight = masks(method.critic_steps)
        for k in range(method.critic_steps):
            by_critic.zero_grad()
            (-distance(eight[:, k], soft.detach())).backward()
            by_critic.step()
            with torch.no_grad():
                critic.clamp_(-method.critic_box, method.critic_box)
    return theta.detach().numpy(), soft.detach().numpy()


def flips(soft: np.ndarray, graph: Graph, ratio: float) -> tuple[set[int], set[int]]:
    """Pairs added and removed, as codes u·N + v with u < v."""
    n = graph.num_nodes
    delta = soft - graph.adjacency(loops=True).toarray()
    u, v = np.triu_indices(n, 1)
    added, removed = delta[u, v] > ratio * delta.max(), delta[u, v] < ratio * delta.min()
    return set((u * n + v)[added].tolist()), set((u * n + v)[removed].tolist())


def jaccard(one: set, other: set) -> float:
    """Share of the union that both hold."""
    return len(one & other) / max(1, len(one | other))


def main() -> None:
    """Print one block per seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", nargs="?", default="german")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--supports", type=int, nargs="*", default=[20_000, 5_000])
    options = parser.parse_args()
    graph = load(options.dataset)
    settings = EDITS.dataset_settings.get(options.dataset, {}) | ({"epochs": options.epochs} if options.epochs else {})
    method, n, before = EDITS.configure(settings), graph.num_nodes, None
    for seed in range(options.seeds):
        split = node_split(graph, 0)
        theta, soft = dense(method, graph, split, seed)
        wanted = flips(soft, graph, method.ratio)
        columns = sorted(np.argsort(theta, kind="stable")[: method.drop].tolist())
        print(f"seed {seed}, dense: {len(wanted[0])} added, {len(wanted[1])} removed, columns {columns}", flush=True)
        for support in (method.support, *options.supports):
            edit = EDITS.configure({**settings, "support": support}).learn(graph, split, seed)
            found = [set((pairs @ np.array([n, 1])).tolist()) for pairs in (edit.added, edit.removed)]
            print(f"  support {support:>9,}: added {jaccard(found[0], wanted[0]):.3f}, "
                  f"removed {jaccard(found[1], wanted[1]):.3f}, columns {edit.facts['dropped_columns']}", flush=True)
        if before is not None:
            print(f"  dense, seed {seed - 1} against {seed}: added {jaccard(before[0], wanted[0]):.3f}, "
                  f"removed {jaccard(before[1], wanted[1]):.3f}")
        before = wanted


if __name__ == "__main__":
    main()

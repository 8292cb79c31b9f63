"""Training of decoupled link predictors, beside a plain full-graph torch-geometric step per mini-batch.

Both do the same arithmetic on the same split: GCN 128, ReLU, dropout, GCN 128, inner products, Adam. Times are CPU
seconds of one thread, which other processes on the machine disturb least. Quality: precision of the reranked list.

    python benchmarks/link_training.py nba --steps 60
    python benchmarks/link_training.py nba german facebook --train
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, dropout
from torch_geometric.nn import GCNConv

from fairgl.link_splits import link_split, target_distribution
from fairgl.link_training import message_matrix, symmetric_scaling
from fairgl.methods.links.decoupled import Decoupled, Predictor
from fairgl.rerank.moral import moral
from fairgl.seeding import rng
from fairgl.tasks.links import load_links
from fairgl.views import scale_features


class Plain(torch.nn.Module):
    """What the published code runs: the whole graph at every step."""

    def __init__(self, features: int):
        super().__init__()
        self.first, self.second = GCNConv(features, 128), GCNConv(128, 128)

    def forward(self, x, edge_index):
        return self.second(dropout(self.first(x, edge_index).relu(), 0.2, self.training), edge_index)


def plain_step_seconds(graph, split, steps: int) -> float:
    """CPU seconds per step of the plain model on batches of 1,024 pairs of the most frequent type."""
    edges = split.train.positives
    edge_index = torch.from_numpy(np.concatenate([edges, edges[:, ::-1]]).T.copy())
    x = torch.from_numpy(np.ascontiguousarray(scale_features(graph, "minmax01")))
    model = Plain(x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    mine = np.flatnonzero(split.train.type == np.bincount(split.train.type).argmax())
    pairs, label = torch.from_numpy(split.train.pairs[mine]), torch.from_numpy(split.train.label[mine]).float()
    began = time.process_time()
    for step in range(steps):
        if step == 3:  # the first steps allocate
            began = time.process_time()
        at = torch.randperm(len(pairs))[:1024]
        optimizer.zero_grad()
        z = model(x, edge_index)
        u, v = pairs[at].T
        binary_cross_entropy_with_logits((z[u] * z[v]).sum(-1), label[at]).backward()
        optimizer.step()
    return (time.process_time() - began) / (steps - 3)


def our_step_seconds(graph, split, epochs: int) -> float:
    """CPU seconds per step of our predictor of the same type, batches of 1,024."""
    p = symmetric_scaling(message_matrix(split.train.positives, graph.num_nodes))
    px = torch.from_numpy(np.asarray(p @ scale_features(graph, "minmax01"), dtype=np.float32))
    predictor = Predictor(Decoupled(), p, px, split, [int(np.bincount(split.train.type).argmax())])
    predictor.loss = Decoupled().objective(graph, split, "cpu")
    generator = rng("benchmark")
    predictor.epoch(generator)
    began, before = time.process_time(), predictor.steps
    for _ in range(epochs):
        predictor.epoch(generator)
    return (time.process_time() - began) / (predictor.steps - before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="*", default=["german"])
    parser.add_argument("--steps", type=int, default=43)
    parser.add_argument("--train", action="store_true", help="also train both schedules to the end (minutes)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for dataset in options.datasets:
        graph = load_links(dataset)
        split = link_split(graph, 0)
        plain = plain_step_seconds(graph, split, options.steps)
        ours = our_step_seconds(graph, split, max(1, options.steps // 15))
        per_epoch = sum(-(-int((split.train.type == t).sum()) // 1024) for t in range(split.num_types))
        whole = plain * per_epoch * 500
        print(f"{dataset}: plain {1e3 * plain:.1f} ms, ours {1e3 * ours:.1f} ms a step: {plain / ours:.1f} times; "
              f"plain schedule {whole:.0f} s (steps x time)")
        for schedule in ("faithful", "fast") if options.train else ():
            began = time.process_time()
            scores = Decoupled(schedule=schedule).fit(graph, split, 0)
            took = time.process_time() - began
            places = moral(scores.test, split.test.type, target_distribution(split), 1000)
            print(f"  {schedule}: {took:.0f} s, {whole / took:.0f} times, validation loss {scores.val_loss:.4f}, "
                  f"precision {split.test.label[places].mean():.3f}, {scores.diagnostics['steps']} steps")


if __name__ == "__main__":
    main()

"""FairWalk's walks beside two walks in Python, one node at a time.

``table`` draws from a vector of probabilities at every step (``numpy.random.choice``), as node2vec-style code does;
``lists`` is the leanest we could write, two calls of ``random.choice``. All take the same step, whose probabilities
``tests/test_walks.py`` checks. The embedding that follows is gensim's in all cases; ``--embed`` times it, because it is
what is left once the walks are fast.

    python benchmarks/walks.py nba
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np
import scipy.sparse as sp

from fairgl.link_splits import link_split
from fairgl.link_training import message_matrix
from fairgl.seeding import rng
from fairgl.skipgram import skipgram
from fairgl.tasks.links import load_links
from fairgl.walks import fairwalk_weights, walks


def python_walks(adjacency: sp.csr_array, sens: np.ndarray, per_node: int, length: int) -> int:
    """Steps taken by the per-step walk."""
    by_group = []
    for u in range(adjacency.shape[0]):
        groups: dict[int, list[int]] = {}
        for v in adjacency.indices[adjacency.indptr[u] : adjacency.indptr[u + 1]]:
            groups.setdefault(int(sens[v]), []).append(int(v))
        by_group.append(list(groups.values()))
    steps = 0
    for _ in range(per_node):
        for start in range(adjacency.shape[0]):
            walk = [start]
            while len(walk) < length and by_group[walk[-1]]:
                walk.append(random.choice(random.choice(by_group[walk[-1]])))
            steps += len(walk) - 1
    return steps


def table_walks(adjacency: sp.csr_array, sens: np.ndarray, length: int, walkers: int) -> tuple[int, float]:
    """Steps and CPU seconds of walks that draw from a row of the step probabilities, from some of the nodes."""
    weights = fairwalk_weights(adjacency, sens)
    began, steps = time.process_time(), 0
    for start in range(walkers):
        at = start
        for _ in range(length - 1):
            row = slice(weights.indptr[at], weights.indptr[at + 1])
            if row.start == row.stop:
                break
            at = int(np.random.choice(weights.indices[row], p=weights.data[row]))  # noqa: NPY002
            steps += 1
    return steps, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", nargs="?", default="german")
    parser.add_argument("--per-node", type=int, default=20)
    parser.add_argument("--length", type=int, default=80)
    parser.add_argument("--embed", action="store_true")
    options = parser.parse_args()
    graph = load_links(options.dataset)
    adjacency = message_matrix(link_split(graph, 0).train.positives, graph.num_nodes)
    began = time.process_time()
    steps = python_walks(adjacency, graph.sens, options.per_node, options.length)
    plain = time.process_time() - began
    began = time.process_time()
    paths = walks(fairwalk_weights(adjacency, graph.sens), options.per_node, options.length, rng("benchmark"))
    ours = time.process_time() - began
    some, took = table_walks(adjacency, graph.sens, options.length, 200)
    table = took / some * steps
    print(f"{options.dataset}: {steps} steps, ours {ours:.3f} s; table {table:.1f} s ({table / ours:.0f} times, from "
          f"{some} steps), lists {plain:.2f} s ({plain / ours:.1f} times)")
    if options.embed:
        began = time.process_time()
        skipgram(paths, graph.num_nodes)
        print(f"  skip-gram {time.process_time() - began:.1f} s")


if __name__ == "__main__":
    main()

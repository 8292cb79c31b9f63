"""FairWalk's walks beside two walks in Python, one node at a time.

``table`` draws from a vector of probabilities at every step (``numpy.random.choice``), as node2vec-style code does;
``lists`` is the leanest we could write, two calls of ``random.choice``. All take the same step, whose probabilities
``tests/test_walks.py`` checks. The embedding that follows is gensim's in all cases, and is what is left once the walks
are fast. ``--fit`` times walks and embedding together: the printed sizes (20 walks of 80 nodes) one step at a time,
against those of the study ``links`` (5 of 20, as many tokens as the published one-way walks had), with AUC and
precision of both over three seeds.

    python benchmarks/walks.py nba --fit
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np
import scipy.sparse as sp

from fairgl.graph import Graph
from fairgl.link_evaluation import evaluate_links
from fairgl.link_splits import link_split, target_distribution
from fairgl.link_training import message_matrix
from fairgl.registry import LINK_METHODS
from fairgl.seeding import rng
from fairgl.skipgram import skipgram
from fairgl.studies.links import FEW_WALKS as FEW
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


def quality(graph: Graph, dataset: str, config: dict[str, int], seeds: int = 3) -> tuple[float, str]:
    """Mean CPU seconds of FairWalk's fit, and its AUC and Precision@1000 (mean and deviation over seeds) as text."""
    method, found, spent = LINK_METHODS["fairwalk"].configure(config), [], []
    for seed in range(seeds):
        split = link_split(graph, seed)
        began = time.process_time()
        scores = method.fit(graph, split, seed)
        spent.append(time.process_time() - began)
        measured = evaluate_links(scores, split, target_distribution(split), (1000,), ("none",))
        found.append((measured["auc"], measured["precision@1000.none"]))
    (auc, precision), (auc_sd, precision_sd) = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
    return float(np.mean(spent)), f"AUC {auc:.3f} ± {auc_sd:.3f}, precision {precision:.3f} ± {precision_sd:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", nargs="?", default="german")
    parser.add_argument("--per-node", type=int, default=20)
    parser.add_argument("--length", type=int, default=80)
    parser.add_argument("--fit", action="store_true", help="walks and embedding together, with their quality")
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
    if options.fit:
        began = time.process_time()
        skipgram(paths, graph.num_nodes)
        embed = time.process_time() - began
        few, printed = (quality(graph, options.dataset, config) for config in (FEW, {}))
        print(f"  printed sizes: embedding {embed:.1f} s; {table + embed:.1f} s in all with the table's walks,")
        print(f"    {ours + embed:.1f} s with ours; {printed[1]}")
        print(f"  study's sizes: {few[0]:.2f} s in all, {(table + embed) / few[0]:.0f} times less; {few[1]}")


if __name__ == "__main__":
    main()

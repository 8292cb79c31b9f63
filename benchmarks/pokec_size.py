"""Time and memory of link prediction on a synthetic graph of Pokec's size: split, training, reranking.

66,569 nodes, about 517,000 edges, 266 features, two groups. The Pokec files are not redistributable; only sizes are
theirs here. Prints CPU seconds of one thread and the process's peak memory after each stage.

    python benchmarks/pokec_size.py --epochs 2
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from fairgl.graph import Graph, canonical_edges
from fairgl.link_splits import link_split, target_distribution
from fairgl.measure import peak_memory
from fairgl.methods.links.decoupled import Decoupled
from fairgl.methods.links.fairadj import FairAdj
from fairgl.rerank.moral import moral

NODES, EDGES, FEATURES = 66_569, 517_047, 266


def synthetic() -> Graph:
    """Preferential ends, noise for features."""
    generator = np.random.default_rng(0)
    weight = generator.pareto(2.5, NODES) + 1
    ends = generator.choice(NODES, (int(1.04 * EDGES), 2), p=weight / weight.sum())
    edges, _ = canonical_edges(ends, NODES)
    sens = (generator.random(NODES) < 0.488).astype(np.int64)
    x = generator.random((NODES, FEATURES), dtype=np.float32)
    return Graph("synthetic", x, edges, None, sens, sens_labels=("0", "1"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--fairadj", action="store_true", help="also one round of FairAdj with five steps of each kind")
    options = parser.parse_args()
    torch.set_num_threads(1)
    clock = time.process_time()

    def stage(name: str) -> None:
        nonlocal clock
        now = time.process_time()
        print(f"{name}: {now - clock:.1f} s, peak {peak_memory() / 2**30:.2f} GiB", flush=True)
        clock = time.process_time()

    graph = synthetic()
    stage(f"graph of {graph.num_edges} edges")
    split = link_split(graph, 0)
    stage("split with as many negatives")
    scores = Decoupled(schedule="fast", epochs=options.epochs).fit(graph, split, 0)
    stage(f"decoupled, {options.epochs} full-batch epochs of three encoders")
    moral(scores.test, split.test.type, target_distribution(split), 1000)
    stage(f"MORAL's list from {len(split.test)} candidates")
    if options.fairadj:
        FairAdj(rounds=1, t1=5, t2=5).fit(graph, split, 0)
        stage("FairAdj, five steps of each kind")


if __name__ == "__main__":
    main()

"""Time and peak memory of all measures of individual fairness: the real graphs, then generated ones that grow.

The recidivism graph has 35 million similar pairs; none of the measures builds a table of them. Writes
``individual_metrics.csv``. One row per graph, one thread, processor seconds; memory is what the measures add.

    python benchmarks/individual_metrics.py                   # three real graphs, generated ones to 130,000 nodes
    python benchmarks/individual_metrics.py --only recidivism
"""

from __future__ import annotations

import argparse
import csv
import time
import tracemalloc
from pathlib import Path

import numpy as np

from fairgl.datasets import load
from fairgl.graph import Graph, canonical_edges
from fairgl.metrics.individual import similar_pairs, unit_rows
from fairgl.splits import node_split
from fairgl.tasks.individual import evaluate_individual

REAL = ("german", "credit", "recidivism")
SIZES = (10_000, 30_000, 90_000, 130_000)
TABLE = Path(__file__).with_suffix(".csv")
FIELDS = ("graph", "nodes", "edges", "similar_pairs", "seconds", "peak_mb")


def generated(nodes: int, degree: int = 10, seed: int = 0) -> Graph:
    """Nodes on a ring joined to near ones, 16 features that follow the place, two groups."""
    draw = np.random.default_rng(seed)
    start = np.repeat(np.arange(nodes), degree // 2)
    end = (start + draw.geometric(0.1, len(start))) % nodes
    place = 2 * np.pi * np.arange(nodes) / nodes
    x = np.sin(place[:, None] * np.arange(1, 17)) + draw.normal(size=(nodes, 16))
    sens = (draw.random(nodes) < 0.3 + 0.4 * (place < np.pi)).astype(np.int64)
    y = (x[:, 0] + draw.normal(size=nodes) > 0).astype(np.int64)
    edges = canonical_edges(np.column_stack([start, end]), nodes)[0]
    return Graph(f"generated-{nodes}", x.astype(np.float32), edges, y, sens)


def measure(graph: Graph) -> dict:
    """One row of the table."""
    split, logits = node_split(graph, 0), np.random.default_rng(0).normal(size=graph.num_nodes)
    begin = time.process_time()
    evaluate_individual(graph, split, logits)
    seconds = time.process_time() - begin
    tracemalloc.start()  # a second pass: tracing slows down what it watches
    evaluate_individual(graph, split, logits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    pairs = int(similar_pairs(unit_rows(graph.adjacency(loops=True))).sum())
    return {"graph": graph.name, "nodes": graph.num_nodes, "edges": graph.num_edges, "similar_pairs": pairs,
            "seconds": round(seconds, 2), "peak_mb": round(peak / 2**20)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", help="names of real graphs; no generated ones then")
    arguments = parser.parse_args()
    graphs = [lambda name=name: load(name) for name in arguments.only or REAL]
    graphs += [lambda nodes=nodes: generated(nodes) for nodes in (() if arguments.only else SIZES)]
    rows = []
    for make in graphs:
        rows.append(measure(make()))
        print(rows[-1], flush=True)
    if not arguments.only:
        with open(TABLE, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()

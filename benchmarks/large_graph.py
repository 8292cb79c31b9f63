"""Time and peak memory of node methods on a generated graph of AMiner-L's size, each in a process of its own.

AMiner-L has 129,726 nodes, 591,039 edges and 5,694 word counts per node; one dense N x N matrix of it takes 67 GB in
single precision, which is why half of the benchmark's methods ran out of memory there. No method here builds one. Two
ran out of it on the Pokec graphs too, which have fewer nodes, more edges and a dense table of features.

    python benchmarks/large_graph.py                      # every node method, table and large_graph.csv
    python benchmarks/large_graph.py fairgnn nifty        # some of them
    python benchmarks/large_graph.py --size pokec-z edits fairedit
    python benchmarks/large_graph.py --nodes 10000 gcn    # smaller, with edges in proportion
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from fairgl.graph import Graph, canonical_edges, check
from fairgl.registry import NODE_METHODS
from fairgl.splits import node_split

NODES, EDGES, COLUMNS, WORDS = 129_726, 591_039, 5_694, 50
SIZES = {"aminer-l": (NODES, EDGES, COLUMNS, WORDS), "pokec-z": (67_796, 882_765, 277, 400)}  # 400 draws fill 3 in 4
TABLE = Path(__file__).with_suffix(".csv")
FIELDS = ("method", "nodes", "edges", "features", "status", "fit_seconds", "seconds_per_epoch", "peak_mb", "settings")


def make_large_graph(
    nodes: int = NODES, edges: int = EDGES, columns: int = COLUMNS, words: int = WORDS, groups: int = 2, seed: int = 0
) -> Graph:
    """A sparse attributed graph with homophily in group and label, heavy-tailed degrees and isolated nodes.

    Args:
        nodes, edges: Counts, met exactly.
        columns: Columns of ``x``, the last of which is the sensitive attribute.
        words: Non-zero entries drawn per row, a few more or less after duplicates are merged.
        groups: Number of groups.
    """
    rng = np.random.default_rng(seed)
    sens = rng.integers(0, groups, nodes)
    y = (rng.random(nodes) < 0.2 + 0.3 * (sens == 0)).astype(np.int64)
    popularity = rng.permutation((np.arange(nodes) + 10.0) ** -0.5)
    popularity[rng.random(nodes) < 0.02] = 0.0  # isolated
    popularity /= popularity.sum()
    kept = np.zeros((0, 2), dtype=np.int64)
    while len(kept) < edges:
        pairs = rng.choice(nodes, (2 * edges, 2), p=popularity)
        alike = (sens[pairs[:, 0]] == sens[pairs[:, 1]]) & (y[pairs[:, 0]] == y[pairs[:, 1]])
        pairs = pairs[alike | (rng.random(len(pairs)) < 0.4)]
        kept = canonical_edges(np.concatenate([kept, pairs]), nodes)[0]
    kept = kept[np.sort(rng.choice(len(kept), edges, replace=False))]
    # Words follow a power law; the label shifts half of them by half the vocabulary.
    word = ((columns - 1) * rng.random((nodes, words)) ** 2).astype(np.int64)
    word[:, ::2] = (word[:, ::2] + y[:, None] * (columns // 2)) % (columns - 1)
    row = np.repeat(np.arange(nodes), words)
    values = np.ones(nodes * words, dtype=np.float32)
    x = sp.csr_matrix((values, (row, word.ravel())), shape=(nodes, columns - 1), dtype=np.float32)
    x = sp.csr_array(sp.hstack([x, sp.csr_matrix(sens[:, None].astype(np.float32))], format="csr"))
    names = tuple(f"group {g}" for g in range(groups))
    return check(Graph("large", x, kept, y, sens, sens_labels=names, sens_column=columns - 1))


def few(name: str, epochs: int) -> dict:
    """Overrides that cut a method to ``epochs`` epochs and short walks; memory does not depend on them."""
    short = {"per_node": 1, "length": 10, "skipgram_epochs": 1}
    out = {}
    for key, value in NODE_METHODS[name].defaults().items():
        if key in short:
            out[key] = short[key]
        elif isinstance(value, int) and (key == "epochs" or key.endswith("_epochs")):
            out[key] = epochs
    return out


def measure(name: str, nodes: int, edges: int, columns: int, words: int) -> dict:
    """Fit one method here and now, with one thread, in seconds of processor time.

    Peak memory is that of the whole process, graph and libraries included.
    """
    import torch

    torch.set_num_threads(1)
    small = make_large_graph(400, 1200)  # once on a small graph, so that imports are not counted
    if NODE_METHODS[name].configure(few(name, 1)).skip(small) is None:
        NODE_METHODS[name].configure(few(name, 1)).fit(small, node_split(small, 0), 0)
    graph = make_large_graph(nodes, edges, columns, words)
    if columns < 1000:
        graph = graph.replace(x=graph.x.toarray())  # as the Pokec tables are
    split = node_split(graph, 0, label_number=1000)
    row = {"method": name, "nodes": graph.num_nodes, "edges": graph.num_edges, "features": graph.num_features}
    seconds = {}
    for epochs in (1, 3):
        method = NODE_METHODS[name].configure(few(name, epochs))
        reason = method.skip(graph)
        if reason:
            return {**row, "status": f"skipped: {reason}"}
        start = time.process_time()
        logits = method.fit(graph, split, 0).logits
        seconds[epochs] = time.process_time() - start
        if not np.isfinite(logits).all():
            return {**row, "status": "scores are not finite"}
        if few(name, 1) == few(name, 3):
            break
    row |= {"status": "ok", "fit_seconds": round(seconds[1], 2), "settings": json.dumps(few(name, 1))}
    if len(seconds) == 2:
        row["seconds_per_epoch"] = round(max(0.0, seconds[3] - seconds[1]) / 2, 3)
    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    return {**row, "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)}


def keep(row: dict) -> None:
    """Write a method's row into the table in place of its former one."""
    rows = {}
    if TABLE.exists():
        with open(TABLE, newline="", encoding="utf-8") as file:
            rows = {(former["size"], former["method"]): former for former in csv.DictReader(file)}
    rows[row["size"], row["method"]] = row
    with open(TABLE, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ("size", *FIELDS), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", help="default: every node method")
    parser.add_argument("--size", choices=sorted(SIZES), default="aminer-l")
    parser.add_argument("--nodes", type=int, help="fewer nodes, with edges in proportion; not kept in the table")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds per method")
    parser.add_argument("--here", action="store_true", help="measure in this process and print one JSON line")
    arguments = parser.parse_args()
    names = [NODE_METHODS.resolve(name) for name in arguments.methods] or NODE_METHODS.names()
    full, edges, columns, words = SIZES[arguments.size]
    nodes = arguments.nodes or full
    if arguments.here:
        print(json.dumps(measure(names[0], nodes, int(edges * nodes / full), columns, words)))
        return
    for name in names:
        command = [sys.executable, __file__, "--here", "--size", arguments.size, "--nodes", str(nodes), name]
        row = {"method": name, "nodes": nodes}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
            if done.returncode == 0:
                row = json.loads(done.stdout.splitlines()[-1])
            else:
                row["status"] = (done.stderr.splitlines() or [f"exit {done.returncode}"])[-1][:200]
        except subprocess.TimeoutExpired:
            row["status"] = f"longer than {arguments.timeout:g} s"
        print({key: row.get(key, "") for key in FIELDS}, flush=True)
        if nodes == full:
            keep({"size": arguments.size, **row})


if __name__ == "__main__":
    main()

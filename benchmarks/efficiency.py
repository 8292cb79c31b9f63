"""Growth of time and peak memory with the size of a generated graph, each fit in a process of its own.

Graphs are those of ``large_graph.py`` (sparse word counts, heavy-tailed degrees, AMiner-L's density), fits have one
epoch and one thread, seconds are processor time. Writes ``growth.csv``, which the chapter on efficiency reads.

    python benchmarks/efficiency.py                         # every node method that fits in the time limit
    python benchmarks/efficiency.py gcn inform --sizes 2000 8000
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

from large_graph import FIELDS, NODES

from fairgl.registry import NODE_METHODS

HERE = Path(__file__).parent
TABLE = HERE / "growth.csv"
SIZES = (2_000, 8_000, 32_000, NODES)


def measured(name: str, nodes: int, timeout: float) -> dict:
    """One row: what ``large_graph.py`` measures, or why it could not."""
    command = [sys.executable, str(HERE / "large_graph.py"), "--here", "--nodes", str(nodes), name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"method": name, "nodes": nodes, "status": f"longer than {timeout:g} s"}
    if done.returncode:
        return {"method": name, "nodes": nodes, "status": (done.stderr.splitlines() or [f"exit {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", help="default: every node method")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--timeout", type=float, default=1800, help="seconds per fit")
    arguments = parser.parse_args()
    rows = {}
    if TABLE.exists():
        with open(TABLE, newline="", encoding="utf-8") as file:
            rows = {(row["method"], int(row["nodes"])): row for row in csv.DictReader(file)}
    for name in [NODE_METHODS.resolve(name) for name in arguments.methods] or NODE_METHODS.names():
        for nodes in arguments.sizes:
            row = measured(name, nodes, arguments.timeout)
            print({key: row.get(key, "") for key in FIELDS}, flush=True)
            rows[name, nodes] = row
            with open(TABLE, "w", newline="", encoding="utf-8") as file:  # after each fit: it may take a while
                writer = csv.DictWriter(file, FIELDS, restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows[key] for key in sorted(rows))
            if row["status"] != "ok":
                break  # a larger graph takes longer


if __name__ == "__main__":
    main()

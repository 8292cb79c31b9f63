"""What C1 to C3 cost on two processor cores: every method on six graphs with three seeds, trained anew in one piece.

``--run`` trains all of it in a folder of its own, two processes of one thread each, compares the results with the
stored records and writes ``links_cost.csv``: minutes per method, the longest run, and the wall time of the whole. The
machine should do nothing else meanwhile. Without it, the minutes come from the cost shards of the stored records,
whose seconds are wall time, some of them of a busy machine. C1 and C2 train nothing else but the graphs of E1.

    python benchmarks/links_cost.py --run
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import pandas as pd

from fairgl import store
from fairgl.live import records_if_any
from fairgl.paths import root
from fairgl.studies import study

METHODS = ("decoupled", "single-gcn", "fairadj", "fairwalk")  # rows of the study's Tables 2 and 3, and the rival
MORE = ("uge", "fairegm")  # rows of Table 14 only
FILE = "links_cost.csv"


def cost(runs: pd.DataFrame, seeds: int = 3, workers: int = 2) -> pd.DataFrame:
    """Minutes of the first ``seeds`` runs per method: one row each, a row ``all``; ``sweep`` is for ``workers``."""
    chosen = runs[(runs["seed"] < seeds) & (runs["status"] == "ok")]
    spent = chosen.groupby("method")["seconds"].agg(runs="size", minutes="sum", longest="max")
    spent.loc["all"] = [spent["runs"].sum(), spent["minutes"].sum(), spent["longest"].max()]
    spent[["minutes", "longest"]] = spent[["minutes", "longest"]].astype(float) / 60
    spent["sweep"] = (spent["minutes"] / workers).clip(lower=spent["longest"])
    return spent.astype({"runs": int})


def equal_results(runs: pd.DataFrame, stored: pd.DataFrame) -> tuple[int, int]:
    """How many runs have the same numbers in both frames, and how many are in both."""
    columns = [c for c in runs if c.startswith("test.") and c in stored and not c.endswith(".reason")]
    left, right = (frame.set_index("key")[columns].astype(float) for frame in (runs, stored))
    shared = left.index.intersection(right.index)
    left, right = left.loc[shared], right.loc[shared]
    return int(((left == right) | (left.isna() & right.isna())).all(axis=1).sum()), len(shared)


def train(folder: Path, seeds: int, workers: int) -> pd.DataFrame:
    """Train everything in ``folder``; the table of :func:`cost` with the wall minutes in the row ``all``."""
    from fairgl.sweep import run

    specs = study("links").specs(seeds=seeds)
    began = time.perf_counter()
    counts = run(specs, workers=workers, root=folder)
    wall = (time.perf_counter() - began) / 60
    found = store.frame("links", folder)
    same, compared = equal_results(found, store.frame("links"))
    print(f"{counts}; {wall:.1f} minutes; results equal to the stored ones in {same} of {compared} runs")
    table = cost(found, seeds, workers)
    table.loc["all", "wall"] = wall
    table.loc["all", ["equal", "compared"]] = same, compared
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--run", action="store_true", help=f"train everything anew and write {FILE}")
    chosen = parser.parse_args()
    if chosen.run:
        with tempfile.TemporaryDirectory(prefix="links-") as folder:
            table = train(Path(folder), chosen.seeds, chosen.workers)
        table.round(2).to_csv(root() / "benchmarks" / FILE)
        print(table.round(1).to_string())
        return
    for title, methods in (("as in the study's tables", METHODS), ("with UGE and FairEGM", (*METHODS, *MORE))):
        runs = records_if_any("links", methods=methods)
        print(f"{title}, {chosen.seeds} seeds, {chosen.workers} workers (minutes)")
        print(cost(runs, chosen.seeds, chosen.workers).round(1).to_string(), "\n")


if __name__ == "__main__":
    main()

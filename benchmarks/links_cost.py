"""What C1 to C3 cost on two processor cores, from the stored records: no run is repeated.

Every record's cost shard has the seconds of that run, alone on one thread. Two workers share the runs, so half of the
sum (or the longest run, if that is more) is the time of a sweep. Wall time on a machine that did other work overstates.

    python benchmarks/links_cost.py
"""

from __future__ import annotations

import argparse

import pandas as pd

from fairgl.live import records_if_any

GRAPHS = ("credit", "facebook", "german", "nba", "chameleon", "garn")
METHODS = ("decoupled", "single-gcn", "fairadj", "fairwalk")  # rows of the study's Tables 2 and 3, and the rival
MORE = ("uge", "fairegm")  # rows of Table 14 only


def cost(runs: pd.DataFrame, seeds: int = 3, workers: int = 2) -> pd.DataFrame:
    """Minutes of the first ``seeds`` runs per method: one row each, a row ``all``; ``sweep`` is for ``workers``."""
    chosen = runs[(runs["seed"] < seeds) & (runs["status"] == "ok")]
    spent = chosen.groupby("method")["seconds"].agg(runs="size", minutes="sum", longest="max")
    spent.loc["all"] = [spent["runs"].sum(), spent["minutes"].sum(), spent["longest"].max()]
    spent[["minutes", "longest"]] = spent[["minutes", "longest"]].astype(float) / 60
    spent["sweep"] = (spent["minutes"] / workers).clip(lower=spent["longest"])
    return spent.astype({"runs": int})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    for title, methods in (("as in the study's tables", METHODS), ("with UGE and FairEGM", (*METHODS, *MORE))):
        runs = records_if_any("links", datasets=GRAPHS, methods=methods)
        print(f"{title}, {chosen.seeds} seeds, {chosen.workers} workers (minutes)")
        print(cost(runs, chosen.seeds, chosen.workers).round(1).to_string(), "\n")


if __name__ == "__main__":
    main()

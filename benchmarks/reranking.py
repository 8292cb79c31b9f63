"""Reranking 1,000 of 250,000 candidates with 55 pair types: best of five, CPU seconds.

    python benchmarks/reranking.py
"""

from __future__ import annotations

import time

import numpy as np

from fairgl.registry import RERANKERS

CANDIDATES, TYPES, LENGTH = 250_000, 55, 1000


def main() -> None:
    generator = np.random.default_rng(0)
    scores, types = generator.normal(size=CANDIDATES), generator.integers(0, TYPES, CANDIDATES)
    target = np.bincount(types) / CANDIDATES
    for name, rerank in RERANKERS.items():
        took = []
        for _ in range(5):
            began = time.process_time()
            rerank(scores, types, target, LENGTH)
            took.append(time.process_time() - began)
        print(f"{name}: {min(took):.3f} s")


if __name__ == "__main__":
    main()

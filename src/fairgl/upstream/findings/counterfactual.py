"""GEAR of the release."""

from __future__ import annotations

from typing import Any

from fairgl.upstream.findings import finding, read

NODES = 120


def _built(case: Any) -> Any:
    """GEAR on a small graph; training of the augmentation, which plays no part here, is left out."""
    module = case.module("debiasing.GEAR")
    module.generate_cf_data = lambda data, *_, **__: data.clone()
    small = case.first(NODES)
    small.seeded()
    return small.steps("GEAR", build={"hidden_size": 32, "encoder_hidden_size": 32})[0]()


@finding(
    "GEAR-1", method="GEAR",
    says="The edge list is built with its two axes exchanged and then read by its first two rows, so the factual "
         "graph has "
         "two edges. Subgraphs are single nodes, and GEAR is a perceptron on the centre's features.",
    right="Two rows, as many columns as entries (the authors' code is right here).",
    places="debiasing/GEAR.py:1256",
    holds=lambda v: v["rows"] == v["entries"] and v["alone"] > 0.9,
    size="edge list of shape ({rows:,}, {columns}) for {entries:,} entries; {alone:.0%} of {nodes} subgraphs hold one "
         "node",
)
def transposed_edges(case: Any) -> dict[str, Any]:
    instance = _built(case)
    rows, columns = instance.data.edge_index.shape
    sizes = [len(instance.subgraph.neighbor[i]) for i in range(NODES)]
    entries = int(case.first(NODES).entries["adj"].values().numel())
    return {"rows": int(rows), "columns": int(columns), "entries": entries, "nodes": NODES,
            "alone": sum(size == 1 for size in sizes) / NODES}  # fmt: skip


@finding(
    "GEAR-2", method="GEAR",
    says="The mode that makes ground-truth counterfactuals fails, so the library cannot measure δ_CF as the paper "
         "defines "
         "it.",
    right="A sparse matrix where one is expected.",
    places="debiasing/GEAR.py:924",
    holds=lambda v: v["error"] == "AttributeError",
    size="{error}",
)
def no_ground_truth(case: Any) -> dict[str, Any]:
    try:
        case.first(NODES).steps("GEAR", build={"experiment_type": "cf"})[0]()
        return {"error": "none"}
    except BaseException as error:
        return {"error": type(error).__name__}


read(
    "GEAR-3", method="GEAR",
    says="What predict evaluates as counterfactual fairness are two of the three augmented graphs it was trained on "
         "(every "
         "attribute flipped, every attribute 0); the result and R² are printed, not returned.",
    right="Graphs with 0, 50 and 100 % of the attributes set, not seen in training.",
    places="debiasing/GEAR.py:1461, debiasing/GEAR.py:1486, debiasing/GEAR.py:1556",
)

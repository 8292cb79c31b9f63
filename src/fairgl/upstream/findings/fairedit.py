"""FairEdit of the release."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from fairgl.upstream.findings import Cells, finding, read

SMALL = 150  # the edge list doubles with every edit


@finding(
    "FAIREDIT-1", method="FairEdit",
    says="Each edit first asks whether the graph is undirected by comparing sets of tensor elements, which are never "
         "equal, "
         "and then appends the reversed copy of the whole edge list. The list doubles with every edit.",
    right="Compare numbers; the list keeps its length.",
    places="debiasing/FairEdit.py:855, debiasing/FairEdit.py:857",
    holds=lambda v: v["factor"] > 1.9,
    size="columns of the edge list after 0 to 4 edits: {columns}",
    cells=(Cells("benchmark.table4", ("fairedit",)),),
)
def doubling(case: Any) -> dict[str, Any]:
    counts, _ = _edited(case, 4)
    return {"columns": ", ".join(f"{c:,}" for c in counts), "factor": counts[-1] / counts[-2]}


def _edited(case: Any, edits: int) -> tuple[list[int], list[int]]:
    """Columns of the edge list after 0, 1, ... edits, and how many distinct edges were lost and won by then."""
    small = case.first(SMALL)
    trainer = small.trained("FairEdit").trainer
    n = len(small.arrays["x"])

    def distinct() -> set[int]:
        return set((trainer.edge_index[0] * n + trainer.edge_index[1]).tolist())

    start, counts = distinct(), [trainer.edge_index.shape[1]]
    for _ in range(edits):
        trainer.fair_graph_edit()
        counts.append(trainer.edge_index.shape[1])
    now = distinct()
    return counts, [len(start - now), len(now - start)]


@finding(
    "FAIREDIT-2", method="FairEdit",
    says="An edit cuts one copy of an edge from a list that holds at least two, so no edge of the graph is ever "
         "removed. "
         "What changes is the weight of the self-loops against all copies.",
    right="The edge and its reverse are gone after the edit.",
    places="debiasing/FairEdit.py:890, debiasing/FairEdit.py:912",
    holds=lambda v: v["removed"] == 0 and v["added"] == 0,
    size="{edits} edits: {removed} edges removed, {added} added",
    cells=(Cells("benchmark.table4", ("fairedit",)),),
)
def nothing_removed(case: Any) -> dict[str, Any]:
    _, (removed, added) = _edited(case, 3)
    return {"edits": 3, "removed": removed, "added": added}


@finding(
    "FAIREDIT-3", method="FairEdit",
    says="The scores of candidate edges are masks under attribute names that older versions of the graph library "
         "read. The "
         "pinned version reads others, so the masks get no gradient and stay random draws; the edit is a random "
         "choice.",
    right="Masks that the message passing uses.",
    places="debiasing/FairEdit.py:653, debiasing/FairEdit.py:661",
    holds=lambda v: v["moved"] == 0,
    size="after the 10 optimisation steps the scores have moved by {moved:g} from their random start",
    cells=(Cells("benchmark.table4", ("fairedit",)),),
)
def random_scores(case: Any) -> dict[str, Any]:
    import torch

    small = case.first(SMALL)
    trainer = small.trained("FairEdit").trainer
    explainer = case.module("debiasing.FairEdit").GNNExplainer(trainer.model)
    start: list[Any] = []
    original = explainer.__set_masks__

    def watched(*args: Any) -> None:
        original(*args)
        start.append((explainer.edge_mask.detach().clone(), explainer.perturbed_mask.detach().clone()))

    explainer.__set_masks__ = watched
    torch.manual_seed(0)
    scores = explainer.explain_graph(trainer.features, trainer.edge_index, trainer.edge_index)
    return {"moved": max(float((a - b).abs().max()) for a, b in zip(scores, start[0], strict=True))}


@finding(
    "FAIREDIT-4", method="FairEdit",
    says="fit trains nothing; predict trains, always for 100 epochs, and trains on when it is called again.",
    right="fit trains as long as it is told, predict is a function of the model.",
    places="debiasing/FairEdit.py:1393, debiasing/FairEdit.py:1425",
    holds=lambda v: v["fit"] == 0 and v["first"] > 0 and v["second"] > 0,
    size="weights move by {fit:g} in fit, by {first:.2f} in the first predict and by {second:.2f} in the second",
)
def predict_trains(case: Any) -> dict[str, Any]:
    small = case.first(SMALL)
    small.seeded()
    build, fit, predict = small.steps("FairEdit", fit={"edit_num": 0})
    instance = build()
    module, made = case.module("debiasing.FairEdit"), []
    optim = module.optim

    def watched(parameters: Any, **kwargs: Any) -> Any:  # called as soon as the model is there
        kept = list(parameters)
        made.append(np.concatenate([p.detach().numpy().ravel() for p in kept]))
        return optim.Adam(kept, **kwargs)

    module.optim = SimpleNamespace(Adam=watched)
    fit()
    states = [made[0], _weights(instance.trainer.model)]
    for _ in range(2):
        predict()
        states.append(_weights(instance.trainer.model))
    moved = [float(np.abs(a - b).max()) for a, b in zip(states, states[1:], strict=False)]
    return dict(zip(("fit", "first", "second"), moved, strict=True))


def _weights(model: Any) -> np.ndarray:
    return np.concatenate([p.detach().numpy().ravel() for p in model.parameters()])


@finding(
    "FAIREDIT-5", method="FairEdit",
    says="Candidates for new edges are drawn among the edges that exist, and a constant switches addition off.",
    right="Pairs of different groups that are not adjacent.",
    places="debiasing/FairEdit.py:785, debiasing/FairEdit.py:875",
    holds=lambda v: v["existing"] == v["candidates"],
    size="{existing:,} of {candidates:,} candidates for addition are edges already",
    cells=(Cells("benchmark.table4", ("fairedit",)),), also="authors (the first half)",
)
def additions_that_exist(case: Any) -> dict[str, Any]:
    small = case.first(SMALL)
    trainer = small.trained("FairEdit").trainer
    _, added = trainer.add_drop_edge_random(add_prob=0.5)
    n = len(small.arrays["x"])
    edges = set((trainer.edge_index[0] * n + trainer.edge_index[1]).tolist())
    candidates = (added[0] * n + added[1]).tolist()
    return {"candidates": len(candidates), "existing": sum(c in edges for c in candidates)}


read(
    "MEMORY-1", method="FairGNN, EDITS, FairEdit, FairVGNN",
    says="Cells printed OOM come from dense tables of all pairs of nodes, most of them made to list the non-zero "
         "entries of "
         "a sparse matrix.",
    right="Use the sparse indices that are at hand; our forms without such a table run on every graph tried here.",
    places="debiasing/FairGNN.py:256, debiasing/EDITS.py:595, debiasing/FairEdit.py:768, debiasing/FairVGNN.py:984",
)

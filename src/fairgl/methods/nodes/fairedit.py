r"""FairEdit (Loveland et al., 2022): ten edge additions and deletions, chosen by the gradient of a fairness loss.

A linear two-layer GCN is trained by cross-entropy. After each of the first epochs one edge is edited: among random
same-group edges (to delete) and random cross-group non-edges (to add), the one whose edit lowers

.. math:: L_{cf}(w) = \frac1N \sum_i |\sigma(f(X, w))_i - \sigma(f(X^{flip}, w))_i|

most to first order, where w holds one weight per unordered pair (1 on edges, 0 elsewhere) and X^flip has every
sensitive value flipped. Without activations the model is :math:`f = P (P X v + \beta_1) + \beta_2`, so the gradient
has a closed form (:mod:`fairgl.methods.counterfactual_slope`): exact, degree normalisation included.
Cost O(N F) per epoch, O(nnz(A) F + candidates) per edit, memory O(nnz(A) + N F): nothing is N x N.
Deviations (book/deviations.md): FairEdit-1 the fairness loss, FairEdit-2 candidates, FairEdit-3 selection after the
edits, FairEdit-4 scaling.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from fairgl.graph import Graph
from fairgl.methods import NodeMethod, Scores, require_binary_groups
from fairgl.methods.counterfactual_slope import Slope, counterfactual_slope
from fairgl.methods.propagated import Propagated
from fairgl.nn import GCN, Classifier, propagation_for
from fairgl.registry import NODE_METHODS, hp
from fairgl.seeding import rng, torch_seed
from fairgl.sparse import features, propagation
from fairgl.splits import NodeSplit
from fairgl.training import adam, node_data, numpy, run_epochs
from fairgl.views import scale_features


def composed(model: Classifier) -> tuple[Tensor, Tensor, Tensor]:
    """v [F], beta_1 and beta_2 of a linear two-layer GCN with a linear head."""
    (first, second), (inner, outer), head = model.body.linears, model.body.biases, model.head
    back = head.weight @ second.weight  # [1, H]
    return (back @ first.weight).squeeze(0), (back @ inner).squeeze(0), (head.weight @ outer + head.bias).squeeze(0)


def codes(pairs: np.ndarray, num_nodes: int) -> np.ndarray:
    """One int64 per pair [K, 2]; sorted if the pairs are in lexicographic order."""
    return pairs[:, 0] * np.int64(num_nodes) + pairs[:, 1]


def without(pairs: np.ndarray, others: np.ndarray, num_nodes: int) -> np.ndarray:
    """Rows of ``pairs`` [K, 2] that are not among ``others``."""
    return pairs[~np.isin(codes(pairs, num_nodes), codes(others, num_nodes))]


def cross_group_pairs(graph: Graph, count: int, draw: np.random.Generator) -> np.ndarray:
    """Up to ``count`` distinct non-adjacent pairs of different groups, uniformly, by rejection; int64 [K, 2]."""
    n = graph.num_nodes
    nodes = [np.flatnonzero(graph.sens == g) for g in range(2)]
    edges = np.append(codes(graph.edges, n), n * n)  # sorted, with an end that no pair reaches
    found = np.zeros(0, dtype=np.int64)
    for _ in range(10):  # a nearly complete bipartite graph may give fewer
        u, v = (draw.choice(side, count) for side in nodes)
        new = np.minimum(u, v) * np.int64(n) + np.maximum(u, v)
        found = np.concatenate([found, new[edges[np.searchsorted(edges, new)] != new]])
        found = found[np.sort(np.unique(found, return_index=True)[1])]
        if len(found) >= count:
            break
    return np.column_stack([found[:count] // n, found[:count] % n])


@NODE_METHODS.register("fairedit")
@dataclass(frozen=True)
class FairEdit(NodeMethod):
    """Linear two-layer GCN, trained while the graph is edited for counterfactual fairness."""

    label = "FairEdit"
    family = "in-processing"
    notion = "counterfactual"
    reference = "loveland2022fairedit"

    scale: str = hp("minmax11", "authors' code, sensitive column raw")
    hidden: int = hp(16, "authors' published command; argument default 32")
    edits: int = hp(10, "authors' code", search=(0, 10, 100))
    delete_rate: float = hp(0.01, "authors' code: candidate deletions per edge")
    add_rate: float = hp(0.001, "authors' code: candidate additions per pair of nodes; at most one per edge here")
    lr: float = hp(1e-3, "authors' published command; argument default 5e-3", search=(1e-3, 5e-3))
    weight_decay: float = hp(5e-4, "authors' code")
    epochs: int = hp(1000, "authors' published command; argument default 150")

    def skip(self, graph: Graph) -> str | None:
        if graph.sens_column is None:
            return f"the fairness loss flips {graph.sens_name}, so it has to be among the features"
        if len(np.unique(graph.sens)) < 2:
            return f"{graph.sens_name} has one value only, so there is nothing to flip to"
        return require_binary_groups(graph)

    def fit(self, graph: Graph, split: NodeSplit, seed: int, device: str = "cpu") -> Scores:
        torch_seed(seed)
        draw = rng("fairedit", seed)
        # Deviation FairEdit-4: sparse features are divided by their column's maximum instead of shifted.
        scaled = scale_features(graph, self.scale)
        data = node_data(graph, split, device, x=scaled)
        model = Classifier(GCN(data.in_dim, self.hidden, 2, 0.0, activation=False)).to(device)
        optimizer = adam(model, lr=self.lr, weight_decay=self.weight_decay)
        flip = self.flip(graph, scaled)
        edited, adjacency, log = graph, graph.adjacency(), []
        times = Propagated(data, hops=2)
        ones = times.ones()

        def logits(part: str = "all") -> Tensor:
            v, inner, outer = composed(model)
            return times(v[:, None], part).squeeze(-1) + inner * ones[part] + outer

        def slope(of: sp.csr_array) -> Slope:
            v, inner, outer = (part.detach().cpu().double().numpy() for part in composed(model))
            z = scaled @ v
            return counterfactual_slope(of, z, z + flip * v[graph.sens_column], inner, outer)

        def step(epoch: int) -> None:
            nonlocal edited, adjacency, times, ones
            optimizer.zero_grad()
            cross_entropy(logits("train"), data.y[data.train]).backward()
            optimizer.step()
            if epoch < self.edits:
                before = slope(adjacency)
                edit = self.best_edit(edited, before, draw)
                if edit is not None:
                    edited, adjacency = edit[0], edit[0].adjacency()
                    log.append({"kind": edit[1], "change": edit[2], "before": before.value})
                    log[-1]["after"] = slope(adjacency).value
                    data.p = propagation(adjacency, device=device)
                    times = Propagated(data, hops=2)
                    ones = times.ones()

        def validate(_: int) -> float:
            return cross_entropy(logits("val"), data.y[data.val]).item()

        # Deviation FairEdit-3: an epoch before the last edit belongs to another graph, so it cannot be selected.
        best = run_epochs(step, validate, [model], epochs=self.epochs, start=min(self.edits, self.epochs - 1))
        old, new = slope(graph.adjacency()), slope(adjacency)
        kinds = [entry["kind"] for entry in log]
        diagnostics = {"added": kinds.count("add"), "removed": kinds.count("delete"), "edits": log,
                       "l_cf_original_graph": old.value, "l_cf_edited_graph": new.value,
                       "flipped_original_graph": old.flipped, "flipped_edited_graph": new.flipped}
        n = graph.num_nodes
        added, removed = without(edited.edges, graph.edges, n), without(graph.edges, edited.edges, n)

        def predict(other: Graph) -> np.ndarray:
            edges = np.unique(np.concatenate([without(other.edges, removed, n), added]), axis=0)
            x = features(scale_features(other, self.scale, like=graph), device)
            with torch.no_grad():
                return numpy(model(x, propagation_for("gcn", other.replace(edges=edges), device)))

        with torch.no_grad():
            return Scores(numpy(logits()), best.epoch, best.value, diagnostics, predict)

    def flip(self, graph: Graph, scaled: np.ndarray | sp.csr_matrix) -> np.ndarray:
        """What flipping adds to each node's (scaled) sensitive feature, float64 [N]."""
        column = scaled[:, [graph.sens_column]]
        column = np.asarray(column.todense() if sp.issparse(column) else column, dtype=np.float64).ravel()
        value = np.array([column[graph.sens == g].mean() for g in range(2)])
        return value[1 - graph.sens] - column

    def best_edit(self, graph: Graph, slope: Slope, draw: np.random.Generator) -> tuple[Graph, str, float] | None:
        """The edited graph, the kind of edit and its first-order change of L_cf; ``None`` if no candidate lowers it."""
        edges, n = graph.edges, graph.num_nodes
        same = np.flatnonzero(graph.sens[edges[:, 0]] == graph.sens[edges[:, 1]])
        drop = draw.permutation(same)[: int(self.delete_rate * len(edges))]
        # Deviation FairEdit-2: additions are non-edges, as meant; at most one per edge, so that memory stays O(M).
        new = cross_group_pairs(graph, min(int(self.add_rate * n * (n - 1) / 2), len(edges)), draw)
        # Deviation FairEdit-1: the authors' masks never see flipped features; this loss is the one they name.
        changes = np.concatenate([-slope.at(edges[drop]), slope.at(new)])
        if not len(changes) or changes.min() >= 0:
            return None
        best = int(np.argmin(changes))
        if best < len(drop):
            return graph.replace(edges=np.delete(edges, drop[best], axis=0)), "delete", float(changes[best])
        pair = new[best - len(drop)]
        edges = np.insert(edges, np.searchsorted(codes(edges, n), pair[0] * n + pair[1]), pair, axis=0)
        return graph.replace(edges=edges), "add", float(changes[best])

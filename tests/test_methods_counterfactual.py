"""Counterfactual methods: the contract, and GEAR's pieces against hand values and dense algebra."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import nn

from fairgl.graph import Graph, canonical_edges, check
from fairgl.methods import FAMILIES, NOTIONS
from fairgl.methods.counterfactual.gear import GEAR, Siamese, agreement
from fairgl.methods.gear_augmentation import Augmentation, adjacency_loss, aggregated_classes, augment, backward_by_rows
from fairgl.nn import Linear
from fairgl.paths import root
from fairgl.registry import COUNTERFACTUAL_METHODS, NODE_METHODS
from fairgl.runs import RunSpec, execute
from fairgl.splits import NodeSplit
from fairgl.subgraphs import induced, personalized_pagerank, subgraphs
from fairgl.views import flip_sensitive

NAMES = COUNTERFACTUAL_METHODS.names()


def make(groups=2, seed=0):
    """Sixty nodes; labels and groups depend on features; the last three nodes have no edge."""
    draw = np.random.default_rng(seed)
    n = 60
    sens = np.arange(n) % groups
    x = draw.standard_normal((n, 5)).astype(np.float32)
    x[:, 1], x[:, 4] = sens, 1.0
    y = (x[:, 0] + 0.5 * sens > 0.2).astype(np.int64)
    edges = canonical_edges(draw.integers(0, n - 3, (150, 2)), n)[0]
    return check(Graph("sixty", x, edges, y, sens, sens_labels=tuple("abcdef"[:groups]), sens_column=1))


def parts():
    order = np.random.default_rng(1).permutation(57)
    return NodeSplit(order[:24], order[24:42], np.append(order[42:54], [57, 58]))


def quick(name, **more):
    method = COUNTERFACTUAL_METHODS[name]
    short = {key: 6 for key, value in method.defaults().items() if key.endswith("epochs")}
    if name == "gear":
        short |= {"hidden": 8, "every": 2, "size": 6}
    return method.configure({**short, **more})


def fit(name, graph, seed=0, y=None, **more):
    split = parts()
    labels = np.full(graph.num_nodes, -1) if y is None else y.copy()
    known = np.concatenate([split.train, split.val])
    labels[known] = graph.y[known]
    return quick(name, **more).fit(graph.replace(y=labels), split, seed)


@pytest.fixture(scope="module", params=NAMES)
def fitted(request):
    graph = make()
    return request.param, graph, fit(request.param, graph)


def test_the_five_methods_are_there():
    assert NAMES == ["gcn", "gear", "gin", "nifty", "sage"]


def test_scores_cover_the_split(fitted):
    _, _, scores = fitted
    split = parts()
    scored = np.concatenate([split.train, split.val, split.test])
    assert scores.logits.shape == (60,) and scores.logits.dtype == np.float64
    assert np.isfinite(scores.logits[scored]).all() and np.isfinite(scores.val_loss)
    json.dumps(scores.diagnostics, default=lambda value: value.item())


def test_same_seed_same_scores_and_hidden_labels_change_nothing(fitted):
    name, graph, scores = fitted
    np.testing.assert_array_equal(scores.logits, fit(name, graph).logits)
    other = fit(name, graph, y=np.random.default_rng(5).permutation(graph.y))
    np.testing.assert_array_equal(scores.logits, other.logits)


def test_fit_leaves_graph_and_global_generator_alone(fitted):
    name, graph, _ = fitted
    before, state = graph.checksum(), np.random.get_state()[1].copy()  # noqa: NPY002
    fit(name, graph)
    assert graph.checksum() == before
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_predict_scores_other_graphs_at_the_test_nodes(fitted):
    _, graph, scores = fitted
    test = parts().test
    np.testing.assert_allclose(scores.predict(graph)[test], scores.logits[test], atol=1e-4, rtol=1e-4)
    for other in (flip_sensitive(graph), graph.replace(edges=graph.edges[::2])):
        assert np.isfinite(scores.predict(other)[test]).all()
    assert not np.allclose(scores.predict(flip_sensitive(graph))[test], scores.logits[test])


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_used_is_skipped_with_a_reason(name):
    hidden = make()
    hidden = check(hidden.replace(x=np.delete(hidden.x, 1, axis=1), sens_column=None))
    for graph in (make(groups=3), hidden):
        reason = quick(name).skip(graph)
        assert reason or np.isfinite(fit(name, graph).logits).all()


@pytest.mark.parametrize("name", NAMES)
def test_facts_and_sources(name):
    method = COUNTERFACTUAL_METHODS[name]
    assert method.label and method.family in FAMILIES and method.notion in NOTIONS and method.__doc__
    assert all(method.sources().values())
    for settings in method.dataset_settings.values():
        method.configure(settings)
    bibliography = (root() / "book" / "references.bib").read_text(encoding="utf-8")
    assert method.reference in re.findall(r"^@\w+\{([^,\s]+),", bibliography, re.MULTILINE)


@pytest.mark.parametrize("name", ["gcn", "nifty"])
def test_shared_methods_are_the_node_methods(name):
    """No second implementation: equal scores, and the same hyperparameters with the same defaults."""
    graph, split = make(), parts()
    assert issubclass(COUNTERFACTUAL_METHODS[name], NODE_METHODS[name])
    settings = {"epochs": 4}
    theirs = NODE_METHODS[name].configure(settings).fit(graph, split, 3)
    np.testing.assert_array_equal(
        theirs.logits, COUNTERFACTUAL_METHODS[name].configure(settings).fit(graph, split, 3).logits
    )


# Subgraphs


def test_pagerank_equals_the_dense_recursion_and_approaches_the_solution():
    graph = make()
    a = graph.adjacency(loops=True).toarray().astype(np.float64)
    walk = a / a.sum(axis=0)  # column-stochastic
    seeds = np.array([0, 5, 58])
    for steps in (10, 200):
        found = personalized_pagerank(graph, seeds, steps=steps, tolerance=0).toarray() * a.sum(axis=0)
        for row, seed in zip(found, seeds, strict=True):
            start = np.eye(60)[seed]
            p = start
            for _ in range(steps):
                p = 0.15 * start + 0.85 * walk @ p
            np.testing.assert_allclose(row, p, atol=1e-12)
            if steps == 200:
                np.testing.assert_allclose(row, 0.15 * np.linalg.solve(np.eye(60) - 0.85 * walk, start), atol=1e-8)
    dropped = personalized_pagerank(graph, seeds, tolerance=1e-3)
    exact = personalized_pagerank(graph, seeds, tolerance=0)
    assert dropped.nnz < exact.nnz and abs(dropped - exact).max() < 5e-3


def test_closest_nodes_centre_first_and_padding():
    """A star 0 - 1, 2, 3, a pair 4 - 5, a loner 6."""
    edges = np.array([(0, 1), (0, 2), (0, 3), (4, 5)])
    graph = Graph("star", np.eye(7, dtype=np.float32), edges, None, np.zeros(7, np.int64))
    found = subgraphs(graph, np.array([1, 4, 6]), size=3)
    assert found.nodes[0, 0] == 1 and set(found.nodes[0]) <= {0, 1, 2, 3} and 0 in found.nodes[0]
    assert found.nodes[1].tolist() == [4, 5, -1] and found.nodes[2].tolist() == [6, -1, -1]
    assert found.links[1].tolist() == [[True, True, False], [True, True, False], [False, False, False]]
    assert found.links[2].sum() == 1


def test_induced_edges_equal_those_of_the_adjacency():
    graph = make()
    nodes = np.stack([np.random.default_rng(i).permutation(60)[:7] for i in range(20)])
    nodes[::3, 5:] = -1
    a = graph.adjacency(loops=True).toarray() > 0
    links = induced(graph, nodes)
    for row, found in zip(nodes, links, strict=True):
        there = row >= 0
        np.testing.assert_array_equal(found, a[np.ix_(row, row)] * np.outer(there, there))


def test_reading_the_centre_equals_block_diagonal_message_passing():
    """Two mean layers over a block-diagonal batch of subgraphs, read at the centres."""
    graph = make()
    found = subgraphs(graph, np.array([0, 7, 57]), size=6)
    torch.manual_seed(0)
    model = Siamese(5, 4, 3, 0.0).eval()
    blocks = [found.links[i][np.ix_(found.nodes[i] >= 0, found.nodes[i] >= 0)].astype(np.float64) for i in range(3)]
    batch = sp.block_diag([b / b.sum(axis=1, keepdims=True) for b in blocks]).toarray()
    x = np.concatenate([graph.x[row[row >= 0]] for row in found.nodes])
    batch, x = torch.from_numpy(batch).float(), torch.from_numpy(x)
    hidden = model.between(nn.functional.normalize(model.first(batch @ x), dim=-1))
    centres = np.cumsum([0] + [len(b) for b in blocks])[:3]
    expected = nn.functional.normalize(model.second(batch @ hidden), dim=-1)[centres]
    got = model.encode(tuple(map(torch.from_numpy, found.read(graph.x))))
    torch.testing.assert_close(got, expected, atol=1e-5, rtol=1e-4)


def test_neighbourhoods_of_a_changed_graph():
    graph = make()
    fewer, centres = graph.replace(edges=graph.edges[::2]), np.array([3, 9])
    own, factual = GEAR(size=6), GEAR(size=6, neighbourhoods="factual")
    base = own.look(graph, centres)
    assert own.follow(base, graph, graph, centres) is base
    kept = factual.follow(base, graph, fewer, centres)
    np.testing.assert_array_equal(kept.nodes, base.nodes)
    assert kept.links.sum() < base.links.sum()
    np.testing.assert_array_equal(own.follow(base, graph, fewer, centres).nodes, own.look(fewer, centres).nodes)
    with pytest.raises(ValueError, match="Valid: own, factual"):
        fit("gear", graph, neighbourhoods="none")


# Losses


def test_agreement_by_hand():
    """With maps that do nothing, D is minus the cosine of z and z': here -(1 + 0) / 2 and -(0 - 1) / 2, mean 0."""
    model = Siamese(2, 2, 2, 0.0)
    model.project = model.predict = nn.Identity()
    z = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    same_and_orthogonal = torch.tensor([[3.0, 0.0], [1.0, 0.0]])
    orthogonal_and_opposite = torch.tensor([[0.0, 1.0], [0.0, -1.0]])
    assert agreement(model, z, [same_and_orthogonal]).item() == pytest.approx(-0.5)
    assert agreement(model, z, [same_and_orthogonal, orthogonal_and_opposite]).item() == pytest.approx(0.0)


def dense_loss(z, decoder, a, density):
    p = torch.sigmoid(decoder(z))
    weight = torch.where(a > 0, 1 - density, density)
    return nn.functional.binary_cross_entropy(p, a, weight=weight, reduction="mean")


def test_adjacency_loss_and_gradients_equal_the_dense_ones():
    graph = make()
    a = torch.from_numpy(graph.adjacency(loops=True).toarray())
    edges, density = a.nonzero().T.contiguous(), a.mean().item()
    torch.manual_seed(0)
    z, decoder = torch.randn(60, 4, requires_grad=True), nn.Linear(4, 60)
    expected = dense_loss(z, decoder, a, density)
    everyone = torch.arange(60)
    assert adjacency_loss(z, decoder, edges, everyone, density).item() == pytest.approx(expected.item(), rel=1e-5)
    wanted = torch.autograd.grad(expected + (z**2).mean(), [z, decoder.weight, decoder.bias])
    through = z * 1.0  # an encoder's output
    value = backward_by_rows(through, decoder, edges, everyone, density, (through**2).mean(), block=7)
    assert value == pytest.approx(expected.item(), rel=1e-5)
    for got, want in zip((z.grad, decoder.weight.grad, decoder.bias.grad), wanted, strict=True):
        torch.testing.assert_close(got, want, atol=1e-7, rtol=1e-4)


def test_sampled_rows_have_the_exact_loss_as_their_mean():
    graph = make()
    a = torch.from_numpy(graph.adjacency(loops=True).toarray())
    edges, density = a.nonzero().T.contiguous(), a.mean().item()
    torch.manual_seed(1)
    z, decoder = torch.randn(60, 4), nn.Linear(4, 60)
    parts_ = [adjacency_loss(z, decoder, edges, rows, density).item() for rows in torch.arange(60).split(10)]
    assert np.mean(parts_) == pytest.approx(dense_loss(z, decoder, a, density).item(), rel=1e-5)


def test_aggregated_classes_by_hand():
    """Counts of s = 1 in closed neighbourhoods 2, 1, 1, 0 of four nodes: quarters of [0, 2] from zero."""
    graph = Graph("four", np.zeros((4, 1), np.float32), np.array([(0, 1), (0, 2)]), None, np.array([1, 0, 0, 0]))
    assert aggregated_classes(graph).tolist() == [3, 3, 3, 0]
    more = graph.replace(sens=np.array([1, 1, 0, 0]))
    assert aggregated_classes(more).tolist() == [3, 3, 1, 0]


def test_augmented_graphs_differ_in_the_attribute_and_hardly_in_features():
    graph = make()
    torch.manual_seed(0)
    graphs, facts = augment(graph, graph.x, Augmentation(epochs=3, rows=20))
    for world, sens in zip(graphs, (1 - graph.sens, 0 * graph.sens, 0 * graph.sens + 1), strict=True):
        np.testing.assert_array_equal(world.sens, sens)
        np.testing.assert_array_equal(world.x[:, 1], sens)
        free = np.delete(np.arange(5), 1)
        assert np.abs(world.x[:, free] - graph.x[:, free]).max() < 0.01 * 20
        np.testing.assert_array_equal(world.edges, canonical_edges(world.edges, 60)[0])
    assert len(facts["augmented_edges_changed"]) == 3


def test_trained_decoders_draw_the_graph_they_were_shown():
    """Enough exact passes put every edge above and every non-edge below the thresholds."""
    graph = make()
    torch.manual_seed(0)
    facts = [augment(graph, graph.x, Augmentation(epochs=n, lr=1e-2, kind="symmetric"))[1] for n in (2, 150)]
    assert facts[1]["augmentation_loss"] < 0.25 * facts[0]["augmentation_loss"]
    assert max(facts[1]["augmented_edges_changed"]) < 0.1 * graph.num_edges, facts


def test_linear_maps_are_spectrally_normalised():
    model = Siamese(5, 8, 3, 0.0)
    maps = [part for part in model.modules() if isinstance(part, nn.Linear)]
    assert len(maps) == 7 and all(isinstance(part, Linear) for part in maps)
    for _ in range(30):
        model.score((torch.randn(9, 6, 5), torch.full((9, 6), 1 / 6)))
    assert torch.linalg.matrix_norm(model.first.weight, 2).item() == pytest.approx(1.0, abs=0.02)


# The task


def test_a_run_reports_every_variant_apart():
    spec = RunSpec("toy", "counterfactual", "gear-dial", "gcn", config={"epochs": 3}, dataset_config={"seed": 1})
    record = execute(spec).result
    assert record["status"] == "ok", record["reason"]
    test = record["metrics"]["test"]
    for variant in ("shipped", "as_coded", "structural"):
        rates = [test[f"flip_rate_{variant}_{level}"] for level in ("0", "0.5", "1")]
        assert test[f"delta_cf_{variant}"] == pytest.approx(np.mean(rates))
    assert "delta_cf" not in test and "delta_cf_rebuilt" not in test
    assert test["delta_cf_labels"] > 0.1 and 0 <= test["accuracy_structural_1"] <= 1
    assert "neighbour_r2" in test and "neighbour_r2_unfitted" in test
    blind = execute(replace(spec, dataset_config={"sens_weight": 0.0})).result["metrics"]["test"]
    assert blind["delta_cf_labels"] == 0.0 and "accuracy_structural_0" in blind  # known, and the same in every world
    assert execute(spec).result == record


def test_many_levels_and_what_has_no_worlds():
    spec = RunSpec("toy", "counterfactual_levels", "gear-synthetic", "gcn", config={"epochs": 1})
    test = execute(spec).result["metrics"]["test"]
    assert sum(name.startswith("flip_rate_structural_") for name in test) == 11
    spec = RunSpec("toy", "counterfactual", "credit", "gcn", dataset_config={"age_bins": 3})
    record = execute(spec).result
    assert record["status"] == "skipped" and "two groups" in record["reason"]

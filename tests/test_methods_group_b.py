"""EDITS, FairEdit and FairVGNN against hand calculations, autograd, finite differences and dense constructions."""

import importlib.util

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.stats import wasserstein_distance

from fairgl.graph import Graph, canonical_edges, check
from fairgl.methods.counterfactual_slope import counterfactual_slope
from fairgl.methods.distribution_gap import bias, group_weights, wasserstein
from fairgl.methods.nodes.edits import EDITS
from fairgl.methods.nodes.fairedit import FairEdit, composed, cross_group_pairs
from fairgl.methods.nodes.fairvgnn import FairVGNN, Masks, clamp, criterion, views
from fairgl.methods.propagated import Propagated
from fairgl.methods.soft_adjacency import Pull, SoftAdjacency
from fairgl.nn import GCN, Classifier, Linear
from fairgl.paths import root
from fairgl.sparse import features, propagation
from fairgl.splits import NodeSplit
from fairgl.training import NodeData


@pytest.fixture(scope="module")
def graph():
    """Sixty nodes, attribute in column 2, edges mostly within groups, two isolated nodes."""
    rng = np.random.default_rng(0)
    n = 60
    sens = (rng.random(n) < 0.4).astype(np.int64)
    x = (rng.standard_normal((n, 6)) + sens[:, None]).astype(np.float32)
    x[:, 2] = sens
    y = (x[:, 0] + rng.standard_normal(n) > 0.5).astype(np.int64)
    pairs = rng.integers(0, n - 2, (250, 2))
    pairs = pairs[(sens[pairs[:, 0]] == sens[pairs[:, 1]]) | (rng.random(250) < 0.3)]
    return check(Graph("sixty", x, canonical_edges(pairs, n)[0], y, sens, sens_column=2))


@pytest.fixture(scope="module")
def split():
    order = np.random.default_rng(1).permutation(60)
    return NodeSplit(order[:20], order[20:40], order[40:])


def some(graph, seed=3):
    """Random float32 vectors c, b, a, v."""
    rng = np.random.default_rng(seed)
    return Pull(*(rng.standard_normal((4, graph.num_nodes)) * 0.01).astype(np.float32))


# EDITS


def test_wasserstein_term_is_that_of_scipy_and_pot():
    rng = np.random.default_rng(0)
    values, first = rng.standard_normal((31, 4)).round(1), rng.random(31) < 0.3
    found = wasserstein(values, first)
    np.testing.assert_allclose(found, [wasserstein_distance(c[first], c[~first]) for c in values.T], atol=1e-12)
    ot = pytest.importorskip("ot", reason="POT is a test dependency")
    np.testing.assert_allclose(found, [ot.wasserstein_1d(c[first], c[~first]) for c in values.T], atol=1e-9)


def test_bias_by_hand():
    # Path 0 - 1 - 2, group 0 is node 0; X of unit length already. Attribute bias |1 - 0|.
    x = np.array([[1.0], [0.0], [0.0]])
    path = sp.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=float))
    first = np.array([True, False, False])
    p = np.array([[1 / 2, 6**-0.5, 0], [6**-0.5, 1 / 3, 6**-0.5], [0, 6**-0.5, 1 / 2]])
    h = p @ x + 0.9 * p @ p @ x
    assert bias(x, path, first) == pytest.approx((1.0, abs(h[0] - h[1]).item() / 2 + abs(h[0] - h[2]).item() / 2))


def test_critic_distance_is_the_difference_of_group_means(graph, split):
    c, f = group_weights(graph.sens, split.train), np.random.default_rng(0).standard_normal(60)
    first = graph.sens[split.train] == 0
    assert c @ f == pytest.approx(f[split.train][first].mean() - f[split.train][~first].mean(), abs=1e-6)
    with pytest.raises(ValueError, match="one side only"):
        group_weights(np.zeros(60, dtype=int), split.train)


def test_rank_two_gradient_is_autograd(graph, split):
    rng = np.random.default_rng(0)
    x = torch.tensor(graph.x, dtype=torch.float64)
    soft = torch.tensor(graph.adjacency(loops=True).toarray(), dtype=torch.float64).requires_grad_()
    c, w = torch.tensor(group_weights(graph.sens, split.train)).double(), torch.tensor(rng.standard_normal((3, 6)))
    (c @ (x @ w[0] + soft @ x @ w[1] + soft @ soft @ x @ w[2])).backward()
    matrix = soft.detach()
    v = x @ w[2]
    a, b = x @ w[1] + matrix @ v, matrix.T @ c
    pull = Pull(*(part.numpy() for part in (c, b, a, v)))
    i, j = np.indices((60, 60)).reshape(2, -1)
    np.testing.assert_allclose(pull.at(i, j), soft.grad.numpy().ravel(), atol=1e-10)


def test_soft_adjacency_multiplies_like_a_dense_matrix(graph, split):
    soft = SoftAdjacency(graph.adjacency(loops=True), split.train)
    soft.step(some(graph), lr=0.1, weight=15.0, shrink=1e-3)
    dense = np.zeros((60, 60), dtype=np.float32)
    dense[soft.row, soft.column] = dense[soft.column, soft.row] = soft.value
    vectors = np.random.default_rng(0).standard_normal((60, 3)).astype(np.float32)
    np.testing.assert_allclose(soft @ vectors, dense @ vectors, atol=1e-5)
    np.testing.assert_allclose(soft @ vectors[:, 0], dense @ vectors[:, 0], atol=1e-5)


def test_step_by_hand():
    # Edge 0 - 1 and loops, node 2 isolated; one anchor, 0. G_ij = c_i a_j with c = (1, 0, 0) and a = (0, 2, -3).
    loops = sp.csr_array(np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=np.float32))
    soft = SoftAdjacency(loops, np.array([0]))
    zero = np.zeros(3)
    pull = Pull(np.array([1.0, 0, 0]), zero, np.array([0.0, 2, -3]), zero)
    for _ in range(2):
        soft.step(pull, lr=0.01, weight=1.0, shrink=0.001)
    state = dict(zip(zip(soft.row.tolist(), soft.column.tolist(), strict=True), soft.value, strict=True))
    # Entry (0, 1), step 1: G = 2 one way, 0 the other: (1 - .02 - .001 + 1 - .001) / 2 = .989. Step 2, drift
    # 2 (.989 - 1) = -.022: speeds 1.8 + 2 - .022 = 3.778 and -.022 give .95022 and .98822, mean .96922.
    assert state[0, 1] == pytest.approx(0.96922, abs=1e-3)  # half precision below 1: 4.9e-4 a step
    # Entry (0, 2): -3 one way: (.03 - .001 + 0) / 2 = .0145; then speeds -2.7 - 3 + .029 and .029 give .07021, .01321.
    assert state[0, 2] == pytest.approx(0.04171, abs=5e-5)
    assert (1, 2) not in state
    added, removed = soft.flips(0.5)
    assert added.tolist() == [[0, 2]] and removed.tolist() == [[0, 1]]
    added, removed = SoftAdjacency(loops, np.array([0])).flips(0.5)  # nothing moved, nothing flips
    assert not len(added) and not len(removed)


def test_half_precision_keeps_edges_that_single_precision_would_move():
    soft = SoftAdjacency(sp.csr_array(np.ones((2, 2), dtype=np.float32)), np.array([0]))
    zero = np.zeros(2)
    for _ in range(100):
        soft.step(Pull(zero, zero, zero, zero), lr=3e-3, weight=15.0, shrink=1.5e-6)
    assert (soft.value == 1).all()


def test_refresh_takes_the_largest_pulls_and_newcomers_catch_up(graph, split):
    adjacency, limit = graph.adjacency(loops=True), 40
    every, some_pairs = SoftAdjacency(adjacency, split.train), SoftAdjacency(adjacency, split.train, limit)
    assert every.complete and not some_pairs.complete
    settings = {"lr": 0.01, "weight": 15.0, "shrink": 1e-5}
    for seed in range(3):
        every.step(some(graph, seed), **settings)
        some_pairs.step(some(graph, seed), **settings)
    pull = some(graph, 9)
    smallest = some_pairs.refresh(pull, 1e-9)
    i, j = every.row, every.column
    anchored = np.isin(i, split.train) | np.isin(j, split.train)
    size = np.maximum(-pull.at(i, j), 0) + np.maximum(-pull.at(j, i), 0)
    top = np.sort(size[anchored])[::-1][:limit]
    assert smallest == pytest.approx(top[-1], rel=1e-5)
    place = np.searchsorted(every.code, some_pairs.code)
    assert set(every.code[anchored & (size >= 0.99999 * top[-1])]) <= set(some_pairs.code)
    np.testing.assert_array_equal(every.value[place], some_pairs.value)
    np.testing.assert_allclose(every.momentum[:, place], some_pairs.momentum, atol=1e-6)


def reference():
    """The dense implementation of ``benchmarks/edits_agreement.py``."""
    path = root() / "benchmarks" / "edits_agreement.py"
    if not path.exists():
        pytest.skip("benchmarks are not installed here")
    spec = importlib.util.spec_from_file_location("edits_agreement", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_edits_is_the_dense_autograd_implementation(graph):
    every = np.arange(60)
    split = NodeSplit(every[:58], every[58:59], every[59:])  # all but two nodes are anchors
    method = EDITS(epochs=25, lr=0.03, shrink_edges=1e-3, ratio=0.2)
    module = reference()
    theta, soft = module.dense(method, graph, split, 0)
    edit = method.learn(graph, split, 0)
    np.testing.assert_allclose(edit.theta, theta, atol=1e-4)
    added, removed = module.flips(soft, graph, method.ratio)
    found = [set((pairs @ np.array([60, 1])).tolist()) for pairs in (edit.added, edit.removed)]
    assert len(added) > 20 and len(removed) > 20
    assert module.jaccard(found[0], added) > 0.95 and module.jaccard(found[1], removed) > 0.95


def test_edits_edits_columns_and_edges(graph, split):
    method = EDITS(epochs=30, classifier_epochs=30, drop=2, ratio=0.3)
    edit = method.learn(graph, split, 0)
    edited = edit.apply(graph)
    assert edited.num_features == 4 and edited.sens_column is None
    assert edited.num_edges == graph.num_edges + len(edit.added) - len(edit.removed)
    assert len(edit.added) > 0
    check(edited.replace(sens_column=None, x=np.delete(edited.x, np.s_[:], axis=1)))  # edges keep the contract
    scores = method.fit(graph, split, 0)
    np.testing.assert_allclose(scores.predict(graph), scores.logits, atol=1e-5)
    assert {"attribute_bias_before", "attribute_bias_after", "structural_bias_after"} <= set(scores.diagnostics)


# FairEdit


def loss(adjacency, z, z_flip, inner, outer):
    """L_cf by the definition, dense; works for NumPy via torch."""
    d = adjacency.sum(1) + 1
    p = (adjacency + torch.eye(len(d), dtype=torch.float64)) / torch.sqrt(d[:, None] * d[None, :])
    f, g = (p @ (p @ h + inner) + outer for h in (z, z_flip))
    return (f.sigmoid() - g.sigmoid()).abs().mean()


def test_slope_is_the_finite_difference_and_autograd(graph):
    rng = np.random.default_rng(0)
    z, z_flip = rng.standard_normal((2, 60))
    a = graph.adjacency().toarray().astype(np.float64)
    slope = counterfactual_slope(sp.csr_array(a), z, z_flip, 0.3, -0.2)
    tz, tf = torch.tensor(z), torch.tensor(z_flip)

    def value(matrix):
        return loss(torch.tensor(matrix), tz, tf, 0.3, -0.2).item()

    assert slope.value == pytest.approx(value(a), abs=1e-12)
    u, v = np.triu_indices(60, 1)
    weights = torch.tensor(a[u, v]).requires_grad_()
    matrix = torch.zeros(60, 60, dtype=torch.float64).index_put((torch.tensor(u), torch.tensor(v)), weights)
    loss(matrix + matrix.T, tz, tf, 0.3, -0.2).backward()
    pairs = np.column_stack([u, v])
    np.testing.assert_allclose(slope.at(pairs), weights.grad.numpy(), atol=1e-12)
    for i, j in [*graph.edges[:3], (0, 59), (3, 40)]:  # node 59 is isolated
        step = np.zeros_like(a)
        step[i, j] = step[j, i] = 1e-6
        difference = (value(a + step) - value(a - step)) / 2e-6
        assert slope.at(np.array([[i, j]]))[0] == pytest.approx(difference, abs=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
def test_composed_model_is_the_model(graph, sparse):
    torch.manual_seed(0)
    model = Classifier(GCN(6, 5, 2, 0.0, activation=False))
    for bias_ in model.body.biases:
        torch.nn.init.normal_(bias_)
    x = features(sp.csr_matrix(graph.x) if sparse else graph.x)
    index = torch.arange(60)
    data = NodeData(x, propagation(graph.adjacency()), torch.zeros(60), index, index[:9], index[9:20])
    times = Propagated(data, hops=2)
    v, inner, outer = composed(model)
    for part, rows in (("all", slice(None)), ("val", slice(9, 20))):
        found = times(v[:, None], part).squeeze(-1) + inner * times.ones()[part] + outer
        torch.testing.assert_close(found, model(x, data.p)[rows], atol=1e-5, rtol=1e-5)


def test_additions_are_distinct_cross_group_non_edges(graph):
    pairs = cross_group_pairs(graph, 100, np.random.default_rng(0))
    assert len(np.unique(pairs, axis=0)) == 100 and (pairs[:, 0] < pairs[:, 1]).all()
    assert (graph.sens[pairs[:, 0]] != graph.sens[pairs[:, 1]]).all()
    assert not set(map(tuple, pairs.tolist())) & set(map(tuple, graph.edges.tolist()))
    few = cross_group_pairs(graph, 10_000, np.random.default_rng(0))  # more than exist
    assert len(few) < 60 * 30


def test_fairedit_changes_the_edge_set_and_lowers_its_loss(graph, split):
    scores = FairEdit(epochs=40, edits=8, lr=0.05, delete_rate=0.2, add_rate=0.05).fit(graph, split, 0)
    facts = scores.diagnostics
    assert facts["added"] + facts["removed"] == len(facts["edits"]) == 8
    assert all(entry["change"] < 0 for entry in facts["edits"])
    assert np.mean([entry["after"] < entry["before"] for entry in facts["edits"]]) > 0.7
    assert facts["l_cf_edited_graph"] < facts["l_cf_original_graph"]
    np.testing.assert_allclose(scores.predict(graph), scores.logits, atol=1e-5)
    plain = FairEdit(epochs=40, edits=0, lr=0.05).fit(graph, split, 0)
    assert plain.diagnostics["edits"] == [] and abs(plain.logits - scores.logits).max() > 1e-3


# FairVGNN


@pytest.mark.parametrize("sparse", [False, True])
def test_stacked_views_are_the_explicit_ones_with_their_gradients(graph, sparse):
    torch.manual_seed(0)
    body, head = GCN(6, 5, 1, 0.0, activation=False), Linear(5, 1)
    torch.nn.init.normal_(body.biases[0])
    masks = torch.rand(4, 6, requires_grad=True)
    index, p = torch.arange(60), propagation(graph.adjacency())
    x = torch.tensor(graph.x)
    data = NodeData(features(sp.csr_matrix(graph.x)) if sparse else x, p, torch.zeros(60), index, index[:9], index[9:])
    parameters = [masks, *body.parameters(), *head.parameters()]
    explicit = torch.cat([head(body(x * mask, p)) for mask in masks], dim=1)
    expected = torch.autograd.grad(explicit.sin().sum(), parameters)
    stacked = views(Propagated(data), body, head, masks)
    torch.testing.assert_close(stacked, explicit, atol=1e-5, rtol=1e-5)
    for found, wanted in zip(torch.autograd.grad(stacked.sin().sum(), parameters), expected, strict=True):
        torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-4)


def test_clamp_by_hand():
    body = GCN(3, 2, 1, 0.0, activation=False)
    with torch.no_grad():
        body.linears[0].weight.copy_(torch.tensor([[1.0, -1.0, 0.2], [0.1, -0.3, 5.0]]))
    clamp(body, torch.tensor([0.5, 0.25, 0.0]))
    assert body.linears[0].weight.tolist() == [[0.5, -0.25, 0.0], pytest.approx([0.1, -0.25, 0.0])]


def test_masks():
    torch.manual_seed(0)
    masks = Masks(3, 2000)
    with torch.no_grad():
        masks.logits.copy_(torch.tensor([[0.0, 0.0], [2.0, 0.0], [-30.0, 30.0]]))
    soft = masks()
    assert soft.shape == (2000, 3) and soft.min() >= 0 and soft.max() <= 1
    # A Gumbel difference is logistic: the first logit wins with probability sigmoid(difference).
    np.testing.assert_allclose(masks.hard(), [0.5, 1 / (1 + np.exp(-2)), 0.0], atol=0.04)
    torch.testing.assert_close(masks.hard(), masks.hard())
    assert (soft[:, 1] > soft[:, 0]).float().mean() > 0.6


def test_criterion_by_hand():
    y, sens = np.array([1, 1, 0, 0]), np.array([0, 1, 0, 1])
    scores = np.array([2.0, 1.0, 0.5, -1.0])  # AUC 1, F1 0.8, accuracy 0.75; parity |1 - 1/2|, opportunity 0
    assert criterion(y, scores, sens, 2.0) == pytest.approx(2 * 0.5 - (1 + 0.8 + 0.75))
    assert np.isfinite(criterion(y, scores, np.array([0, 0, 1, 1]), 1.0))  # no positive in group 1


def test_credit_variant_clamps_the_classifier(graph, split):
    settings = {"epochs": 3, "encoder_lr": 0.0, "classifier_lr": 1.0}
    loose = FairVGNN(**settings).fit(graph, split, 0)
    bound = FairVGNN(**settings, classifier_clip=0.01).fit(graph, split, 0)
    assert np.ptp(bound.logits) < np.ptp(loose.logits)
    settings = FairVGNN.dataset_settings["credit"]
    assert settings["freeze_encoder"] and settings["classifier_clip"] == 1.0

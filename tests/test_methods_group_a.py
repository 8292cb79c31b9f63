"""Walk methods, FairGNN and NIFTY against hand calculations, explicit constructions and sampling."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from fairgl.graph import Graph, canonical_edges, check
from fairgl.methods.nodes.crosswalk import CrossWalk
from fairgl.methods.nodes.deepwalk import DeepWalk, log_loss, propagate_labels
from fairgl.methods.nodes.fairgnn import FairGNN, criterion, objective, receptive
from fairgl.methods.nodes.fairwalk import FairWalk
from fairgl.methods.nodes.nifty import NIFTY, encode, similarity, supervised
from fairgl.nn import GCN
from fairgl.sparse import features, propagation
from fairgl.splits import NodeSplit
from fairgl.walks import boundary_proximity, crosswalk_weights, walks


def undirected(pairs, n):
    row, column = np.array(pairs).T
    half = sp.coo_array((np.ones(len(row)), (row, column)), shape=(n, n))
    return (half + half.T).tocsr()


def sigmoid(z):
    return 1 / (1 + np.exp(-np.asarray(z, dtype=float)))


@pytest.fixture(scope="module")
def graph():
    """Eighty nodes, features sparse or dense by the test, attribute in column 2 with values -1 and 3."""
    rng = np.random.default_rng(0)
    n = 80
    sens = (rng.random(n) < 0.4).astype(np.int64)
    x = (rng.standard_normal((n, 6)) + sens[:, None]).astype(np.float32)
    x[:, 2] = np.where(sens, 3.0, -1.0)
    y = (x[:, 0] + rng.standard_normal(n) > 0.5).astype(np.int64)
    pairs = rng.integers(0, n - 2, (300, 2))
    pairs = pairs[(sens[pairs[:, 0]] == sens[pairs[:, 1]]) | (rng.random(300) < 0.3)]
    return check(Graph("eighty", x, canonical_edges(pairs, n)[0], y, sens, sens_column=2))


@pytest.fixture(scope="module")
def split():
    order = np.random.default_rng(1).permutation(80)
    return NodeSplit(order[:30], order[30:55], order[55:])


# Walks


def test_proximity_by_hand():
    # Path 0 - 1 - 2, groups a a b. From 0: step one reaches 1 (a), step two 0 or 2: (0 + 1/2) / 2.
    path = undirected([(0, 1), (1, 2)], 4)
    np.testing.assert_allclose(boundary_proximity(path, np.array([0, 0, 1, 0]), 2), [0.25, 0.25, 0.75, 0.0])


def test_proximity_against_sampled_walks():
    rng = np.random.default_rng(3)
    pairs = rng.integers(0, 30, (90, 2))
    adjacency = undirected(canonical_edges(pairs, 30)[0], 30)
    sens = rng.integers(0, 3, 30)
    from fairgl.walks import uniform_weights

    paths = walks(uniform_weights(adjacency), 4000, 6, rng)
    met = (sens[paths[:, 1:]] != sens[paths[:, [0]]]) & (paths[:, 1:] >= 0)
    sampled = np.bincount(paths[:, 0], weights=met.mean(axis=1)) / 4000
    np.testing.assert_allclose(boundary_proximity(adjacency, sens, 5), sampled, atol=0.03)


def test_crosswalk_three_cases_by_hand():
    # Node 0: neighbours 1, 2 of its own group only. Node 3: own 4, 5, others 6 (b) and 7 (c). Node 8 (a): 6, 9 (b), 7.
    pairs = [(0, 1), (0, 2), (3, 4), (3, 5), (3, 6), (3, 7), (8, 6), (8, 9), (8, 7), (1, 6)]
    sens = np.array([0, 0, 0, 0, 0, 0, 1, 2, 0, 1])
    adjacency = undirected(pairs, 10)
    m = (0.001 + boundary_proximity(adjacency, sens, 5)) ** 2
    step = crosswalk_weights(adjacency, sens, alpha=0.4, exponent=2.0, length=5).toarray()
    np.testing.assert_allclose(step[0, [1, 2]], m[[1, 2]] / m[[1, 2]].sum())
    np.testing.assert_allclose(step[3, [4, 5]], 0.6 * m[[4, 5]] / m[[4, 5]].sum())
    np.testing.assert_allclose(step[3, [6, 7]], [0.2, 0.2])
    np.testing.assert_allclose(step[8, [6, 9]], 0.5 * m[[6, 9]] / m[[6, 9]].sum())
    np.testing.assert_allclose(step[8, 7], 0.5)
    np.testing.assert_allclose(step.sum(axis=1), 1.0)
    assert ((step > 0) == (adjacency.toarray() > 0)).all()


def test_crosswalk_refuses_impossible_settings():
    adjacency, sens = undirected([(0, 1)], 2), np.array([0, 1])
    for settings in ({"alpha": 1.5}, {"exponent": -1.0}, {"length": 0}):
        with pytest.raises(ValueError):
            crosswalk_weights(adjacency, sens, **settings)


def test_walk_methods_differ_by_their_steps_only(graph, split):
    short = {"per_node": 3, "length": 10, "dim": 8, "skipgram_epochs": 1}
    flipped = graph.replace(sens=1 - graph.sens, x=np.delete(graph.x, 2, axis=1), sens_column=None)
    z = {}
    for method in (DeepWalk, FairWalk, CrossWalk):
        z[method] = method(**short).fit(graph, split, 0).embedding
        assert np.abs(z[method][graph.degree() == 0]).max() == 0.0
        # Names of groups do not matter, nor do features.
        np.testing.assert_array_equal(z[method], method(**short).fit(flipped, split, 0).embedding)
    merged = graph.replace(sens=np.zeros_like(graph.sens))
    np.testing.assert_array_equal(z[DeepWalk], DeepWalk(**short).fit(merged, split, 0).embedding)
    np.testing.assert_array_equal(z[DeepWalk], FairWalk(**short).fit(merged, split, 0).embedding)
    for one, other in ((DeepWalk, FairWalk), (DeepWalk, CrossWalk), (FairWalk, CrossWalk)):
        assert np.abs(z[one] - z[other]).max() > 1e-3


def test_logistic_regression_takes_the_strength_that_validates_best(graph, split):
    short = {"per_node": 3, "length": 10, "dim": 8, "skipgram_epochs": 1}
    chosen = DeepWalk(**short).fit(graph, split, 0)
    fixed = [DeepWalk(**short, inverse_strength=c).fit(graph, split, 0).val_loss for c in (0.01, 0.1, 1.0, 10.0)]
    assert chosen.val_loss == min(fixed)
    p = sigmoid(chosen.logits[split.val])
    y = graph.y[split.val]
    assert chosen.val_loss == pytest.approx(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))


def test_label_propagation_on_a_line():
    # Nodes at 0, 1, 2 and far away 100, 101, 102; labels at 0 (class 0), 2 (class 1) and none far away.
    z = np.array([[0.0], [1.0], [2.0], [100.0], [101.0], [102.0]])
    logits = propagate_labels(z, np.array([0, 2]), np.array([0, 1]), k=1)
    assert logits[0] < -10 and logits[2] > 10
    assert sigmoid(logits[3:]) == pytest.approx([0.5] * 3)
    assert np.isfinite(logits).all()


def test_label_propagation_as_classifier(graph, split):
    short = {"per_node": 3, "length": 10, "dim": 8, "skipgram_epochs": 1}
    scores = DeepWalk(**short, classifier="propagation").fit(graph, split, 0)
    assert ((scores.logits[split.train] > 0) == graph.y[split.train]).all()
    assert scores.val_loss == pytest.approx(log_loss(scores.logits[split.val], graph.y[split.val]))
    with pytest.raises(ValueError, match="logistic, propagation"):
        DeepWalk(classifier="forest").fit(graph, split, 0)


# FairGNN


def test_fairgnn_objective_by_hand():
    logits, guess, s = np.array([0.5, -1.0, 2.0]), np.array([0.3, 0.1, -0.4]), np.array([1.0, 0.25, 0.0])
    y, train = np.array([1.0, 0.0, 1.0]), np.array([0, 1])
    p, q = sigmoid(logits), sigmoid(guess)
    utility = -(np.log(p[0]) + np.log(1 - p[1])) / 2
    covariance = abs(np.mean((s - s.mean()) * (p - p.mean())))
    adversary = -np.mean(s * np.log(q) + (1 - s) * np.log(1 - q))
    tensors = (torch.tensor(v) for v in (logits, guess, y, train, s))
    assert objective(*tensors, alpha=4.0, beta=0.1).item() == pytest.approx(utility + 4 * covariance - 0.1 * adversary)


def test_fairgnn_selects_fairness_among_useful_epochs():
    y, sens = np.array([1, 1, 0, 0, 1, 1, 0, 0]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    fair, unfair = np.array([3.0, 2, -1, -2, 3, 2, -1, -2]), np.array([3.0, 2, 1, -2, 3, -2, -1, -2])
    assert criterion(y, fair, sens, (0.7, 0.7)) == 0.0
    assert criterion(y, unfair, sens, (0.7, 0.7)) == pytest.approx(0.5 + 0.5)  # rates 3/4, 1/4; true positives 1, 1/2
    assert criterion(y, unfair, sens, (0.9, 0.7)) == pytest.approx(2 + 0.15)  # accuracy 6/8 is below the floor
    constant = np.zeros(8)
    assert criterion(y, constant, sens, (0.4, 0.7)) == pytest.approx(2.2)  # no gap, but an AUC of 0.5
    assert criterion(1 - y * (sens == 0), fair, sens, (0.0, 0.0)) >= 0.0
    only_zeros = np.where(sens == 1, 0, y)  # no positive in one group: equal opportunity is undefined and left out
    assert criterion(only_zeros, fair, sens, (0.0, 0.0)) == 0.0


def test_fairgnn_trains_its_estimator(graph, split):
    short = {"hidden": 16, "epochs": 30, "known": 20, "lr": 0.01}
    untrained = FairGNN(**short, estimator_epochs=1).fit(graph, split, 0).diagnostics
    trained = FairGNN(**short, estimator_epochs=100).fit(graph, split, 0).diagnostics
    share = max(np.mean(graph.sens[split.val]), 1 - np.mean(graph.sens[split.val]))
    assert trained["estimator_val_accuracy"] > max(share, untrained["estimator_val_accuracy"])


def test_fairgnn_pseudo_attribute_keeps_what_is_known(graph, split):
    method = FairGNN(hidden=8, known=10, estimator_epochs=5)
    seen = {}

    class Spy(FairGNN):
        def contend(self, model, data, pseudo, select, options):
            seen["pseudo"] = pseudo
            return super().contend(model, data, pseudo, select, options)

    Spy(hidden=8, known=10, estimator_epochs=5, epochs=3).fit(graph, split, 0)
    pseudo = seen["pseudo"].numpy()
    known = np.flatnonzero((pseudo == 0) | (pseudo == 1))
    assert len(known) == method.known and np.isin(known, split.train).all()
    np.testing.assert_array_equal(pseudo[known], graph.sens[known])
    assert not seen["pseudo"].requires_grad


def test_fairgnn_computes_few_nodes_from_their_neighbourhood_alone(graph):
    torch.manual_seed(0)
    model, p = GCN(6, 4, 2, 0.0).eval(), propagation(graph.adjacency())
    index, x = torch.tensor([3, 7, 79]), p @ features(graph.x)
    part, block = receptive(x, p, index)
    assert len(part) < 40
    torch.testing.assert_close(model(part, block, propagated=True), model(x, p, propagated=True)[index])


def test_fairgnn_reads_the_attribute_only_if_asked(graph, split):
    settings = {"hidden": 8, "estimator_epochs": 5, "epochs": 5}
    assert FairGNN().inputs(graph).shape[1] == 5
    assert FairGNN(keep_sensitive=True).inputs(graph).shape[1] == 6
    sparse = graph.replace(x=sp.csr_array(graph.x))
    assert FairGNN().inputs(sparse).shape[1] == 5
    assert np.isfinite(FairGNN(**settings).fit(sparse, split, 0).logits).all()


# NIFTY


def explicit(graph, view):
    """The normalised dense adjacency without the view's dropped entries; of a pair, one direction may stay."""
    a = graph.adjacency(loops=True).toarray()
    a[view.rows.numpy(), view.cols.numpy()] = 0.0
    scale = a.sum(axis=1) ** -0.5
    return torch.from_numpy((scale[:, None] * a * scale).astype(np.float32))


def test_nifty_losses_by_hand():
    r = torch.tensor([[[1.0, 0], [3, 4]], [[0, 2.0], [1, 1]]])
    q = torch.tensor([[[0, 1.0], [4, 3]], [[2.0, 0], [1, 0]]])
    # D(r1, q2): cosines 1 and 0.6; D(r2, q1): cosines 1 and 7 / (5 sqrt 2).
    index = torch.arange(2)
    q.requires_grad_()
    loss = similarity(list(r.clone().requires_grad_()), list(q), index)
    assert loss.item() == pytest.approx(-((1 + 0.6) / 2 + (1 + 7 / (5 * np.sqrt(2))) / 2) / 2)
    loss.backward()
    assert q.grad is None  # the projector's side is a constant
    logits, y = [torch.tensor([0.5, -1.0, 9.0]), torch.tensor([0.2, 0.3, 9.0])], torch.tensor([1.0, 0.0, 0.0])
    expected = -np.mean(np.log([*sigmoid([0.5, 1.0]), *sigmoid([0.2, -0.3])]))
    assert supervised(logits, y, index).item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
def test_nifty_views_equal_explicit_perturbed_graphs(graph, sparse):
    if sparse:
        graph = graph.replace(x=sp.csr_array(graph.x))
    torch.manual_seed(0)
    body = GCN(6, 4, 1, 0.0, False, spectral=True).eval()
    with torch.no_grad():
        body.biases[0].normal_()
    method = NIFTY(scale="none", edge_rate=0.3, feature_rate=0.5)
    draw = np.random.default_rng(4)
    make = method.view_maker(graph, "cpu")
    views = [make(draw, False), make(draw, True)]
    x = features(graph.x)
    out = encode(body, x, views)
    dense = graph.x.toarray() if sparse else graph.x
    for view, z, sens in zip(views, out, (graph.sens, 1 - graph.sens), strict=True):
        other = dense.copy()
        other[:, 2] = np.where(sens, 3.0, -1.0)
        assert 2 not in view.noised and len(view.noised)
        other[:, view.noised] += view.noise
        assert 0 < len(view.rows) < graph.edge_index().shape[1]
        expected = explicit(graph, view) @ (torch.from_numpy(other) @ body.linears[0].weight.T) + body.biases[0]
        torch.testing.assert_close(z, expected, atol=1e-4, rtol=1e-4)


def test_nifty_view_gradients_equal_those_of_an_explicit_graph(graph):
    method = NIFTY(scale="none", edge_rate=0.3, feature_rate=0.0)
    view = method.view_maker(graph, "cpu")(np.random.default_rng(4), False)
    h = torch.randn(80, 3, requires_grad=True)
    weight = torch.randn(80, 3)
    (ours,) = torch.autograd.grad((view.propagate(h) * weight).sum(), h)
    torch.testing.assert_close(ours, explicit(graph, view).T @ weight, atol=1e-5, rtol=1e-4)


def test_nifty_without_perturbation_is_the_clean_graph(graph):
    view = NIFTY(edge_rate=0.0, feature_rate=0.0).view_maker(graph, "cpu")(np.random.default_rng(0), False)
    body = GCN(6, 4, 1, 0.0, False, spectral=True).eval()
    x = features(graph.x)
    (z,) = encode(body, x, [view])
    torch.testing.assert_close(z, body(x, propagation(graph.adjacency())), atol=1e-5, rtol=1e-4)


def test_nifty_perturbs_in_training(graph, split):
    off = NIFTY(epochs=5, edge_rate=0.0, feature_rate=0.0).fit(graph, split, 0)
    for rates in ({"edge_rate": 0.2}, {"feature_rate": 0.5}):
        on = NIFTY(**{"epochs": 5, "edge_rate": 0.0, "feature_rate": 0.0, **rates}).fit(graph, split, 0)
        assert np.abs(on.logits - off.logits).max() > 1e-6


def test_nifty_says_why_it_skips(graph):
    no_column = graph.replace(x=np.delete(graph.x, 2, axis=1), sens_column=None)
    assert "among the features" in NIFTY().skip(no_column)
    assert "two groups" in NIFTY().skip(graph.replace(sens_labels=("a", "b", "c")))
    assert NIFTY().skip(graph) is None
    with pytest.raises(ValueError, match="authors, bce"):
        NIFTY(select="test").fit(graph, None, 0)

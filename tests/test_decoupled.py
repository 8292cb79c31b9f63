"""Decoupled predictors: equal to a plain torch-geometric step, blind to held-out edges, any number of groups."""

import numpy as np
import pytest
import torch
from torch_geometric.nn import GCNConv

from fairgl.graph import Graph, canonical_edges
from fairgl.link_splits import link_split
from fairgl.link_training import Pairs, RowEncoder, Rows, batches, message_matrix, symmetric_scaling
from fairgl.registry import LINK_METHODS


def make(nodes=120, edges=700, groups=2, seed=0, features=6):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(nodes, features)).astype(np.float32)
    pairs, _ = canonical_edges(generator.integers(0, nodes, (edges, 2)), nodes)
    sens = generator.integers(0, groups, nodes)
    return Graph("t", x, pairs, None, sens, sens_labels=tuple("abcdef"[:groups]))


def fit(graph, split, seed=0, **settings):
    settings = {"epochs": 3, "hidden": 16, "batch": 64, **settings}
    return LINK_METHODS["decoupled"].configure(settings).fit(graph, split, seed)


@pytest.mark.parametrize("one_way", [False, True])
@pytest.mark.parametrize("layers", [2, 3])
def test_a_step_equals_torch_geometrics(one_way, layers):
    graph = make()
    train = graph.edges
    p = symmetric_scaling(message_matrix(train, graph.num_nodes, one_way))
    wanted = np.unique(train[:40])
    px = torch.from_numpy(np.asarray(p @ graph.x, dtype=np.float32))
    encoder = RowEncoder(graph.num_features, 8, layers, dropout=0.0)
    rows = Rows(p, px, wanted, layers)
    local = rows.local(train[:40])
    pairs = Pairs(local, len(wanted))
    labels = torch.from_numpy((np.arange(40) % 3 == 0).astype(np.float32))

    plain = torch.nn.ModuleList([GCNConv(graph.num_features if i == 0 else 8, 8) for i in range(layers)])
    with torch.no_grad():
        for mine, theirs in zip(zip(encoder.linears, encoder.biases, strict=True), plain, strict=True):
            mine[1].uniform_(-1, 1)
            theirs.lin.weight.copy_(mine[0].weight)
            theirs.bias.copy_(mine[1])
    edge_index = torch.from_numpy(train.T.copy())
    if not one_way:
        edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    h = torch.from_numpy(graph.x)
    for i, layer in enumerate(plain):
        h = layer(h, edge_index)
        h = h.relu() if i + 1 < layers else h
    u, v = torch.from_numpy(train[:40].T.copy())
    theirs = (h[u] * h[v]).sum(-1)
    mine = pairs.dot(encoder(rows))
    np.testing.assert_allclose(pairs.restore(mine), theirs.detach().numpy(), rtol=1e-4, atol=1e-4)

    entropy = torch.nn.functional.binary_cross_entropy_with_logits
    entropy(theirs, labels).backward()
    entropy(mine, pairs.sorted(labels.numpy())).backward()
    for (linear, bias), layer in zip(zip(encoder.linears, encoder.biases, strict=True), plain, strict=True):
        torch.testing.assert_close(linear.weight.grad, layer.lin.weight.grad, rtol=1e-3, atol=1e-5)
        torch.testing.assert_close(bias.grad, layer.bias.grad, rtol=1e-3, atol=1e-5)


def test_the_gathering_fallback_scores_the_same():
    z = torch.randn(9, 4, generator=torch.Generator().manual_seed(0), requires_grad=True)
    pairs = Pairs(np.array([[0, 8], [2, 3], [0, 1], [5, 7]]), 9)
    fast = pairs.dot(z)
    (gradient,) = torch.autograd.grad((fast * torch.arange(4.0)).sum(), z)
    pairs.sparse = False
    slow = pairs.dot(z)
    torch.testing.assert_close(fast, slow)
    torch.testing.assert_close(gradient, torch.autograd.grad((slow * torch.arange(4.0)).sum(), z)[0])
    assert pairs.restore(slow)[1] == pytest.approx((z[2] * z[3]).sum().item(), rel=1e-5)


def test_batches_partition_the_pairs():
    parts = batches(10, 4, np.random.default_rng(0))
    assert [len(part) for part in parts] == [4, 4, 2] and sorted(np.concatenate(parts)) == list(range(10))
    assert [part.tolist() for part in batches(3, None, np.random.default_rng(0))] == [[0, 1, 2]]


@pytest.mark.parametrize("settings", [{}, {"shared": True}, {"decoder": "mlp"}, {"schedule": "fast", "batch": None}])
def test_held_out_edges_do_not_reach_the_scores(settings):
    graph = make()
    split = link_split(graph, 0)
    full, hidden = fit(graph, split, **settings), fit(graph.replace(edges=split.train.positives), split, **settings)
    assert np.array_equal(full.test, hidden.test) and np.array_equal(full.val, hidden.val)
    assert full.test.shape == (len(split.test),) and np.isfinite(full.test).all()


def test_batches_with_rows_of_their_own_change_nothing_but_rounding():
    graph = make(nodes=600, edges=900)
    split = link_split(graph, 0)
    from fairgl.methods.links import decoupled

    wide, result = decoupled.WIDE, []
    try:
        for decoupled.WIDE in (1, 10**9):
            result.append(fit(graph, split, batch=32, dropout=0.0).test)
    finally:
        decoupled.WIDE = wide
    np.testing.assert_allclose(*result, rtol=1e-3, atol=1e-4)


def test_encoders_counts_and_learning():
    graph = make(nodes=80, edges=800, groups=3)
    split = link_split(graph, 1)
    one = fit(graph, split, shared=True)
    six = fit(graph, split)
    assert one.diagnostics["encoders"] == 1 and six.diagnostics["encoders"] == 6
    steps = sum(-(-int((split.train.type == t).sum()) // 64) for t in range(6))
    assert six.diagnostics["steps"] == 3 * steps
    assert fit(graph, split).test.tolist() == six.test.tolist() != fit(graph, split, seed=1).test.tolist()
    # Two cliques: linked pairs have to outscore unlinked ones.
    pairs = [(a, b) for block in (range(20), range(20, 40)) for a in block for b in block if a < b]
    cliques, _ = canonical_edges(np.array(pairs), 40)
    x = np.eye(40, dtype=np.float32)
    graph = Graph("c", x, cliques, None, np.zeros(40, np.int64), sens_labels=("all",))
    split = link_split(graph, 0)
    scores = fit(graph, split, schedule="fast", epochs=60, batch=None).test
    assert scores[split.test.label == 1].min() > scores[split.test.label == 0].max()


def test_unknown_options_are_named():
    graph = make()
    split = link_split(graph, 0)
    with pytest.raises(ValueError, match="Valid: faithful, fast"):
        fit(graph, split, schedule="quick")
    with pytest.raises(ValueError, match="Valid: dot, mlp"):
        fit(graph, split, decoder="cosine")

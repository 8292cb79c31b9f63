"""InFoRM, REDRESS and GUIDE against their published formulas on inputs small enough for dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fairgl.graph import Graph, canonical_edges
from fairgl.methods.nodes.guide import GroupTraces, ratio_penalty
from fairgl.methods.nodes.inform import InFoRM, InFoRMResult, Similarity, propagated, smooth_result
from fairgl.methods.nodes.redress import REDRESS
from fairgl.methods.ranked_lists import Lists, lambdas, oracle
from fairgl.methods.similarity_attention import SLOPE, similarity_pattern
from fairgl.metrics.individual import lipschitz_mean
from fairgl.registry import NODE_METHODS
from fairgl.splits import node_split


def toy(n: int = 60, groups: int = 2, seed: int = 0, degree: float = 4.0) -> Graph:
    """Random features that carry the label, edges between like labels more often."""
    draw = np.random.default_rng(seed)
    y, sens = draw.integers(2, size=n), draw.integers(groups, size=n)
    x = np.column_stack([sens, y + draw.normal(size=n), draw.normal(size=(n, 3))]).astype(np.float32)
    ends = draw.integers(n, size=(int(degree * n), 2))
    ends = ends[(ends[:, 0] != ends[:, 1]) & ((y[ends[:, 0]] == y[ends[:, 1]]) | (draw.random(len(ends)) < 0.3))]
    labels = tuple(str(g) for g in range(groups))
    return Graph("toy", x, canonical_edges(ends, n)[0], y, sens, sens_labels=labels, sens_column=0)


def dense_similarity(graph: Graph) -> np.ndarray:
    closed = graph.adjacency(loops=True).toarray().astype(np.float64)
    z = closed / np.linalg.norm(closed, axis=1, keepdims=True)
    return z @ z.T


def laplacian(s: np.ndarray) -> np.ndarray:
    return np.diag(s.sum(axis=1)) - s


def test_inform_trace_and_its_gradient_equal_the_dense_form():
    graph = toy()
    s, similarity = dense_similarity(graph), Similarity(graph)
    v = torch.randn(60, dtype=torch.float64, requires_grad=True)
    similarity.trace(v).backward()
    found, v.grad = v.grad.clone(), None
    dense = v @ torch.from_numpy(laplacian(s)) @ v
    dense.backward()
    assert torch.allclose(similarity.trace(v), dense) and torch.allclose(found, v.grad)
    assert np.isclose(similarity.mass, s.sum() - 60)
    px = propagated(graph, graph.x)
    assert np.allclose(similarity.gram(px), px.astype(float).T @ laplacian(s) @ px, rtol=1e-5, atol=1e-4)
    slope = np.random.default_rng(0).normal(size=5)
    logits = torch.from_numpy(px.astype(float) @ slope + 3.0)
    assert np.isclose(slope @ similarity.gram(px) @ slope, float(similarity.trace(logits)))


def test_inform_result_solves_the_smoothing_equation():
    graph = toy()
    s = dense_similarity(graph)
    scale = np.diag(s.sum(axis=1) ** -0.5)
    logits = np.random.default_rng(0).normal(size=60)
    expected = np.linalg.solve(np.eye(60) + 2.0 * laplacian(scale @ s @ scale), logits)
    assert np.allclose(smooth_result(logits, Similarity(graph).rows, 2.0), expected)


def test_inform_alpha_trades_fit_for_similar_treatment():
    graph = toy(200)
    split, rows = node_split(graph, 0), Similarity(graph).rows
    for method in (InFoRM, InFoRMResult):
        biases = []
        for alpha in (0.0, 1.0, 30.0):
            logits = method(alpha=alpha, lr=3e-2, epochs=60).fit(graph, split, 0).logits
            biases.append(lipschitz_mean(probability=1 / (1 + np.exp(-logits)), rows=rows))
        assert biases[0] > biases[1] > biases[2]


def test_redress_lambda_by_hand():
    # One list of three: output similarities 3 > 2 > 1, relevances 1, 2, 0, so the first two stand in the wrong order.
    s, r = torch.tensor([[3.0, 2.0, 1.0]]), torch.tensor([[1.0, 2.0, 0.0]])
    discount = 1 / torch.log2(torch.tensor([2.0, 3.0, 4.0]))
    ideal = torch.tensor([3 + 1 / np.log2(3)], dtype=torch.float32)  # gains 2^2 - 1 and 2^1 - 1

    def force(up: int, down: int, alpha: float = 0.5) -> float:
        gains, gap = (1.0, 3.0, 0.0), float(s[0, up] - s[0, down])
        swap = abs(gains[up] - gains[down]) * abs(float(discount[up] - discount[down])) / float(ideal)
        return -alpha / (1 + np.exp(alpha * gap)) * swap

    by_hand = [force(0, 2) - force(1, 0), force(1, 0) + force(1, 2), -force(0, 2) - force(1, 2)]
    assert np.allclose(lambdas(s, r, discount, ideal, 0.5)[0], by_hand, atol=1e-6)
    right_order_only = [force(0, 2), force(1, 2), -force(0, 2) - force(1, 2)]
    assert np.allclose(lambdas(s, r, discount, ideal, 0.5, released=True)[0], right_order_only, atol=1e-6)


@pytest.mark.parametrize("count", [4, 12, 40])
def test_redress_lists_equal_brute_force(count):
    rows, out = oracle(toy(count)), torch.randn(count, 2)
    lists = Lists(rows, 5)
    unit = torch.nn.functional.normalize(out, dim=1)
    cosine = unit @ unit.T
    cosine.fill_diagonal_(-9)
    k = min(5, count - 1)
    near = lists.nearest(out)
    assert near.shape == (count, k) and (near != torch.arange(count)[:, None]).all()
    assert torch.allclose(cosine.gather(1, near), cosine.topk(k, dim=1).values, atol=1e-5)
    relevance = 5 * (rows @ rows.T + 1)
    np.fill_diagonal(relevance, -1)
    best = np.sort(2**relevance - 1, axis=1)[:, ::-1][:, :k] @ (1 / np.log2(np.arange(2, k + 2)))
    assert np.allclose(lists.ideal, best, rtol=1e-4)
    assert 0 < lists.ndcg(out) <= 1
    assert np.allclose(lists.relevance(near), np.take_along_axis(relevance, near.numpy(), axis=1), atol=1e-4)


def test_redress_gradient_improves_the_order_and_the_released_one_lags():
    lists = Lists(oracle(toy(80)), 10)
    reached = {}
    for released in (False, True):
        torch.manual_seed(0)
        out = torch.randn(80, 2, requires_grad=True)
        before = lists.ndcg(out)
        optimizer = torch.optim.Adam([out], lr=0.05)
        for _ in range(120):
            optimizer.zero_grad()
            lists.loss(out, 1.0, released).backward()
            optimizer.step()
        reached[released] = lists.ndcg(out)
    assert reached[False] > before + 0.1
    assert reached[False] > reached[True] + 0.05


def test_redress_outputs_of_a_part_equal_those_of_the_whole():
    graph = toy(200)
    split = node_split(graph, 0)
    fitted = REDRESS(epochs=5).fit(graph, split, 0)
    assert np.allclose(fitted.predict(graph), fitted.logits, atol=1e-5)


@pytest.mark.parametrize("groups", [2, 3])
def test_guide_group_terms_equal_the_dense_form(groups):
    graph = toy(groups=groups)
    s, similarity = dense_similarity(graph), Similarity(graph)
    traces = GroupTraces(similarity, graph.sens)
    v = torch.randn(60, dtype=torch.float64)
    for g in range(groups):
        inside = np.diag((graph.sens == g).astype(float))
        expected = v.numpy() @ laplacian(inside @ s + s @ inside) @ v.numpy()
        assert np.isclose(float(traces(v)[g]), expected)
        assert float(traces.pairs[g]) == (s[graph.sens == g] > 0).sum()
    assert np.isclose(float(traces(v).sum() / 2), float(similarity.trace(v)))
    f = torch.tensor([1.0, 2.0])
    assert float(ratio_penalty(f)) == pytest.approx(0.25 + 1.0)
    assert float(ratio_penalty(torch.tensor([2.0, 2.0, 2.0]))) == 0


@pytest.mark.parametrize("largest", [0, 4])
def test_guide_attention_equals_dense_softmax_forward_and_backward(largest):
    graph = toy(40)
    s = torch.from_numpy(dense_similarity(graph)).float()
    rows = Similarity(graph).rows
    whole = similarity_pattern(rows, largest)
    blocks = similarity_pattern(rows, largest, entries=50)
    assert len(whole.blocks) == 1 and len(blocks.blocks) > 1 and whole.kept == pytest.approx(blocks.kept)
    mask = torch.zeros(40, 40, dtype=torch.bool)
    block = whole.blocks[0]
    mask[block.row, block.column] = True
    if largest:
        assert (mask.sum(dim=1) <= largest).all() and mask.diagonal().all() and 0 < whole.kept < 1
    else:
        assert torch.equal(mask, s > 0) and whole.kept == pytest.approx(1)
    h, left, right = (torch.randn(*size, requires_grad=True) for size in ((40, 3), (40,), (40,)))
    aim = torch.randn(40, 3)
    scores = torch.nn.functional.leaky_relu(left[None] + right[:, None], SLOPE) * s
    expected = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=1) @ h
    wanted = torch.autograd.grad((expected * aim).sum(), (h, left, right))
    for pattern in (whole, blocks):
        found = pattern.attend(h, left, right)
        assert torch.allclose(found, expected, atol=1e-5)
        for a, b in zip(torch.autograd.grad((found * aim).sum(), (h, left, right)), wanted, strict=True):
            assert torch.allclose(a, b, atol=1e-5)


def test_guide_brings_the_groups_together():
    graph = toy(400, seed=3)
    split = node_split(graph, 0)
    ratio = {}
    for beta in (0.0, 5.0):
        method = NODE_METHODS["guide"](beta=beta, alpha=0.0, epochs=40, wait=0.5, stage1_epochs=50)
        logits = torch.from_numpy(method.fit(graph, split, 0).logits)
        traces = GroupTraces(Similarity(graph), graph.sens)
        f = traces(logits) / traces.pairs
        ratio[beta] = float(f.max() / f.min())
    assert ratio[5.0] < ratio[0.0]


SHORT = {
    "inform": {"epochs": 40},
    "inform-result": {"epochs": 40},
    "redress": {"epochs": 20},
    "guide": {"epochs": 10, "stage1_epochs": 20},
}


@pytest.mark.parametrize("name", SHORT)
def test_sparse_features_give_the_same_scores(name):
    import scipy.sparse as sp

    graph = toy(120)
    split = node_split(graph, 0)
    method = NODE_METHODS[name].configure({"scale": "none", **SHORT[name]})
    dense = method.fit(graph, split, 0).logits
    sparse = method.fit(graph.replace(x=sp.csr_matrix(graph.x)), split, 0).logits
    if name == "redress":  # its oracle centres dense columns only
        assert np.isfinite(sparse).all()
    else:
        assert np.allclose(dense, sparse, atol=1e-3)


@pytest.mark.parametrize("name", SHORT)
def test_fits_on_isolated_nodes_and_more_groups(name):
    graph = toy(80, groups=3)
    graph = graph.replace(edges=graph.edges[:5])
    scores = NODE_METHODS[name].configure(SHORT[name]).fit(graph, node_split(graph, 0), 0)
    assert np.isfinite(scores.logits).all() and np.isfinite(scores.val_loss)

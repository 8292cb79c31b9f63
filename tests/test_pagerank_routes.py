"""InFoRM's three routes on PageRank: against dense algebra, and the graph's gradient against differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from fairgl.graph import Graph, canonical_edges
from fairgl.methods.pagerank_routes import (
    adjacency,
    bias,
    change_graph,
    change_model,
    change_result,
    laplacian,
    normalised,
    pagerank,
    similarity,
    slope,
)


@pytest.fixture(scope="module")
def small():
    """30 nodes, one of them isolated: normalised adjacency and similarity."""
    draw = np.random.default_rng(1)
    edges = canonical_edges(draw.integers(0, 29, (70, 2)), 30)[0]
    graph = Graph("small", np.zeros((30, 1), dtype=np.float32), edges, None, np.zeros(30, dtype=np.int64))
    a = adjacency(graph)
    return a, similarity(a)


def test_pagerank_is_the_fixed_point(small):
    a, _ = small
    r = pagerank(a)
    np.testing.assert_allclose(r, 0.85 * (a @ r) + 0.15, atol=1e-9)
    assert r[29] == pytest.approx(0.15)  # nobody points to it


def test_similarity_by_hand():
    """A path of four: the ends of each half share their neighbour; what is below the cut goes."""
    path = sp.csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    a = normalised(path)
    dense = a.toarray()
    cosine = (dense @ dense.T) / np.outer(*2 * [np.linalg.norm(dense, axis=1)])
    stored = cosine[cosine > 0]
    kept = np.where(cosine >= stored.mean() + 0.75 * stored.std(), cosine, 0)
    np.fill_diagonal(kept, 0)
    assert (similarity(a).toarray() > 0).tolist() == (kept > 0).tolist()
    none = similarity(a, cut=-9).toarray()
    assert none[0, 2] > 0 and none[0, 1] == none[0, 3] == 0
    assert np.allclose(none, none.T)


def test_bias_is_the_sum_over_pairs(small):
    _, s = small
    r = np.random.default_rng(2).random(30)
    by_pairs = sum(s[i, j] * (r[i] - r[j]) ** 2 for i in range(30) for j in range(30)) / 2
    assert bias(r, s) == pytest.approx(by_pairs)


def test_model_and_result_against_dense_algebra(small):
    a, s = small
    r, eye = pagerank(a), np.eye(30)
    dense = np.linalg.solve(1.5 * eye - 0.85 * a.toarray() - 0.5 * s.toarray(), np.full(30, 0.15))
    np.testing.assert_allclose(change_model(a, s), dense, atol=1e-8)
    dense = np.linalg.solve(eye + 0.5 * laplacian(s).toarray(), r)
    np.testing.assert_allclose(change_result(r, s), dense, atol=1e-8)


def test_slope_of_the_graph_route_against_differences(small):
    a, s = small
    row = np.repeat(np.arange(30), np.diff(a.indptr))
    original, alpha = 0.9 * a.data, 0.3

    def objective(matrix):
        return ((matrix.data - original) ** 2).sum() + alpha * bias(pagerank(matrix), s)

    found = slope(a, original, row, s, alpha, 0.85)
    for k in (0, 7, len(row) - 1):
        i, j, values = row[k], a.indices[k], []
        for step in (1e-5, -1e-5):
            moved = sp.csr_array(a, copy=True)
            moved[i, j] += step
            moved[j, i] += step
            values.append(objective(moved))
        assert found[k] == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("route", ["graph", "model", "result"])
def test_every_route_lowers_the_bias_and_none_at_weight_0(small, route):
    a, s = small
    r = pagerank(a)

    def changed(alpha):
        if route == "graph":
            other = change_graph(a, s, alpha, steps=20)
            assert (other.indices == a.indices).all() and (other.data >= 0).all()
            return pagerank(other)
        return change_model(a, s, alpha) if route == "model" else change_result(r, s, alpha)

    np.testing.assert_allclose(changed(0.0), r, atol=1e-5)
    assert bias(changed(0.5), s) < bias(r, s)

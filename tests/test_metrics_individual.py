"""Individual fairness metrics against dense brute force on small graphs, by hand, and at their limits."""

from __future__ import annotations

import time
import tracemalloc
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp

from fairgl.metrics import individual as ind
from fairgl.metrics import individual_disparity as disparity
from fairgl.metrics import individual_ranking as ranking
from fairgl.metrics import reason_of


def small(seed: int, n: int = 40, degree: float = 4.0):
    """A random graph: adjacency with loops, its unit rows, dense similarity, logits, probabilities, three groups."""
    draw = np.random.default_rng(seed)
    upper = np.triu(draw.random((n, n)) < degree / n, 1)
    closed = sp.csr_array((upper | upper.T | np.eye(n, dtype=bool)).astype(np.float64))
    rows = ind.unit_rows(closed)
    logits = np.round(draw.normal(size=n), 1)  # with ties
    return rows, (rows @ rows.T).toarray(), logits, 1 / (1 + np.exp(-logits)), draw.integers(3, size=n)


@pytest.mark.parametrize("seed", range(5))
def test_equation_3_and_traces_equal_dense_sums(seed):
    rows, similarity, logits, p, _ = small(seed)
    vectors = np.stack([1 - p, p], axis=1)
    norms = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
    others = ~np.eye(len(p), dtype=bool)
    assert np.isclose(ind.lipschitz_bias(probability=p, rows=rows), (norms * similarity)[others].sum(), rtol=1e-12)
    gaps = np.abs(p[:, None] - p[None])
    mean = (gaps * similarity)[others].sum() / similarity[others].sum()
    assert np.isclose(ind.lipschitz_mean(probability=p, rows=rows), mean)
    assert np.isclose(ind.lipschitz_relative(probability=p, rows=rows), mean / gaps[others].mean())
    for values, metric in ((logits, ind.laplacian_trace), (p, ind.laplacian_trace)):
        laplacian = np.diag(similarity.sum(axis=1)) - similarity
        assert np.isclose(metric(values, rows), values @ laplacian @ values)
    dense = ind.unit_rows(rows.toarray())
    assert np.allclose(ind.weighted_differences(p, dense), (gaps * similarity).sum(axis=1))


def test_similarity_is_the_cosine_of_closed_neighbourhoods():
    # A path 0-1-2: closed neighbourhoods {0,1}, {0,1,2}, {1,2}.
    closed = sp.csr_array(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=float))
    rows = ind.unit_rows(closed)
    expected = [[1, 2 / np.sqrt(6), 0.5], [2 / np.sqrt(6), 1, 2 / np.sqrt(6)], [0.5, 2 / np.sqrt(6), 1]]
    assert np.allclose((rows @ rows.T).toarray(), expected)
    p = [0.1, 0.4, 0.8]
    by_hand = 2 * np.sqrt(2) * (0.3 * 2 / np.sqrt(6) + 0.4 * 2 / np.sqrt(6) + 0.7 * 0.5)
    assert np.isclose(ind.lipschitz_bias(probability=p, rows=rows), by_hand)


@pytest.mark.parametrize("seed", range(3))
def test_gdif_equals_its_definition_for_three_groups_and_as_released_for_two(seed):
    rows, similarity, logits, p, sens = small(seed)
    gaps = np.abs(p[:, None] - p[None]) * similarity
    np.fill_diagonal(similarity, 1.0)
    mass = similarity.sum(axis=1) - 1
    bias = [gaps[sens == g].sum() / mass[sens == g].sum() for g in range(3)]
    ratios = [max(bias[a] / bias[b], bias[b] / bias[a]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert np.isclose(disparity.gdif(probability=p, rows=rows, sens=sens), sum(ratios))
    plain = [gaps[sens == g].sum() for g in range(3)]
    ratios = [max(plain[a] / plain[b], plain[b] / plain[a]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert np.isclose(disparity.gdif(probability=p, rows=rows, sens=sens, per_similarity=False), sum(ratios))

    f = []
    for g in range(2):
        inside = np.diag((sens == g).astype(float))
        part = inside @ similarity + similarity @ inside
        laplacian = np.diag(part.sum(axis=1)) - part
        f.append(logits @ laplacian @ logits / (similarity[sens == g] > 0).sum())
    assert np.isclose(disparity.gdif_released(logits=logits, rows=rows, sens=sens), max(f[0] / f[1], f[1] / f[0]))
    assert np.array_equal(ind.similar_pairs(rows, work=100), (similarity > 0).sum(axis=1))


def test_a_constant_has_no_bias_and_no_ratio():
    rows, _, _, p, sens = small(0)
    flat = np.full_like(p, 0.3)
    assert ind.lipschitz_bias(probability=flat, rows=rows) == 0
    assert ind.lipschitz_trace_logits(logits=flat, rows=rows) == 0
    assert reason_of(ind.lipschitz_relative(probability=flat, rows=rows)) == "all probabilities are equal"
    assert "no bias" in reason_of(disparity.gdif(probability=flat, rows=rows, sens=sens))
    assert "no bias" in reason_of(disparity.gdif_released(logits=flat, rows=rows, sens=sens))
    assert "needs two groups" in reason_of(disparity.gdif(probability=p, rows=rows, sens=np.zeros_like(sens)))
    isolated = ind.unit_rows(sp.eye_array(4))
    assert reason_of(ind.lipschitz_mean(probability=[0.1, 0.2, 0.3, 0.4], rows=isolated)) == "no two nodes are similar"


def test_what_each_form_does_when_outputs_are_scaled_or_dealt_at_random():
    rows, _, logits, p, _ = small(1, n=300)
    assert np.isclose(
        ind.lipschitz_trace_logits(logits=logits / 2, rows=rows),
        ind.lipschitz_trace_logits(logits=logits, rows=rows) / 4,
    )
    shrunk = 0.5 + (p - 0.5) / 10
    assert np.isclose(
        ind.lipschitz_bias(probability=shrunk, rows=rows), ind.lipschitz_bias(probability=p, rows=rows) / 10
    )
    relative = ind.lipschitz_relative(probability=p, rows=rows)
    assert np.isclose(ind.lipschitz_relative(probability=shrunk, rows=rows), relative)
    draw = np.random.default_rng(0)
    dealt = [ind.lipschitz_relative(probability=draw.permutation(p), rows=rows) for _ in range(200)]
    assert abs(np.mean(dealt) - 1) < 0.01


def brute_ndcg(values, features, k):
    """Mean NDCG@k over nodes with scikit-learn style averaging: explicit mean over all orders of the tied."""
    n = len(values)
    gain = np.exp2(5 * (features @ features.T + 1)) - 1
    weight = 1 / np.log2(np.arange(2, k + 2))
    out, chance = [], []
    for i in range(n):
        others = [j for j in range(n) if j != i]
        distance = np.abs(values[i] - values[others])
        orders = []
        for order in permutations(range(n - 1)):
            if all(distance[order[a]] <= distance[order[a + 1]] for a in range(n - 2)):
                orders.append(sum(gain[i, others[order[a]]] * weight[a] for a in range(k)))
        best = np.sort(gain[i, others])[::-1][:k] @ weight
        out.append(np.mean(orders) / best)
        chance.append(gain[i, others].mean() * weight.sum() / best)
    return np.mean(out), np.mean(chance)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 3, 5])
def test_individual_ndcg_equals_the_mean_over_all_orders_of_ties(seed, k):
    draw = np.random.default_rng(seed)
    features = ranking.oracle_rows(draw.normal(size=(7, 3)))
    values = draw.choice([0.2, 0.2, 0.5, 0.6, 0.9], size=7)
    found = ranking.ranking_agreement(values=values, features=features, k=k, cells=20)
    assert np.allclose((found.ndcg, found.chance), brute_ndcg(values, features, k))
    shuffle = draw.permutation(7)
    again = ranking.ranking_agreement(values=values[shuffle], features=features[shuffle], k=k)
    assert np.isclose(again.ndcg, found.ndcg)


def test_individual_ndcg_limits():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(60, 4))
    features = ranking.oracle_rows(x)
    constant = ranking.ranking_agreement(values=np.zeros(60), features=features)
    assert np.isclose(constant.ndcg, constant.chance)  # all tied is chance, not luck
    assert constant.lift == pytest.approx(0, abs=1e-12)
    random = [ranking.individual_ndcg(probability=draw.random(60), features=features) for _ in range(300)]
    assert abs(np.mean(random) - constant.chance) < 0.01
    line = ranking.oracle_rows(np.stack([np.cos(t := np.linspace(0, 1.5, 60)), np.sin(t)], axis=1), standardise=False)
    assert np.isclose(ranking.individual_ndcg(probability=t, features=line), 1)  # same order inside and out
    assert reason_of(ranking.individual_ndcg(probability=np.zeros(10), features=features[:10])) == (
        "asked for the first 10 of 9 others"
    )
    with pytest.raises(ValueError, match="whole number"):
        ranking.individual_ndcg(probability=np.zeros(60), features=features, k=0)
    sampled = ranking.ranking_agreement(values=x[:, 0], features=features, most=30)
    full = ranking.ranking_agreement(values=x[:, 0], features=features)
    assert sampled.judged == 30 and abs(sampled.ndcg - full.ndcg) < 4 * sampled.error


def test_oracle_features_leave_out_the_sensitive_column_and_the_scale():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(30, 4)) * [1, 10, 1e4, 1]
    rows = ranking.oracle_rows(x, sens_column=3)
    other = x.copy()
    other[:, 3] = draw.normal(size=30)
    other[:, 2] *= 7
    assert np.allclose(rows, ranking.oracle_rows(other, sens_column=3))
    sparse = ranking.oracle_rows(sp.csr_array(np.abs(x)))
    values = draw.random(30)
    dense = ranking.ranking_agreement(values=values, features=sparse.toarray())
    assert np.allclose(ranking.ranking_agreement(values=values, features=sparse), dense)


def test_one_logit_has_no_ranking_within_a_label():
    draw = np.random.default_rng(0)
    features = ranking.oracle_rows(draw.normal(size=(50, 4)))
    logits = draw.normal(size=50)
    shuffled = np.where(logits > 0, draw.permutation(np.abs(logits)), -draw.permutation(np.abs(logits)))
    found = ranking.ndcg_released(logits=logits, features=features)
    assert np.isclose(ranking.ndcg_released(logits=shuffled, features=features), found)


def test_memory_and_time_grow_with_edges_not_with_pairs():
    seconds, peaks = [], []
    for n in (20_000, 80_000):
        draw = np.random.default_rng(0)
        ends = draw.integers(n, size=(4 * n, 2))
        ones = np.ones(len(ends))
        a = sp.csr_array((ones, (ends[:, 0], ends[:, 1])), shape=(n, n))
        rows = ind.unit_rows(((a + a.T) > 0).astype(float) + sp.eye_array(n))
        p = draw.random(n)
        tracemalloc.start()
        begin = time.perf_counter()
        ind.lipschitz_bias(probability=p, rows=rows)
        disparity.gdif(probability=p, rows=rows, sens=draw.integers(2, size=n))
        seconds.append(time.perf_counter() - begin)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0] and peaks[1] < 400e6
    assert seconds[1] < 16 * seconds[0] + 1

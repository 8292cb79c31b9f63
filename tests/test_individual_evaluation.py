"""The individual task's measures are the registered metrics, on the nodes they are said to be about."""

from __future__ import annotations

import numpy as np
import pytest

from fairgl.metrics.individual import lipschitz_bias, unit_rows
from fairgl.metrics.individual_ranking import individual_ndcg, ndcg_released, ndcg_released_chance, oracle_rows
from fairgl.registry import METRICS
from fairgl.splits import node_split
from fairgl.tasks.individual import evaluate_individual
from fairgl.views import scale_features


@pytest.fixture(scope="module")
def german():
    from fairgl.datasets import load

    return load("german")


def test_values_are_those_of_the_registered_metrics(german):
    split, logits = node_split(german, 0), np.random.default_rng(0).normal(size=german.num_nodes)
    found = evaluate_individual(german, split, logits)
    p = 1 / (1 + np.exp(-logits))
    assert set(found["val"]) == {"ndcg_at_10", "ndcg_at_10_chance", "ndcg_at_10_lift"}
    assert all(name in METRICS for part in found.values() for name in part)
    rows = unit_rows(german.adjacency(loops=True))
    assert found["test"]["lipschitz_bias"] == pytest.approx(lipschitz_bias(probability=p, rows=rows))
    oracle = oracle_rows(german.x, german.sens_column)
    for part, index in (("val", split.val), ("test", split.test)):
        expected = individual_ndcg(probability=p[index], features=oracle[index])
        assert found[part]["ndcg_at_10"] == pytest.approx(expected)
    raw = oracle_rows(scale_features(german, "minmax11"), standardise=False)[split.test]
    assert found["test"]["ndcg_released"] == pytest.approx(ndcg_released(logits=logits[split.test], features=raw))
    assert found["test"]["ndcg_released_chance"] == pytest.approx(ndcg_released_chance(features=raw))
    assert 0.3 < found["test"]["ndcg_released_chance"] < 0.4  # the published values of german lie there


def test_numbers_of_similar_pairs_and_chance_levels_of_the_real_graphs(german):
    from fairgl.metrics.individual import similar_pairs

    assert similar_pairs(unit_rows(german.adjacency(loops=True))).sum() == 526_982
    raw = oracle_rows(german.x, standardise=False)[node_split(german, 0).test]
    assert ndcg_released_chance(features=raw) > 0.99  # on raw features a random list is all but perfect


def test_scaling_logits_moves_the_trace_and_not_the_relative_measure(german):
    split, logits = node_split(german, 0), np.random.default_rng(0).normal(size=german.num_nodes)
    full, half = (evaluate_individual(german, split, z)["test"] for z in (logits, logits / 2))
    assert half["lipschitz_trace_logits"] == pytest.approx(full["lipschitz_trace_logits"] / 4)
    assert half["lipschitz_bias"] < full["lipschitz_bias"]
    assert half["lipschitz_relative"] == pytest.approx(full["lipschitz_relative"], rel=0.05)
    assert half["ndcg_released"] == full["ndcg_released"]

"""Evaluation of link scores: calibration, the same list for every metric, order-free values, refusals, one record."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from fairgl.calibration import calibrate, platt
from fairgl.graph import Graph, canonical_edges
from fairgl.link_evaluation import evaluate_links, rankings
from fairgl.link_splits import Candidates, LinkSplit, link_split, target_distribution
from fairgl.methods.links import LinkScores
from fairgl.metrics.ranking import awrf, ndkl
from fairgl.rerank.moral import greedy_types


@pytest.fixture(scope="module")
def problem():
    generator = np.random.default_rng(0)
    edges, _ = canonical_edges(generator.integers(0, 300, (3000, 2)), 300)
    sens = (generator.random(300) < 0.3).astype(np.int64)
    graph = Graph("t", np.zeros((300, 1), np.float32), edges, None, sens, sens_labels=("a", "b"))
    split = link_split(graph, 0)
    # One encoder per type with a scale of its own: the raw order puts type 2 first.
    scale = np.array([1.0, 2.0, 10.0])

    def score(c):
        return scale[c.type] * (c.label * 1.0 + generator.normal(size=len(c)))

    return split, LinkScores(score(split.val), score(split.test)), target_distribution(split)


def test_platt_is_logistic_regression_and_undefined_fits_leave_scores():
    generator = np.random.default_rng(1)
    labels = generator.integers(0, 2, 4000)
    scores = 100 * (labels + generator.normal(size=4000)) - 7
    a, b = platt(scores, labels)
    reference = LogisticRegression(C=1e12).fit(scores[:, None], labels)
    assert a == pytest.approx(reference.coef_[0, 0], rel=0.01) and b == pytest.approx(reference.intercept_[0], rel=0.02)
    assert expit(a * scores + b).mean() == pytest.approx(labels.mean(), abs=1e-3)
    assert platt(scores, np.ones(4000)) == (1.0, 0.0)
    slope, intercept = platt(-scores, labels)
    assert slope == 0.0 and expit(intercept) == pytest.approx(labels.mean(), abs=1e-3)


def test_calibration_keeps_the_order_within_a_type(problem):
    split, scores, _ = problem
    out = calibrate(scores.val, split.val.label, split.val.type, scores.test, split.test.type)
    for t in range(3):
        mine = split.test.type == t
        assert np.array_equal(np.argsort(out[mine]), np.argsort(scores.test[mine]))


def test_values_of_the_lists(problem):
    split, scores, target = problem
    values = evaluate_links(scores, split, target, (50, 300))
    lists = rankings(scores, split, target, 300, ("none", "calibrated", "moral", "detconstsort"))
    for name, (places, _) in lists.items():
        listed = split.test.type[places]
        assert values[f"ndkl@300.{name}"] == pytest.approx(ndkl(types=listed, target=target))
        assert values[f"awrf@50.{name}"] == pytest.approx(awrf(types=listed, target=target, k=50))
        assert values[f"precision@300.{name}"] == split.test.label[places].mean()
        assert sum(values[f"share{t}@50.{name}"] for t in range(3)) == pytest.approx(1)
        assert values[f"ndcg@300.{name}"] <= values[f"ndcg_list@300.{name}"] + 1e-12
    sequence = greedy_types(target, 50)  # no pool runs dry within 50
    assert values["ndkl@50.moral"] == pytest.approx(ndkl(types=sequence, target=target))
    assert values["ndkl@300.calibrated"] < values["ndkl@300.none"]
    assert values["ndkl@300.moral"] < values["ndkl@300.detconstsort"]
    assert 0.5 < values["auc"] < 1 and "dp_ova@50.none" not in values


def test_order_of_candidates_changes_nothing(problem):
    split, scores, target = problem
    order = np.random.default_rng(2).permutation(len(split.test))
    c = split.test
    turned = LinkSplit(split.train, split.val, Candidates(c.pairs[order], c.label[order], c.type[order]), 300, 2)
    other = LinkScores(scores.val, scores.test[order])
    assert evaluate_links(other, turned, target, 100) == pytest.approx(evaluate_links(scores, split, target, 100))


def test_long_lists_are_undefined_and_void_scores_refused(problem):
    split, scores, target = problem
    values = evaluate_links(scores, split, target, 10**6)
    assert np.isnan(values["precision@1000000.moral"]) and "list has" in values["ndkl@1000000.moral"].reason
    with pytest.raises(ValueError, match="not finite"):
        evaluate_links(LinkScores(scores.val, np.where(split.test.label, np.nan, 0)), split, target, 10)


def test_more_than_two_groups_have_one_against_all():
    generator = np.random.default_rng(3)
    edges, _ = canonical_edges(generator.integers(0, 90, (900, 2)), 90)
    graph = Graph("t", np.zeros((90, 1), np.float32), edges, None, np.arange(90) % 3, sens_labels=("a", "b", "c"))
    split = link_split(graph, 0)
    scores = LinkScores(generator.normal(size=len(split.val)), generator.normal(size=len(split.test)))
    values = evaluate_links(scores, split, target_distribution(split), 100)
    assert 0 <= values["dp_ova@100.moral"] <= 1 and "share5@100.moral" in values


def test_one_record(tmp_path):
    from fairgl.runs import RunSpec, execute

    spec = RunSpec("try", "links", "german", "decoupled", config={"schedule": "fast", "epochs": 2})
    record = execute(spec)
    assert record.result["status"] == "ok", record.result["reason"]
    test = record.result["metrics"]["test"]
    assert test["ndkl@1000.moral"] == pytest.approx(0.0068, abs=5e-5) and test["auc"] > 0.5
    again = execute(spec)
    assert again.result == record.result
    wrong = execute(RunSpec("try", "links", "german", "decoupled"), device="cuda:99")  # T20
    assert wrong.result["status"] == "failed" and "cuda:99" in wrong.result["reason"]

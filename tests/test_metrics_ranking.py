"""Ranking metrics: values by hand, ties, scikit-learn, and the published link prediction lists."""

from __future__ import annotations

import csv
import itertools
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import ndcg_score

from fairgl.metrics.exposure import (
    dyadic_parity_difference,
    exposure_difference,
    exposure_ratio,
    mean_exposure,
    one_vs_all_parity_difference,
    pair_type_parity_difference,
)
from fairgl.metrics.ranking import awrf, ndkl
from fairgl.metrics.top_k import hits_at_k, ndcg_at_k, precision_at_k, rank_order
from fairgl.metrics.utility import auc, average_precision

HALVES = [0.5, 0.5]
SCORED = st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0.1, 0.5, 0.9])), min_size=2, max_size=20)


# Ties


@pytest.mark.parametrize("score, value", (
    ([1, 1, 1, 1, 1], 0.690979),
    ([1, 1, 1, 0.5, 0.5], 0.699812),
    ([0.1, 0.2, 0.3, 4, 70], 0.695694),
))
def test_ndcg_shares_ties(score, value):
    relevance = [10, 0, 0, 1, 5]
    assert ndcg_at_k(y=relevance, score=score) == pytest.approx(value, abs=1e-6)
    for order in itertools.permutations(range(5)):
        permuted = ndcg_at_k(y=np.take(relevance, order), score=np.take(score, order))
        assert permuted == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("y", ([1, 0, 0, 0], [0, 0, 0, 1]))
def test_equal_scores_do_not_depend_on_storage_order(y):
    score = [0.7] * 4
    assert ndcg_at_k(y=y, score=score) == pytest.approx(0.640402, abs=1e-6)
    assert precision_at_k(y=y, score=score, k=1) == precision_at_k(y=y, score=score, k=2) == 0.25
    assert (auc(y=y, score=score), average_precision(y=y, score=score)) == (0.5, 0.25)


def test_hits_are_pessimistic():
    y, score = [1] * 5 + [0] * 5, [0.8, 0.9, 0.4, 0.5, 0.3, 0.7, 0.45, 0.2, 0.1, 0.6]
    assert hits_at_k(y=y, score=score, k=3) == pytest.approx(0.6)
    assert hits_at_k(y=y, score=score, k=1) == pytest.approx(0.4)
    assert hits_at_k(y=[1, 1, 0, 0, 0], score=[0.5] * 5, k=1) == 0.0
    assert hits_at_k(y=[1, 0], score=[1, 0], k=2).reason == "asked for negative number 2, there are 1"
    assert hits_at_k(y=[0, 0], score=[1, 0], k=1).reason == "no positives"


def test_ideal_of_the_list_hides_what_is_missing():
    y = [1, 0, 1, 1, 1, 1]
    assert ndcg_at_k(y=y, k=2, ideal="list") == 1
    assert ndcg_at_k(y=y, k=2) == pytest.approx(1 / (1 + 1 / np.log2(3)))
    with pytest.raises(ValueError, match="candidates, list"):
        ndcg_at_k(y=y, ideal="best")


@pytest.mark.parametrize("ideal", ("candidates", "list"))
def test_ties_across_the_cut_are_open(ideal):
    y, score = np.array([1, 0, 1, 0, 0]), np.array([0.9, 0.5, 0.5, 0.5, 0.1])
    values = {round(float(ndcg_at_k(y=y[list(o)], score=score[list(o)], k=3, ideal=ideal)), 12)
              for o in itertools.permutations(range(5))}
    assert len(values) == 1


@settings(deadline=None, max_examples=50)
@given(SCORED, st.integers(1, 20))
def test_ndcg_equals_scikit_learn(rows, k):
    y, score = (np.array(column) for column in zip(*rows, strict=True))
    if k > len(y):
        assert ndcg_at_k(y=y, score=score, k=k).reason == f"asked for the first {k}, the list has {len(y)}"
    elif not y.any():
        assert ndcg_at_k(y=y, score=score, k=k).reason == "no relevant item"  # scikit-learn: 0
    else:
        assert ndcg_at_k(y=y, score=score, k=k) == pytest.approx(ndcg_score([y], [score], k=k))
        listed = ndcg_at_k(y=y, score=score, k=k, ideal="list")
        assert math.isnan(listed) or 0 <= listed <= 1 + 1e-12


def test_rank_order_states_its_rule_for_ties():
    assert rank_order(score=[0.1, 0.9, 0.9]).tolist() == [1, 2, 0]
    seen = {tuple(rank_order(score=[0.5, 0.5], rng=np.random.default_rng(seed)).tolist()) for seed in range(20)}
    assert seen == {(0, 1), (1, 0)}
    with pytest.raises(ValueError, match="1 of 2 are not a number"):
        rank_order(score=[np.nan, 1])
    assert precision_at_k(y=[1, 0], score=[np.nan, 1], k=1).reason == "a score is not a number"


# Make-up and exposure


@pytest.mark.parametrize("types, k, value", (
    ([0, 0, 1, 1], None, 0.452369),
    ([0, 1, 0, 1], None, 0.281645),
    ([1, 1, 0, 0], None, 0.452369),
    ([0, 0, 1, 1], 2, 0.693147),
))
def test_ndkl_by_hand(types, k, value):
    assert ndkl(types=types, target=HALVES, k=k) == pytest.approx(value, abs=1e-6)


def test_ndkl_is_in_nats():
    assert ndkl(types=[0, 0, 1, 1], target=HALVES) / math.log(2) == pytest.approx(0.652630, abs=1e-6)
    assert ndkl(types=[0, 0, 0], target=[1 / 3] * 3) == pytest.approx(math.log(3))


def test_exposure_by_hand():
    types = [0, 0, 1, 1]
    assert mean_exposure(types=types) == pytest.approx({0: 0.815465, 1: 0.465338}, abs=1e-6)
    assert exposure_difference(types=types) == pytest.approx(0.350127, abs=1e-6)
    assert exposure_difference(types=types).pair == (0, 1)
    assert exposure_ratio(types=types) == pytest.approx(0.570642, abs=1e-6)
    assert awrf(types=types, target=HALVES) == pytest.approx(0.273365, abs=1e-6)


def test_exposure_of_absent_groups():
    assert mean_exposure(types=[0, 0], groups=[0, 1])[1].reason == "nobody in group 1"
    assert "needs two groups" in exposure_difference(types=[0, 0], groups=[0, 1]).reason
    assert "needs two groups" in exposure_ratio(types=[0, 0]).reason
    assert exposure_ratio(types=[0, 1], k=1) == 0  # group 1 is a candidate and is not seen


@pytest.mark.parametrize("call", (
    lambda k: ndkl(types=[0, 1], target=HALVES, k=k),
    lambda k: awrf(types=[0, 1], target=HALVES, k=k),
    lambda k: precision_at_k(y=[0, 1], k=k),
    lambda k: ndcg_at_k(y=[0, 1], k=k),
    lambda k: hits_at_k(y=[0, 1], score=[0, 1], k=k),
    lambda k: mean_exposure(types=[0, 1], k=k),
    lambda k: dyadic_parity_difference(score=[0.1, 0.2], intra=[True, False], k=k),
))
def test_cut_off_below_one_is_an_error(call):
    for k in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="cut-off"):
            call(k)


def test_target_share_of_zero_is_not_smoothed_silently():
    with pytest.raises(ValueError, match=r"types \[1\] are in the list but have target share 0"):
        ndkl(types=[0, 1], target=[1.0, 0.0])
    assert ndkl(types=[0, 1], target=[1.0, 0.0], clamp=1e-12) > 5  # only when asked for
    assert ndkl(types=[0, 0], target=[1.0, 0.0]) == 0
    assert awrf(types=[1], target=[1.0, 0.0]) == 2
    for target in ([0.5, 0.6], [1.5, -0.5], [np.nan, 1]):
        with pytest.raises(ValueError, match="shares that sum to 1"):
            ndkl(types=[0, 1], target=target)
    with pytest.raises(ValueError, match="no target share"):
        awrf(types=[0, 2], target=HALVES)
    with pytest.raises(ValueError, match="whole number"):
        awrf(types=[0.5], target=HALVES)
    assert ndkl(types=[], target=HALVES).reason == "empty list"
    assert awrf(types=[0], target=HALVES, k=2).reason == "asked for the first 2, the list has 1"


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=30), st.permutations([0, 1, 2]))
def test_ranges_and_relabelling(types, names):
    target = np.array([0.2, 0.3, 0.5])
    renamed, moved = np.array(names)[types], np.empty(3)
    moved[names] = target
    assert ndkl(types=types, target=target) == pytest.approx(ndkl(types=renamed, target=moved))
    assert awrf(types=types, target=target) == pytest.approx(awrf(types=renamed, target=moved))
    assert ndkl(types=types, target=target) >= 0 and 0 <= awrf(types=types, target=target) <= 2
    assert exposure_difference(types=types) == pytest.approx(exposure_difference(types=renamed), nan_ok=True)
    # NDKL by its definition, prefix by prefix.
    weights = [1 / math.log2(k + 1) for k in range(1, len(types) + 1)]
    shares = [[types[:k].count(j) / k for j in range(3)] for k in range(1, len(types) + 1)]
    direct = sum(w * sum(q * math.log(q / p) for q, p in zip(share, target, strict=True) if q)
                 for w, share in zip(weights, shares, strict=True)) / sum(weights)
    assert ndkl(types=types, target=target) == pytest.approx(direct)


# Parity of scores


def test_dyadic_parity_by_hand():
    score, intra = [0.9, 0.8, 0.6, 0.1], [True, False, True, False]
    assert dyadic_parity_difference(score=score, intra=intra) == pytest.approx(0.75 - 0.45)
    assert dyadic_parity_difference(score=score, intra=intra, k=2) == pytest.approx(0.1)
    assert dyadic_parity_difference(score=score, intra=intra, k=1).reason.startswith("no inter-group pair")
    assert dyadic_parity_difference(score=[np.nan, 0.1], intra=[True, False]).reason == "a score is not a number"
    with pytest.raises(ValueError, match="sigmoid"):
        dyadic_parity_difference(score=[3.0, 0.1], intra=[True, False])


def test_one_against_all_extends_the_dyadic_value():
    score, ends = np.array([0.9, 0.8, 0.6, 0.1]), np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    two = one_vs_all_parity_difference(score=score, ends=ends, groups=[0, 1, 2])
    assert two == pytest.approx(dyadic_parity_difference(score=score, intra=ends[:, 0] == ends[:, 1]))
    three = np.array([[0, 0], [0, 1], [1, 2], [2, 2]])
    worst = one_vs_all_parity_difference(score=score, ends=three)
    # Against the rest, group 0: mean(.9, .6, .1) - .8; 1: mean(.9, .1) - mean(.8, .6); 2: mean(.9, .8, .1) - .6.
    assert worst == pytest.approx(0.8 - 1.6 / 3) and worst.pair == (0, "all others")
    assert "needs two groups" in one_vs_all_parity_difference(score=score, ends=np.zeros((4, 2), int)).reason


def test_pair_types_reveal_what_dyadic_parity_merges():
    score, types = [0.9, 0.1, 0.5, 0.5], np.array([0, 2, 1, 1])  # 0: 0-0, 1: 0-1, 2: 1-1
    assert dyadic_parity_difference(score=score, intra=types != 1) == pytest.approx(0)
    gap = pair_type_parity_difference(score=score, types=types)
    assert gap == pytest.approx(0.8) and gap.pair == (0, 2)


# Published lists


PREDICTIONS = os.environ.get("FAIRGL_PREDICTIONS", "")
PUBLISHED = Path(__file__).parents[1] / "data" / "published"


@pytest.mark.skipif(not Path(PREDICTIONS).is_file(), reason="FAIRGL_PREDICTIONS names no file of published predictions")
def test_published_link_prediction_lists():
    """Every stored list of the reproducibility study gives the recomputed values to at least six digits."""
    with open(PUBLISHED / "moral_reproduction_graph_stats.csv") as file:
        target = {row["dataset"].rsplit("_", 1)[0]: [float(row[f"global_{t}"]) / float(row["global_E"])
                                                     for t in ("00", "01", "11")] for row in csv.DictReader(file)}
    with open(PUBLISHED / "moral_reproduction_recomputed.csv") as file:
        rows = [row for row in csv.DictReader(file) if row["ordering"] in ("raw", "reranked")]
    stored = {"airtraffic": "garn", "pokec_n": "pokec-n", "pokec_z": "pokec-z"}
    lists = 0
    with np.load(PREDICTIONS) as data:
        for row in rows:
            stage = {"raw": "raw", "reranked": "ranked"}[row["ordering"]]
            name = stored.get(row["dataset"], row["dataset"])
            path = f"{name}/{row['method'].lower()}/{row['seed']}/{stage}/"
            if path + "score" not in data:
                continue
            score = data[path + "score"].astype(np.float64)
            if np.isnan(score).any():
                assert math.isnan(precision_at_k(y=np.zeros(len(score), int), score=score, k=1000))
                continue
            if stage == "raw":  # stored with positives first; ties keep that order, as the published code does
                order = rank_order(score=score)
                y, types, score = (order < len(order) // 2).astype(int), data[path + "group"][order], score[order]
            else:
                y, types = data[path + "label"], data[path + "slot4"]
            got = {
                "ndkl": ndkl(types=types, target=target[row["dataset"]], k=1000, clamp=1e-12),
                "awrf": awrf(types=types, target=target[row["dataset"]], k=1000),
                "precision": precision_at_k(y=y, k=1000),
                "ndcg": ndcg_at_k(y=y, k=1000, ideal="list"),
                "dp": dyadic_parity_difference(score=expit(score), intra=types != 1, k=1000),
            }
            assert got == pytest.approx({key: float(row[key]) for key in got}, abs=1e-6), path
            lists += 1
    assert lists > 100

"""Utility metrics: values by hand, properties, and scikit-learn where the definitions agree."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from fairgl.metrics import Gap, reason_of, undefined
from fairgl.metrics.per_group import by_group
from fairgl.metrics.utility import accuracy, auc, average_precision, balanced_accuracy, f1
from fairgl.registry import METRICS

# Few distinct scores, so that ties are common.
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from([0.1, 0.2, 0.5, 0.9, np.inf])),
                min_size=1, max_size=30)


def columns(rows):
    return (np.array(column) for column in zip(*rows, strict=True))


def test_auc_of_a_group_with_one_class_is_undefined():
    y, score, sens = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5], list("aabbb")
    assert auc(y=y, score=score) == pytest.approx(0.833333, abs=1e-6)
    groups = by_group(auc, y=y, score=score, sens=sens)
    assert groups["b"] == 0.5
    assert math.isnan(groups["a"]) and groups["a"].reason == "one class"


def test_f1_is_not_accuracy():
    y, pred = [1, 1, 0, 0, 0], [1, 0, 0, 0, 1]
    assert accuracy(y=y, pred=pred) == 0.6
    assert f1(y=y, pred=pred) == 0.5
    assert f1(y=y, pred=pred, average="macro") == pytest.approx(0.583333, abs=1e-6)
    assert f1(y=y, pred=pred, average="micro") == pytest.approx(0.6)
    with pytest.raises(ValueError, match="binary, macro, micro"):
        f1(y=y, pred=pred, average="weighted")


@pytest.mark.parametrize("y", ([1, 0, 0, 0], [0, 0, 0, 1]))
def test_equal_scores_carry_no_information(y):
    score = [0.3] * 4
    assert auc(y=y, score=score) == 0.5
    assert average_precision(y=y, score=score) == 0.25


def test_undefined_values_give_their_reason():
    assert accuracy(y=[], pred=[]).reason == "no rows"
    assert f1(y=[0, 0], pred=[0, 0]).reason == "no positives, neither true nor predicted"
    assert f1(y=[1, 0], pred=[0, 0]) == 0
    assert average_precision(y=[0, 0], score=[1, 2]).reason == "no positives"
    assert balanced_accuracy(y=[1, 1], pred=[1, 0]).reason == "one class"
    assert auc(y=[0, 1], score=[np.nan, 1]).reason == "a score is not a number"
    assert average_precision(y=[0, 1], score=[np.nan, 1]).reason == "a score is not a number"


def test_undefined_survives_copying_and_arithmetic():
    value = undefined("one class")
    assert pickle.loads(pickle.dumps(value)).reason == copy.deepcopy(value).reason == "one class"
    assert math.isnan(value + 1) and repr(value) == "undefined('one class')"
    assert reason_of(value) == "one class" and reason_of(float("nan")) == "not a number" and reason_of(0.0) == ""
    gap = pickle.loads(pickle.dumps(Gap(0.5, ("a", "b"))))
    assert gap == 0.5 and gap.pair == ("a", "b") and json.dumps(gap) == "0.5"


@pytest.mark.parametrize("call", (
    lambda: accuracy(y=[0, 1], pred=[1]),
    lambda: accuracy(y=[0, 2], pred=[1, 0]),
    lambda: accuracy(y=[0, -1], pred=[1, 0]),
    lambda: accuracy(y=[0, 1], pred=[0.5, 1]),
    lambda: auc(y=[0, 1], score=[0.5]),
    lambda: auc(y=[[0, 1]], score=[[0.5, 1]]),
))
def test_wrong_input_is_an_error(call):
    with pytest.raises(ValueError):
        call()


@settings(deadline=None, max_examples=50)
@given(ROWS)
def test_equals_scikit_learn(rows):
    y, pred, score = columns(rows)
    finite = np.minimum(score, 99)
    assert accuracy(y=y, pred=pred) == pytest.approx(sk.accuracy_score(y, pred))
    assert f1(y=y, pred=pred, average="macro") == pytest.approx(sk.f1_score(y, pred, average="macro"))
    assert f1(y=y, pred=pred, average="micro") == pytest.approx(accuracy(y=y, pred=pred))
    if y.any():
        assert f1(y=y, pred=pred) == pytest.approx(sk.f1_score(y, pred))
        assert average_precision(y=y, score=score) == pytest.approx(sk.average_precision_score(y, finite))
    if 0 < y.sum() < len(y):
        assert auc(y=y, score=score) == pytest.approx(sk.roc_auc_score(y, finite))
        assert balanced_accuracy(y=y, pred=pred) == pytest.approx(sk.balanced_accuracy_score(y, pred))
        assert balanced_accuracy(y=y, pred=pred) == pytest.approx(auc(y=y, score=pred))  # the AUC of labels


@settings(deadline=None, max_examples=50)
@given(ROWS, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    for (y, pred, score), (y2, pred2, score2) in [(columns(rows), columns(shuffled))]:
        for metric in (accuracy, f1, balanced_accuracy):
            assert metric(y=y, pred=pred) == pytest.approx(metric(y=y2, pred=pred2), nan_ok=True)
        for metric in (auc, average_precision):
            assert metric(y=y, score=score) == pytest.approx(metric(y=y2, score=score2), nan_ok=True)


@settings(deadline=None, max_examples=50)
@given(ROWS)
def test_auc_by_counting_pairs_and_reversal(rows):
    y, _, score = columns(rows)
    wins = [(p > n) + 0.5 * (p == n) for p in score[y == 1] for n in score[y == 0]]
    assert auc(y=y, score=score) == pytest.approx(np.mean(wins) if wins else np.nan, nan_ok=True)
    assert auc(y=1 - y, score=-score) == pytest.approx(auc(y=y, score=score), nan_ok=True)


def test_every_metric_describes_itself():
    for name, metric in METRICS.items():
        for attribute in ("symbol", "direction", "range", "unit", "zero", "task"):
            assert getattr(metric, attribute, None), f"{name} lacks {attribute}"
        assert metric.direction in ("lower", "higher"), name
        assert metric.__doc__, name

"""Statistics over runs: counts of valid values, intervals, tests by hand and by SciPy, ranks, Pareto front."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as sp

from fairgl.metrics import undefined
from fairgl.stats import (
    average_ranks,
    bootstrap_interval,
    friedman_test,
    holm,
    mean,
    nemenyi_critical_difference,
    pareto_front,
    permutation_test,
    spearman,
    std,
    summarise,
    valid_values,
    wilcoxon_test,
    win_tie_loss,
)

FLOATS = st.floats(-100, 100).map(lambda value: round(value, 3))


def test_undefined_values_are_counted_not_dropped():
    summary = summarise([0.1, undefined("one class"), 0.3, None, undefined("one class")])
    assert summary.mean == pytest.approx(0.2) and summary.counts == "2 valid of 5"
    assert summary.reason == "one class (2); not a number (1)"
    nothing = summarise([undefined("one class")] * 3)
    assert math.isnan(nothing.mean) and math.isnan(nothing.low) and nothing.counts == "0 valid of 3"
    assert summarise([]).counts == "0 valid of 0"
    assert valid_values([1, float("inf"), None]).tolist() == [1]


def test_spread_of_three_runs_depends_on_the_divisor():
    runs = [1.0, 2.0, 3.0]
    assert std(runs) == 1 and std(runs, ddof=0) == pytest.approx(math.sqrt(2 / 3))
    assert math.isnan(std([1.0])) and std([1.0], ddof=0) == 0 and math.isnan(mean([]))


def test_bootstrap_interval():
    runs = np.random.default_rng(1).normal(size=40)
    low, high = bootstrap_interval(runs)
    assert low < runs.mean() < high and (low, high) == bootstrap_interval(runs)
    assert bootstrap_interval(runs, seed=1) != (low, high)
    narrow = bootstrap_interval(runs, level=0.5)
    assert low < narrow[0] < narrow[1] < high
    reference = sp.bootstrap((runs,), np.mean, n_resamples=20_000, method="percentile", rng=0).confidence_interval
    assert bootstrap_interval(runs, resamples=20_000) == pytest.approx(tuple(reference), abs=0.02)
    assert bootstrap_interval([2.0, 2.0]) == (2, 2) and math.isnan(bootstrap_interval([2.0])[0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        bootstrap_interval(runs, level=95)


def test_bootstrap_interval_covers():
    rng = np.random.default_rng(0)
    hits = 0
    for seed in range(200):
        low, high = bootstrap_interval(rng.normal(size=20), resamples=400, seed=seed)
        hits += low <= 0 <= high
    assert 0.87 <= hits / 200 <= 0.98


def test_sign_flips_by_hand():
    result = permutation_test([1, 2, 3], [0, 0, 0])
    assert (result.p, result.statistic, result.pairs) == (0.25, 2, 3)  # 2 of 8 patterns are as extreme
    many = permutation_test(np.arange(30) + 0.1, np.arange(30), resamples=999)
    assert many.p == 1 / 1000  # the observed pattern counts, so p is never 0
    assert permutation_test([1, 1], [1, 1]).p == 1
    assert permutation_test([np.nan, 1], [1, np.nan]).reason == "no valid pairs"


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=2, max_size=8))
def test_exact_sign_flips_are_symmetric_and_equal_scipy(pairs):
    a, b = np.array(pairs).T
    p = permutation_test(a, b).p
    assert 0 < p <= 1 and p == permutation_test(b, a).p
    flips = [abs(np.dot(signs, a - b)) for signs in itertools.product((1, -1), repeat=len(a))]
    assert p == pytest.approx(np.mean(np.array(flips) >= abs((a - b).sum()) - 1e-9), abs=1 / len(flips) + 1e-9)


def test_wilcoxon():
    a, b = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0], [0.5, 1.0, 1.5, 2.0, 2.5, 9.9]
    assert wilcoxon_test(a, b).p == pytest.approx(sp.wilcoxon(a, b).pvalue)
    assert wilcoxon_test([1, 2, 3, 4, 5], [0, 0, 0, 0, 0]).p == 0.0625  # 2 of 32, the smallest five runs can give
    assert wilcoxon_test([1, 2], [1, 2]).p == 1
    assert wilcoxon_test([1, np.nan, 3], [0, 1, 1]).pairs == 2
    assert wilcoxon_test([], []).reason == "no valid pairs"
    with pytest.raises(ValueError, match="paired by position"):
        wilcoxon_test([1, 2], [1])


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, np.nan, 0.02]) == pytest.approx([0.02, np.nan, 0.02], nan_ok=True)
    assert holm([0.9, 0.8]).tolist() == [1, 1] and holm([]).tolist() == []


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_keeps_order_and_never_lowers(p_values):
    adjusted = holm(p_values)
    assert (adjusted >= np.array(p_values) - 1e-12).all() and (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= 0).all()


def test_wins_ties_losses():
    assert win_tie_loss([1, 2, 3, np.nan], [1, 1, 4, 1], direction="higher") == (1, 1, 1)
    assert win_tie_loss([1, 2, 3], [1, 1, 4], direction="lower", tie=1) == (0, 3, 0)
    with pytest.raises(ValueError, match="lower or higher"):
        win_tie_loss([1], [1], direction="up")


def test_average_ranks_share_ties_and_say_how_many_rows():
    ranks, rows = average_ranks([[0.1, 0.1, 0.3], [0.3, 0.2, 0.1], [np.nan, 1, 2]], direction="lower")
    assert ranks.tolist() == [2.25, 1.75, 2.0] and rows == 2
    assert average_ranks([[1, 2, 3]], direction="higher")[0].tolist() == [3, 2, 1]
    assert average_ranks([[np.nan, 1]], direction="lower")[1] == 0


def test_friedman_and_critical_difference():
    table = np.random.default_rng(0).random((10, 4)) + np.arange(4) * 0.3
    assert friedman_test(table).p == pytest.approx(sp.friedmanchisquare(*table.T).pvalue)
    assert friedman_test(np.ones((5, 3))).p == 1
    assert friedman_test([[1, 2]]).reason == "needs two complete rows and three methods"
    # Demsar (2006): four classifiers on fourteen data sets, and the table of q values.
    assert nemenyi_critical_difference(methods=4, rows=14) == pytest.approx(1.25, abs=0.01)
    for methods, q in ((2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)):
        unit = np.sqrt(methods * (methods + 1) / 6)
        assert nemenyi_critical_difference(methods=methods, rows=1) / unit == pytest.approx(q, abs=0.001)


def test_spearman():
    x, y = np.arange(20), np.random.default_rng(0).normal(size=20) + np.arange(20) * 0.1
    result = spearman(x, y)
    assert result.value == pytest.approx(sp.spearmanr(x, y).statistic) and result.low < result.value < result.high
    assert spearman([1, 2, 3, 4], [2, 4, 6, 9]).value == pytest.approx(1)
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3]).value)
    assert spearman([1, 2, np.nan], [1, 2, 3]).pairs == 2 and math.isnan(spearman([1, 2, 3], [1, 3, 2]).low)


def test_pareto_front():
    points = [[0.9, 0.1], [0.8, 0.2], [0.9, 0.1], [0.95, 0.3], [np.nan, 0.0]]
    assert pareto_front(points, directions=["higher", "lower"]).tolist() == [True, False, True, True, False]
    with pytest.raises(ValueError, match="lower or higher"):
        pareto_front(points, directions=["max", "min"])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=15))
def test_every_point_is_on_the_front_or_beaten_by_it(points):
    points = np.array(points)
    front = pareto_front(points, directions=["lower", "lower"])
    assert front.any()
    for point, on_front in zip(points, front, strict=True):
        beaten = ((points[front] <= point).all(axis=1) & (points[front] < point).any(axis=1)).any()
        assert beaten != on_front

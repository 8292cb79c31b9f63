"""Group metrics: values by hand, properties, fairlearn where the definitions agree and where they do not."""

from __future__ import annotations

import math

import fairlearn.metrics as fl
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairgl.metrics import MissingSensitive
from fairgl.metrics.group import (
    auc_difference,
    equal_opportunity_difference,
    equalized_odds_difference,
    false_positive_rate_difference,
    statistical_parity_difference,
    statistical_parity_ratio,
    utility_difference,
)
from fairgl.metrics.per_group import by_group, per_group
from fairgl.metrics.utility import accuracy

Y, PRED, SENS = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 1, 0], list("AAABBB")
GAPS = {
    statistical_parity_difference: ("pred",),
    equal_opportunity_difference: ("y", "pred"),
    false_positive_rate_difference: ("y", "pred"),
    equalized_odds_difference: ("y", "pred"),
    utility_difference: ("y", "pred"),
}
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from("abc")), min_size=1, max_size=40)


def columns(rows):
    y, pred, sens = (np.array(column) for column in zip(*rows, strict=True))
    return {"y": y, "pred": pred}, sens


def test_group_without_positives():
    assert statistical_parity_difference(pred=PRED, sens=SENS) == pytest.approx(0.333333, abs=1e-6)
    gap = equal_opportunity_difference(y=Y, pred=PRED, sens=SENS)
    assert math.isnan(gap) and gap.reason == "no positives in group B"
    rates = false_positive_rate_difference(y=Y, pred=PRED, sens=SENS)
    assert rates == pytest.approx(0.666667, abs=1e-6) and rates.pair == ("A", "B")
    assert equalized_odds_difference(y=Y, pred=PRED, sens=SENS).reason == "no positives in group B"
    table = per_group(y=Y, pred=PRED, sens=SENS)
    assert table.loc["A", "true_positive_rate"] == 0.5 and math.isnan(table.loc["B", "true_positive_rate"])
    assert table.loc["B", "undefined"] == "no positives in group B"


def test_fairlearn_takes_the_missing_rate_as_zero():
    # Documented disagreement: a group without positives has no true positive rate, so there is no gap to report.
    assert fl.equal_opportunity_difference(Y, PRED, sensitive_features=SENS) == 0.5
    assert math.isnan(equal_opportunity_difference(y=Y, pred=PRED, sens=SENS))


@pytest.mark.parametrize("metric", GAPS)
def test_one_group_has_no_gap(metric):
    arrays = {name: {"y": Y, "pred": PRED}[name] for name in GAPS[metric]}
    assert "needs two groups" in metric(**arrays, sens=["A"] * 6).reason
    assert "needs two groups" in metric(**arrays, sens=["A"] * 6, groups=["A", "B"]).reason
    assert "needs two groups" in statistical_parity_ratio(pred=PRED, sens=["A"] * 6).reason
    # fairlearn: no difference, and a perfect ratio.
    assert fl.demographic_parity_difference(Y, PRED, sensitive_features=["A"] * 6) == 0.0
    assert fl.demographic_parity_ratio(Y, PRED, sensitive_features=["A"] * 6) == 1.0


def test_declared_group_nobody_belongs_to():
    gap = statistical_parity_difference(pred=PRED, sens=SENS, groups="ABC")
    assert gap == pytest.approx(1 / 3) and gap.pair == ("A", "B")
    table = per_group(y=Y, pred=PRED, sens=SENS, groups="ABC", labels=["Ann", "Bob", "Cid"])
    assert list(table.index) == ["Ann", "Bob", "Cid"] and table["count"].tolist() == [3, 3, 0]
    assert table.loc["Cid", "undefined"] == "nobody in group C"
    assert table.attrs["worst_pairs"]["selection_rate"].pair == ("Ann", "Bob")
    with pytest.raises(ValueError, match="not among the declared"):
        statistical_parity_difference(pred=PRED, sens=SENS, groups="AC")


@pytest.mark.parametrize("missing", (None, float("nan")))
@pytest.mark.parametrize("kind", (list, lambda v: np.array(v, dtype=object), pd.Series))
def test_missing_sensitive_value_is_one_error(missing, kind):
    values = [1, 0, 1, 0, 1]
    for call in (
        lambda sens: statistical_parity_difference(pred=values, sens=sens),
        lambda sens: equal_opportunity_difference(y=values, pred=values, sens=sens),
        lambda sens: per_group(y=values, pred=values, sens=sens),
        lambda sens: by_group(accuracy, y=values, pred=values, sens=sens),
    ):
        with pytest.raises(MissingSensitive, match=r"^sens: 1 of 5 rows have no sensitive value"):
            call(kind(["a", "a", "b", "b", missing]))
    with pytest.raises(MissingSensitive, match="^gender: 1 of 5"):
        statistical_parity_difference(pred=values, sens=pd.Series(["a", "a", "b", "b", missing], name="gender"))


def test_difference_and_ratio_from_counts():
    sens = ["U"] * 157 + ["P"] * 577
    pred = [1] * 120 + [0] * 37 + [1] * 80 + [0] * 497
    table = per_group(y=pred, pred=pred, sens=sens)
    assert table["selection_rate"].to_dict() == pytest.approx({"U": 0.764331, "P": 0.138648}, abs=1e-6)
    assert statistical_parity_difference(pred=pred, sens=sens) == pytest.approx(0.625683, abs=1e-6)
    assert statistical_parity_ratio(pred=pred, sens=sens) == pytest.approx(0.181398, abs=1e-6)
    assert statistical_parity_ratio(pred=pred, sens=sens).pair == ("P", "U")
    assert statistical_parity_ratio(pred=pred, sens=sens, pair=("U", "P")) == pytest.approx(5.512739, abs=1e-6)


def test_ratio_of_rates_that_are_zero():
    nobody = {"pred": [0, 0, 0, 0], "sens": list("aabb")}
    assert statistical_parity_difference(**nobody) == 0
    assert statistical_parity_ratio(**nobody).reason.startswith("nobody selected")
    one = {"pred": [0, 0, 1, 0], "sens": list("aabb")}
    assert statistical_parity_difference(**one) == 0.5 and statistical_parity_ratio(**one) == 0


def test_worst_pair_of_three_groups_is_named():
    pred, sens = [1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 2, 2]
    gap = statistical_parity_difference(pred=pred, sens=np.array(sens), groups=range(3))
    assert gap == 1 and gap.pair == (0, 2)


def test_utility_difference_of_other_utilities():
    y, score, sens = [1, 0, 1, 0], [0.9, 0.1, 0.2, 0.8], list("aabb")
    pred = [1, 0, 0, 1]
    assert utility_difference(y=y, pred=pred, sens=sens) == 1
    assert auc_difference(y=y, score=score, sens=sens) == 1
    assert utility_difference(y=y, score=score, sens=sens, utility="auc").pair == ("a", "b")
    assert auc_difference(y=[1, 1, 1, 0], score=score, sens=sens).reason == "one class"
    with pytest.raises(ValueError, match="needs score="):
        utility_difference(y=y, pred=pred, sens=sens, utility="auc")
    with pytest.raises(ValueError, match="accuracy, f1"):
        utility_difference(y=y, pred=pred, sens=sens, utility="loss")


@settings(deadline=None, max_examples=30)
@given(ROWS)
def test_equals_fairlearn_where_every_rate_exists(rows):
    arrays, sens = columns(rows)
    assume(len(set(sens)) > 1)
    assert statistical_parity_difference(pred=arrays["pred"], sens=sens) == pytest.approx(
        fl.demographic_parity_difference(arrays["y"], arrays["pred"], sensitive_features=sens))
    if arrays["pred"].any():
        assert statistical_parity_ratio(pred=arrays["pred"], sens=sens) == pytest.approx(
            fl.demographic_parity_ratio(arrays["y"], arrays["pred"], sensitive_features=sens))
    if all(0 < arrays["y"][sens == g].sum() < (sens == g).sum() for g in set(sens)):
        for ours, theirs in ((equal_opportunity_difference, fl.equal_opportunity_difference),
                             (equalized_odds_difference, fl.equalized_odds_difference)):
            assert ours(**arrays, sens=sens) == pytest.approx(
                theirs(arrays["y"], arrays["pred"], sensitive_features=sens))


@settings(deadline=None, max_examples=30)
@given(ROWS, st.permutations(["x", "y", "z"]), st.randoms(use_true_random=False))
def test_range_relabelling_and_row_order(rows, names, random):
    arrays, sens = columns(rows)
    renamed = np.array([dict(zip("abc", names, strict=True))[value] for value in sens])
    order = np.array(random.sample(range(len(rows)), len(rows)))
    for metric, needs in GAPS.items():
        value = metric(**{name: arrays[name] for name in needs}, sens=sens)
        assert math.isnan(value) or 0 <= value <= 1
        assert metric(**{name: arrays[name] for name in needs}, sens=renamed) == pytest.approx(value, nan_ok=True)
        shuffled = {name: arrays[name][order] for name in needs}
        assert metric(**shuffled, sens=sens[order]) == pytest.approx(value, nan_ok=True)


@settings(deadline=None, max_examples=30)
@given(ROWS)
def test_parity_is_symmetric_under_swapping_the_outcome(rows):
    arrays, sens = columns(rows)
    flipped = {name: 1 - array for name, array in arrays.items()}
    for metric in (equalized_odds_difference, utility_difference):
        assert metric(**flipped, sens=sens) == pytest.approx(metric(**arrays, sens=sens), nan_ok=True)
    assert equal_opportunity_difference(**flipped, sens=sens) == pytest.approx(
        false_positive_rate_difference(**arrays, sens=sens), nan_ok=True)
    assert per_group(**arrays, sens=sens)["count"].sum() == len(sens)

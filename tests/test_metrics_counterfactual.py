"""Counterfactual metrics: values worked out by hand, an independent reference, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from fairgl.metrics import reason_of
from fairgl.metrics.counterfactual import (
    delta_cf,
    flip_rate,
    neighbour_r2,
    neighbour_r2_unfitted,
    neighbourhood_share,
)
from fairgl.registry import METRICS


def test_flip_rate_counts_changed_labels():
    assert flip_rate(pred=[1, 0, 1, 0], other=[1, 1, 0, 0]) == 0.5
    assert flip_rate(pred=[1, 0], other=[1, 0]) == 0.0
    assert "no nodes" in reason_of(flip_rate(pred=[], other=[]))
    with pytest.raises(ValueError, match="other: expected 2 values"):
        flip_rate(pred=[1, 0], other=[1])


def test_delta_is_the_plain_mean_over_levels():
    others = {0.0: [1, 1, 1, 1], 0.5: [1, 0, 0, 0], 1.0: [0, 0, 0, 0]}
    assert delta_cf(pred=[1, 1, 0, 0], others=others) == pytest.approx((0.5 + 0.25 + 0.5) / 3)
    assert "no counterfactual" in reason_of(delta_cf(pred=[1], others={}))


def test_each_variant_has_a_name_of_its_own_and_the_same_arithmetic():
    for variant in ("shipped", "as_coded", "structural", "rebuilt", "labels"):
        assert METRICS[f"delta_cf_{variant}"](pred=[1, 0], others={0: [0, 0], 1: [1, 0]}) == 0.25


def test_share_of_the_closed_neighbourhood_on_a_path():
    """Path a - b - c - d with s = 1, 0, 0, 1, and a loner with s = 1."""
    share = neighbourhood_share(edges=[(0, 1), (1, 2), (2, 3)], sens=[1, 0, 0, 1, 1])
    np.testing.assert_allclose(share, [1 / 2, 1 / 3, 1 / 3, 1 / 2, 1])


def test_r2_by_hand():
    share, pred = [0.0, 0.5, 0.5, 1.0], [0, 0, 1, 1]
    # Around the means: u = -.5 0 0 .5, p = -.5 -.5 .5 .5; u'p = .5, u'u = .5, p'p = 1.
    assert neighbour_r2(pred=pred, share=share) == pytest.approx(0.25 / 0.5)
    # Without a fit: squares (0 + .25 + .25 + 0) over .5.
    assert neighbour_r2_unfitted(pred=pred, share=share) == pytest.approx(1 - 0.5 / 0.5)
    assert neighbour_r2(pred=[0, 1], share=[0.0, 1.0]) == neighbour_r2_unfitted(pred=[0, 1], share=[0.0, 1.0]) == 1.0


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8)), min_size=2, max_size=30))
def test_r2_agrees_with_least_squares_of_scikit_learn(rows):
    pred, share = np.array([r[0] for r in rows]), np.array([r[1] for r in rows]) / 8
    ours = neighbour_r2(pred=pred, share=share)
    if np.ptp(pred) == 0 or np.ptp(share) == 0:
        assert "equal" in reason_of(ours)
        return
    line = LinearRegression().fit(share[:, None], pred)
    assert ours == pytest.approx(r2_score(pred, line.predict(share[:, None])), abs=1e-9)
    assert neighbour_r2_unfitted(pred=pred, share=share) == pytest.approx(r2_score(share, pred))
    assert ours == pytest.approx(neighbour_r2(pred=1 - pred, share=1 - share))  # naming the groups is arbitrary


def test_constants_are_undefined_with_a_reason():
    assert reason_of(neighbour_r2(pred=[1, 1], share=[0.0, 1.0])) == "all predictions are equal"
    assert reason_of(neighbour_r2(pred=[0, 1], share=[0.5, 0.5])) == "all neighbourhood shares are equal"
    assert reason_of(neighbour_r2_unfitted(pred=[0, 1], share=[0.5, 0.5])) == "all neighbourhood shares are equal"
    assert neighbour_r2_unfitted(pred=[1, 1], share=[0.0, 1.0]) == pytest.approx(-1.0)

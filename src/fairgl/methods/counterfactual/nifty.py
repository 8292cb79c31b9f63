"""NIFTY under counterfactual evaluation: the method of :mod:`fairgl.methods.nodes.nifty`, unchanged.

Its views flip every sensitive value and leave all else as it is, which is the ``shipped`` variant of a counterfactual.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairgl.methods.nodes.nifty import NIFTY
from fairgl.registry import COUNTERFACTUAL_METHODS


@COUNTERFACTUAL_METHODS.register("nifty")
@dataclass(frozen=True)
class CounterfactualNIFTY(NIFTY):
    """Agreement between a perturbed view and one with inverted sensitive values."""

    dataset_settings = {"gear-synthetic": {"scale": "none"}, "gear-dial": {"scale": "none"}}

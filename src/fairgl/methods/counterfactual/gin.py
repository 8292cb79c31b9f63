"""GIN (Xu et al., 2019) under counterfactual evaluation: sum aggregation, trained by cross-entropy alone."""

from __future__ import annotations

from dataclasses import dataclass

from fairgl.methods.nodes.gcn import Supervised
from fairgl.registry import COUNTERFACTUAL_METHODS, hp


@COUNTERFACTUAL_METHODS.register("gin")
@dataclass(frozen=True)
class CounterfactualGIN(Supervised):
    """One isomorphism layer, a two-layer network on the sum over the closed neighbourhood."""

    label = "GIN"
    reference = "xu2019gin"
    encoder = "gin"
    layers: int = hp(1, "NIFTY and GEAR authors' encoder")
    dataset_settings = {"gear-synthetic": {"scale": "none"}, "gear-dial": {"scale": "none"}}

"""GraphSAGE (Hamilton et al., 2017) under counterfactual evaluation: mean aggregation, cross-entropy alone."""

from __future__ import annotations

from dataclasses import dataclass

from fairgl.methods.nodes.gcn import Supervised
from fairgl.registry import COUNTERFACTUAL_METHODS


@COUNTERFACTUAL_METHODS.register("sage")
@dataclass(frozen=True)
class CounterfactualSAGE(Supervised):
    """Two mean-aggregator layers, each node's own features apart from its neighbours' mean."""

    label = "GraphSAGE"
    reference = "hamilton2017sage"
    encoder = "sage"
    dataset_settings = {"gear-synthetic": {"scale": "none"}, "gear-dial": {"scale": "none"}}

"""GCN under counterfactual evaluation: the node classifier of :mod:`fairgl.methods.nodes.gcn`, unchanged."""

from __future__ import annotations

from dataclasses import dataclass

from fairgl.methods.nodes.gcn import GCN
from fairgl.registry import COUNTERFACTUAL_METHODS


@COUNTERFACTUAL_METHODS.register("gcn")
@dataclass(frozen=True)
class CounterfactualGCN(GCN):
    """Two graph convolutions; nothing in its training looks at counterfactual graphs."""

    dataset_settings = {"gear-synthetic": {"scale": "none"}, "gear-dial": {"scale": "none"}}

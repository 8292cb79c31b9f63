"""Studies that run one data set in many variants: the same runs for every set of loader parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from fairgl.runs import RunSpec
from fairgl.studies import Study


@dataclass(frozen=True)
class VariantStudy(Study):
    """A study over loader parameters.

    Attributes:
        variants: Data set to its sets of loader parameters, in the order in which they run.
    """

    variants: Mapping[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)

    def specs(
        self,
        datasets: Iterable[str] | None = None,
        methods: Iterable[str] | None = None,
        seeds: int | None = None,
        stage: str = "final",
        frame: pd.DataFrame | None = None,
    ) -> list[RunSpec]:
        """The runs, each in every variant of its data set; seed by seed as in :meth:`Study.specs`.

        Within a seed they come in the order of their keys, so that an interrupted sweep is spread over the variants.
        """
        base = super().specs(datasets, methods, seeds, stage, frame)
        every = [replace(spec, dataset_config=dict(v)) for spec in base for v in self.variants.get(spec.dataset, ({},))]
        return sorted(every, key=lambda spec: (spec.seed, spec.key))

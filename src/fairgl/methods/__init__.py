"""What a method is: a frozen dataclass of hyperparameters with ``fit``, returning scores and never evaluating itself.

One file per method in ``nodes``, ``links`` and ``counterfactual``. A method sees the labels of its training and
validation nodes only: :mod:`fairgl.runs` hides the others before ``fit`` is called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from fairgl.graph import Graph
    from fairgl.splits import NodeSplit

FAMILIES = ("baseline", "pre-processing", "in-processing", "post-processing")
NOTIONS = ("none", "group", "individual", "counterfactual")


@dataclass(frozen=True)
class Scores:
    """What a node method returns.

    Attributes:
        logits: [N] float64 log-odds of class 1 for every node; the predicted label is ``logits > 0`` and the
            probability ``1 / (1 + exp(-logits))``.
        epoch: Selected epoch, if the method trains by epochs.
        val_loss: Value of the selection criterion on the validation nodes at that epoch (lower is better).
        diagnostics: Small JSON-able facts about the fit.
        predict: Scores of the fitted model on another graph with the same nodes and columns, for perturbation studies.
        embedding: [N, H] representation, where a metric needs it.
    """

    logits: np.ndarray
    epoch: int | None = None
    val_loss: float | None = None
    diagnostics: dict[str, Any] = field(default_factory=dict)
    predict: Callable[[Graph], np.ndarray] | None = None
    embedding: np.ndarray | None = None


@dataclass(frozen=True)
class Method:
    """Hyperparameters as fields, each made by :func:`fairgl.registry.hp`, and facts about the method beside them."""

    label: ClassVar[str] = ""  # as printed in tables
    family: ClassVar[str] = "baseline"  # one of FAMILIES
    notion: ClassVar[str] = "none"  # one of NOTIONS
    reference: ClassVar[str] = ""  # key in book/references.bib
    name: ClassVar[str] = ""
    dataset_settings: ClassVar[dict[str, dict[str, Any]]] = {}  # the authors' values per data set, where they differ

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Every hyperparameter with its default."""
        return dataclasses.asdict(cls())

    @classmethod
    def sources(cls) -> dict[str, str]:
        """Every hyperparameter with the source of its default."""
        return {f.name: f.metadata.get("source", "") for f in dataclasses.fields(cls)}

    @classmethod
    def search_space(cls) -> dict[str, tuple]:
        """The hyperparameters that the grid search tunes, with their values."""
        return {f.name: f.metadata["search"] for f in dataclasses.fields(cls) if f.metadata.get("search")}

    @classmethod
    def configure(cls, overrides: dict[str, Any]) -> Method:
        """An instance with some defaults replaced.

        Raises:
            ValueError: A key that is no hyperparameter of the method; the message lists the valid ones.
            TypeError: A value whose type does not fit the default's.
        """
        valid = cls.defaults()
        for key, value in overrides.items():
            if key not in valid:
                raise ValueError(f"{cls.__name__} has no hyperparameter {key!r}. Valid: {', '.join(sorted(valid))}")
            default = valid[key]
            number = isinstance(default, int | float) and not isinstance(default, bool)
            fits = (
                default is None
                or value is None
                or (number and isinstance(value, int | float) and not isinstance(value, bool))
                or isinstance(value, type(default))
            )
            if not fits or (isinstance(default, int) and number and isinstance(value, float) and value != int(value)):
                raise TypeError(f"{cls.__name__}.{key} takes {type(default).__name__}, not {value!r}")
        return cls(**overrides)

    def skip(self, graph: Graph) -> str | None:
        """Why this graph cannot be used, or ``None`` if it can."""
        return None


@dataclass(frozen=True)
class NodeMethod(Method):
    """A method that scores the nodes of a graph with a binary label."""

    def fit(self, graph: Graph, split: NodeSplit, seed: int, device: str = "cpu") -> Scores:
        """Train on ``split.train``, select on ``split.val``, score every node."""
        raise NotImplementedError


def require_binary_groups(graph: Graph) -> str | None:
    """The common reason to skip: the published method is defined for two groups only."""
    return None if graph.num_groups == 2 else f"defined for two groups; {graph.sens_name} has {graph.num_groups}"

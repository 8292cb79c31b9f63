"""The check below a chapter's parameters cell, inside the kernel.

``papermill`` used directly lets a misspelt name through with a warning, and where the ``parameters`` tag is missing it
injects the values above the defaults, which then overwrite them. Both end in a run that looks right and is not. The
sources of the cells run so far, which IPython keeps in ``In``, show both cases.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairgl.parameters import TAG, ParameterError, declares, model_of, validate
from fairgl.registry import (
    COUNTERFACTUAL_METHODS,
    DATASETS,
    LINK_METHODS,
    METRICS,
    NODE_METHODS,
    RERANKERS,
    Registry,
    UnknownName,
)

INJECTED = "# Parameters"  # the first line of the cell that papermill injects
METHODS = (NODE_METHODS, LINK_METHODS, COUNTERFACTUAL_METHODS)
CHOICES: dict[str, Any] = {"dataset": DATASETS, "method": METHODS, "metric": METRICS, "reranker": RERANKERS}
CHOICES |= {f"{name}s": registry for name, registry in CHOICES.items()}


def check_parameters(
    namespace: dict[str, Any], *, choices: Mapping[str, Any] | None = None, cells: list[str] | None = None
) -> dict[str, Any]:
    """The first line below a chapter's parameters cell: ``check_parameters(globals())``.

    Args:
        namespace: The notebook's ``globals()``. Checked values are written back, so that a list given as text, which
            is all that ``papermill -p`` can do, is a list from here on.
        choices: Valid values by parameter name, added to :data:`CHOICES`: a registry, or names, or several of both.
        cells: Sources of the cells run so far; default ``namespace["In"]``.

    Returns:
        The effective parameters by name.

    Raises:
        ParameterError: An unknown name, a wrong type, an empty list, an unknown data set, method, metric or reranker,
            or values injected where the notebook overwrites them. The message lists what is valid.
    """
    cells = list(namespace.get("In", [])) if cells is None else cells
    own = [index for index, source in enumerate(cells) if not source.startswith(INJECTED)]
    declared = [index for index in own if declares(cells[index])]
    declared = declared or [index for index in own if declares(cells[index], annotated=False)]
    if not declared:
        raise ParameterError(f"no cell of `name: type = literal` lines, tagged {TAG!r}, was run before this check")
    model = model_of(cells[declared[-1]])
    injected = {index: _assigned(source) for index, source in enumerate(cells) if source.startswith(INJECTED)}
    values = {name: value for given in injected.values() for name, value in given.items()}
    values |= {name: namespace[name] for name in model.model_fields}
    checked = validate(model, values, lambda name, value: problems(name, value, choices))
    if any(index < declared[0] for index in injected):
        raise ParameterError(
            f"values were injected above the cell that declares {', '.join(model.model_fields)}, which overwrote "
            f"them: that cell needs the tag {TAG!r}"
        )
    namespace.update(checked)
    return checked


def problems(name: str, value: Any, choices: Mapping[str, Any] | None = None) -> list[str]:
    """What is wrong with one value of a parameter whose name says what it holds, as a list of messages."""
    valid = {**CHOICES, **(choices or {})}.get(name)
    if valid is None or value is None:
        return []
    options = [valid] if isinstance(valid, Registry) else list(valid)
    registries = [option for option in options if isinstance(option, Registry)]
    if value in options or any(value in _written(registry) for registry in registries):
        return []
    if DATASETS in registries and isinstance(value, str) and Path(value).expanduser().is_dir():
        return []  # a reader's own graph: a folder with nodes.csv and edges.csv
    if any(value in registry for registry in registries):
        return []
    names = [option for option in options if isinstance(option, str)]
    names += [known for registry in registries for known in registry.names()]
    return [str(UnknownName(registries[0].kind if registries else name, value, sorted(names)))]


def _written(registry: Registry) -> set[str]:
    """Names and aliases that the files of a registry's package register, read without importing them (or torch)."""
    names: set[str] = set()
    for file in Path(__file__).parent.joinpath(*registry.package.split(".")[1:]).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "register":
                literals = [*node.args, *(k.value for k in node.keywords if k.arg == "aliases")]
                names |= {n.value for a in literals for n in ast.walk(a) if isinstance(n, ast.Constant)}
    return names


def _assigned(source: str) -> dict[str, Any]:
    """Names and literal values that an injected cell assigns."""
    values: dict[str, Any] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:  # papermill writes a missing number as float('nan')
                values[node.targets[0].id] = ast.unparse(node.value)
    return values

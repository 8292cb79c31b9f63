"""The parameters cell of a chapter: what it declares, and whether given values fit.

A chapter declares its parameters in the one cell tagged ``parameters``, as ``name: type = literal`` lines (imports of
``typing`` names and of pydantic's ``Field`` are allowed beside them). The cell is read with :mod:`ast`, so what it
declares is known without running the notebook, and values are checked before a kernel starts.
"""

from __future__ import annotations

import ast
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from fairgl.registry import UnknownName

TAG = "parameters"
_NAMES = {
    **{name: getattr(typing, name) for name in ("Annotated", "Any", "Literal", "Optional", "Union")},
    **{kind.__name__: kind for kind in (bool, dict, float, int, list, str, tuple)},
    "Field": Field,
}


class ParameterError(ValueError):
    """A parameter that a chapter cannot take; the message lists those it can."""


def declares(source: str, annotated: bool = True) -> bool:
    """Whether a cell looks like a parameters cell: assignments, nothing but imports and texts beside them."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    kinds = ast.AnnAssign if annotated else ast.AnnAssign | ast.Assign
    body = [node for node in body if not _is_aside(node)]
    return bool(body) and all(isinstance(node, kinds) for node in body)


def cell_source(notebook: Mapping[str, Any], name: str = "notebook") -> str:
    """Source of the one cell tagged ``parameters``; raises :class:`ParameterError` unless there is exactly one."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    tagged = ["".join(c["source"]) for c in code if TAG in c.get("metadata", {}).get("tags", [])]
    if len(tagged) == 1:
        return tagged[0]
    untagged = [source for source in ("".join(c["source"]) for c in code) if declares(source, annotated=False)]
    hint = f" This untagged cell declares parameters:\n{untagged[0]}" if untagged and not tagged else ""
    raise ParameterError(f"{name}: {len(tagged)} cells have the tag {TAG!r}, exactly one must.{hint}")


def model_of(source: str) -> type[BaseModel]:
    """A pydantic model of a parameters cell: annotations are the types, defaults must be literals.

    Without an annotation, the type is that of the default.
    """
    fields: dict[str, Any] = {}
    for node in ast.parse(source).body:
        if _is_aside(node):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if not isinstance(target, ast.Name) or node.value is None:
            raise ParameterError(f"parameters cell, line {node.lineno}: only `name: type = literal` belongs there")
        name, kind = target.id, None
        try:
            default = ast.literal_eval(node.value)
            if isinstance(node, ast.AnnAssign):
                # Only the repository's own notebooks come here, and they can use the names above and nothing else.
                kind = eval(compile(ast.Expression(node.annotation), "<type>", "eval"), {"__builtins__": {}}, _NAMES)
        except (ValueError, NameError, TypeError) as error:
            raise ParameterError(f"parameters cell, line {node.lineno}: {name}: {error}") from error
        fields[name] = (kind or type(default), default)
    return create_model("Parameters", __config__=ConfigDict(extra="forbid", validate_default=True), **fields)


def parse_assignments(items: Iterable[str]) -> dict[str, Any]:
    """``NAME=YAML`` texts as a dictionary: ``datasets=[german]`` gives a list, ``seeds=5`` a number."""
    values = {}
    for item in items:
        name, equals, text = (part.strip() for part in item.partition("="))
        if not equals or not name.isidentifier():
            raise ParameterError(f"{item!r} is not NAME=VALUE, as in seeds=5 or datasets='[german]'")
        try:
            values[name] = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ParameterError(f"{name}: {text!r} is not YAML: {error}") from error
    return values


def validate(
    model: type[BaseModel], values: Mapping[str, Any], choose: Callable[[str, Any], list[str]] = lambda name, value: []
) -> dict[str, Any]:
    """All parameters of a chapter, defaults filled in and types converted.

    Args:
        model: From :func:`model_of`.
        values: What was given, by name. Text for a parameter that is no text is read as YAML first, so that
            ``papermill -p datasets '[german]'``, which hands over a string, means what it says.
        choose: Gives the problems of one value of a named parameter (an unknown data set, say).

    Raises:
        ParameterError: Unknown names, wrong types, empty lists and unknown choices, all of them in one message.
    """
    fields = model.model_fields
    given = {name: _from_text(value, fields.get(name)) for name, value in values.items()}
    problems, checked = [], dict(given)
    try:
        checked = model(**given).model_dump()
    except ValidationError as error:
        problems += [_problem(item, list(fields)) for item in error.errors()]
    for name, value in checked.items():
        if name not in fields:
            continue
        if isinstance(given.get(name), bool) and fields[name].annotation in (int, float):
            problems.append(f"{name}: {given[name]!r} is not a number")  # pydantic would take it for 0 or 1
        if isinstance(value, list | tuple) and not value and fields[name].default:
            problems.append(f"{name}: is empty; give at least one value")
        problems += [p for item in (value if isinstance(value, list | tuple) else [value]) for p in choose(name, item)]
    if problems:
        rows = [f"  {row['name']}: {row['type']} = {row['default']!r}" for row in describe(model)]
        raise ParameterError("\n".join([*problems, "Valid parameters and their defaults:", *(rows or ["  (none)"])]))
    return checked


def describe(model: type[BaseModel]) -> list[dict[str, Any]]:
    """Name, type and default of each parameter, in the order of the cell."""
    return [
        {"name": name, "type": _type_text(field.annotation), "default": field.default}
        for name, field in model.model_fields.items()
    ]


def _is_aside(node: ast.stmt) -> bool:
    """Imports and texts, which may stand in a parameters cell and declare nothing."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Import | ast.ImportFrom)


def _type_text(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else str(kind).replace("typing.", "")


def _from_text(value: Any, field: Any) -> Any:
    if field is None or not isinstance(value, str) or _type_text(field.annotation).startswith(("str", "Literal")):
        return value
    try:
        read = yaml.safe_load(value)
    except yaml.YAMLError:
        return value
    return value if isinstance(read, str) else read


def _problem(item: Mapping[str, Any], valid: list[str]) -> str:
    name = ".".join(map(str, item["loc"]))
    if item["type"] == "extra_forbidden":
        return str(UnknownName("parameter", name, valid))
    return f"{name}: {item['input']!r}: {item['msg'][0].lower()}{item['msg'][1:]}"

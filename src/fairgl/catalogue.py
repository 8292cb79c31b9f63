"""Facts about the methods, read from their files without importing them.

Tables and figures need a method's label, family and reference. The method files import torch; reading the class
attributes from the syntax tree keeps the reporting branch free of it, and adding a method stays adding one file.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairgl.published import printed

FAMILIES = ("baseline", "pre-processing", "in-processing", "post-processing")
_FACTS = ("label", "family", "notion", "reference")
_OURS = {"moral-calibrated": "MORAL pre-rerank, calibrated"}  # lists that no paper prints
_FIRST = ("constant", "mlp", "gcn", "gnn")  # every table starts with what costs nothing


@dataclass(frozen=True)
class Entry:
    """A registered method: its name and the class attributes that reports show."""

    name: str
    label: str
    family: str = "baseline"
    notion: str = "none"
    reference: str = ""


def _registered_name(node: ast.ClassDef) -> str | None:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "attr", "") == "register" and decorator.args:
            return ast.literal_eval(decorator.args[0])
    return None


def _facts(node: ast.ClassDef) -> dict[str, str]:
    found = {}
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign):
            targets, value = [statement.target], statement.value
        else:
            continue
        for target in targets:
            if getattr(target, "id", "") in _FACTS and isinstance(value, ast.Constant):
                found[target.id] = value.value
    return found


@cache
def entries() -> dict[str, Entry]:
    """Every registered method of every task, by name."""
    folder = Path(__file__).parent / "methods"
    classes: dict[str, ast.ClassDef] = {}
    for file in sorted(folder.rglob("*.py")):
        for node in ast.parse(file.read_text("utf8")).body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = node

    def inherited(node: ast.ClassDef) -> dict[str, str]:
        facts: dict[str, str] = {}
        for base in reversed(node.bases):
            if getattr(base, "id", "") in classes:
                facts |= inherited(classes[base.id])
        return facts | _facts(node)

    found = {}
    for node in classes.values():
        name = _registered_name(node)
        if name:
            facts = {key: value for key, value in inherited(node).items() if value}
            found[name] = Entry(name=name, **{"label": name, **facts})
    return found


def entry(name: str) -> Entry:
    """The method's facts; a name that no file registers keeps the label that a paper prints for it.

    A predictor and a reranker joined by "+" have the labels of both.
    """
    if "+" in name:
        return Entry(name=name, label=" + ".join(label(part) for part in name.split("+")))
    return entries().get(name) or Entry(name=name, label=_OURS.get(name) or printed("method", name))


def label(name: str) -> str:
    """The method's name as tables print it."""
    return entry(name).label


def order(names: list[str]) -> list[str]:
    """Names in reading order: trivial baselines first, then by family, then by label; repeated names once."""

    def rank(name: str) -> tuple:
        facts = entry(name)
        first = _FIRST.index(name) if name in _FIRST else len(_FIRST)
        return first, FAMILIES.index(facts.family) if facts.family in FAMILIES else len(FAMILIES), facts.label.lower()

    return sorted(dict.fromkeys(names), key=rank)

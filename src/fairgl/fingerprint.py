"""Which code a record came from: a hash of the definitions its run can reach.

Starting at a method's class and its task's function, names are followed through imports inside the package, and the
abstract syntax tree of every definition reached is hashed without docstrings, comments or the source notes of
hyperparameters. Editing prose, or code that the run cannot reach, leaves records fresh; editing a shared encoder makes
exactly its users stale. Nothing is imported, so the reporting side can check staleness without torch.

Left out, because other fields of the record cover them: data set loaders and the graph class (graph checksum),
registries and paths (no influence on a number).
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
SKIPPED = ("fairgl.registry", "fairgl.paths", "fairgl.graph", "fairgl.datasets", "fairgl.fetch", "fairgl.sources",
           "fairgl.similarity")  # fmt: skip
FOLDERS = {"nodes": "nodes", "individual": "nodes", "links": "links", "counterfactual": "counterfactual",
           "counterfactual_levels": "counterfactual"}  # fmt: skip


# Facts about a method that cannot change the outcome of a given specification.
FACTS = {"label", "family", "notion", "reference", "dataset_settings"}


class _Strip(ast.NodeTransformer):
    """Drop what does not change behaviour: docstrings, source notes of hyperparameters, facts for tables."""

    def _body(self, node):
        self.generic_visit(node)
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            node.body = node.body[1:] or [ast.Pass()]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _body

    def visit_ClassDef(self, node: ast.ClassDef):
        node.body = [part for part in node.body if not _targets(part) & FACTS] or [ast.Pass()]
        return self._body(node)

    def visit_Call(self, node: ast.Call):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "hp":
            node.args, node.keywords = node.args[:1], []
        return node


def _targets(node: ast.AST) -> set[str]:
    """Names that an assignment binds; empty for anything else."""
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


class _Module:
    """Top-level definitions and imported names of one source file."""

    def __init__(self, path: Path):
        self.tree = ast.parse(path.read_text("utf8"))
        self.defined: dict[str, list[ast.AST]] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.defined.setdefault(node.name, []).append(node)
            for name in _targets(node):
                self.defined.setdefault(name, []).append(node)
        self.imported.update(imports_of(self.tree.body))


def imports_of(nodes) -> dict[str, tuple[str, str]]:
    """``from fairgl.x import y as z`` statements among ``nodes``: z to (module, y)."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "fairgl"
        for alias in node.names
    }


def _file(module: str) -> Path | None:
    path = PACKAGE.joinpath(*module.split(".")[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.exists():
            return candidate
    return None


@cache
def _module(name: str, mtime: float) -> _Module:
    return _Module(_file(name))


def _load(name: str) -> _Module | None:
    path = _file(name)
    return None if path is None else _module(name, path.stat().st_mtime)


def _reach(module: str, name: str, seen: dict[tuple[str, str], str]) -> None:
    if (module, name) in seen or any(module == s or module.startswith(s + ".") for s in SKIPPED):
        return
    source = _load(module)
    if source is None or name not in source.defined:
        if source is not None and name in source.imported:  # re-exported
            _reach(*source.imported[name], seen)
        return
    seen[(module, name)] = ""
    nodes = source.defined[name]
    clean = [_Strip().visit(ast.parse(ast.unparse(node))) for node in nodes]
    seen[(module, name)] = "\n".join(ast.dump(node) for node in clean)
    inner = [n for node in clean for n in ast.walk(node)]
    local = imports_of(inner)
    for used in sorted({n.id for n in inner if isinstance(n, ast.Name)} | set(local)):
        if used in local:
            _reach(*local[used], seen)
        elif used in source.defined:
            _reach(module, used, seen)
        elif used in source.imported:
            _reach(*source.imported[used], seen)


def _registered(folder: Path, package: str, name: str) -> tuple[str, str] | None:
    """Module and definition that a ``register("name")`` decorator in ``folder`` files under ``name``."""
    for path in sorted(folder.glob("*.py")):
        module = package if path.stem == "__init__" else f"{package}.{path.stem}"
        for key, nodes in _load(module).defined.items():
            for node in nodes:
                for call in getattr(node, "decorator_list", ()):
                    if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
                        if call.args[0].value == name and getattr(call.func, "attr", "") == "register":
                            return module, key
    return None


def reached(task: str, method: str) -> dict[tuple[str, str], str]:
    """Every definition that a run of ``method`` under ``task`` can reach, with its normalised syntax tree."""
    seen: dict[tuple[str, str], str] = {}
    folder = FOLDERS.get(task, task)
    for found in (
        _registered(PACKAGE / "tasks", "fairgl.tasks", task),
        _registered(PACKAGE / "methods" / folder, f"fairgl.methods.{folder}", method),
    ):
        if found:
            _reach(*found, seen)
    return seen


def fingerprint(task: str, method: str) -> str:
    """Twelve hexadecimal digits that change when code behind a run changes, but not when it moves to another file."""
    parts = sorted(f"{name}:{tree}" for (_, name), tree in reached(task, method).items())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]

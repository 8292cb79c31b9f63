"""Applies the shims of :mod:`fairgl.upstream.shims` inside the child process, and counts how often each is used.

This is the only module that changes other modules. It runs in a process that ends with the run.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import types
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from fairgl.upstream.shims import SHIMS
from fairgl.upstream.substitutes import Finder, SerialPool, group_matrices, uniform_walks


class Surroundings:
    """The changed surroundings of one child process.

    Attributes:
        used: How often each shim was used.
    """

    def __init__(self, library: Path, package: str, shims: tuple[str, ...]):
        unknown = set(shims) - set(SHIMS)
        if unknown:
            raise ValueError(f"no shim {sorted(unknown)}; there are {', '.join(SHIMS)}")
        self.library, self.package, self.shims, self.used = library, package, shims, Counter()

    def enter(self) -> None:
        """Apply every shim that does not need a file of the library first."""
        folder = self.library
        edits = [(name, patch) for name in self.shims for patch in SHIMS[name].patches]
        edits = [(name, patch) for name, patch in edits if (folder / self.package / patch.file).exists()]
        if edits:
            folder = Path("library").resolve()
            shutil.copytree(self.library / self.package, folder / self.package)
            for _, patch in edits:
                path = folder / self.package / patch.file
                lines = path.read_text("utf8").split("\n")
                old = lines[patch.line - 1]
                if patch.word not in old:
                    raise RuntimeError(f"{patch.file}:{patch.line} does not hold {patch.word!r}")
                lines[patch.line - 1] = ""
                path.write_text("\n".join(lines), "utf8")
        sys.path.insert(0, str(folder))
        self.folder = folder
        if "own file" in self.shims:
            for name in ("", ".debiasing", ".datasets", ".metrics"):
                module = types.ModuleType(self.package + name)
                module.__path__ = [str(folder / self.package / name.strip("."))]
                sys.modules[self.package + name] = module
            self.used["own file"] += 1
        for name in self.shims:
            step = getattr(self, "_" + name.replace(" ", "_").replace("-", "_"), None)
            if step:
                step()

    def module(self, name: str) -> Any:
        """A file of the library, imported, with the shims of its own namespace."""
        known = f"{self.package}.{name}" in sys.modules
        module = importlib.import_module(f"{self.package}.{name}")
        if known:
            return module
        stem = name.rpartition(".")[2]
        if "name os" in self.shims and stem in ("InFoRM_GNN", "REDRESS"):
            module.os = importlib.import_module("os")
            self.used["name os"] += 1
        if "comment" in self.shims and stem == "GUIDE":
            self.used["comment"] += 1
        if "workers" in self.shims and hasattr(module, "mp"):
            module.mp = types.SimpleNamespace(Pool=self._counted("workers", SerialPool))
        if "half to single" in self.shims and hasattr(module, "sp"):
            module.sp = self._single(module.sp)
        if "group matrices" in self.shims and hasattr(module, "calculate_group_lap"):
            module.calculate_group_lap = self._counted("group matrices", group_matrices)
        if "item of a float" in self.shims and stem == "GUIDE":
            score = module.roc_auc_score
            module.roc_auc_score = self._counted("item of a float", lambda *a, **k: np.float64(score(*a, **k)))
        return module

    def _counted(self, name: str, function: Any) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.used[name] += 1
            return function(*args, **kwargs)

        return counted

    def _stand_ins(self) -> None:
        try:  # what the library builds on decides by itself what it can use, before there are stand-ins
            importlib.import_module("torch_geometric.nn")
        except ImportError:
            pass
        sys.meta_path.append(Finder(self.used))

    def in_folder(self) -> None:
        """What has to be done in the folder of each run."""
        if "folders" in self.shims:
            for name in ("data", "models_save"):
                Path(name).mkdir()

    def _devices(self) -> None:
        import torch

        here = self._counted("devices", lambda self_, *_, **__: self_)
        torch.Tensor.cuda = torch.nn.Module.cuda = here
        for kind in (torch.Tensor, torch.nn.Module):
            kind.to = self._to(kind.to)

    def _to(self, original: Any) -> Any:
        def to(self_: Any, *args: Any, **kwargs: Any) -> Any:
            if args and str(args[0]).startswith("cuda"):
                self.used["devices"] += 1
                args = ("cpu", *args[1:])
            return original(self_, *args, **kwargs)

        return to

    def _walk_operator(self) -> None:
        import torch

        operators = types.SimpleNamespace(random_walk=self._counted("walk operator", uniform_walks))
        torch.ops.torch_cluster = operators

    def _workers(self) -> None:
        import torch.utils.data

        original = torch.utils.data.DataLoader.__init__

        def init(self_: Any, *args: Any, **kwargs: Any) -> None:
            if kwargs.get("num_workers"):
                self.used["workers"] += 1
                kwargs["num_workers"] = 0
            original(self_, *args, **kwargs)

        torch.utils.data.DataLoader.__init__ = init

    def _removed_argument(self) -> None:
        from sklearn.linear_model import LogisticRegression

        original = LogisticRegression.__init__

        def init(self_: Any, *args: Any, **kwargs: Any) -> None:
            if kwargs.pop("multi_class", None) is not None:
                self.used["removed argument"] += 1
            original(self_, *args, **kwargs)

        init.__signature__ = __import__("inspect").signature(original)
        LogisticRegression.__init__ = init

    def _sparse_attribute(self) -> None:
        from scipy.sparse import _base

        _base._spbase.A = property(self._counted("sparse attribute", lambda matrix: matrix.toarray()))

    def _own_pickles(self) -> None:
        import torch

        original = torch.load

        def load(*args: Any, **kwargs: Any) -> Any:
            self.used["own pickles"] += 1
            return original(*args, **{"weights_only": False, **kwargs})

        torch.load = load

    def _single(self, sparse: Any) -> Any:
        """``scipy.sparse`` with two constructors that accept float16."""
        around = self

        class Single(types.ModuleType):
            def __getattr__(self, attribute: str) -> Any:
                found = getattr(sparse, attribute)
                if attribute not in ("csr_matrix", "coo_matrix"):
                    return found

                def build(content: Any, *args: Any, **kwargs: Any) -> Any:
                    if getattr(content, "dtype", None) == np.float16:
                        around.used["half to single"] += 1
                        content = content.astype(np.float32)
                    return found(content, *args, **kwargs)

                return build

        return Single("sparse")

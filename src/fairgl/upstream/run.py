"""Starts the child process of a request: own temporary folder, time limit, prints captured, results read back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import fairgl
from fairgl.graph import Graph
from fairgl.splits import NodeSplit
from fairgl.upstream.install import PYGDEBIAS, Release, library
from fairgl.upstream.shims import names


def arrays_of(graph: Graph, split: NodeSplit) -> dict[str, np.ndarray]:
    """A graph and a split as the arrays that a child reads; features are dense and unscaled."""
    x = graph.x if isinstance(graph.x, np.ndarray) else graph.x.toarray()
    column = -1 if graph.sens_column is None else graph.sens_column
    return {"x": x, "edges": graph.edges, "y": graph.y, "sens": graph.sens, "sens_column": np.array(column),
            "train": split.train, "val": split.val, "test": split.test}  # fmt: skip


def ask(kind: str, name: str, **options: Any) -> dict[str, Any]:
    """One call in a process of its own: :func:`ask_all` with a single call."""
    return ask_all([(kind, name)], **options)[0]


def ask_all(
    calls: list[tuple[str, str]],
    *,
    arrays: dict[str, np.ndarray] | None = None,
    shims: tuple[str, ...] | None = None,
    seed: int = 0,
    timeout: float = 600.0,
    release: Release = PYGDEBIAS,
    where: Path | None = None,
) -> list[dict[str, Any]]:
    """Carry out calls, each in a process of its own: copies of one process that has done the imports.

    Args:
        calls: Pairs of kind and name. ``"class"`` builds, fits and predicts with the class of that name; ``"import"``
            imports a module; ``"call"`` calls ``module:function`` with a :class:`fairgl.upstream.case.Case`;
            ``"ours"`` runs our method of that name as the study ``audit`` has it.
        arrays: From :func:`arrays_of`, or ``None``.
        shims: Names in :data:`fairgl.upstream.shims.SHIMS`; ``None`` for all of them.
        seed: Seed of every generator.
        timeout: Seconds for each call.
        release: The library.
        where: Its folder, if it is not in the data cache.

    Returns:
        For each call what it wrote, or ``{"reason": ...}``; always with ``printed`` (the last lines that it printed)
        and ``used`` (shims used, with counts).

    Raises:
        UpstreamMissing: The library is absent and cannot be fetched.
    """
    folder = where or library(release)
    with tempfile.TemporaryDirectory(prefix="upstream-") as work:
        here = Path(work)
        (here / "tmp").mkdir()
        if arrays is not None:
            np.savez(here / "case.npz", **arrays)
        request = {
            "calls": [{"kind": kind, "name": name} for kind, name in calls], "library": str(folder), "seed": seed,
            "package": release.package, "shims": list(names() if shims is None else shims), "seconds": timeout,
            "arrays": "" if arrays is None else str(here / "case.npz"),
        }  # fmt: skip
        (here / "request.json").write_text(json.dumps(request), "utf8")
        source = str(Path(fairgl.__file__).resolve().parents[1])
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TMPDIR": str(here / "tmp"), "PYTHONPATH": source,
                                    "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}  # fmt: skip
        command = [sys.executable, "-m", "fairgl.upstream.child", "request.json"]
        with open(here / "printed.txt", "w", encoding="utf8") as printed:
            # A session of its own, so that whatever it started ends with it.
            child = subprocess.Popen(command, cwd=here, env=environment, stdin=subprocess.DEVNULL, stdout=printed,
                                     stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
            try:
                code = child.wait(300 + (timeout + 5) * len(calls))
            except subprocess.TimeoutExpired:
                code = "none"
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
        return [_answer(here, number, code) for number in range(len(calls))]


def _answer(here: Path, number: int, code: Any) -> dict[str, Any]:
    """What the call of that number left behind."""
    folder = here / str(number)
    if (folder / "result.json").exists():
        out = json.loads((folder / "result.json").read_text("utf8"))
    else:
        folder, out = here, {"reason": f"the process ended with code {code} and left no result"}
    printed = folder / "printed.txt"
    told = printed.read_text("utf8", errors="replace").replace("\r", "\n").split("\n") if printed.exists() else []
    return {"used": {}, **out, "printed": [line for line in told if line.strip()][-5:]}

"""Run chapters: papermill executes ``notebooks/NAME.ipynb`` into ``executed/NAME.ipynb``, several at a time.

A copy appears under its final name only after every cell ran; a failed run keeps its own copy as ``NAME.failed.ipynb``
beside the last good one, and the book refuses to build until it is gone. ``executed/manifest.json`` remembers what each
copy was made from: a chapter runs again when its cells, parameters, the package, the lock file or the data changed.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fairgl.contents import chapters, effective, entry, ingredients, is_current, manifest, resolve
from fairgl.paths import root as repository

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Outcome:
    """What became of one chapter: ``ran``, ``up to date`` or ``failed``, with the traceback as ``error``."""

    name: str
    status: str
    seconds: float = 0.0
    error: str = ""


def run_chapters(
    names: list[str],
    values: Mapping[str, Any] | Callable[[str], Mapping[str, Any]] | None = None,
    *,
    root: Path | None = None,
    force: bool = False,
    jobs: int = 1,
    timeout: int | None = None,
    report: Callable[[str, int, int], None] = lambda name, cell, cells: None,
) -> list[Outcome]:
    """Execute those of the named chapters that are not up to date.

    Args:
        names: Chapters.
        values: Parameters that differ from the defaults, for each of them, or a function from name to parameters. All
            chapters are checked before the first one starts.
        root: The repository.
        force: Run what is up to date as well.
        jobs: Chapters at a time, each in a process of its own.
        timeout: Seconds that one cell may take; None is no limit.
        report: Called with the chapter, the index of the cell that starts, and the number of cells.
    """
    root = root or repository()
    names = list(dict.fromkeys(resolve(name, root) for name in names))
    given = {name: dict(values(name) if callable(values) else values or {}) for name in names}
    parameters = {name: effective(chapters(root)[name], given[name]) for name in names}
    made_from = ingredients(root)
    wanted = {name: entry(name, parameters[name], root, made_from) for name in names}
    todo = [name for name in names if force or not is_current(name, wanted[name], root)]
    outcomes = [Outcome(name, "up to date") for name in names if name not in todo]
    (root / "executed").mkdir(exist_ok=True)
    spawn = get_context("spawn")  # a forked child would inherit this process's threads and sockets
    with spawn.Manager() as manager, ProcessPoolExecutor(max(1, min(jobs, len(todo))), mp_context=spawn) as pool:
        queue = manager.Queue()
        running = {
            pool.submit(execute, name, given[name], parameters[name], root, timeout, queue): name for name in todo
        }
        while running:
            finished, _ = wait(running, timeout=0.2)
            while not queue.empty():
                report(*queue.get())
            for future in finished:
                outcomes.append(_conclude(running.pop(future), future, wanted, root))
    return sorted(outcomes, key=lambda outcome: names.index(outcome.name))


def _conclude(name: str, future: Future, wanted: Mapping[str, Any], root: Path) -> Outcome:
    """Record a finished run in the manifest; a worker that died is a failed run."""
    try:
        outcome = future.result()
    except Exception as error:  # the process died, so nothing in it could report
        outcome = Outcome(name, "failed", error=f"{type(error).__name__}: {error}")
    known = {key: value for key, value in manifest(root).items() if key != name}
    if outcome.status == "ran":
        known[name] = wanted[name]
    part = root / "executed" / ".manifest.part"
    part.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", "utf8")
    part.replace(root / "executed" / "manifest.json")
    return outcome


def execute(
    name: str, values: dict[str, Any], parameters: dict[str, Any], root: Path, timeout: int | None, queue: Any
) -> Outcome:
    """Execute one chapter in this process, which must be a worker's: it changes folder and environment."""
    # MPLBACKEND in the environment would silently drop every figure.
    os.environ.pop("MPLBACKEND", None)
    package = str(Path(__file__).resolve().parents[1])
    paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    # Two chapters share the cores, and the stored records were made with one thread: sums in another order differ.
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    os.environ.update(TQDM_DISABLE="1", PYTHONHASHSEED="0", JUPYTER_PREFER_ENV_PATH="1")
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    os.chdir(root)
    import papermill

    # Names were checked before; papermill cannot read every annotated parameter and would call some unknown.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    part, final = Path("executed", f".{name}.part.ipynb"), Path("executed", f"{name}.ipynb")
    failed, start = Path("executed", f"{name}.failed.ipynb"), time.perf_counter()
    sockets = tempfile.mkdtemp(prefix="k-")
    cells = len(json.loads(chapters(root)[name].read_text("utf8"))["cells"]) + bool(values)
    try:
        papermill.execute_notebook(
            f"notebooks/{name}.ipynb",
            str(part),
            parameters=values,
            kernel_name="python3",
            progress_bar=False,
            execution_timeout=timeout,
            coalesce_streams=True,
            kernel_manager_class=_manager_class(sockets),
            on_cell_start=lambda cell, cell_index: queue.put((name, cell_index, cells)),
        )
        seconds = time.perf_counter() - start
        copy = json.loads(part.read_text("utf8"))
        _inspect(copy)
        copy["metadata"]["fairgl"] = {"parameters": parameters, "seconds": round(seconds, 1)}
        part.write_text(json.dumps(copy, indent=1, ensure_ascii=False) + "\n", "utf8")
        failed.unlink(missing_ok=True)
        part.replace(final)
        return Outcome(name, "ran", seconds)
    except Exception as error:
        if part.exists():
            part.replace(failed)
        text = str(error) if type(error).__name__ == "PapermillExecutionError" else traceback.format_exc()
        return Outcome(name, "failed", time.perf_counter() - start, ANSI.sub("", text).strip())
    finally:
        shutil.rmtree(sockets, ignore_errors=True)


def _manager_class(sockets: str) -> type:
    """Kernels that talk over sockets in a folder of their own: TCP ports are raced for, one shared folder is too."""
    import zmq
    from jupyter_client.manager import AsyncKernelManager

    class Manager(AsyncKernelManager):
        def __init__(self, **kw: Any):
            channel = {"transport": "ipc", "ip": f"{sockets}/s"} if zmq.has("ipc") and os.name == "posix" else {}
            super().__init__(**channel, **kw)

    return Manager


def _inspect(copy: Mapping[str, Any]) -> None:
    """Refuse a copy that papermill calls complete and is not: cells that never ran, a figure that never appeared."""
    for index, cell in enumerate(copy["cells"]):
        if cell["cell_type"] != "code" or not "".join(cell["source"]).strip():
            continue
        if cell["execution_count"] is None:
            raise RuntimeError(f"cell {index} never ran: an earlier cell left the notebook")
        shown = [mime for output in cell["outputs"] for mime in output.get("data", {})]
        if "figure" in cell["metadata"].get("tags", []) and not any("image/" in mime for mime in shown):
            raise RuntimeError(f"cell {index} is tagged 'figure' and shows no image")

"""What runs inside the child process: shims, one released class or one demonstration, and a result file.

Started by :mod:`fairgl.upstream.run` as ``python -m fairgl.upstream.child request.json`` in an empty temporary folder.
Every call of the request is carried out in a copy of this process (so that torch is imported once), in a subfolder that
receives its prints and its ``result.json``. Only this module and :mod:`fairgl.upstream.surroundings` touch the library.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from fairgl.measure import peak_memory, reset_peak
from fairgl.upstream.case import Case
from fairgl.upstream.classes import CLASSES, Released
from fairgl.upstream.surroundings import Surroundings


def number(value: Any) -> Any:
    """A plain number where the library returned one, its text otherwise."""
    if hasattr(value, "item") and getattr(value, "size", getattr(value, "numel", lambda: 1)) in (1,):
        value = value.item()
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def run_class(case: Case, released: Released) -> dict[str, Any]:
    """Build, fit and predict with one class, timed step by step."""
    seconds: dict[str, float] = {}  # of the processor, which another process beside this one does not stretch
    case = case.first(released.nodes) if released.nodes else case
    out: dict[str, Any] = {"reached": "nothing", "seconds": seconds, "nodes": len(case.arrays["x"])}
    try:
        start = time.process_time()
        case.module(f"debiasing.{released.name}")
        seconds["import"] = time.process_time() - start
        out["reached"], out["memory_before"] = "import", peak_memory()
        reset_peak()
        _ = case.entries  # made before the clocks start
        case.seeded()
        returned = instance = None
        for step, call in zip(("build", "fit", "predict"), case.steps(released.name), strict=True):
            start = time.process_time()
            returned = call()
            seconds[step] = time.process_time() - start
            out["reached"] = step
            instance = returned if step == "build" else instance
        values = returned if isinstance(returned, tuple | list) else (returned,)
        labels = released.returns if len(values) == len(released.returns) else range(len(values))
        out["returned"] = {str(name): number(value) for name, value in zip(labels, values, strict=True)}
        out["val_loss"] = number(getattr(instance, "val_loss", "none"))
    except BaseException as error:  # a class that ends the process is a finding, not the end of the audit
        out |= failure(error)
    out["memory_peak"] = peak_memory()
    return out


def run_ours(name: str) -> dict[str, Any]:
    """Our method of the study ``audit``: its record as everywhere, plus the processor's seconds spent in ``fit``."""
    from fairgl.registry import COUNTERFACTUAL_METHODS, NODE_METHODS
    from fairgl.runs import execute
    from fairgl.studies.audit import ours

    spec, spent = ours(name), [0.0]
    method = (COUNTERFACTUAL_METHODS if spec.task == "counterfactual" else NODE_METHODS)[name]
    original = method.fit

    def timed(*args: Any, **kwargs: Any) -> Any:
        start = time.process_time()
        try:
            return original(*args, **kwargs)
        finally:
            spent[0] += time.process_time() - start

    method.fit = timed
    before = peak_memory()
    record = execute(spec)
    cost = {"processor_seconds": round(spent[0], 3), "memory_before_mb": round(before / 2**20, 1)}
    return {"result": record.result, "cost": record.cost | cost}


def failure(error: BaseException) -> dict[str, str]:
    """Type, first line and place of an error; the place is the deepest line inside the library."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "fairgl" not in f.filename]
    inside = [f for f in frames if "debiasing" in f.filename or "datasets" in f.filename or "metrics" in f.filename]
    inside = [f for f in inside if "site-packages" not in f.filename]
    place = f"{Path(inside[-1].filename).name}:{inside[-1].lineno}" if inside else ""
    told = (str(error).strip().splitlines() or [""])[0][:200]
    return {"reason": f"{type(error).__name__}: {told}", "place": place}


def carry_out(call: dict[str, Any], case: Case) -> dict[str, Any]:
    """One call of a request: a class, an import, or a function of a demonstration."""
    out: dict[str, Any] = {}
    try:
        if call["kind"] == "class":
            out = run_class(case, CLASSES[call["name"]])
        elif call["kind"] == "ours":
            out = run_ours(call["name"])
        elif call["kind"] == "import":
            importlib.import_module(call["name"])
        elif call["kind"] == "call":
            module, _, function = call["name"].partition(":")
            start = time.process_time()
            out = {"values": getattr(importlib.import_module(module), function)(case)}
            out["seconds"] = {"call": time.process_time() - start}
        else:
            raise ValueError(f"no kind of call {call['kind']!r}")
    except BaseException as error:
        out |= failure(error)
    return out | {"used": {name: count for name, count in case.around.used.items() if count}}


def forked(number_: int, call: dict[str, Any], case: Case, seconds: float) -> None:
    """Carry out one call in a copy of this process, in a folder of its own, within a time limit."""
    folder = Path(str(number_))
    folder.mkdir()
    start, process = time.monotonic(), os.fork()
    if process == 0:
        os.chdir(folder)
        printed = os.open("printed.txt", os.O_WRONLY | os.O_CREAT)
        os.dup2(printed, 1), os.dup2(printed, 2)
        case.around.in_folder()
        out = carry_out(call, case)
        Path("result.json").write_text(json.dumps(out, default=number), "utf8")
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(0)
    code = None
    while code is None and time.monotonic() - start < seconds:
        time.sleep(0.02)
        done, status = os.waitpid(process, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if done else None
    if code is None:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        (folder / "result.json").write_text(json.dumps({"reason": f"timeout: longer than {seconds:g} s"}), "utf8")
    elif not (folder / "result.json").exists():
        told = {"reason": f"the process ended with code {code} and left no result"}
        (folder / "result.json").write_text(json.dumps(told), "utf8")


def main(request_file: str) -> None:
    """Carry out the calls of a request, one after another, each in a copy of the process as it is after the imports."""
    request = json.loads(Path(request_file).read_text("utf8"))
    around = Surroundings(Path(request["library"]), request["package"], tuple(request["shims"]))
    sys.argv = ["child"]
    around.enter()
    case = Case(dict(np.load(request["arrays"])) if request["arrays"] else {}, around, request["seed"])
    for number_, call in enumerate(request["calls"]):
        forked(number_, call, case, request["seconds"])


if __name__ == "__main__":
    main(sys.argv[1])

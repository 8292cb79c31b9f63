"""What surrounds a run: versions, commit, time limit, peak memory."""

from __future__ import annotations

import platform
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fairgl import __version__


@cache
def versions() -> dict[str, str]:
    """Versions that can change a number."""
    names = ("numpy", "scipy", "scikit-learn", "torch", "gensim")
    return {"fairgl": __version__, "python": platform.python_version(), **{n: version(n) for n in names}}


@cache
def commit() -> str:
    """The commit of the code, with ``+`` where ``src`` has uncommitted changes; empty outside a git clone."""
    where = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=where, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise ``TimeoutError`` in the main thread after ``seconds``."""
    if not seconds:
        yield
        return

    def ring(*_: Any) -> None:
        raise TimeoutError(f"longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def reset_peak() -> None:
    """Start measuring peak resident memory anew, where the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def peak_memory() -> int:
    """Peak resident memory of this process in bytes since the last reset."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if platform.system() == "Darwin" else 1024)

"""Where the released library is, and how it gets there: one archive with a pinned hash, without its dependencies."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fairgl import paths


class UpstreamMissing(RuntimeError):
    """The released library is not in the data cache, and could not be fetched."""


@dataclass(frozen=True)
class Release:
    """A release on the package index, pinned by the hash of its source archive."""

    package: str
    version: str
    sha256: str

    @property
    def folder(self) -> Path:
        """Its folder in the data cache; the package lies directly in it."""
        return paths.cache() / "upstream" / f"{self.package}-{self.version}-{self.sha256[:8]}"

    @property
    def requirement(self) -> str:
        """One line of a requirements file that accepts this archive and no other."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


PYGDEBIAS = Release("pygdebias", "1.1.1", "dc621e45e794dca466afde03d4bbcd2cfed1708b594bbb80bdab4acb0ddb593f")


def installed(release: Release = PYGDEBIAS) -> bool:
    """Whether the library is there; touches no network."""
    return (release.folder / release.package / "__init__.py").exists()


def library(release: Release = PYGDEBIAS, install: bool = True, timeout: float = 300) -> Path:
    """The folder that holds the package, installed there if it is absent.

    Args:
        install: Whether to fetch it if it is absent.
        timeout: Seconds that fetching may take.

    Raises:
        UpstreamMissing: It is absent and was not or could not be fetched; the message says what to do.
    """
    if installed(release):
        return release.folder
    ask = f"run once with a network connection, or put the unpacked package into {release.folder}"
    if not install:
        raise UpstreamMissing(f"{release.package} {release.version} is not installed; {ask}")
    try:
        release.folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UpstreamMissing(f"{release.package} {release.version} cannot be stored ({error}); {ask}") from error
    with tempfile.TemporaryDirectory(dir=release.folder.parent) as work:
        wanted, target = Path(work) / "requirements.txt", Path(work) / "package"
        wanted.write_text(release.requirement + "\n", "utf8")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--target", str(target), "--requirement", str(wanted)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except (OSError, subprocess.TimeoutExpired) as error:
            why = f"{release.package} {release.version} could not be fetched ({error}); {ask}"
            raise UpstreamMissing(why) from error
        if done.returncode:
            told = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise UpstreamMissing(f"{release.package} {release.version} could not be fetched ({told}); {ask}")
        target.rename(release.folder)
    return release.folder

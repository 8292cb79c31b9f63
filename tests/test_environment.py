"""One list of direct dependencies, said three times: pyproject.toml, environment.yml, requirements.lock."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
DIRECT = PROJECT["dependencies"] + [d for extra in ("test", "dask") for d in PROJECT["optional-dependencies"][extra]]


def test_conda_environment_has_the_same_direct_dependencies():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text("utf8"))["dependencies"]
    from_pip = next(item["pip"] for item in conda if isinstance(item, dict))
    assert sorted(from_pip) == sorted([*DIRECT, "-e ."])
    assert f"python{PROJECT['requires-python']}" in conda


def test_lock_file_pins_everything_and_fits():
    lines = [x for x in (ROOT / "requirements.lock").read_text("utf8").splitlines() if x and not x.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[A-Za-z0-9.]+", line) for line in lines), "only name==version lines"
    pinned = dict(line.split("==") for line in lines)
    for text in DIRECT:
        requirement = Requirement(text)
        version = pinned.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} is not in requirements.lock"
        assert requirement.specifier.contains(version), f"{text} and {version} do not fit"


def test_package_data_is_declared():
    needed = {path.suffix for path in (ROOT / "src" / "fairgl").rglob("*") if path.is_file()} - {".py", ".pyc"}
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["tool"]["setuptools"].get("package-data", {})
    patterns = " ".join(pattern for values in declared.values() for pattern in values)
    assert all(suffix in patterns for suffix in needed), f"package-data lacks {needed}"

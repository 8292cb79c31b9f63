"""The fingerprint follows code that a run reaches, and nothing else."""

from __future__ import annotations

import shutil

import pytest

from fairgl import fingerprint as fp


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the package's sources that may be edited."""
    target = tmp_path / "fairgl"
    shutil.copytree(fp.PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(fp, "PACKAGE", target)
    fp._module.cache_clear()
    yield target
    fp._module.cache_clear()


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) >= 1, (path, old)
    path.write_text(text.replace(old, new, 1))
    fp._module.cache_clear()


def test_prose_and_unreached_code_leave_it_alone(copy):
    before = {m: fp.fingerprint("nodes", m) for m in ("gcn", "mlp", "constant")}
    edit(copy / "nn.py", '"""Graph convolutions', '"""Convolutions on a graph')
    edit(copy / "methods/nodes/gcn.py", '"NIFTY authors")', '"the NIFTY authors")')
    edit(copy / "nn.py", "class Linear", "def unused():\n    return 1\n\n\nclass Linear")
    assert {m: fp.fingerprint("nodes", m) for m in before} == before


def test_an_edit_of_shared_code_reaches_its_users_only(copy):
    before = {m: fp.fingerprint("nodes", m) for m in ("gcn", "constant")}
    edit(copy / "nn.py", "return self.head(self.body(x, p, **options)).squeeze(-1)", "return self.head(x).squeeze(-1)")
    assert fp.fingerprint("nodes", "gcn") != before["gcn"]
    assert fp.fingerprint("nodes", "constant") == before["constant"]


def test_a_default_counts(copy):
    before = fp.fingerprint("nodes", "gcn"), fp.fingerprint("nodes", "constant")
    edit(copy / "methods/nodes/gcn.py", 'epochs: int = hp(1000', 'epochs: int = hp(999')
    after = fp.fingerprint("nodes", "gcn"), fp.fingerprint("nodes", "constant")
    assert after[0] != before[0] and after[1] == before[1]

"""The efficiency study measures each run in a process of its own."""

from __future__ import annotations

import pytest

from fairgl import store, sweep
from fairgl.runs import execute
from fairgl.studies import study


def specs(seeds: int = 2):
    return study("efficiency").specs(["german"], ["constant"], seeds=seeds)


def test_isolated_runs_go_one_after_the_other_whatever_the_workers(tmp_path, monkeypatch):
    seen = []

    def alone(spec, device, timeout):
        seen.append(spec.seed)
        return execute(spec, device, timeout)

    monkeypatch.setattr(sweep, "_alone", alone)
    assert sweep.run(specs(), workers=2, root=tmp_path, progress=False) == {"ok": 2}
    assert seen == [0, 1]
    assert sweep.run(specs(), root=tmp_path, progress=False) == {}  # stored, so not measured again


@pytest.mark.slow
def test_a_process_of_its_own_does_not_see_the_memory_of_the_one_that_started_it(tmp_path):
    ballast = bytearray(600 * 2**20)
    sweep.run(specs(1), root=tmp_path, progress=False)
    (record,) = store.frame("efficiency", tmp_path).to_dict("records")
    assert record["status"] == "ok" and record["peak_memory_mb"] < 1000 and len(ballast)


def test_every_setting_comes_from_a_study_that_reports_results():
    from fairgl.studies.group import STUDY as GROUP
    from fairgl.studies.individual import STUDY as INDIVIDUAL

    chosen = study("efficiency")
    assert set(chosen.methods) <= {*GROUP.methods, *INDIVIDUAL.methods, "edits", "fairedit", "fairvgnn"}
    for pair, settings in chosen.settings.items():
        assert settings in (GROUP.settings.get(pair), INDIVIDUAL.settings.get(pair))

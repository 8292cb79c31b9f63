"""The scorecard judges what the chapters judge, and the guide advises only what its evidence bears out."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from fake_store import runs

from fairgl import claims, paths, scorecard
from fairgl.catalogue import label
from fairgl.contents import chapters
from fairgl.evidence import EVIDENCE, defaults, judge_stored, judged
from fairgl.guide import advise, paired
from fairgl.verdicts import VERDICTS, Unit, decide

CHAPTERS = sorted({claim.chapter for claim in claims.load()})


def test_every_chapter_with_claims_has_its_evidence():
    assert set(EVIDENCE) == set(CHAPTERS) and set(EVIDENCE) <= set(chapters())
    for chapter in EVIDENCE:
        assert "seeds" in defaults(chapter), chapter


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_page_and_the_scorecard_judge_by_one_rule(chapter):
    """The verdict cell hands in as many frames as the scorecard reads, under the chapter's own name."""
    notebook = json.loads((paths.root() / "notebooks" / f"{chapter}.ipynb").read_text("utf8"))
    code = "\n".join("".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code")
    (handed,) = re.findall(rf'verdicts\("{chapter}", ([^)]*)\)', code)
    assert len(handed.split(",")) == len(EVIDENCE[chapter].read)
    assert "judge_all" not in code
    with pytest.raises(TypeError, match="frames"):
        judged(chapter)


@pytest.mark.parametrize("chapter", ["c1_parity_hides_exposure", "e2_other_metrics", "rq3_balance",
                                     "e3_more_groups", "counterfactual_results"])  # fmt: skip
def test_without_records_nothing_is_testable(chapter, tmp_path):
    found = judge_stored(chapter, tmp_path)
    assert [v.claim for v in found] == claims.load(chapter)
    assert {v.verdict for v in found} == {VERDICTS[3]} and all(v.reason for v in found)


@pytest.fixture(scope="module")
def verdicts():
    return judge_stored("e2_other_metrics") + judge_stored("rq3_balance")


def test_every_claim_is_a_row_with_its_verdict_and_chapter(verdicts):
    page = scorecard.card(verdicts, {"rq3_balance": "Balance"}, {"rq3_balance"}).to_html()
    assert page.count("<tr") == len(verdicts) + 1
    assert 'href="rq3_balance.html"' in page and "e2_other_metrics.html" not in page
    for v in verdicts:
        assert scorecard.printed(v) and scorecard.measured(v)


def test_counts_add_up(verdicts):
    table = scorecard.counts(verdicts)
    assert table.loc[("all", ""), "claims"] == len(verdicts)
    assert (table[list(VERDICTS)].sum(axis=1) == table["claims"]).all()
    cells = [v for v in verdicts if scorecard.is_cell(v)]
    assert sum(map(len, scorecard.by_table(verdicts).values())) == len(cells)
    assert scorecard.by_method(verdicts)["cells"].sum() == sum(v.testable > 0 for v in cells)
    assert label("moral") in scorecard.by_method(verdicts).index


def test_the_rule_by_hand():
    claim = claims.Claim("c", "p", "", "", "", "", "ordering", "better")
    units = tuple(Unit(name, name) for name in ("holds", "leans", "fails"))
    assert decide(claim, units).verdict == "partly" and decide(claim, units[2:]).verdict == "not reproduced"


def group(**changes):
    """A study of three seeds-worth of methods: "nifty" halves the gap and keeps the AUC, "fairgnn" loses it."""
    means = {"gcn": (0.70, 0.20), "mlp": (0.69, 0.10), "nifty": (0.695, 0.05), "fairgnn": (0.60, 0.01)}
    frame = runs({("german", name): {"auc": auc, "statistical_parity_difference": gap, "val.auc": auc,
                                     "val.statistical_parity_difference": gap} for name, (auc, gap) in means.items()})
    for part in ("auc", "statistical_parity_difference"):
        frame[f"val.{part}"] = frame["method"].map({n: v[part != "auc"] for n, v in means.items()})
    frame["fit_seconds"] = frame["method"].map({"gcn": 1.0, "mlp": 0.5, "nifty": 4.0, "fairgnn": 2.0})
    return frame


def test_advice_keeps_the_utility_the_budget_and_the_evidence():
    frame = group()
    found = advise(frame, "german", "statistical_parity_difference")
    assert (found.anchor, found.method, found.advised, found.times) == ("gcn", "nifty", True, 4.0)
    assert found.gain.mean == pytest.approx(-0.15) and found.gain.high < 0 and found.candidates == 1
    assert not advise(frame, "german", "statistical_parity_difference", budget=2).advised
    assert advise(frame, "german", "statistical_parity_difference", loss=0.2).method == "fairgnn"
    assert advise(frame, "credit", "statistical_parity_difference") is None


def test_two_pairs_of_runs_give_no_interval_and_no_advice():
    frame = group()
    few = frame[frame["seed"] < 2]
    gap = paired(few, "german", "nifty", "gcn", "statistical_parity_difference")
    assert gap.pairs == 2 and np.isnan(gap.high)
    found = advise(few, "german", "statistical_parity_difference")
    assert not found.advised and "only 2 pairs" in found.why
    assert paired(few, "german", "nobody", "gcn", "auc").pairs == 0


def test_commands_of_the_course_are_valid():
    import re
    import shlex

    from fairgl.contents import effective, resolve
    from fairgl.parameters import parse_assignments
    from fairgl.paths import root

    text = (root() / "book" / "course.md").read_text("utf8")
    commands = [line for block in re.findall(r"```bash\n(.*?)```", text, re.S) for line in block.splitlines()]
    commands += re.findall(r"`(fairgl run \w+)`", text)
    assert len(commands) >= 12
    for line in commands:
        words = shlex.split(line)
        assert words[:2] == ["fairgl", "run"], line
        name = resolve(words[2]) if words[2] != "CHAPTER" else "rq1_group_fairness"
        pairs = [value for flag, value in zip(words, words[1:], strict=False) if flag == "-p"]
        effective(chapters()[name], parse_assignments(pairs))
    pages = set(re.findall(r"\{doc\}`../notebooks/(\w+)`", text))
    assert pages <= set(chapters()) and len(re.findall(r"^\| \d", text, re.M)) == 8

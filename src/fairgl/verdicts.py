"""The one rule that turns records into verdicts.

Every claim is cut into *units* (one data set, one pair of methods, one rank). A unit **holds**, **leans** the claimed
way without being certain, **fails**, or is **missing** (no record, or undefined). The verdict counts units:

* *reproduced*: the claimed share of the testable units holds (all of them, unless the paper says "most" or "4 of 7");
* *partly*: at least half of that share holds or leans;
* *not reproduced*: less than that;
* *not testable here*: no testable unit.

A printed value holds when our 95 % interval of the mean meets ``value ± tolerance`` and our interval is no wider than
that band or ±5 points. It leans when it only meets the band, when only the direction against the named reference method
agrees, or when another reading of the number (``also``) holds. A statement about order holds when it is true of our
means and in at least 95 % of resamples of the seeds, and leans when it is true of our means only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairgl.claims import Claim
from fairgl.registry import Registry
from fairgl.studies import select

EVALUATORS = Registry("claim evaluator", "fairgl.findings")
VERDICTS = ("reproduced", "partly", "not reproduced", "not testable here")
CELLS = ("value", "out_of_memory")  # evaluators of claims about single cells of a table; the others are statements
OUTCOMES = ("holds", "leans", "fails", "missing")


@dataclass(frozen=True)
class Unit:
    """One testable piece of a claim; ``outcome`` is ``holds``, ``leans``, ``fails`` or ``missing``."""

    name: str
    outcome: str
    mean: float = np.nan
    low: float = np.nan
    high: float = np.nan
    note: str = ""


@dataclass(frozen=True)
class Verdict:
    """A claim, its verdict, and the units behind it."""

    claim: Claim
    verdict: str
    units: tuple[Unit, ...]
    reason: str = ""

    def count(self, outcome: str) -> int:
        return sum(unit.outcome == outcome for unit in self.units)

    @property
    def testable(self) -> int:
        return len(self.units) - self.count("missing")

    @property
    def counts(self) -> str:
        """``"3 of 4 hold, 1 leans; 2 not testable"``."""
        text = f"{self.count('holds')} of {self.testable} hold"
        text += f", {self.count('leans')} lean" if self.count("leans") else ""
        return text + (f"; {self.count('missing')} not testable" if self.count("missing") else "")


def judge(claim: Claim, frame: pd.DataFrame) -> Verdict:
    """The verdict of one claim; see :func:`judge_all`."""
    return judge_all([claim], frame)[0]


def judge_all(claims: list[Claim], frame: pd.DataFrame) -> list[Verdict]:
    """Verdicts in the order of the claims, each on the records of its study.

    Evaluators see the reported runs (final stage, winning configuration), or all of them if they are registered with
    ``all_stages``.
    """
    runs = {study: frame[frame["study"] == study] for study in {claim.study for claim in claims}}
    reported = {study: select(part) for study, part in runs.items()}
    verdicts = []
    for claim in claims:
        evaluate = EVALUATORS[claim.evaluator]
        source = runs if getattr(evaluate, "all_stages", False) else reported
        verdicts.append(decide(claim, tuple(evaluate(claim, source[claim.study]))))
    return verdicts


def decide(claim: Claim, units: tuple[Unit, ...]) -> Verdict:
    """The verdict that these units make."""
    found = [unit.outcome for unit in units if unit.outcome != "missing"]
    holds, leans = found.count("holds"), found.count("leans")
    if not found:
        notes = [unit.note for unit in units if unit.note]
        return Verdict(claim, VERDICTS[3], units, claim.out_of_reach or (notes[0] if notes else "no records"))
    needed = claim.share * len(found) - 1e-9
    verdict = VERDICTS[0] if holds >= needed else VERDICTS[1] if holds + leans >= needed / 2 else VERDICTS[2]
    return Verdict(claim, verdict, units)


def tally(verdicts: list[Verdict]) -> dict[str, int]:
    """How many claims got each verdict, all four listed."""
    return {name: sum(v.verdict == name for v in verdicts) for name in VERDICTS}

"""From records to styled tables that carry no colours of their own.

Colours come from the page (``currentColor`` and the theme's variables), so a table reads in light and dark mode; wide
tables scroll inside their own box on a narrow screen.
"""

from __future__ import annotations

import hashlib
import html

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from fairgl import published as papers
from fairgl.catalogue import label
from fairgl.summaries import Display, display, separated_best, summarize
from fairgl.verdicts import VERDICTS, Verdict


def _ours(row: pd.Series, show: Display, bold: bool, intervals: bool = False) -> str:
    if np.isnan(row["mean"]):
        status, _, reason = row["reason"].partition(": ")
        return f'<span class="fg-missing">{html.escape(status)}<br><small>{html.escape(reason[:80])}</small></span>'
    number = show.number(row["mean"])
    if not np.isnan(row["std"]):
        number += f" ± {show.number(row['std'])}"
    interval = f"95 % interval of the mean {show.number(row['low'])} to {show.number(row['high'])}"
    interval = interval if row["low"] == row["low"] else "too few runs for an interval"
    counts = "" if row["valid"] == row["runs"] else f" <small>{row['valid']} of {row['runs']} valid</small>"
    title = f"{interval}, {row['valid']} of {row['runs']} runs"
    below = f"{show.number(row['low'])} to {show.number(row['high'])}" if row["low"] == row["low"] else "no interval"
    below = f'<br><span class="fg-paper">{below}</span>' if intervals else ""
    return f'<span title="{title}">{f"<strong>{number}</strong>" if bold else number}</span>{counts}{below}'


def _theirs(row: pd.Series, show: Display, table: str) -> str:
    cell = papers.lookup(table, dataset=row["dataset"], method=row["method"], metric=row["metric"])
    if cell is None:
        return ""
    difference = ""
    if cell["status"] == "ok" and not np.isnan(row["mean"]):
        difference = f" ({show.number(row['mean'] - cell['value'], sign=True)})"
    return f'<br><span class="fg-paper">{papers.cell(cell, scale=show.scale)}{difference}</span>'


def results(
    frame: pd.DataFrame,
    *,
    metrics: list[str],
    published: str | None = None,
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    intervals: bool = False,
) -> Styler:
    """Methods by data sets, one block per metric; the paper's cell and our difference from it below ours.

    Args:
        frame: Records of one study.
        metrics: Metrics, one block of rows each.
        published: Name in :data:`fairgl.published.TABLES`, or ``None`` for our numbers alone.
        datasets: Columns; ``None`` takes the data sets with records.
        methods: Rows; ``None`` takes the methods with records. Both may name what was not run.
        intervals: Whether each cell prints the 95 % interval of its mean on a line of its own; else it is in the
            tooltip only.

    Returns:
        A styled table, HTML in notebooks and in the book.
    """
    cells = summarize(frame, metrics, datasets=datasets, methods=methods)
    grid: dict[tuple, dict[str, str]] = {}
    for (dataset, metric), block in cells.groupby(["dataset", "metric"], sort=False):
        show = display(metric)
        best = separated_best(block, show.direction, show.resolution)
        for _, row in block.iterrows():
            cell = _ours(row, show, row["method"] == best, intervals)
            cell += _theirs(row, show, published) if published else ""
            grid.setdefault((show.heading, label(row["method"])), {})[dataset] = cell
    rows = pd.MultiIndex.from_tuples(sorted(grid, key=lambda key: [display(m).heading for m in metrics].index(key[0])))
    table = pd.DataFrame([grid[key] for key in rows], index=rows)
    runs = sorted(set(cells.loc[cells["runs"] > 0, "runs"])) or [0]
    span = str(runs[0]) if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    caption = f"Mean ± standard deviation over {span} runs."
    caption += " Second line: 95 % interval of the mean over runs." if intervals else ""
    if published:
        caption += f" Below: {papers.TABLES[published].place} of the paper (ours minus theirs)."
    caption += " Bold: its 95 % interval lies clear of every other method's; the constant never competes."
    return styled(table, caption)


def readings(
    frame: pd.DataFrame,
    ours: dict[str, str],
    theirs: dict[str, tuple[str, str]],
    *,
    datasets: list[str],
    methods: list[str],
) -> pd.DataFrame:
    """Several readings of one printed number side by side, and which of ours is nearest to what is printed first.

    Args:
        frame: Reported runs of one study.
        ours: Heading → metric, one reading each.
        theirs: Heading → (published table, metric).
        datasets, methods: Rows, data sets outermost; cells that the paper does not have stay empty.

    Returns:
        Rows ``(data set, method)``; texts, and a column ``nearest``: a heading of ``ours``, "" if a number is missing.
    """
    cells = summarize(frame, list(ours.values()), datasets=datasets, methods=methods)
    means = cells.set_index(["dataset", "method", "metric"])["mean"]
    rows = {}
    for dataset, method in means.index.droplevel("metric").unique():
        show = {heading: display(metric) for heading, metric in ours.items()}
        found = {heading: means[dataset, method, metric] for heading, metric in ours.items()}
        row = {heading: show[heading].number(v) if v == v else "–" for heading, v in found.items()}
        printed = {heading: papers.lookup(table, dataset=dataset, method=method, metric=metric)
                   for heading, (table, metric) in theirs.items()}  # fmt: skip
        row |= {heading: "" if cell is None else papers.cell(cell, scale=100.0) for heading, cell in printed.items()}
        first = next(iter(printed.values()))
        known = first is not None and first["status"] == "ok" and not any(v != v for v in found.values())
        row["nearest"] = min(found, key=lambda heading: abs(found[heading] - first["value"])) if known else ""
        rows[dataset, label(method)] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["data set", "method"])


def styled(table: pd.DataFrame, caption: str = "", digits: int = 3) -> Styler:
    """``table`` in the book's style; cells may hold HTML, so pass text that comes from outside through :func:`text`."""
    # The identifier follows from the content, so that running a chapter twice gives the same page.
    identifier = hashlib.sha256((caption + table.to_csv()).encode()).hexdigest()[:8]
    look = Styler(table, uuid=identifier, cell_ids=False).format(na_rep="–", escape=None, precision=digits)
    look = look.set_table_attributes('class="dataframe fairgl-table"')
    look = look.set_table_styles(
        [
            {"selector": "", "props": "border-collapse: collapse; color: inherit; font-variant-numeric: tabular-nums;"},
            {"selector": "caption", "props": "caption-side: top; text-align: left; opacity: .85; padding: .3em 0;"},
            {"selector": "th, td", "props": "padding: .3em .5em; text-align: left; vertical-align: top;"},
            {"selector": "td", "props": "white-space: nowrap; background: transparent; color: inherit;"},
            {"selector": "tbody tr", "props": "border-top: 1px solid rgba(128,128,128,.3); background: transparent;"},
            {"selector": ".fg-paper, .fg-missing", "props": "opacity: .75; font-size: .88em;"},
            {"selector": ".fg-wrap", "props": "white-space: normal; display: inline-block; min-width: 13em;"},
        ]
    )
    return look.set_caption(html.escape(caption)) if caption else look


def badge(verdict: str) -> str:
    """A verdict as a word with the book's style."""
    return f'<span class="verdict verdict-{verdict.replace(" ", "-")}">{verdict}</span>'


def _told(verdict: Verdict) -> tuple[str, str]:
    """What is claimed and what we found, as text."""
    claim = verdict.claim
    if claim.evaluator != "value" or not verdict.testable:
        return "", verdict.counts if verdict.testable else verdict.reason
    show, unit = display(claim.metrics[0]), verdict.units[0]
    found = f"{show.number(unit.mean)} ({show.number(unit.low)} to {show.number(unit.high)})"
    claimed = f"{show.number(claim.value)} ± {show.number(claim.tolerance)}"
    return claimed, f"{found}; {unit.note}" if unit.note else found


def text(cell: str) -> str:
    """A plain text as a cell: escaped, and free to wrap if it is long."""
    return f'<span class="fg-wrap">{html.escape(cell)}</span>' if len(cell) > 40 else html.escape(cell)


def verdict_table(verdicts: list[Verdict]) -> Styler:
    """One row per claim: verdict, statement, what is claimed with its tolerance, what we found, place."""
    rows = []
    for verdict in verdicts:
        claimed, found = _told(verdict)
        row = badge(verdict.verdict), text(verdict.claim.statement), claimed, text(found), verdict.claim.place
        rows.append(row)
    heads = ["verdict", "statement", "claimed ± tolerance", "found (95 % interval)", "place"]
    table = pd.DataFrame(rows, columns=heads)
    if not table["claimed ± tolerance"].any():
        table = table.drop(columns="claimed ± tolerance").rename(columns={"found (95 % interval)": "units"})
    return styled(table).hide(axis="index")


def verdict_counts(verdicts: list[Verdict]) -> Styler:
    """How many table cells got each verdict, by metric; cells without a metric are the printed "OOM"."""
    rows: dict[str, dict[str, int]] = {}
    for verdict in verdicts:
        heading = display(verdict.claim.metrics[0]).heading if verdict.claim.metrics else "OOM"
        rows.setdefault(heading, dict.fromkeys(VERDICTS, 0))[verdict.verdict] += 1
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(VERDICTS))
    table.loc["all"] = table.sum()
    return styled(table.rename(columns=badge), "Cells of the printed table, by verdict.")

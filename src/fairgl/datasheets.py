"""The tables of counts in the datasheets, computed from the files.

A datasheet is a page of prose, ``book/datasheets/<name>.md``, with one table between two marker lines. :func:`refresh`
writes the tables of all data sets whose files are at hand; a test compares the pages with what it would write.
"""

from __future__ import annotations

import re
from pathlib import Path

from fairgl.datasets import load
from fairgl.graph import Graph
from fairgl.paths import cache, root
from fairgl.registry import DATASETS
from fairgl.sources import sources

BEGIN, END = "% counts computed from the files by fairgl.datasheets.refresh", "% end of counts"
BLOCK = re.compile(rf"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.S)


def page(name: str) -> Path:
    """The datasheet of a data set."""
    return root() / "book" / "datasheets" / f"{DATASETS.resolve(name)}.md"


def at_hand(name: str) -> bool:
    """Whether a data set loads without fetching anything."""
    needed = [s.file for s in sources() if s.dataset == DATASETS.resolve(name) and s.role == "needed"]
    return all((cache() / file).exists() for file in needed)


def counts(graph: Graph) -> str:
    """Published counts and ours, as a Markdown table."""
    found, card = graph.summary(), graph.card
    rows_in_file, published = card.get("rows_in_file"), card.get("published_edges")
    # What a paper prints as edges may count rows of a file, where most pairs stand twice.
    as_rows = published == rows_in_file != graph.num_edges
    rows = [
        ("nodes", card.get("published_nodes"), graph.num_nodes),
        ("rows of the edge list", published if as_rows else None, rows_in_file),
        ("self-loops removed", None, card.get("loops_removed")),
        ("copies and reverse copies removed", None, card.get("duplicates_removed")),
        ("undirected edges", None if as_rows else published, graph.num_edges),
    ]
    if "published_elsewhere" in card:
        half = (2 * graph.num_edges + graph.num_nodes) // 2
        rows.append(("both directions and one self-loop per node, halved (NIFTY)", card["published_elsewhere"], half))
    rows += [
        ("isolated nodes", None, found["isolated"]),
        ("features", card.get("published_features"), graph.num_features),
        ("edges within a group", None, f"{found['same_group_edges']:.1%}"),
    ]
    for label, size in found["groups"].items():
        rows.append((f"{graph.sens_name}: {label}", None, size))
    if graph.y is not None:
        rows.append(("labelled nodes", None, found["labelled"]))
        for g, (label, positive) in enumerate(found["positive_by_group"].items()):
            known = int(((graph.y >= 0) & (graph.sens == g)).sum())
            share = f"{positive:,} of {known:,} ({positive / known:.1%})"
            rows.append((f"{graph.label_name} = 1 among {label}", None, share))
    lines = ["| count | published | ours |", "|---|---:|---:|"]
    return "\n".join(lines + [f"| {what} | {_cell(old)} | {_cell(new)} |" for what, old, new in rows]) + "\n"


def refresh() -> list[str]:
    """Write the tables of all data sets at hand into their pages; the names of those whose page changed."""
    changed = []
    for name in DATASETS.names():
        if at_hand(name) and (text := page(name).read_text(encoding="utf8")) != (new := refreshed(text, name)):
            page(name).write_text(new, encoding="utf8")
            changed.append(name)
    return changed


def refreshed(text: str, name: str) -> str:
    """The text of a page with the table of ``name`` as it should be."""
    if len(BLOCK.findall(text)) != 1:
        raise ValueError(f"the datasheet of {name} needs exactly one table between {BEGIN!r} and {END!r}")
    return BLOCK.sub(lambda _: "\n" + counts(load(name)) + "\n", text)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else str(value)

"""Show the executed copy of a chapter in place of its source.

The table of contents names ``notebooks/NAME``, which is in git and has no outputs; ``executed/NAME.ipynb`` is what
papermill made of it and is not in git. Sphinx reads the source, and this extension swaps the executed text in. A copy
that is missing, older than its source or ended in an error is a warning, which ``-W`` turns into a failed build.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath

from sphinx.util import logging

from fairgl.contents import authored
from fairgl.parameters import cell_source, describe, model_of

logger = logging.getLogger(__name__)
GLUED_FROM = re.compile(r"(?:`|:doc:\s*)([^`\s:]+\.ipynb)")  # the role's `path::key` and the directive's :doc:


def executed_path(app, docname: str) -> Path:
    """Where the executed copy of a page lies."""
    return Path(app.srcdir, app.config.executed_dir, PurePosixPath(docname).name + ".ipynb")


def problem_of(copy: dict, source: dict, path: Path) -> str | None:
    """Why a copy must not be shown, or None."""
    outputs = [output for cell in copy["cells"] for output in cell.get("outputs", [])]
    if copy["metadata"].get("papermill", {}).get("exception") or any(o["output_type"] == "error" for o in outputs):
        return "the executed copy ended in an error"
    if path.with_name(f"{path.stem}.failed.ipynb").exists():
        return "the last run of this chapter failed"
    if authored(copy) != authored(source):
        return "the executed copy is older than its source"
    return None


def facts(copy: dict, source: dict) -> dict:
    """What the footer of a page tells: when the copy was made, how long it took, and with which parameters."""
    made = copy["metadata"].get("papermill", {})
    parameters = copy["metadata"].get("fairgl", {}).get("parameters")
    if parameters is None:  # made by papermill alone, which keeps only what was given
        declared = describe(model_of(cell_source(source)))
        parameters = {row["name"]: row["default"] for row in declared} | made.get("parameters", {})
    return {"at": made.get("end_time", ""), "seconds": made.get("duration") or 0.0, "parameters": parameters}


def swap(app, docname: str, text: list[str]) -> None:
    """Replace the source's text by the executed copy's; note which pages quote numbers of other chapters."""
    for page in GLUED_FROM.findall(text[0]):
        app.env.note_dependency(str(executed_path(app, page.removesuffix(".ipynb"))))
    if not app.env.doc2path(docname).endswith(".ipynb"):
        return
    path = executed_path(app, docname)
    app.env.note_dependency(str(path))
    if path.exists():
        copy, source = json.loads(path.read_text("utf8")), json.loads(text[0])
        problem = problem_of(copy, source, path)
        for cell in copy["cells"]:
            if "injected-parameters" in cell["metadata"].get("tags", []):
                cell["metadata"]["tags"].append("remove-cell")  # the footer shows the parameters
        app.env.metadata[docname]["executed"] = facts(copy, source)
        text[0] = json.dumps(copy)
    else:
        problem = f"no executed copy: run `fairgl run {path.stem}` first"
    if problem:
        logger.warning(problem, location=docname, type="executed")
        app.env.metadata[docname]["executed_problem"] = problem


def reread(app, env, added, changed, removed) -> list[str]:
    """Sphinx repeats a warning only for pages it reads again, so pages that had one are read again."""
    return [name for name in env.all_docs if "executed_problem" in env.metadata.get(name, {})]


def setup(app) -> dict:
    app.add_config_value("executed_dir", "executed", "env", str)
    app.connect("source-read", swap)
    app.connect("env-get-outdated", reread)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

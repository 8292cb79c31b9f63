"""Make the built book self-contained: equations and tables without a network, and a footer that says what was run.

MathJax comes from the package ``sphinx-mathjax-offline``, cut down to what the book uses. The theme's live-code scripts
(thebe) are dropped, as they load from elsewhere. The script of sortable tables (itables) is written once for all pages.
"""

from __future__ import annotations

import html
import importlib.util
import shutil
from pathlib import Path

MATHJAX = (
    "tex-mml-chtml.js",
    "output/chtml/fonts/woff-v2",
    "input/tex/extensions",
    "a11y",
    "sre/mathmaps/base.json",
    "sre/mathmaps/en.json",
)
DROPPED = ("thebe", "THEBE_JS_URL")


def copy_mathjax(app, exception) -> None:
    """Put the parts of MathJax that the book uses beside it."""
    if exception is not None or app.builder.format != "html":
        return
    package = importlib.util.find_spec("sphinx-mathjax-offline")
    if package is None:
        raise RuntimeError("equations need the package sphinx-mathjax-offline: pip install -r requirements.lock")
    source = Path(package.origin).parent / "static" / "mathjax"
    for name in MATHJAX:
        target = Path(app.outdir, "_static", "mathjax", name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if (source / name).is_dir():
            shutil.copytree(source / name, target, dirs_exist_ok=True)
        elif not target.exists():
            shutil.copy2(source / name, target)


def write_itables(app, exception) -> None:
    """Put the script of sortable tables beside the book, once instead of a megabyte in every page."""
    if exception is not None or app.builder.format != "html" or not getattr(app.env, "sortable_pages", None):
        return
    import itables.options
    from itables.javascript import generate_init_offline_itables_html

    page = generate_init_offline_itables_html(itables.options.dt_bundle)
    script = page.split("<script>", 1)[1].split("</script>", 1)[0]
    Path(app.outdir, "_static", "itables-init.js").write_text(script, "utf8")


def finish_page(app, pagename, templatename, context, doctree) -> None:
    """Drop scripts that load from elsewhere; add the tables' script and the footer where a page needs them."""

    def kept(script) -> bool:
        text = f"{getattr(script, 'filename', script)}{getattr(script, 'attributes', '')}"
        return not any(word in text for word in DROPPED)

    context["script_files"][:] = filter(kept, context.get("script_files", []))
    if "_itables_" in context.get("body", ""):
        app.env.sortable_pages = True
        app.add_js_file("itables-init.js")
    facts = app.env.metadata.get(pagename, {}).get("executed")
    if doctree is not None and facts:
        parameters = ", ".join(f"{name}={value!r}" for name, value in facts["parameters"].items()) or "no parameters"
        context["body"] = context.get("body", "") + (
            f'<p class="executed">Executed {facts["at"][:16].replace("T", " ")} UTC in {facts["seconds"]:.0f}&#160;s '
            f"with <code>{html.escape(parameters)}</code></p>"
        )


def share_visitors(app) -> None:
    """sphinx-exercise registers visitors for ``singlehtml``, which hides everybody else's for ``html``; share those."""
    visitors = app.registry.translation_handlers
    for name, pair in visitors.get("html", {}).items():
        visitors.setdefault("singlehtml", {}).setdefault(name, pair)


def setup(app) -> dict:
    app.connect("builder-inited", share_visitors)
    app.connect("html-page-context", finish_page, priority=900)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", write_itables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

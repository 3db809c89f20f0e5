"""What every page is in: a head with a policy that forbids all else, style, data and scripts."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from tseval.core.panels import Panel
from tseval.reporting import palette
from tseval.reporting.charts.plot import plot_style
from tseval.reporting.page.markup import Child, Markup, element, shown
from tseval.reporting.page.panels import script_panel
from tseval.version import VERSION

STYLE = "page.css"
SCRIPTS_OF_PANELS = ("address.js", "page.js", "ends.js")
"""The scripts that a page with panels alone needs."""
BEGIN = "address.begin();\n"
"""The end of the scripts: what an address asks for is shown when all of them stand."""


def document(title: str, body: Child, scripts: Iterable[str]) -> bytes:
    """A page that has this title, and loads nothing; its scripts follow what it holds."""
    style = _beside(STYLE) + plot_style() + palette.style()
    script = "".join([*map(_beside, scripts), BEGIN])
    head = element(
        "head",
        None,
        element("meta", {"charset": "utf-8"}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element(
            "meta", {"http-equiv": "Content-Security-Policy", "content": policy(style, script)}
        ),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("meta", {"name": "generator", "content": f"tseval {VERSION}"}),
        element("meta", {"name": "referrer", "content": "no-referrer"}),
        element("link", {"rel": "icon", "href": "data:,"}),
        element("title", None, title),
        Markup(f"<style>{style}</style>"),
    )
    whole = element("body", None, body, Markup(f"<script>{script}</script>"))
    return f'<!DOCTYPE html>\n<html lang="en">{head}{whole}</html>\n'.encode()


def _beside(name: str) -> str:
    return files("tseval.reporting.page").joinpath(name).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    """Nothing may be loaded or sent; only this very style and this very script count."""
    return (
        f"default-src 'none'; style-src '{_hashed(style)}'; script-src '{_hashed(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hashed(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"sha256-{digest}"


def block_of(
    names: Sequence[str], panels: Mapping[str, Panel], more: Mapping[str, Any] | None = None
) -> Markup:
    """A script element that holds data alone, which no browser runs."""
    content = {
        "runs": [shown(name) for name in names],
        "panels": {name: script_panel(panel) for name, panel in panels.items()},
        **(more or {}),
    }
    written = json.dumps(content, sort_keys=True, separators=(",", ":"))
    literal = written.replace("<", "\\u003c")  # no `<` can end the element early
    return Markup(f'<script type="application/json" id="content">{literal}</script>')


def made_by() -> Markup:
    """What stands at the foot of each page."""
    return element("footer", None, f"Made by tseval {VERSION}. This page loads nothing.")

"""A chart as one self-contained page that loads nothing."""

from __future__ import annotations

import json
from html import escape
from string import Template
from typing import Any

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # the first is built into vl-convert

PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<title>$title</title>
<style>
:root { color-scheme: light; }
body { margin: 8px; background: #ffffff; color: #222222; font: 14px/1.4 $font; }
#chart { overflow-x: auto; }
footer { margin: 0 16px 16px; color: #666666; font-size: 11px; overflow-wrap: anywhere; }
</style>
<script>$library</script>
</head>
<body>
<main id="chart"><noscript>This chart is drawn by JavaScript.</noscript></main>
<footer>$signature</footer>
<script>
vegaEmbed("#chart", $chart, {mode: "vega-lite", renderer: "canvas", actions: false});
</script>
</body>
</html>
""")

# Vega compiles its expressions, hence unsafe-eval. Nothing may be fetched from anywhere.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data:"
)


def chart_page(title: str, signature: str, chart: dict[str, Any]) -> bytes:
    """A page of one Vega-Lite chart, its signature as text below.

    The libraries are inside the page and its policy forbids loading anything. The words may
    hold any character: they are escaped here.
    """
    import vl_convert

    return PAGE.substitute(
        policy=POLICY,
        font=FONT,
        title=escape(title),
        signature=escape(signature),
        library=vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"),
        chart=script_literal(chart),
    ).encode()


def script_literal(value: object) -> str:
    """JSON that can stand in a script: no ``<`` can end the element early."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c")

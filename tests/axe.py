"""What axe finds on a page for those who can't see it or have no mouse."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest


@cache
def _source() -> str:
    """The source of axe, as a package has it."""
    package = pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    source = Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    assert re.search(r"axe v[4-9]", source[:200])
    return source


def violations(page: Any) -> list[Any]:
    """The rules that a page breaks now; a page that is asked again has axe still."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(_source())
    asked = "axe.run({ resultTypes: ['violations'] }).then((told) => told.violations)"
    found: list[Any] = page.evaluate(asked)
    return found

"""What tests of pages share: a report of the fixtures, its page, and who opens it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import tseval
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.reporting.visiting import Visit
from tseval.comparison import Plan
from tseval.reporting.assembling import Request, assemble
from tseval.reporting.content import Report
from tseval.reporting.page.document import report_page


@pytest.fixture(scope="module")
def small_report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Two runs on three topics."""
    path = tmp_path_factory.mktemp("scores") / "scores.json"
    tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, measures="P R T", topics=TOPICS).save(path)
    plan = Plan(interval="percentile", resamples=200)
    return assemble(Request([str(path)], ["P", "R", "T"], plan=plan), lambda _: nullcontext(None))


@pytest.fixture(scope="module")
def report(small_report: Report) -> Report:
    """The report whose page is looked at, unless a module has its own."""
    return small_report


@pytest.fixture(scope="module")
def page_file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the report."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(report_page(report))
    return path


@pytest.fixture
def visit(chromium: Any, page_file: Path) -> Iterator[Visit]:
    """The page in a wide window; at the end nobody has complained."""
    visit = Visit(chromium, page_file, viewport={"width": 1600, "height": 900})
    yield visit
    visit.check()

"""What all tests share: where the real judgments are, and how hypothesis searches."""

from __future__ import annotations

import gc
import math
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import fault_codes, slow
from tseval.core import registry
from tseval.errors import Fault
from tseval.io import times
from tseval.parallel.engine import Engine
from tseval.parallel.sharing import choose

ROOT = Path(__file__).parents[1]

# The same examples on every run, and no clock: a slow machine is not a fault.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# For a person who is looking for trouble: HYPOTHESIS_PROFILE=explore pytest
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session", autouse=True)
def _vectors_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Vectors go to a folder of the tests' own, and no library asks a network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TSEVAL_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="session", autouse=True)
def _listed_codes() -> Iterator[None]:
    """Every fault that a test meets has a code of the list."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Fault, "__init__", fault_codes.checked)
        yield


@pytest.fixture(scope="module", autouse=True)
def _small_times(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let a module that is marked `small_times` count seconds from a zero of its own.

    Whether such times are refused is for `tests/tables/test_times.py`, which isn't marked.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker("small_times"):
            patch.setattr(times, "EARLIEST", -math.inf)
        yield


@pytest.fixture
def registered() -> Iterator[None]:
    """What was loaded before is loaded again, then and after the test."""
    known = (registry.family, registry.definitions, registry.plugged_in)
    for each in known:
        each.cache_clear()
    yield
    for each in known:
        each.cache_clear()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, so that messages name files and no folders."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The conformance pack: real judgments and the scores that official scripts give them.

    It lies in TSEVAL_CONFORMANCE or, without that, in ../shared/conformance. Its tests are
    skipped where it is absent, and fail there if TSEVAL_REQUIRE_CONFORMANCE is set.
    """
    beside = ROOT.parent / "shared" / "conformance"
    pack = Path(os.environ.get("TSEVAL_CONFORMANCE") or beside)
    if not pack.is_dir():
        absent = f"no conformance pack at {pack} (set TSEVAL_CONFORMANCE)"
        if os.environ.get("TSEVAL_REQUIRE_CONFORMANCE"):
            pytest.fail(absent)
        pytest.skip(absent)
    return pack


UNASKED = (
    # A window is opened with two pages of the browser's own, and a process for a page to come:
    # together more work than the page that is asked for.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    "SpareRendererForSitePerProcess",
    # Playwright turns these off, but of two lists the browser reads the last alone.
    *("AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades"),
    *("LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints"),
    *("PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"),
)
"""What Chromium does beside showing a page; names that it does not know it leaves out."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as running:
        options = ["--no-sandbox", f"--disable-features={','.join(UNASKED)}"]
        browser = running.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


MARKS = {"conformance": "conformance", "engines": "engine", "chromium": "browser"}
"""The marker of the tests that ask for a fixture: that of the pack, of processes, of a page."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--write-slow`, which measures all tests, and `--short`, which leaves long cases out."""
    parser.addoption("--write-slow", action="store_true", help="write tests/slow.txt")
    parser.addoption("--short", action="store_true", help="leave long cases out, as `make test`")


def pytest_configure(config: pytest.Config) -> None:
    """Start the stopwatch, if it is asked for; let interrupts reach the programs of tests.

    A shell that runs the tests in its background has them ignore interrupts, and all that they
    start with them.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--write-slow"):
        config.pluginmanager.register(slow.Stopwatch())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the files of workers; mark tests by what they ask for, and those that take long."""
    if config.getoption("--short"):
        chosen = slow.shortened(items)
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen
    if "PYTEST_XDIST_WORKER" in os.environ:
        slow.longest_files_first(items)
    long = slow.listed()
    for item in items:
        for fixture, mark in MARKS.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
        if slow.function_of(item.nodeid) in long:
            item.add_marker("slow")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share files out as `tests.workers` says, unless another way was asked for."""
    if config.getvalue("dist") != "loadfile":
        return None
    from tests.workers import Scheduling

    return Scheduling(config, log)


def pytest_collection_finish() -> None:
    """Spare what is there before the first test, which stays, the search for garbage.

    There are millions of objects by then: to go through them again and again takes a twentieth of
    the time of the tests. New ones are looked through less often, too.

    Hypothesis draws once before: at its first draw it looks for what holds its random numbers, and
    does not find what is spared.
    """
    given(st.none())(lambda _: None)()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.fixture(scope="session")
def engines() -> Iterator[dict[str, Engine]]:
    """Two processes, and a cluster of two; started when first asked to run."""
    found = {"local": choose("local", jobs=2), "dask": choose("dask", jobs=2)}
    yield found
    for engine in found.values():
        engine.close()

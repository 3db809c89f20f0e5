"""What a page states in words: each case makes a page by commands, and reads it as text."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.program import FIXTURES, NUGGETS, SWIFT, THOROUGH, tseval
from tests.program import MATCHES as OF_FIXTURES
from tests.reporting.visiting import Visit


def text_of(page: str, section: str) -> str:
    """The words of a section, as a reader sees them."""
    own = re.search(rf'<section id="{section}">(.*?)</section>', page, re.DOTALL)
    assert own is not None, section
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", own[1])).split()).replace(" ,", ",")


def page_of(folder: Path, *command: object, report: tuple[object, ...] = ()) -> str:
    """The page of what a command scores."""
    scores, page = folder / "scores.json", folder / "page.html"
    for arguments in (
        (*command, "-q", "-o", scores, "--quiet"),
        ("report", scores, "-o", page, "--quiet", *report),
    ):
        done = tseval(*arguments)
        assert done.code == 0, done.err
    return page.read_text(encoding="utf-8")


def write(folder: Path, **tables: str) -> dict[str, Path]:
    """Tables by name, each of lines of words between blanks."""
    found = {}
    for name, content in tables.items():
        found[name] = folder / f"{name}.tsv"
        rows = ["\t".join(line.split()) for line in content.strip().splitlines()]
        found[name].write_text("\n".join(rows) + "\n")
    return found


# What was not judged is not noise.

RUN = """
run topic update_id time text
{run} flood {run}1 1700000000 river_over_banks
{run} flood {run}2 1700000100 traffic_is_slow
{run} flood {run}3 1700000200 river_again
{run} flood {run}4 1700000300 mayor_speaks
"""
FLOOD = {
    "a": RUN.format(run="a"),
    "b": RUN.format(run="b"),
    "nuggets": "topic nugget_id time text\nflood n 1700000000 river_over_banks",
    "matches": "topic update_id nugget_id\nflood a1 n\nflood a3 n\nflood b1 n",
    "pool": "topic update_id text\nflood a1 x\nflood a2 x\nflood b1 x",
    "track": "query_id update_id nugget_id match_start match_end auto_p\n"
    "flood a1 n 0 5 0\nflood a3 n 0 5 0\nflood b1 n 0 5 0",
}
POOL, MATCHES, TRACK = ("--pool", "pool"), ("--matches", "matches"), ("--matches", "track")
JUDGED = {  # the shares in the verdict; the roles of a and b: earns, repeats, nothing, unjudged
    (*MATCHES, *POOL): ("25 % and 75 % of updates are judged (b, a)", (1, 1, 1, 1), (1, 0, 0, 3)),
    MATCHES: ("", (1, 1, 2, 0), (1, 0, 3, 0)),
    TRACK: ("25 % and 50 % of updates are known to be judged", (1, 1, 0, 2), (1, 0, 0, 3)),
    (*TRACK, *POOL): ("25 % and 75 % of updates are judged (b, a)", (1, 1, 1, 1), (1, 0, 0, 3)),
    ("--matcher", "exact", *POOL): ("", None, None),
    ("--matcher", "exact"): ("", None, None),
}


@pytest.mark.parametrize("given", JUDGED, ids=" ".join)
def test_an_update_that_nobody_judged_is_no_noise(given: tuple[str, ...], tmp_path: Path) -> None:
    words, *wanted = JUDGED[given]
    files = write(tmp_path, **FLOOD)
    command = ("score", files["a"], files["b"], files["nuggets"])
    options = [files.get(each, each) for each in given]
    page = page_of(tmp_path, *command, *options)
    verdict, economy = text_of(page, "verdict"), text_of(page, "economy")
    wrong = text_of(page, "wrong")
    warnings = json.loads((tmp_path / "scores.json").read_text())["warnings"]
    assert words in verdict
    assert any(words in each and len(each) <= 160 for each in warnings) or not words
    assert ("not judged" in economy) == ("Not judged" in wrong) == bool(words)
    assert ('class="hatch"' in page) == bool(words)
    told = tseval(*command, *options, "--explain", "updates", "-f", "csv", "--quiet").out
    for run, roles in zip("ab", wanted, strict=True):
        own = [line.split(",")[4] for line in told.splitlines() if line.startswith(f"{run},")]
        counts = tuple(own.count(role) for role in ("earns", "repeats", "nothing", "unjudged"))
        if roles is None:
            assert counts[-1] == 0
            continue
        assert counts == roles
        noise, unjudged = (sum(each[at] for each in wanted) for at in (2, 3))
        assert f"Noise {noise}" in wrong
        assert (f"Not judged {unjudged}" in wrong) == bool(unjudged)


@pytest.mark.parametrize("pooled", [True, False])
def test_of_the_real_runs_of_2014_most_were_not_judged(
    pooled: bool, conformance: Path, tmp_path: Path
) -> None:
    """Of 15,974 and 5,721 lines 1,706 and 1,499 are in the pool of the two runs' topics."""
    folder = conformance / "temporal" / "2014"
    pool = ("--pool", folder / "updates_sampled.tsv.gz") if pooled else ()
    page = page_of(
        tmp_path,
        *("score", *sorted((folder / "runs").iterdir()), folder / "nuggets.tsv.gz"),
        *("--matches", folder / "matches.tsv.gz", *pool, "-m", "R P"),
    )
    words = (
        "11 % and 26 % of updates are judged" if pooled else "2.7 % and 9.8 % of updates are known"
    )
    assert words in text_of(page, "verdict")
    economy = text_of(page, "economy")
    assert all(each in economy for each in (("14,268", "4,222") if pooled else ("15,550", "5,159")))
    assert f"Noise {'2,219' if pooled else '0'}" in text_of(page, "wrong")


# The verdict: only what can be compared, with direction and size.

FILTER = tuple(FIXTURES / "filter" / f"{name}.tsv" for name in ("improving", "steady", "truth"))
FEW = "2 topics: too few to rule out chance"
BOTH = "2 topics that both have: too few to rule out chance"
VERDICTS = {
    # An end point is a line's end: 1.150 can be no score. By F_1 the order is the other one.
    ("filter", *FILTER, "-m", "end(F_pra) F_1"): (
        "improving has the better end(F_pra), 1.150 (outside 0-1: extrapolated) against 0.900 of "
        f"steady, {FEW}. By F_1 steady is ahead of improving, 0.875 against 0.571, {FEW}.",
    ),
    # Swift is silent on the topic `mine`: P has no value there, R is 0.
    ("score", SWIFT, THOROUGH, NUGGETS, "--matches", OF_FIXTURES): (
        "thorough has the better R, 0.903 against 0.550 of swift, 3 topics: too few to rule out",
        f"By P swift is ahead of thorough, 1.800 against 1.181, {BOTH}; by T swift is ahead of",
        "thorough says 130 % more updates: 23 against 10.",
    ),
    ("score", SWIFT, THOROUGH, NUGGETS, "--matches", OF_FIXTURES, "-m", "P"): (
        f"swift has the better P, 1.800 against 1.181 of thorough, {BOTH}; it has no value on 1 "
        "topic where the other run has one.",
    ),
}


@pytest.mark.parametrize("command", VERDICTS, ids=lambda each: f"{each[0]} {each[-1]}")
def test_the_verdict_compares_what_can_be_compared(
    command: tuple[object, ...], tmp_path: Path
) -> None:
    page = page_of(tmp_path, *command)
    assert [words for words in VERDICTS[command] if words not in text_of(page, "verdict")] == []


@pytest.mark.parametrize("runs", [2, 3])
def test_a_run_that_stays_silent_does_not_win(runs: int, tmp_path: Path) -> None:
    """Of eight topics `mute` has five, and is better on each of them."""
    rows = ["run topic measure value"]
    names = ["mute", "full", "slow"][:runs]
    for topic in range(8):
        for place, name in enumerate(names):
            if name != "mute" or topic < 5:
                rows.append(
                    f"{name} t{topic} P {0.9 - 0.2 * place - 0.01 * ((place + 1) * topic % 3)}"
                )
    scores = write(tmp_path, scores="\n".join(rows))["scores"]
    page = tmp_path / "page.html"
    command = ("report", scores, "-o", page, "--quiet", "--test", "t", "--on-missing", "skip")
    assert tseval(*command).code == 0
    verdict = text_of(page.read_text(encoding="utf-8"), "verdict")
    assert "mute is better" not in verdict
    assert "mute is first" not in verdict
    told = "mute has the better P, 0.892 against 0.690 of full, over 5 topics that both have"
    assert f"{told}; it has no value on 3 topics where the other run has one." in verdict
    assert "do not compare these means" in text_of(page.read_text(encoding="utf-8"), "means")


# A run has one colour on the whole page.

BEST = ("run-02", "run-30", "run-09", "run-10", "run-18")
"""The best of thirty; the first three would have one colour if it came of their place alone."""
DRAWN = """(run) => {
  const seen = (selector, what) => [...document.querySelectorAll(selector)]
    .map((each) => getComputedStyle(each)[what]);
  const at = `[data-run="${run}"]`;
  return {
    curves: seen(`figure.curve .line.on${at}`, "stroke"),
    legend: seen(`.legend .key${at} line`, "stroke"),
    means: seen(`.means tr${at} .mean`, "fill"),
  };
}"""
LANE = """() => getComputedStyle(document.querySelector("#lanes .first")).fill"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_runs_that_stand_out_have_colours_of_their_own_everywhere(
    scheme: str, chromium: Any, tmp_path: Path
) -> None:
    names = [*BEST, *(n for at in range(1, 31) if (n := f"run-{at:02}") not in BEST)]
    rows, matches = ["run topic update_id time text"], ["topic update_id nugget_id run"]
    gold = ["topic nugget_id time text", *(f"t{at % 2} n{at} 1700000{at:03} x" for at in range(80))]
    for place, run in enumerate(names):
        for at in range(80):
            if at < 78 - 2 * place:  # each next run says two nuggets fewer
                rows.append(f"{run} t{at % 2} {run}-{at} 1700001{at:03} x")
                matches.append(f"t{at % 2} {run}-{at} n{at} {run}")
    files = write(tmp_path, runs="\n".join(rows), gold="\n".join(gold), m="\n".join(matches))
    page_of(tmp_path, "score", files["runs"], files["gold"], "--matches", files["m"], "-m", "R F")
    window = {"viewport": {"width": 1400, "height": 900}, "color_scheme": scheme}
    visit = Visit(chromium, tmp_path / "page.html", **window)
    for place in (5, 6, 7):
        visit.page.locator(f".legend .key[data-run='{place}']").click()
    found = [visit.page.evaluate(DRAWN, place) for place in range(8)]
    for each in found:
        assert all(each.values()), "it is drawn in each place"
        assert len({colour for colours in each.values() for colour in colours}) == 1
    colours = [each["curves"][0] for each in found]
    assert len(set(colours)) == 8
    assert visit.page.locator("#choose-a option:checked").inner_text() in BEST
    for a, b in ((0, 1), (7, 2), (20, 28)):
        visit.page.select_option("#choose-a", str(a))
        visit.page.select_option("#choose-b", str(b))
        keys = [
            each.evaluate("e => getComputedStyle(e).backgroundColor")
            for each in visit.page.locator("#pair-topics .swatch").all()
        ]
        assert len(set(keys)) == 2
        assert a > 7 or keys == [colours[a], colours[b]]
        bars = visit.page.locator("#pair-topics .gain rect").all()
        own = {each.get_attribute("class").split()[0] for each in bars}
        assert own <= {"ahead", "behind"}
        for each in bars:
            side = ("ahead", "behind").index(each.get_attribute("class").split()[0])
            assert each.evaluate("e => getComputedStyle(e).fill") == keys[side]
        if a < 8:
            visit.page.select_option("#choose-run", str(a))
            assert visit.page.evaluate(LANE) == colours[a]
    visit.check()

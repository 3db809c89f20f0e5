"""A report on 30 runs, 25 topics and 20,000 updates: under 10 MB, interactive within two seconds.

    python bench/bench_report.py [--runs N] [--topics N] [--updates N] [--keep FILE]

What the page holds is asserted first, against counts known by construction. Then it is opened from
disk in headless Chromium, where that and Playwright are there, and the time is taken until a reader
can use it: until the script is done and the picture of the first topic stands; and then how long a
change of topic, of the measure of the map, and a sort take. Best of three.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from bench.rows import Row, tell
from tseval import score
from tseval.cli.output import progress
from tseval.reporting.assembling import Request, assemble
from tseval.reporting.inputs import report_inputs
from tseval.reporting.page.document import report_page

BYTES, SECONDS, MADE = 10_000_000, 2.0, 15.0
"""The goals: bytes of the page, seconds until it can be used, and until it is made."""
NUGGETS = 40
"""Of each topic."""
WORDS = tuple(
    f"{first}{second}{third}"
    for first in "bdfglmnr"
    for second in "aeiou"
    for third in ("nt", "rk")
)
HOUR, SPAN = 3600, 240
START = 1_700_006_400
"""Unix seconds of the first hour."""


def files(folder: Path, runs: int, topics: int, updates: int) -> dict[str, Path]:
    """Runs, nuggets and matches: two of three updates say a nugget, one of the topic's."""
    random = np.random.default_rng(0)
    said = [[" ".join(random.choice(WORDS, 9)) for _ in range(NUGGETS)] for _ in range(topics)]
    nuggets = ["topic\tnugget_id\ttime\ttext\timportance"]
    happened = np.sort(random.integers(0, SPAN * HOUR * 2 // 3, (topics, NUGGETS)), axis=1)
    for t in range(topics):
        nuggets += [
            f"t{t + 1}\tn{n + 1}\t{START + happened[t, n]}\t{said[t][n]}\t{1 + n % 3}"
            for n in range(NUGGETS)
        ]
    table, matches = ["run\ttopic\tupdate_id\ttime\ttext"], ["topic\tupdate_id\tnugget_id\trun"]
    for u in range(updates):
        run, topic = u % runs, u // runs % topics
        # The better a run, the more of its updates say something, and the sooner.
        nugget = int(random.integers(NUGGETS))
        says = random.random() < 0.9 - 0.4 * run / runs
        late = random.exponential(6 + run) * HOUR
        when = int(happened[topic, nugget] + late - HOUR)
        words = said[topic][nugget].split()[:7] if says else []
        text = " ".join([*random.choice(WORDS, 8), *words, *random.choice(WORDS, 6)])
        table.append(f"run-{run + 1:02}\tt{topic + 1}\tu{u}\t{START + max(0, when)}\t{text}")
        if says:
            matches.append(f"t{topic + 1}\tu{u}\tn{nugget + 1}\trun-{run + 1:02}")
    made = {"updates": table, "nuggets": nuggets, "matches": matches}
    paths = {name: folder / f"{name}.tsv" for name in made}
    for name, lines in made.items():
        paths[name].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def page(folder: Path, paths: dict[str, Path]) -> tuple[bytes, float, float]:
    """The page, and the seconds that making it takes without scoring, by the clock and of work."""
    found = score(str(paths["updates"]), str(paths["nuggets"]), matches=str(paths["matches"]))
    scores = folder / "scores.json"
    found.save(scores)
    given = report_inputs({name: str(path) for name, path in paths.items()})
    begun, worked = time.perf_counter(), time.process_time()
    report = assemble(Request([str(scores)], beside=given), lambda what: progress(what, quiet=True))
    made = report_page(report)
    return made, time.perf_counter() - begun, time.process_time() - worked


def check(made: bytes, paths: dict[str, Path], runs: int, topics: int) -> None:
    """Everything that was put in is in the page."""
    text = made.decode()
    data = json.loads(re.search(r'id="content">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    pairs = len(set(paths["matches"].read_text(encoding="utf-8").splitlines())) - 1
    held = (
        len(data["runs"]),
        len(data["timelines"]),
        sum(len(each["nuggets"]) for each in data["timelines"]),
        sum(len(each["sayings"]) for each in data["timelines"]),
    )
    wanted = (runs, topics, topics * NUGGETS, pairs)
    if held != wanted:
        raise SystemExit(f"the page holds {held}, not {wanted}")


READY = "document.querySelectorAll('#lanes .lane .track .gold').length"


def in_browser(path: Path) -> dict[str, float] | None:
    """Seconds in the browser, or None where there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        best = [_visit(browser, path) for _ in range(3)]
        browser.close()
    return {name: min(each[name] for each in best) for name in best[0]}


def _visit(browser: Any, path: Path) -> dict[str, float]:
    opened = browser.new_page(viewport={"width": 1600, "height": 1000})
    begun = time.perf_counter()
    opened.goto(path.as_uri(), wait_until="load")
    opened.wait_for_function(f"{READY} === {NUGGETS}")
    opened.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    seconds = {"interactive": time.perf_counter() - begun}
    for name, action in ACTIONS.items():
        seconds[name] = opened.evaluate(TIMED.replace("ACTION", action)) / 1000
    opened.close()
    return seconds


TIMED = """() => new Promise((done) => {
  const begun = performance.now();
  ACTION;
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
})"""
ACTIONS = {
    "another topic": "const c = document.getElementById('choose-topic'); c.value = '7'; "
    "c.dispatchEvent(new Event('change'))",
    "another run": "const c = document.getElementById('choose-run'); c.value = 'all'; "
    "c.dispatchEvent(new Event('change'))",
    "another map": "const c = document.getElementById('heat-measure'); c.value = '1'; "
    "c.dispatchEvent(new Event('change'))",
    "a sort": "document.querySelectorAll('.means .sort')[2].click()",
}


def main() -> None:
    """Assert, then time."""
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=30)
    options.add_argument("--topics", type=int, default=25)
    options.add_argument("--updates", type=int, default=20_000)
    options.add_argument("--keep", type=Path, help="put the page there")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() if given.keep is None else nullcontext() as folder:
        work = Path(folder or given.keep.parent)
        paths = files(work, given.runs, given.topics, given.updates)
        made, seconds, work_seconds = page(work, paths)
        check(made, paths, given.runs, given.topics)
        path = given.keep or work / "report.html"
        path.write_bytes(made)
        size = f"{given.runs} runs, {given.topics} topics, {given.updates:,} updates"
        tell(Row("making the page", size, seconds, most=MADE))
        tell(Row("making the page, of the processor", size, work_seconds))
        tell(Row("the page", size, len(made) / 1e6, "MB", most=BYTES / 1e6))
        found = in_browser(path)
    if found is None:
        print("not opened: there is no Chromium, or no Playwright")
        return
    for name, value in found.items():
        goal = SECONDS if name == "interactive" else None
        tell(Row(f"in Chromium: {name}", size, value, most=goal))


if __name__ == "__main__":
    main()

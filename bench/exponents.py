"""How the cost of every input grows with each of its dimensions: the exponent of size in time.

    python bench/exponents.py                  # all of them; some minutes of processor time
    python bench/exponents.py duplicates -k 3  # those whose names have the word, the best of 3

Each case makes files of some size and of ten times that size, and runs a command on them in a
process of its own. What a command takes for a size of 1 is taken off, as all commands start alike;
the exponent is the logarithm of the quotient of what is left. 1 is linear; what sorts may have a
little more. Processor time is measured, since a busy machine moves the clock; what takes less than
half a second at the larger size, or next to nothing at the smaller, is called short: its exponent
would be noise.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
TIME = 1_700_000_000
MEMORY = 6 << 30
"""No process may take more: a case that wants more fails."""
SHORT = 0.5
NOISE = 0.05
"""Seconds at the larger and at the smaller size from which on an exponent is told."""
ALARM = 1.2
"""An exponent above this is marked."""
PATIENCE = 300
"""No run may take more seconds."""


def table(path: str, columns: str, rows: Iterable[Sequence[object]], sign: str = "\t") -> None:
    """Write a table of these columns."""
    lines = [sign.join(columns.split()), *(sign.join(map(str, row)) for row in rows)]
    Path(path).write_text("\n".join(lines) + "\n")


def lines(path: str, records: Iterable[object]) -> None:
    """Write JSON lines."""
    Path(path).write_text("".join(json.dumps(each) + "\n" for each in records))


def named(word: str, *, apart: bool) -> Callable[[int], str]:
    """What the things of these numbers are called: each by its number, or all alike."""
    return lambda at: f"{word}{at}" if apart else word


UPDATE = "topic update_id time text"
NUGGET = "topic nugget_id time text"


def update(at: int, topic: object = "t") -> tuple[object, ...]:
    """An update's row."""
    return topic, f"u{at}", TIME + at, f"storm {at % 50} hits"


def nugget(at: int, topic: object = "t") -> tuple[object, ...]:
    """A nugget's row."""
    return topic, f"n{at}", TIME, f"storm {at % 50} hits"


def gold(number: int = 50) -> None:
    """A table of nuggets of one topic."""
    table("gold.tsv", NUGGET, map(nugget, range(number)))


SCORE = "score run.tsv gold.tsv --matcher exact"
MATCHED = "score run.tsv gold.tsv --matches matches.tsv"
MATCH = "topic update_id nugget_id"


def updates_of(form: str) -> Callable[[int], str]:
    """So many updates in a form."""

    def make(size: int) -> str:
        gold()
        rows = [dict(zip(UPDATE.split(), update(at), strict=True)) for at in range(size)]
        path = f"run.{form}"
        if form in ("tsv", "csv"):
            table(path, UPDATE, map(update, range(size)), "\t" if form == "tsv" else ",")
        elif form == "jsonl":
            lines(path, rows)
        elif form == "json":
            Path(path).write_text(json.dumps(rows, indent=1))
        else:
            import pandas as pd

            frame = pd.DataFrame(rows)
            _ = frame.to_parquet(path) if form == "parquet" else frame.to_excel(path, index=False)
        return f"score {path} gold.tsv --matcher exact"

    return make


def blocks(size: int) -> str:
    """Updates block by block."""
    return updates_of("tsv")(size) + " --in-blocks 65536"


def columns(size: int) -> str:
    """Columns that mean nothing."""
    gold()
    more = range(size)
    row = (*update(0), *("x" for _ in more))
    table("run.tsv", UPDATE + "".join(f" c{at}" for at in more), [row, (*row[:1], "u2", *row[2:])])
    return SCORE


def columns_twice(size: int) -> str:
    """Columns of which each stands twice, and required ones that are not there."""
    table("run.tsv", "".join(f" c{at} c{at}" for at in range(size)), [("x",) * size * 2])
    gold()
    return SCORE


def cell(column: int, filling: str) -> Callable[[int], str]:
    """One long cell."""

    def make(size: int) -> str:
        gold()
        row = list(update(0))
        row[column] = filling * (size // len(filling) + 1)
        table("run.tsv", UPDATE, [row])
        return SCORE

    return make


def topics(size: int) -> str:
    """Topics with an update and a nugget each, held against each other by words."""
    table("run.tsv", UPDATE, (update(0, f"t{at}") for at in range(size)))
    table("gold.tsv", NUGGET, (nugget(0, f"t{at}") for at in range(size)))
    return SCORE


def topics_matched(size: int) -> str:
    """Topics with a match each."""
    topics(size)
    table("matches.tsv", MATCH, ((f"t{at}", "u0", "n0") for at in range(size)))
    return MATCHED


def topics_shown(size: int) -> str:
    """Topics, each with its row in the output."""
    return topics_matched(size) + " --per-topic"


def runs(size: int) -> str:
    """Runs in one file."""
    table("run.tsv", f"run {UPDATE}", ((f"r{at}", *update(at)) for at in range(size)))
    gold()
    return SCORE


def files(size: int) -> str:
    """Runs in a file each."""
    for at in range(size):
        table(f"run{at}.tsv", UPDATE, [update(at)])
    gold()
    return f"score {' '.join(f'run{at}.tsv' for at in range(size))} gold.tsv --matcher exact"


def nuggets(size: int) -> str:
    """Nuggets of one topic."""
    table("run.tsv", UPDATE, map(update, range(50)))
    table("gold.tsv", NUGGET, (("t", f"n{at}", TIME + at, f"storm {at}") for at in range(size)))
    return SCORE


def alike(size: int) -> str:
    """Nuggets of one text."""
    table("run.tsv", UPDATE, [update(1), update(51), update(2)])
    table("gold.tsv", NUGGET, (("t", f"n{at}", TIME, "storm 1 hits") for at in range(size)))
    return "score run.tsv gold.tsv"


def matches(size: int) -> str:
    """Matches of a thousand updates."""
    table("run.tsv", UPDATE, map(update, range(1000)))
    gold(1000)
    pairs = ((at % 1000, at // 1000) for at in range(size))
    table("matches.tsv", MATCH, (("t", f"u{u}", f"n{n % 1000}") for u, n in pairs))
    return MATCHED


def repeated(size: int) -> str:
    """Updates of which each stands twice."""
    gold()
    table("run.tsv", UPDATE, (update(at % size) for at in range(2 * size)))
    return SCORE


def repeated_in_blocks(size: int) -> str:
    """The same, found block by block."""
    return repeated(size) + " --in-blocks 65536"


def repeated_elsewhere(size: int) -> str:
    """Two files of one run."""
    gold()
    for path in ("run.tsv", "again.tsv"):
        table(path, f"run {UPDATE}", (("r", *update(at)) for at in range(size)))
    return "score run.tsv again.tsv gold.tsv --matcher exact"


def faulty(what: str) -> Callable[[int], str]:
    """Rows with a fault each, every one told."""

    def make(size: int) -> str:
        rows = [list(update(at)) for at in range(size)]
        for at, row in enumerate(rows):
            if what == "time":
                row[2] = f"late{at}"
            elif what == "id":
                row[1] = " " * (at % 2)
            else:
                row.append("more")
        table("run.tsv", UPDATE, rows)
        return "validate run.tsv"

    return make


def no_utf8(size: int) -> str:
    """Lines with bytes that are not UTF-8."""
    table("run.tsv", UPDATE, map(update, range(size)))
    content = Path("run.tsv").read_bytes().replace(b"hits", b"h\xe4ts")
    Path("run.tsv").write_bytes(content)
    return "validate run.tsv"


def json_faults(size: int) -> str:
    """Lines that are no JSON."""
    Path("run.jsonl").write_text('{"topic": "t", "update_id": "u"\n' * size)
    return "validate run.jsonl --table updates"


def unknown_matches(size: int) -> str:
    """Matches to updates that nobody sent."""
    table("run.tsv", UPDATE, map(update, range(size)))
    gold()
    table("matches.tsv", MATCH, (("t", f"x{at}", "n1") for at in range(size)))
    return "validate run.tsv gold.tsv matches.tsv"


def events(size: int) -> str:
    """Topics in XML."""
    topics(1)
    event = "<event><id>t{}</id><start>1</start><end>2</end></event>\n"
    whole = "".join(event.format(at) for at in range(size))
    Path("topics.xml").write_text(f"<events>\n{whole}</events>\n")
    return f"{SCORE} --topics topics.xml"


def comments(size: int) -> str:
    """Comments in XML that are not closed."""
    events(1)
    Path("topics.xml").write_text("<events>\n" + "<!--" * size)
    return f"{SCORE} --topics topics.xml"


def nested(size: int) -> str:
    """Elements of XML, one in another."""
    events(1)
    Path("topics.xml").write_text("<event>" * size + "</event>" * size)
    return f"{SCORE} --topics topics.xml"


def duplicates(size: int) -> str:
    """Updates each of which repeats the one before it."""
    table("run.tsv", UPDATE, map(update, range(size)))
    gold()
    table("matches.tsv", MATCH, [("t", "u0", "n1")])
    chain = (("t", f"u{at + 1}", f"u{at}") for at in range(size))
    table("duplicates.tsv", "topic update_id duplicate_id", chain)
    return f"{MATCHED} --duplicates duplicates.tsv"


def pool(size: int) -> str:
    """A pool, each of whose updates repeats the one before it."""
    table("run.tsv", UPDATE, map(update, range(size)))
    gold()
    table("matches.tsv", MATCH, [("t", "u0", "n1")])
    rows = (("t", f"u{at}", f"u{at - 1}" if at else "NULL") for at in range(size))
    table("pool.tsv", "topic update_id duplicate_id", rows)
    return f"{MATCHED} --pool pool.tsv"


def at_times(size: int) -> str:
    """Times at which measures are asked for."""
    table("run.tsv", UPDATE, map(update, range(1000)))
    gold()
    return SCORE + "".join(f" --at {at + 1}m" for at in range(size))


def follow(size: int) -> str:
    """Lines of a live stream."""
    table("run.tsv", UPDATE, [update(0)])
    gold()
    lines("run.jsonl", (dict(zip(UPDATE.split(), update(at), strict=True)) for at in range(size)))
    return "score --follow gold.tsv --matcher exact --every 1000 < run.jsonl"


def explained(size: int) -> str:
    """Updates, each explained."""
    return updates_of("tsv")(size) + " --explain updates"


def listed_matches(size: int) -> str:
    """Matches that are written."""
    table("run.tsv", UPDATE, map(update, range(size)))
    gold()
    return "match run.tsv gold.tsv --matcher exact"


def compared_topics(size: int) -> str:
    """Topics of two runs that are compared."""
    rows = (("r" + str(r), f"t{at}", "m", (at * 7 + r) % 11) for r in (1, 2) for at in range(size))
    table("scores.tsv", "run topic measure value", rows)
    return "compare scores.tsv"


def compared_runs(size: int) -> str:
    """Runs that are compared: by nature each with each."""
    rows = ((f"r{r}", f"t{at}", "m", (at * 7 + r) % 11) for r in range(size) for at in range(10))
    table("scores.tsv", "run topic measure value", rows)
    return "compare scores.tsv --resamples 100"


def compared_against(size: int) -> str:
    """Topics by which two rankings are compared: by nature each with each."""
    compared_topics(size)
    return "compare scores.tsv --against scores.tsv --resamples 100"


def reported(dimension: str) -> Callable[[int], str]:
    """A page about scores, or about updates, too."""

    def make(size: int) -> str:
        size += 2
        if dimension.startswith("runs"):
            compared_runs(size)
        elif dimension == "topics":
            compared_topics(size)
        else:
            repeating = ((f"r{at % 2}", *update(at, f"t{at % 10}")) for at in range(size))
            table("run.tsv", f"run {UPDATE}", repeating)
            table("gold.tsv", NUGGET, (nugget(at, f"t{at % 10}") for at in range(50)))
            rows = ((f"r{r}", f"t{at}", "R", at % 7 / 7) for r in range(2) for at in range(10))
            table("scores.tsv", "run topic measure value", rows)
            files = "--updates run.tsv --nuggets gold.tsv --matcher exact"
            return f"report scores.tsv {files} -o page.html"
        return "report scores.tsv --resamples 100 -o page.html"

    return make


def curved(dimension: str) -> Callable[[int], str]:
    """Curves of updates, or of many topics."""

    def make(size: int) -> str:
        if dimension == "topics":
            topics_matched(size)
            return "curve run.tsv gold.tsv --matches matches.tsv"
        return updates_of("tsv")(size).replace("score", "curve")

    return make


def sampled(size: int) -> str:
    """Updates of which some are taken to be judged."""
    return updates_of("tsv")(size).replace("score", "sample") + " --pairs 100 -o judge.tsv"


def calibrated(size: int) -> str:
    """Updates by which a matcher is held against assessors."""
    matches(size)
    table("run.tsv", UPDATE, map(update, range(size)))
    table("matches.tsv", MATCH, (("t", f"u{at}", f"n{at % 50}") for at in range(size)))
    gold()
    return "calibrate run.tsv gold.tsv matches.tsv --matcher exact"


def swept(size: int) -> str:
    """Updates that several matchers find in the gold."""
    table("run.tsv", f"run {UPDATE}", ((f"r{at % 2}", *update(at)) for at in range(size + 2)))
    gold()
    return "sweep run.tsv gold.tsv --matcher exact --resamples 100"


def imported(size: int) -> str:
    """Lines of a track's run that become a plain table."""
    rows = (
        f"t{at % 9} team run {TIME + at}-{at:032x} {at % 9} {TIME + at} 1.0" for at in range(size)
    )
    Path("run.txt").write_text("".join(f"{row}\n" for row in rows))
    return "import ts-run run.txt -o run.tsv"


def begun(size: int) -> str:
    """Lines of a log to begin with."""
    rows = [dict(zip(UPDATE.split(), update(at), strict=True)) for at in range(size)]
    lines("log.jsonl", rows)
    gold()
    return "init try --from log.jsonl --gold gold.tsv"


def assessed(dimension: str) -> Callable[[int], str]:
    """A store of the desk, with updates, half of which two people have read."""

    def make(size: int) -> str:
        from bench.bench_desk import files, prepared

        read = size // 2 if dimension == "decisions" else 10
        runs, nuggets = files(Path(), size + 20, 50, 10)
        prepared(Path(), runs, nuggets, read)
        return "assess export desk.tseval -o out"

    return make


def faults_of(name: str, columns: str, *row: object) -> Callable[[int], str]:
    """Rows of a family's table, each with a fault in its last column, and every one told."""

    def make(size: int) -> str:
        table(
            "faulty.tsv", columns, ((*(f"{each}{at}" for each in row), "?") for at in range(size))
        )
        return f"validate faulty.tsv --table {name}"

    return make


POST = "topic post_id time confidence"


def clusters(dimension: str) -> Callable[[int], str]:
    """Posts over clusters."""

    def make(size: int) -> str:
        topic = named("t", apart=dimension == "topics")
        most = size if dimension == "clusters" else 50
        rows = [(topic(at), f"c{at % most}", f"p{at}", TIME + at) for at in range(size)]
        run = [(topic, post, time, at) for at, (topic, _, post, time) in enumerate(rows)]
        name = named("r", apart=dimension == "runs")
        table("run.tsv", f"run {POST}", ((name(at), *row) for at, row in enumerate(run)))
        table("clusters.tsv", "topic cluster_id post_id time", rows)
        return "clusters run.tsv clusters.tsv"

    return make


def clusters_json(size: int) -> str:
    """Clusters as one document."""
    clusters("clusters")(size)
    found = {f"c{at}": [f"p{at}"] for at in range(size)}
    Path("clusters.json").write_text(json.dumps({"topics": {"t": {"clusters": found}}}))
    return "validate clusters.json --table clusters"


def shared_post(size: int) -> str:
    """Clusters that all hold one post."""
    table("run.tsv", POST, [("t", "p", TIME, 1)])
    table(
        "clusters.tsv",
        "topic cluster_id post_id time",
        [("t", f"c{at}", "p", TIME) for at in range(size)],
    )
    return "clusters run.tsv clusters.tsv"


def filtering(dimension: str) -> Callable[[int], str]:
    """Documents that are filtered."""

    def make(size: int) -> str:
        topic = named("t", apart=dimension == "topics")
        rows = [(topic(at), f"p{at}", TIME + at * 600, at % 1000) for at in range(size)]
        run = [(f"r{at}" if dimension == "runs" else "r", *row) for at, row in enumerate(rows)]
        table("run.tsv", f"run {POST}", run)
        truth = ((topic, post, 2 - at % 3, time) for at, (topic, post, time, _) in enumerate(rows))
        table("truth.tsv", "topic post_id relevance time", truth)
        return "filter run.tsv truth.tsv"

    return make


def values(dimension: str) -> Callable[[int], str]:
    """Values that are tracked."""

    def make(size: int) -> str:
        topic = named("t", apart=dimension == "topics")
        rows = [(topic(at), "deaths", TIME + at, at % 90) for at in range(size)]
        for path in ("run.tsv", "gold.tsv"):
            table(path, "topic attribute time value", rows)
        return "values run.tsv gold.tsv"

    return make


def places(size: int) -> str:
    """Places that are tracked, many at each time."""
    rows = [("t", "locations", TIME + at // 100, f"{at % 90},{at % 170}") for at in range(size)]
    for path in ("run.tsv", "gold.tsv"):
        table(path, "topic attribute time value", rows)
    return "values run.tsv gold.tsv"


def incidents(dimension: str) -> Callable[[int], str]:
    """Posts of incidents."""

    def make(size: int) -> str:
        topic = named("t", apart=dimension == "events")
        kinds_there = size if dimension == "types" else 5
        run = named("r", apart=dimension == "runs")
        posts = [(topic(at), f"p{at}") for at in range(size)]
        rows = ((run(at), *post, at % 9, f"k{at % kinds_there}") for at, post in enumerate(posts))
        table("run.tsv", "run topic post_id priority types", rows)
        judged = (
            (*post, "High" if at % 2 else "Low", f"k{at % kinds_there}")
            for at, post in enumerate(posts)
        )
        table("labels.tsv", "topic post_id level types", judged)
        kinds = [{"id": f"k{at}"} for at in range(min(size, kinds_there))]
        Path("types.json").write_text(json.dumps({"informationTypes": kinds}))
        return "incidents run.tsv labels.tsv --ontology types.json"

    return make


def changes(dimension: str) -> Callable[[int], str]:
    """Questions with documents by days."""

    def make(size: int) -> str:
        topic = named("t", apart=dimension == "topics")
        own = 1 if dimension == "questions" else 50
        rows = [(topic(at), f"q{at // own}", f"d{at}") for at in range(size)]
        ranked = ((t, "2026-03-02", q, at, d, 1) for at, (t, q, d) in enumerate(rows))
        table("run.tsv", "topic day qid question_rank doc_id score", ranked)
        table("qrels.tsv", "topic qid doc_id gain", ((*row, 1) for row in rows))
        table("documents.tsv", "doc_id day", ((d, "2026-03-02") for _, _, d in rows))
        questions = dict.fromkeys((t, q) for t, q, _ in rows)
        table("questions.tsv", "topic qid", questions)
        Path("days.txt").write_text("2026-03-02\n")
        return (
            "changes run.tsv qrels.tsv --documents documents.tsv --lenient "
            "--topics questions.tsv --days days.txt"
        )

    return make


def responses(dimension: str) -> Callable[[int], str]:
    """Labels of responses."""

    def make(size: int) -> str:
        topic = named("t", apart=dimension == "topics")
        run = named("r", apart=dimension == "runs")
        step = 1 if dimension == "versions" else 0
        name = named("n", apart=dimension != "versions")
        rows = (
            (run(at), topic(at), name(at), "support", TIME + at * step, at * step)
            for at in range(size)
        )
        table("run.tsv", "run topic nugget_id label time version", rows)
        listed = dict.fromkeys((topic(at), name(at)) for at in range(size))
        table("list.tsv", "topic nugget_id importance", ((*each, "vital") for each in listed))
        return "responses run.tsv --nuggets list.tsv"

    return make


def timelines(dimension: str) -> Callable[[int], str]:
    """Days and sentences of timelines."""

    def make(size: int) -> str:
        def row(at: int) -> tuple[str, str, str]:
            day = at if dimension == "days" else at % 20
            date = f"{1000 + day // 336:04}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}"
            return (f"t{at}" if dimension == "topics" else "t"), date, f"storm {at % 999} hits"

        rows = list(map(row, range(size)))
        if dimension == "words":
            rows = [("t", "2024-03-01", "storm hits " * size)]
        for path in ("run.tsv", "gold.tsv"):
            table(path, "topic date text", rows)
        return "timelines run.tsv gold.tsv"

    return make


def crisisfacts(dimension: str) -> Callable[[int], str]:
    """Collapsed facts and their labels."""

    def make(size: int) -> str:
        event = named("E-1", apart=dimension == "requests")
        run = named("run", apart=dimension == "runs")
        asked = [f"{event(at)}-r1" for at in range(size)]
        rows = [
            (each, f"{each}-c-{at}", f"{each}-{run(at)}-{at}", 1) for at, each in enumerate(asked)
        ]
        table("run.tsv", "request collapsed_fact_id relevant_fact importance", rows)
        labels = ((fact, "ann", "USEFUL_FACT") for _, fact, _, _ in rows)
        table("labels.tsv", "collapsed_fact_id assessor label", labels)
        return "crisisfacts run.tsv labels.tsv"

    return make


@dataclass(frozen=True)
class Case:
    """What grows, up to which size, and what makes the files and the command."""

    name: str
    size: int
    make: Callable[[int], str]


CASES = [
    *(Case(f"updates as {form}", size, updates_of(form)) for form, size in (
        ("tsv", 1_000_000), ("csv", 500_000), ("jsonl", 200_000), ("json", 200_000),
        ("parquet", 1_000_000), ("xlsx", 50_000),
    )),
    Case("updates in blocks", 1_000_000, blocks),
    Case("updates of a live stream", 200_000, follow),
    Case("updates explained", 50_000, explained),
    Case("updates matched and listed", 50_000, listed_matches),
    Case("columns of a table", 1_000_000, columns),
    Case("columns that stand twice", 100_000, columns_twice),
    Case("characters of a text", 2_000_000, cell(3, "storm ")),
    Case("characters of a word", 2_000_000, cell(3, "s")),
    Case("characters of a time", 2_000_000, cell(2, "1")),
    Case("characters of an id", 2_000_000, cell(1, "u")),
    Case("characters of a topic", 2_000_000, cell(0, "t")),
    Case("topics held against words", 20_000, topics),
    Case("topics with matches", 50_000, topics_matched),
    Case("topics shown", 50_000, topics_shown),
    Case("runs in a file", 20_000, runs),
    Case("files of runs", 1_000, files),
    Case("nuggets", 500_000, nuggets),
    Case("nuggets of one text", 200_000, alike),
    Case("matches", 2_000_000, matches),
    Case("times asked for", 4_000, at_times),
    Case("ids that stand twice", 500_000, repeated),
    Case("ids that stand twice, in blocks", 500_000, repeated_in_blocks),
    Case("ids of another file", 50_000, repeated_elsewhere),
    Case("faults in times", 200_000, faulty("time")),
    Case("faults in ids", 200_000, faulty("id")),
    Case("faults in the number of fields", 50_000, faulty("fields")),
    Case("lines that are not UTF-8", 50_000, no_utf8),
    Case("lines that are no JSON", 50_000, json_faults),
    Case("matches to nothing", 50_000, unknown_matches),
    Case("topics in XML", 50_000, events),
    Case("open comments in XML", 2_000_000, comments),
    Case("nested elements in XML", 100_000, nested),
    Case("duplicates in a chain", 500_000, duplicates),
    Case("a pool in a chain", 500_000, pool),
    Case("topics compared", 20_000, compared_topics),
    Case("runs compared, each with each", 400, compared_runs),
    Case("topics compared with --against, each with each", 2_000, compared_against),
    *(Case(f"reported: {each}", size, reported(each)) for each, size in (
        ("topics", 10_000), ("runs, each with each", 150), ("updates", 50_000),
    )),
    *(Case(f"curves: {each}", size, curved(each)) for each, size in (
        ("updates", 500_000), ("topics", 5_000),
    )),
    Case("sampled: updates", 200_000, sampled),
    Case("calibrated: updates", 100_000, calibrated),
    Case("swept: updates", 200_000, swept),
    Case("imported: lines", 100_000, imported),
    Case("begun from: lines", 200_000, begun),
    *(Case(f"assessed: {each}", size, assessed(each)) for each, size in (
        ("updates", 50_000), ("decisions", 20_000),
    )),
    *(Case(f"faults in {name}", 200_000, faults_of(name, columns, *row)) for name, columns, row in (
        ("clusters", "topic post_id cluster_id time", "tpc"),
        ("posts", "topic post_id confidence time", "tpc"),
        ("truth", "topic post_id relevance", "tp"),
        ("values", "topic time attribute value", ("t", TIME, "a")),
        ("predictions", "topic post_id types priority", "tpk"),
        ("gains", "topic qid doc_id gain", "tqd"),
        ("timelines", "topic text date", "tx"),
        ("requests", "request day", ("E-r",)),
    )),
    *(Case(f"clusters: {each}", size, clusters(each)) for each, size in (
        ("posts", 500_000), ("clusters", 500_000), ("topics", 50_000), ("runs", 10_000),
    )),
    Case("clusters: of one post", 500_000, shared_post),
    Case("clusters: of a JSON document", 200_000, clusters_json),
    *(Case(f"filter: {each}", size, filtering(each)) for each, size in (
        ("documents", 500_000), ("topics", 10_000), ("runs", 2_000),
    )),
    *(Case(f"values: {each}", size, values(each)) for each, size in (
        ("values", 500_000), ("topics", 20_000),
    )),
    Case("values: places", 200_000, places),
    *(Case(f"incidents: {each}", size, incidents(each)) for each, size in (
        ("posts", 200_000), ("events", 50_000), ("types", 10_000), ("runs", 2_000),
    )),
    *(Case(f"changes: {each}", size, changes(each)) for each, size in (
        ("documents", 50_000), ("questions", 20_000), ("topics", 50_000),
    )),
    *(Case(f"responses: {each}", size, responses(each)) for each, size in (
        ("nuggets", 50_000), ("topics", 50_000), ("runs", 10_000), ("versions", 50_000),
    )),
    *(Case(f"timelines: {each}", size, timelines(each)) for each, size in (
        ("days", 4_000), ("sentences", 50_000), ("topics", 2_000), ("words", 100_000),
    )),
    *(Case(f"crisisfacts: {each}", size, crisisfacts(each)) for each, size in (
        ("facts", 200_000), ("requests", 50_000), ("runs", 10_000),
    )),
]  # fmt: skip


@dataclass(frozen=True)
class Taken:
    """What a run took: seconds of processor and MiB; how it ended."""

    seconds: float
    peak: float
    code: int


def made(case: Case, size: int) -> list[str]:
    """Make the files in a process of its own: else its memory would be part of the program's."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as apart:
        return apart.submit(_make, CASES.index(case), size).result()


def _make(number: int, size: int) -> list[str]:
    return CASES[number].make(size).split()


def taken(case: Case, sizes: Sequence[int], times: int) -> list[Taken]:
    """The best of some runs on files of each size. They take turns, as a machine has its moods."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name, str(size)) for size in sizes]
        arguments = []
        for folder, size in zip(folders, sizes, strict=True):
            folder.mkdir()
            os.chdir(folder)
            arguments.append(made(case, size))
        runs: list[list[Taken]] = [[] for _ in sizes]
        for _ in range(times):
            for folder, asked, own in zip(folders, arguments, runs, strict=True):
                os.chdir(folder)
                shutil.rmtree("try", ignore_errors=True)  # where a folder is made
                own.append(_run(asked))
        os.chdir(HERE)
    return [min(own, key=lambda each: each.seconds) for own in runs]


def _limited() -> None:
    """Hold this process, which is about to become the program, to its limits."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))


def _run(arguments: list[str]) -> Taken:
    end = arguments.index("<") if "<" in arguments else len(arguments)
    given = Path(arguments[end + 1] if end < len(arguments) else os.devnull)
    with (
        given.open("rb") as stdin,
        Path("errors").open("wb") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "tseval", *arguments[:end]],
            env=os.environ | {"PYTHONPATH": str(HERE)},
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            preexec_fn=_limited,
        ) as running,
    ):
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1) or b"fault of tseval" in Path("errors").read_bytes():
        print(Path("errors").read_text("utf-8", "replace")[-400:], file=sys.stderr)
    return Taken(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, code)


def exponent(least: Taken, small: Taken, large: Taken) -> float | None:
    """By which power of its size an input's time grows; None where it is too short to tell."""
    more, less = large.seconds - least.seconds, small.seconds - least.seconds
    return None if more < SHORT or less < NOISE else math.log10(more / less)


def main() -> None:
    """Measure the cases that are asked for, and print them as a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only cases whose names have one of these")
    parser.add_argument(
        "-k", type=int, default=1, help="how many runs each, of which the best counts"
    )
    asked = parser.parse_args()
    print("| what grows | to | seconds | MiB | exponent |\n| --- | --: | --: | --: | --: |")
    for case in CASES:
        if asked.words and not any(word in case.name for word in asked.words):
            continue
        least, small, large = taken(case, (1, case.size // 10, case.size), asked.k)
        power = exponent(least, small, large)
        told = "short" if power is None else f"{power:.2f}"
        told += " !" if power is not None and power > ALARM else ""
        told += f" (exit code {large.code})" if large.code not in (0, 1) else ""
        cells = f"{large.seconds - least.seconds:.2f} | {large.peak:.0f}"
        print(f"| {case.name} | {case.size:,} | {cells} | {told} |", flush=True)


if __name__ == "__main__":
    main()

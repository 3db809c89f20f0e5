"""What changes no score either: what else is asked, what else is there, what things are called.

A property takes a `Case`, as a way of `ways` does, and asserts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

import tseval
from tests import strategies as st
from tests.families.agreement.odd import START, instant
from tests.families.agreement.tables import RUNS, TIME, Row, Table, World
from tests.families.agreement.ways import Case, curve, near, number, undated, values
from tseval.errors import InputError

UNJUDGED = re.compile("judged here|speaks of a labelled post")
"""What is said of runs that share nothing with their judgments, as a few topics may."""
NAMES = (
    *("topic", "run", "update_id", "nugget_id", "duplicate_id", "post_id", "cluster_id"),
    *("doc_id", "version", "timeline", "request_id", "turn", "nugget", "answer_id"),
)
"""Columns of names that nobody gives a meaning."""
KNOWN_BY_COLUMNS = (
    *("crisisfacts", "responses counts", "responses annotations", "responses hits"),
)
"""Families whose tables are recognised by their columns, which then have no other names."""


def a_measure_alone(case: Case) -> None:
    """A measure has the value that it has among others."""
    if case.family.name.startswith("track") and "rules" in case.world.options:
        return  # a rule that changes nothing in it is refused
    every = values(case.plain)
    name = case.draw(st.sampled_from(sorted({key[2] for key in every})))
    options = {n: v for n, v in case.world.options.items() if n != "at"}
    found = values(case.scored(replace(case.world, options=options | {"measures": [name]})))
    case.same(found, {key: value for key, value in every.items() if key[2] == name})


def topics_apart(case: Case) -> None:
    """What a run does on a topic has nothing to do with other topics."""
    every = case.world.topics
    if not every or any("/" in name for name in every):  # a timeline is called topic/timeline
        return
    if case.family.command == "filter":
        return  # the period, and the best cutoff, are those of all topics
    if case.family.command == "changes" and not {"documents", "days"} <= case.world.tables.keys():
        return  # those that runs return anywhere
    if case.world.options.get("edition") in OF_POSTS and _one_post_in_two_events(case.world):
        return
    chosen = case.draw(st.sets(st.sampled_from(every), min_size=1))
    world = case.world.only(case.world.topic, chosen.__contains__)
    if any(before.rows and not table.rows for before, table in both(case.world, world)):
        return  # some tables may not be empty
    if "matched-nuggets-only" in case.world.options.get("rules", {}):
        return  # some topics may have none
    try:
        apart = values(case.scored(world))
    except InputError as error:
        if UNJUDGED.search(str(error)):
            return
        raise
    there = set(world.runs.runs)
    found = {k: v for k, v in apart.items() if k[1].partition("/")[0] in chosen}
    named = {key[2] for key in found}  # some measures are those of what there is
    expected = {
        (run, topic, name): value
        for (run, topic, name), value in values(case.plain).items()
        if run in there and topic.partition("/")[0] in chosen and name in named
    }
    case.same(found, expected)


OF_POSTS = ("2018", "2018v2", "2019a", "2019b", "2021")
"""The editions of incidents in which lines and labels speak of a post, whatever its event."""


def _one_post_in_two_events(world: World) -> bool:
    rows = [row for table in world.tables.values() for row in table.rows]
    return len({(row["topic"], row["post_id"]) for row in rows}) > len(
        {row["post_id"] for row in rows}
    )


def both(one: World, other: World) -> list[tuple[Table, Table]]:
    """The tables of the one, each with that of the other."""
    return [(table, other.tables[name]) for name, table in one.tables.items()]


def a_run_twice(case: Case) -> None:
    """A run under another name has the same scores, changes no other, and differs in nothing."""
    if case.world.joint or case.world.named or case.world.options.get("sampling") == "random":
        return  # what is drawn depends on names
    run = case.draw(st.sampled_from(case.world.runs.runs))
    twin = f"{run}~"
    tables = {
        name: replace(table, rows=[*table.rows, *renamed(table.rows, run, twin)])
        for name, table in case.world.tables.items()
        if "run" in table.kinds
    }
    scores = case.scored(replace(case.world, tables={**case.world.tables, **tables}))
    found = values(scores)
    theirs = {(run, *key[1:]): value for key, value in found.items() if key[0] == twin}
    case.same(theirs, values(case.plain, run))
    case.same({key: v for key, v in found.items() if key[0] != twin}, values(case.plain))
    for contest in tseval.compare(scores, resamples=100, interval="percentile").contests:
        if {contest.run, contest.other} == {run, twin}:
            assert contest.difference in (0, None)
            assert contest.p in (1, None)
            assert (contest.wins, contest.losses, contest.different) == (0, 0, False)


def renamed(rows: list[Row], run: str, name: str) -> list[Row]:
    """The rows of a run, under another name."""
    return [{**row, "run": name} for row in rows if row["run"] == run]


def names_with_a_prefix(case: Case) -> None:
    """Names are names: one more letter before each changes nothing."""
    if case.world.options.get("sampling") == "random" or case.world.named or not case.world.topic:
        return  # what is drawn depends on names
    if case.family.name == "mb2015" and any(name.isdigit() for name in case.world.topics):
        return  # there 1 is MB1
    names = [*NAMES, *(["qid"] if "question_rank" in case.world.runs.kinds else [])]
    tables = {
        name: replace(table, rows=[{**row, **prefixed(row, names)} for row in table.rows])
        for name, table in case.world.tables.items()
    }
    found = values(case.scored(replace(case.world, tables=tables)))
    known = values(case.plain)  # a letter before all leaves them in their order
    case.same(dict(zip(known, found.values(), strict=True)), known)


def prefixed(row: Row, names: list[str]) -> Row:
    """The names in a row, with a letter before each."""
    return {name: f"x{row[name]}" for name in names if row.get(name)}


def columns_called_otherwise(case: Case) -> None:
    """Columns of other names, which are said, in every table that has them."""
    if case.family.name in KNOWN_BY_COLUMNS:
        return
    every = sorted({name for table in case.world.tables.values() for name in table.kinds})
    chosen = case.draw(st.lists(st.sampled_from(every), min_size=1, max_size=3, unique=True))
    called = {name: f"{name}-of-ours" for name in chosen}
    tables = {
        name: Table(
            {called.get(column, column): kind for column, kind in table.kinds.items()},
            [
                {called.get(column, column): cell for column, cell in row.items()}
                for row in table.rows
            ],
        )
        for name, table in case.world.tables.items()
    }
    form = st.sampled_from(("tsv", "csv", "jsonl", "parquet", "frame"))
    world = replace(case.world, tables=tables)
    found = case.scored(world, lambda: case.draw(form), columns=called)
    case.same(values(found), values(case.plain))


def times_later(case: Case) -> None:
    """Amounts of time are the same three days later, as far as numbers of 64 bits tell times."""
    options = dict(case.world.options)
    if not str(options.get("at", "1h")).endswith("h") or f"@{START + 5}" in str(options):
        return  # a moment would have to move too
    tables = {
        name: replace(
            table,
            rows=[
                {**row, **{c: later(row[c]) for c, kind in table.kinds.items() if kind == TIME}}
                for row in table.rows
            ],
        )
        for name, table in case.world.tables.items()
    }
    found = values(case.scored(replace(case.world, tables=tables)))
    expected = values(case.plain)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        near(case, found[key], value, share=1e-6)


def later(cell: str) -> str:
    """A time three days later, as a number; blank where none is told."""
    if not cell:
        return cell
    time = instant(cell) + 3 * 86_400
    return f"{int(time)}.{int(time % 1 * 1_000_000):06}"


def what_comes_after(case: Case) -> None:
    """At a time, a score knows nothing of what runs say later."""
    if "sample" in case.world.options:
        return  # what is selected depends on all posts
    end = START + case.draw(st.sampled_from((0, 1, 61, 3601, 86_400)))
    world = undated(case)
    names = [f"{name}@{end}" for name in str(world.options["measures"]).split()]
    world = replace(world, options={**world.options, "measures": names})
    early = world.runs.where(lambda row: instant(row["time"]) <= Fraction(end))
    if not early.rows:
        return
    known = {identity(row) for row in early.rows}
    left = {RUNS: early}
    for name in ("matches", "selected"):
        if name in world.tables:
            left[name] = world.tables[name].where(lambda row: identity(row) in known)
            if not left[name].rows:
                return
    expected = {
        key: value for key, value in values(case.scored(world)).items() if key[0] in early.runs
    }
    found = case.scored(replace(world, tables={**world.tables, **left}))
    case.same(values(found), expected)


def identity(row: Row) -> tuple[str, str, str]:
    """Which update or post of a run this is."""
    return row["run"], row["topic"], row.get("update_id") or row["post_id"]


def an_update_that_says_nothing(case: Case) -> None:
    """One more update that matches nothing only counts among what was sent."""
    updates = case.world.runs
    like = case.draw(st.sampled_from(list(updates.rows)))
    more = {**like, "update_id": f"{like['update_id']}~"}
    rows = [*updates.rows, more]
    world = case.world.with_table(RUNS, replace(updates, rows=rows))
    unmoved = ("R", "Rs", "T", "C", "LC")
    found, expected = values(case.scored(world)), values(case.plain)
    kept = {key: v for key, v in expected.items() if key[2].partition("@")[0] in unmoved}
    case.same({key: found[key] for key in kept}, kept)
    for key in expected.keys() - kept.keys():
        if key[2].startswith("P"):
            before, after = expected[key], found[key]
            assert before is None or (after is not None and after <= before)


def anywhere_on_the_curve(case: Case) -> None:
    """A curve has at each of its times what the score is just after."""
    world, rows = curve(case)
    rows = [row for row in rows if row["topic"] != "all"]
    if not rows:
        return
    row = case.draw(st.sampled_from(rows))
    time = instant(row["time"]) + Fraction(1, 2_000_000)
    just_after = f"@{int(time)}.{int(time % 1 * 10_000_000):07}"
    names = [name + just_after for name in str(world.options["measures"]).split()]
    scores = case.scored(replace(world, options={**world.options, "measures": names}))
    key = row["run"], row["topic"], row["measure"] + just_after
    case.same({key: scores.value(key[2], run=key[0], topic=key[1])}, {key: number(row["value"])})


ASKED: Mapping[str, Callable[[Case], None]] = {
    "a measure alone": a_measure_alone,
    "topics apart": topics_apart,
    "a run twice": a_run_twice,
    "names with a prefix": names_with_a_prefix,
    "columns called otherwise": columns_called_otherwise,
}
"""What holds of every family."""
ASKED_OF_SOME: Mapping[str, Callable[[Case], None]] = {
    "times later": times_later,
    "what comes after": what_comes_after,
    "an update that says nothing": an_update_that_says_nothing,
    "anywhere on the curve": anywhere_on_the_curve,
}
"""What holds of some."""

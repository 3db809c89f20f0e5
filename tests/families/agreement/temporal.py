"""Odd worlds of temporal summarization: of the draft, of the track, with matches to be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests import strategies as st
from tests.families.agreement import odd
from tests.families.agreement.odd import START
from tests.families.agreement.tables import ID, NUMBER, RUNS, TEXT, TIME, Row, Table, World


@st.composite
def temporal(draw: st.DrawFn) -> World:
    topics = draw(odd.some_names(1, 3))
    runs = draw(odd.some_names(1, 3, plain_file=True))
    ids = draw(odd.some_names(1, 5))
    nuggets = [
        {
            "topic": topic,
            "nugget_id": name,
            "time": draw(odd.times()),
            "text": odd.texts(draw),
            "importance": draw(st.sampled_from(odd.AMOUNTS)),
        }
        for topic in topics
        for name in draw(st.lists(st.sampled_from(ids), min_size=1, max_size=3, unique=True))
    ]
    updates = [
        {
            "run": run,
            "topic": topic,
            "update_id": name,
            "time": draw(odd.times()),
            "text": odd.texts(draw),
        }
        for run in runs
        for topic in topics
        for name in draw(st.lists(st.sampled_from(ids), min_size=1, max_size=3, unique=True))
    ]
    matches = [
        {
            "topic": u["topic"],
            "update_id": u["update_id"],
            "nugget_id": n["nugget_id"],
            "run": u["run"],
        }
        for u in updates
        for n in nuggets
        if u["topic"] == n["topic"] and draw(st.booleans())
    ]
    starts = [{"topic": topic, "start": draw(odd.times())} for topic in topics]
    id_and = {"topic": ID, "time": TIME, "text": TEXT}
    at = draw(st.sampled_from(("", "@90m", f"@{START + 5}")))
    return World(
        {
            RUNS: Table({"run": ID, "update_id": ID, **id_and}, updates, ("run", "topic", "time")),
            "nuggets": Table({"nugget_id": ID, **id_and, "importance": NUMBER}, nuggets),
            "matches": Table(
                dict.fromkeys(("topic", "update_id", "nugget_id", "run"), ID), matches
            ),
            "topics": Table({"topic": ID, "start": TIME}, starts),
        },
        {"measures": f"P{at} R{at} Rs{at} T{at} P(updates)"},
    )


# The track, whose measures ask what words of an update say a nugget, and how sure a run is

OF_TRACK = "updates EG nEG ELG nELG C LC HM V L"
RULES = {
    "latency-from": ("all", "updates"),
    "reward": ("constant", "topic-max", "binary"),
    "words": ("blanks", "tokens"),
    "matched-nuggets-only": ("yes",),
}
BIASED = "cbEG cbnEG cbELG cbnELG cbC cbLC cbHM cbV cbL"


def track(edition: str) -> Callable[[], st.SearchStrategy[World]]:
    """Worlds of an edition of the track: spans, confidences, and perhaps a pool with duplicates."""

    @st.composite
    def worlds(draw: st.DrawFn) -> World:
        topics = draw(odd.some_names(1, 3))
        ids = draw(odd.some_names(1, 5))
        some = st.lists(st.sampled_from(ids), min_size=1, max_size=4, unique=True)
        updates = [
            {
                "run": run,
                "topic": topic,
                "update_id": name,
                "time": draw(odd.times()),
                "text": odd.texts(draw, 6),
                "confidence": draw(st.sampled_from(odd.AMOUNTS)),
            }
            for run in draw(odd.some_names(1, 3, plain_file=True))
            for topic in topics
            for name in draw(some)
        ]
        nuggets = [
            {
                "topic": topic,
                "nugget_id": name,
                "time": draw(odd.times()),
                "text": odd.texts(draw, 6),
                "importance": draw(st.sampled_from(("0", "1", "2", "2.0", "3"))),
                "length": str(draw(st.integers(1, 5))),
            }
            for topic in topics
            for name in draw(some)
        ]
        sent = list(dict.fromkeys((row["topic"], row["update_id"]) for row in updates))
        first = first_by_topic(sent)
        told = {nugget["topic"]: nugget for nugget in reversed(nuggets)}
        for nugget in told.values():
            nugget["importance"] = "3"  # some nugget has to count, and to be matched
        spans = st.tuples(st.integers(0, 25), st.integers(0, 25)).map(sorted)
        matches = [
            {
                "topic": topic,
                "update_id": update,
                "nugget_id": nugget["nugget_id"],
                "start": str((span := draw(spans))[0]),
                "end": str(span[1]),
            }
            for topic, update in sent
            for nugget in nuggets
            if nugget["topic"] == topic
            and ((update, nugget) == (first[topic], told[topic]) or draw(st.booleans()))
        ]
        periods = [sorted((draw(odd.instants()), draw(odd.instants()))) for _ in topics]
        tables = {
            # ties, and the places of a run's lines, count in the order of the file
            RUNS: Table(
                dict.fromkeys(("run", "topic", "update_id"), ID)
                | {"time": TIME, "text": TEXT, "confidence": NUMBER},
                updates,
                ("run", "topic"),
            ),
            "nuggets": Table(
                {"topic": ID, "nugget_id": ID, "time": TIME, "text": TEXT}
                | {"importance": NUMBER, "length": NUMBER},
                nuggets,
            ),
            "matches": Table(
                {"topic": ID, "update_id": ID, "nugget_id": ID, "start": NUMBER, "end": NUMBER},
                matches,
            ),
            "topics": Table(
                {"topic": ID, "start": TIME, "end": TIME},
                [
                    {"topic": t, "start": draw(odd.written(low)), "end": draw(odd.written(high))}
                    for t, (low, high) in zip(topics, periods, strict=True)
                ],
            ),
        }
        pooled = draw(st.sampled_from(("none", "some", "all")))
        if pooled != "none":
            tables["pool"] = Table(
                {"topic": ID, "update_id": ID, "duplicate_id": ID, "text": TEXT},
                _pool(draw, sent, whole=pooled == "all"),
            )
        at = draw(st.sampled_from(("", "@90m", f"@{START + 5}")))
        asked = OF_TRACK if edition == "ts2013" else f"{OF_TRACK} {BIASED}"
        names = [name for name in asked.split() if edition != "ts2013" or name[0] != "n"]
        options: dict[str, Any] = {"edition": edition}
        options["measures"] = " ".join(f"{name}{at}" for name in names if name != "HM" or not at)
        rules = {n: draw(st.sampled_from(RULES[n])) for n in RULES if draw(st.integers(0, 4)) == 0}
        if rules:
            options["rules"] = rules
        # without the others' updates in a pool, a match to one of them is unknown
        return World(tables, options, joint="latency-from" in rules or pooled != "all")

    return worlds


def first_by_topic(sent: list[tuple[str, str]]) -> dict[str, str]:
    """The first update of each topic."""
    return dict(reversed(sent))


def _pool(draw: st.DrawFn, sent: list[tuple[str, str]], *, whole: bool) -> list[Row]:
    """What assessors saw; the first update of each topic was, so that the pool is of these runs."""
    seen = first_by_topic(sent)
    pooled = [pair for pair in sent if whole or seen[pair[0]] == pair[1] or draw(st.booleans())]
    return [
        {
            "topic": topic,
            "update_id": update,
            "duplicate_id": draw(st.sampled_from(("NULL", "NULL", *_names(sent, topic)))),
            "text": odd.texts(draw, 6),
        }
        for topic, update in pooled
    ]


def _names(sent: list[tuple[str, str]], topic: str) -> list[str]:
    return [update for other, update in sent if other == topic]


@st.composite
def matched(draw: st.DrawFn) -> World:
    """Without matches: a matcher finds them."""
    world = draw(temporal())
    tables = {name: table for name, table in world.tables.items() if name != "matches"}
    for name in (RUNS, "nuggets"):
        rows = [{**row, "text": odd.texts(draw, 6)} for row in tables[name].rows]
        tables[name] = Table(tables[name].kinds, rows, tables[name].apart)
    return World(tables, {**world.options, "matcher": draw(st.sampled_from(MATCHERS))})


MATCHERS = ("learned", "fuzzy", "exact", "grams", "fuzzy(threshold=0.3)", "rapidfuzz")

"""Odd worlds of timelines: several references, days that tie, dates written in many ways."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests import strategies as st
from tests.families.agreement import odd
from tests.families.agreement.tables import ID, RUNS, TEXT, TIME, Row, Table, World

DAYS = ("2014-05-13", "2014-05-14", "2014-05-15", "2014-05-17", "2014-06-01", "1999-12-31")
WORDS = ("flood", "Flooded", "the", "river,", "rivers", "½", "Łódź", "12", "no-one", "better", "<b")
METRICS = ("dates", "concat", "agree", "align", "align+", "align+m:1")
EDITIONS = ("tilse", "news-tls", "chronos", "timeranker")
RULES = {
    "backend": ("original", "reimpl"),
    "stem": ("yes", "no"),
    "stop-words": ("dropped", "kept"),
    "average": ("AVG-PR", "AVG-F", "TOPIC-MACRO"),
    "failures": ("measure", "topic"),
}


def _measures(draw: st.DrawFn) -> str:
    each = st.builds(
        lambda name, size, value: f"{name}({'' if name == 'dates' else f'{size},'}{value})",
        st.sampled_from(METRICS),
        st.sampled_from(("rouge_1", "rouge_2")),
        st.sampled_from(("P", "R", "F", "F,beta=2")),
    )
    return " ".join(draw(st.lists(each, min_size=1, max_size=5, unique=True)))


def _written(draw: st.DrawFn) -> dict[str, str]:
    """How a table writes each day."""
    made = {}
    for day in DAYS:
        year, month, rest = day.split("-")
        bare = f"{year}-{int(month)}-{int(rest)}"
        ways = (day, day, bare, day.replace("-", ""), f"{day}T23:59:00", f"{day} 00:00:00Z")
        made[day] = draw(st.sampled_from((*ways, *((f"{year}-{month}",) if rest == "01" else ()))))
    return made


def _rows(draw: st.DrawFn, written: dict[str, str], head: dict[str, str]) -> list[Row]:
    """The sentences of one timeline, day by day."""
    days = draw(st.lists(st.sampled_from(DAYS), min_size=1, max_size=4, unique=True))
    words = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
    return [
        {
            **head,
            "date": written[day],
            "text": draw(words),
            "published": draw(odd.times()) if draw(st.booleans()) else "",
        }
        for day in days
        for _ in range(draw(st.integers(1, 2)))
    ]


@st.composite
def timelines(draw: st.DrawFn) -> World:
    topics = draw(odd.some_names(1, 5))
    runs = draw(odd.some_names(1, 3, plain_file=True))
    edition = draw(st.sampled_from(EDITIONS))
    apart = edition in {"news-tls", "timeranker"}
    many = draw(st.booleans())
    references = {topic: draw(odd.some_names(1, 3 if many else 1)) for topic in topics}
    of_gold, of_runs = _written(draw), _written(draw)
    gold = [
        row
        for topic, own in references.items()
        for name in own
        for row in _rows(draw, of_gold, {"topic": topic, "timeline": name})
    ]
    rows: list[Row] = []
    for run in runs:
        for topic in topics:
            if topic != topics[0] and draw(st.integers(0, 4)) == 0:
                continue  # a topic that the run lacks
            some = st.lists(st.sampled_from(references[topic]), min_size=1, unique=True)
            for name in draw(some) if apart else references[topic][:1]:
                rows += _rows(draw, of_runs, {"run": run, "topic": topic, "timeline": name})
    kinds = {"topic": ID, "date": ID, "text": TEXT}
    told = {"published": TIME} if draw(st.booleans()) else {}
    named = {"timeline": ID} if many or apart else {}
    of_run = named if apart else {}
    own = ("run", "topic", *of_run, "date")
    day = ("topic", *named, "date")  # the sentences of a day are read one after the other
    tables = {
        RUNS: Table({"run": ID, **kinds, **of_run, **told}, rows, own),
        "gold": Table({**kinds, **named, **told}, gold, day),
    }
    options: dict[str, Any] = {"measures": _measures(draw), "edition": edition}
    changed = [name for name in RULES if draw(st.integers(0, 2)) == 0]
    rules = {name: draw(st.sampled_from(RULES[name])) for name in changed}
    if rules:
        options["rules"] = rules
    if "concat" not in options["measures"] and draw(st.booleans()):
        options["at"] = draw(st.sampled_from(("1d", "1h", str(odd.START + 61))))
    return World(tables, options)


def json_files(world: World, folder: Path) -> dict[str, Any]:
    """Runs and references of a world as JSON, a timeline a line with its topic."""
    made: dict[str, Any] = {}
    for table in (RUNS, "gold"):
        found: dict[tuple[str, str, str], dict[str, list[str]]] = {}
        for row in world.tables[table].rows:
            key = row.get("run", ""), row["topic"], row["timeline"]
            found.setdefault(key, {}).setdefault(row["date"], []).append(row["text"])
        lines = [
            {
                **({"run": run} if run else {}),
                "topic": topic,
                "id": name,
                "timeline": list(days.items()),
            }
            for (run, topic, name), days in found.items()
        ]
        made[table] = folder / f"{table}.jsonl"
        text = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines)
        made[table].write_text(text, encoding="utf-8")
    return made

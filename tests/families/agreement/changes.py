"""Odd worlds of change detection: blank rows, ties, runs with faults, questions of a run's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests import strategies as st
from tests.families.agreement import odd
from tests.families.agreement.tables import ID, NUMBER, RUNS, Row, Table, World

DAYS = ("2026-01-30", "2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01")
SCORES = ("0", "1", "1.0", "-1", "0.5", "1e3", "0.30000000000000004", "-0.5")
GAINS = ("0", "1", "1.0", "5", "10", "1e1")
NAMES = ("tRR", "tRBP", "tRBP(p=0.8)", "tNDCG", "tAP", "tAP(ideal)", "silent", "units")
RULES = {
    "gains": ("raw", "scaled", "binary"),
    "ap": ("paper", "ideal"),
    "ties": ("file", "id", "expected"),
    "order": ("score", "list"),
    "missing-date": ("silent", "tied"),
    "missing-topic": ("silent", "zero"),
    "proposed": ("drop", "keep"),
    "question-gain": ("max", "judged"),
}
BLANK = {"day": "", "qid": "", "question_rank": "", "doc_id": "", "score": ""}


def _measures(draw: st.DrawFn) -> str:
    each = st.builds(
        lambda name, level, units: (
            f"{name.rstrip(')')}{',' if '(' in name else '('}level={level},units={units})"
        ),
        st.sampled_from(NAMES),
        st.sampled_from(("documents", "questions")),
        st.sampled_from(("overall", "has-answer", "nil")),
    )
    return " ".join(draw(st.lists(each, min_size=1, max_size=5, unique=True)))


def _rows_of_day(
    draw: st.DrawFn, asked: list[str], documents: list[str], *, faulty: bool
) -> list[dict[str, str]]:
    """What a run returns on a day; where it may be faulty, also what the track does not take."""
    if not asked:
        return [{"qid": "", "question_rank": "", "doc_id": "", "score": ""}]
    ranks = ("0", "1", "2", "2.0", *(("-1", "1.5") if faulty else ()))
    rows = []
    for qid in asked:
        own = st.lists(st.sampled_from(documents), max_size=4, unique=not faulty)
        rank = draw(st.sampled_from(ranks))
        found = [
            {"doc_id": doc, "score": draw(st.sampled_from((*SCORES, *(("",) if faulty else ()))))}
            for doc in (draw(own) if documents else ())
        ]
        head = {"qid": qid, "question_rank": rank}
        rows += [head | each for each in found or [{"doc_id": "", "score": ""}]]
    return rows


@st.composite
def changes(draw: st.DrawFn) -> World:
    topics = draw(odd.some_names(1, 3))
    runs = draw(odd.some_names(1, 3, plain_file=True))
    days = sorted(draw(st.lists(st.sampled_from(DAYS), min_size=1, max_size=3, unique=True)))
    names = draw(odd.some_names(1, 4))
    questions = {
        topic: draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
        for topic in topics
    }
    day_of = {doc: draw(st.sampled_from(days)) for doc in draw(odd.some_names(2, 7))}
    faulty, proposes = draw(st.booleans()), draw(st.booleans())
    rows: list[Row] = []
    for run in runs:
        for topic in topics:
            own = [*questions[topic], *([f"{run}1"] if proposes else [])]
            if topic != topics[0] and draw(st.integers(0, 4)) == 0:
                continue  # a topic that the run lacks
            said = draw(st.lists(st.sampled_from(days), max_size=3, unique=True))
            for day in said:
                some = [doc for doc, at in day_of.items() if faulty or at == day]
                asked = draw(st.lists(st.sampled_from(own), max_size=3, unique=True))
                rows += [
                    {"run": run, "topic": topic, "day": day, **each}
                    for each in _rows_of_day(draw, asked, some, faulty=faulty)
                ]
            rows += [] if said else [{"run": run, "topic": topic, **BLANK}]
    return _world(draw, rows, days, questions, day_of, proposes=proposes)


def _world(
    draw: st.DrawFn,
    rows: list[Row],
    days: list[str],
    questions: dict[str, list[str]],
    day_of: dict[str, str],
    *,
    proposes: bool,
) -> World:
    """The tables beside the runs, and the options; the tables of documents and days may lack."""
    pairs = [(topic, qid) for topic, own in questions.items() for qid in own]
    gains = [
        {"topic": topic, "qid": qid, "doc_id": doc, "gain": draw(st.sampled_from(GAINS))}
        for topic, qid in pairs
        for doc in draw(st.lists(st.sampled_from(sorted(day_of)), max_size=4, unique=True))
    ]
    judged = [
        {"topic": topic, "qid": qid, "day": day, "gain": draw(st.sampled_from(GAINS))}
        for topic, qid in pairs
        for day in days
        if draw(st.booleans())
    ]
    topic, qid = pairs[0]
    gains = gains or [{"topic": topic, "qid": qid, "doc_id": min(day_of), "gain": "1"}]
    judged = judged or [{"topic": topic, "qid": qid, "day": days[0], "gain": "1"}]
    kinds = {"topic": ID, "day": ID, "qid": ID, "question_rank": NUMBER, "doc_id": ID}
    whole = ("run", "topic", "day")  # ties, and what stands twice, count in the order of the file
    tables = {
        RUNS: Table({"run": ID, **kinds, "score": NUMBER}, rows, whole, blocks=True),
        "qrels": Table({"topic": ID, "qid": ID, "doc_id": ID, "gain": NUMBER}, gains),
        "topics": Table(
            {"topic": ID, "qid": ID},
            [{"topic": topic, "qid": qid} for topic, qid in pairs],
            ("topic",),  # on a day that a run lacks they may tie, in the order of the file
        ),
        "questions": Table({"topic": ID, "qid": ID, "day": ID, "gain": NUMBER}, judged),
    }
    given = draw(st.integers(0, 3)) < 3 or not any(row["day"] for row in rows)
    if given:
        tables["days"] = Table({"day": ID}, [{"day": day} for day in days])
        tables["documents"] = Table(
            {"doc_id": ID, "day": ID}, [{"doc_id": d, "day": at} for d, at in day_of.items()]
        )
    options: dict[str, Any] = {"measures": _measures(draw)}
    changed = [name for name in RULES if draw(st.integers(0, 2)) == 0]
    rules = {name: draw(st.sampled_from(RULES[name])) for name in changed}
    if rules:
        options["rules"] = rules
    options["lenient"] = True  # topics that a run lacks are a fault
    if draw(st.integers(0, 3)) == 0:
        options["at"] = draw(st.sampled_from(("1d", "2026-02-01", "30d")))
    return World(tables, options, joint=not given, named=proposes)


def track_files(world: World, folder: Path) -> dict[str, Any]:
    """The track's own files of a world: a run a file, the topics, and the days one a line."""
    made: dict[str, Any] = {RUNS: []}
    for at, run in enumerate(world.runs.runs):
        lines: list[dict[str, Any]] = [{"runtag": run, "description": "odd", "run_type": "x"}]
        for topic in dict.fromkeys(row["topic"] for row in world.runs.rows if row["run"] == run):
            own = [row for row in world.runs.rows if (row["run"], row["topic"]) == (run, topic)]
            lines.append({"topic": topic, "extra": None, "results": _results(own)})
        path = folder / f"run{at}.jsonl"
        path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
        made[RUNS].append(path)
    listed: dict[str, list[dict[str, str]]] = {}
    for row in world.tables["topics"].rows:
        listed.setdefault(row["topic"], []).append({"qid": row["qid"], "question": "?"})
    lines = [{"tid": topic, "label": "", "questions": own} for topic, own in listed.items()]
    made["topics"] = folder / "topics.jsonl"
    text = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines)
    made["topics"].write_text(text, encoding="utf-8")
    if "days" in world.tables:
        made["days"] = folder / "days.txt"
        made["days"].write_text("".join(f"{row['day']}\n" for row in world.tables["days"].rows))
    return made


def _results(rows: list[Row]) -> dict[str, Any]:
    """The days of a topic, with their questions and documents."""
    results: dict[str, Any] = {}
    before: Row = {}
    for row in rows:
        if row["day"]:
            listed = results.setdefault(row["day"], [])
            if row["qid"] and (before.get("day"), before.get("qid")) != (row["day"], row["qid"]):
                rank = float(row["question_rank"])
                written = int(rank) if rank == int(rank) else rank
                listed.append({"qid": row["qid"], "question-rank": written, "doc-ranking": []})
            if row["doc_id"]:
                score = float(row["score"]) if row["score"] else None
                listed[-1]["doc-ranking"].append({"doc_id": row["doc_id"], "score": score})
        before = row
    return results

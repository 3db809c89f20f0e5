"""Odd worlds of responses: versions, labels in many spellings, lists that are lists of no one."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests import strategies as st
from tests.families.agreement import odd
from tests.families.agreement.odd import START
from tests.families.agreement.tables import ID, NUMBER, RUNS, TIME, Row, Table, World

THREE = ("support", "partial_support", "not_support")
LABELS = (*THREE, *THREE, "Support", "failed", "fail", "1")
IMPORTANCES = ("vital", "vital", "okay", "okay", "Vital", "none")
SCORES = "strict_vital vital strict_all all strict_weighted weighted ternary binary"
MEASURES = (*SCORES.split(), "lead", "lead_strict", "invalid_labels", "invalid_importances")
RULES = {
    "labels": ("lenient", "exact"),
    "duplicates": ("count", "merge"),
    "unlisted": ("ignored",),
    "versions": ("append", "replace"),
    "denominator": ("all", "known"),
    "mean": ("topics", "records"),
}


def _times(draw: st.DrawFn, number: int) -> list[Fraction]:
    """Different times."""
    found = draw(st.lists(odd.instants(), min_size=number, max_size=number, unique=True))
    return sorted(found)


@st.composite
def responses(draw: st.DrawFn) -> World:
    """Labels of nuggets, in one or more versions; all have times, or none has."""
    topics = draw(odd.some_names(1, 4))
    runs = draw(odd.some_names(1, 3, plain_file=True))
    names = draw(odd.some_names(1, 5))
    timed, listed = draw(st.booleans()), draw(st.booleans())
    some = st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)
    nuggets = [
        {
            "topic": topic,
            "nugget_id": name,
            "importance": draw(st.sampled_from((*IMPORTANCES, ""))),
            "time": draw(odd.times()) if draw(st.booleans()) else "",
        }
        for topic in topics
        for name in draw(some)
    ]
    spoken = [*topics, *draw(odd.some_names(0, 1))]
    rows: list[Row] = []
    for run in runs:
        for topic in dict.fromkeys(spoken):
            if topic != topics[0] and draw(st.integers(0, 4)) == 0:
                continue  # a topic that the run lacks
            versions = draw(odd.some_names(1, 3 if timed else 2))
            starts = _times(draw, len(versions))
            for version, start in zip(versions, starts, strict=True):
                head = {"run": run, "topic": topic, "version": version}
                rows += _labels(draw, head, draw(some), start if timed else None)
    kinds = {"run": ID, "topic": ID, "nugget_id": ID, "label": ID, "time": TIME, "version": ID}
    tables = {RUNS: Table({**kinds, "importance": ID}, rows, ("run", "topic", "version"))}
    rules = {"unlisted": "ignored"}
    for name in ("labels", "duplicates", "versions", "denominator", "mean"):
        if draw(st.integers(0, 2)) == 0:
            rules[name] = draw(st.sampled_from(RULES[name]))
    if listed:
        listing = {"topic": ID, "nugget_id": ID, "importance": ID, "time": TIME}
        tables["nuggets"] = Table(listing, nuggets)
        rules["nuggets"] = draw(st.sampled_from(("given", "file", "record")))
    if draw(st.booleans()):
        periods = [{"topic": topic, "start": draw(odd.times())} for topic in dict.fromkeys(spoken)]
        tables["topics"] = Table({"topic": ID, "start": TIME}, periods)
    asked = draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=5, unique=True))
    options: dict[str, Any] = {"measures": " ".join(asked), "rules": rules}
    if timed and draw(st.booleans()):
        options["at"] = draw(st.sampled_from(("1h", "1s", str(START + 61))))
    followed = timed and rules.get("mean") != "records"
    return World(tables, options, joint=not listed, followed=followed)


def _labels(
    draw: st.DrawFn, head: dict[str, str], names: list[str], start: Fraction | None
) -> list[Row]:
    """The labels of a response; the first has the earliest time, and some have their own."""
    rows: list[Row] = []
    for at, name in enumerate(names):
        time = ""
        if start is not None and (at == 0 or draw(st.booleans())):
            time = draw(odd.written(start + draw(st.integers(0, 100)) * (at > 0)))
        rows.append(
            {
                **head,
                "nugget_id": name,
                "label": draw(st.sampled_from((*LABELS, ""))),
                "importance": draw(st.sampled_from((*IMPORTANCES, ""))),
                "time": time,
            }
        )
    return rows


@st.composite
def counts(draw: st.DrawFn) -> World:
    """Counts of reports, of which some may lack."""
    topics = draw(odd.some_names(1, 6))
    runs = draw(odd.some_names(1, 3, plain_file=True))
    rows = [
        {"run": run, "request_id": topic, "metric": metric, "value": draw(st.sampled_from(COUNTED))}
        for run in runs
        for topic in topics
        for metric in METRICS
        if draw(st.integers(0, 9))
    ]
    first = {"run": runs[0], "request_id": topics[0], "metric": "nuggets", "value": "3"}
    if not any(row["metric"] == "nuggets" for row in rows):
        rows.append(first)
    kinds = {"run": ID, "request_id": ID, "metric": ID, "value": NUMBER}
    return World(
        {RUNS: Table(kinds, rows)},
        {"measures": REPORTS},
        joint=True,
        named=True,
        topic="request_id",
    )


METRICS = (
    *("citations", "relevant_citations", "supporting_citations"),
    *("sentences_with_citations_or_requiring_citations", "correctly_cited_sentences"),
    *("nuggets", "correct_nuggets", "nuggets_weighted", "correct_nuggets_weighted"),
)
COUNTED = ("0", "1", "2", "3.0", "7", "1e1")
REPORTS = (
    "sentence_support citation_support_micro citation_relevance_macro nugget_coverage "
    "nugget_coverage_weighted f1 f1_micro f1_weighted_macro citations"
)


@st.composite
def hits(draw: st.DrawFn) -> World:
    """Whether responses say nuggets of turns."""
    turns = draw(odd.some_names(1, 5))
    nuggets = draw(odd.some_names(1, 5))
    rows = [
        {"turn": turn, "nugget": nugget, "run": run, "label": draw(st.sampled_from(("0", "1")))}
        for run in draw(odd.some_names(1, 3, plain_file=True))
        for turn in turns
        for nugget in draw(st.lists(st.sampled_from(nuggets), min_size=1, max_size=4))
    ]
    kinds = {"turn": ID, "nugget": ID, "run": ID, "label": NUMBER}
    return World(
        {RUNS: Table(kinds, rows)},
        {"measures": "recall recall_micro"},
        joint=True,
        named=True,
        topic="turn",
    )


@st.composite
def annotated(draw: st.DrawFn) -> World:
    """What assessors say of answers to the questions of a rubric; with times, or without."""
    topics = draw(odd.some_names(1, draw(st.sampled_from((4, 4, 12)))))
    answers = draw(odd.some_names(1, 5))
    rubrics = [
        {
            "topic_id": topic,
            "rubrics": [
                {
                    "question_id": f"{topic}?{at}",
                    "importance": draw(st.sampled_from(("A: Have to Know", "b", "C"))),
                    "short_answers": [
                        {"answer_id": answer}
                        for answer in draw(st.lists(st.sampled_from(answers), max_size=3))
                    ],
                }
                for at in range(draw(st.integers(1, 3)))
            ],
        }
        for topic in topics
    ]
    timed = draw(st.booleans())
    rows = []
    for run in draw(odd.some_names(1, 3, plain_file=True)):
        for topic in topics:
            some = st.lists(st.sampled_from(answers), min_size=1, max_size=4, unique=True)
            for answer in draw(some):
                times = draw(st.lists(odd.instants(), min_size=1, max_size=2, unique=True))
                rows += [
                    {
                        "run": run,
                        "topic": topic,
                        "answer_id": answer,
                        "annotation": draw(st.sampled_from(ANNOTATED)),
                        "time": draw(odd.written(time)) if timed else "",
                    }
                    for time in (times if timed else times[:1])
                ]
    kinds = {"run": ID, "topic": ID, "answer_id": ID, "annotation": ID}
    kinds |= {"time": TIME} if timed else {}
    options: dict[str, Any] = {"measures": "supportive contradictory"}
    if timed and draw(st.booleans()):
        options["at"] = draw(st.sampled_from(("1h", str(START + 61))))
    text = "".join(f"{json.dumps(each)}\n" for each in rubrics)
    return World(
        {RUNS: Table(kinds, rows)},
        options,
        {"nuggets": text.encode()},
        joint=True,
        named=True,
        topic="",  # the rubrics have it in no table
    )


ANNOTATED = ("supports", "partial", "contradicts", "none", "Supports")


def assignments(world: World, folder: Path) -> dict[str, Any] | None:
    """Labels and nuggets as nuggetizer writes them; None where a label has a time of its own."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in world.runs.rows:
        found.setdefault((row["run"], row["topic"], row["version"]), []).append(row)
    if any(row["time"] for own in found.values() for row in own[1:]):
        return None
    made: dict[str, Any] = {RUNS: folder / "assignments.jsonl"}
    lines = [
        {
            "qid": topic,
            "run_id": run,
            **({"time": own[0]["time"]} if own[0]["time"] else {}),
            "nuggets": [
                {
                    "text": row["nugget_id"],
                    "importance": row["importance"],
                    "assignment": row["label"],
                }
                for row in own
            ],
        }
        for (run, topic, _), own in found.items()
    ]
    made[RUNS].write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    if "nuggets" in world.tables:
        listed: dict[str, list[dict[str, str]]] = {}
        for row in world.tables["nuggets"].rows:
            own = {"text": row["nugget_id"], "importance": row["importance"]}
            own |= {"time": row["time"]} if row["time"] else {}
            listed.setdefault(row["topic"], []).append(own)
        made["nuggets"] = folder / "nuggets.jsonl"
        records = [{"qid": topic, "nuggets": own} for topic, own in listed.items()]
        made["nuggets"].write_text("".join(f"{json.dumps(each)}\n" for each in records))
    return made

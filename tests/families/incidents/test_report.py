"""A report on incident streams: lists of alerts, types and priorities, held to a slow count."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings

from tests import strategies as st
from tests.families.incidents.test_incidents import (
    NEW,
    Case,
    cases,
    folder,
)
from tests.oracles.incidents import normalised, united
from tests.oracles.incidents_alerts import Step, aaw_note
from tests.program import FIXTURES
from tests.program import tseval as program
from tseval.core.blocks import Block, Crossed, Folded, Listed, Rows, Searched, Shaded
from tseval.core.calling import evaluated
from tseval.core.family import Evaluation
from tseval.core.registry import family
from tseval.core.sections import Setting

pytestmark = pytest.mark.small_times
__all__ = ["folder"]  # a fixture

STREAM = FIXTURES / "incidents"
ONTOLOGY = STREAM / "types.json"
ABSENT_POST = "not in the run"
WORDLESS = " Labels with a column text would show what the posts say."


def small(**more: Any) -> Evaluation:
    """The small stream, read."""
    given = {
        "runs": [STREAM / "keen.txt", STREAM / "shy.tsv"],
        "labels": STREAM / "labels.json",
        "ontology": ONTOLOGY,
        "epochs": STREAM / "epochs.txt",
    }
    declared = family("incidents")
    found: Evaluation = evaluated(declared, declared.inputs(**given | more), declared.options())
    return found


def blocks(name: str, evaluation: Evaluation) -> list[Block]:
    """The blocks of a section of the page."""
    declared = family("incidents")
    assert declared.report is not None
    section = next(each for each in declared.report.sections if each.name == name)
    setting = Setting(evaluation.index.runs, (), declared.options())
    return list(section.blocks(evaluation, setting))


def table(found: list[Block], label: str) -> Rows:
    rows = [*found, *(each.table for each in listed(found))]
    return next(each for each in rows if isinstance(each, Rows) and each.label == label)


def listed(found: list[Block]) -> list[Listed]:
    return [each for block in found if isinstance(block, Searched) for each in block.lists]


class TestByHand:
    def test_what_became_of_alerts(self) -> None:
        """keen is right on f1 and f3, false on f2, f4, f5 and q3, and misses q1; shy misses f1."""
        rows = table(blocks("alerts", small()), "Alerts of every run").rows
        assert rows == ((0, (2, 4, 1), 2, 4, 0, 1, 2), (1, (2, 0, 1), 2, 0, 1, 0, 0))

    def test_what_was_missed_the_most_urgent_first(self) -> None:
        found = blocks("alerts", small())
        missed = table(found, "Missed alerts")
        columns = [missed.column(name) for name in ("priority", "post", "missed by", "runs")]
        assert list(zip(*columns, strict=True)) == [
            ("Critical", "f1", 1, (1,)),
            ("High", "q1", 1, (0,)),
        ]
        told = listed(found)[0]
        assert (told.name, told.total) == ("Missed alerts", 2)
        assert told.note.startswith(
            "2 posts of priority High or Critical without an alert, 0 by every run; 1 are Critical."
            " These come first, then what most runs missed. 2 alerts did not come in all."
        )

    def test_false_alerts_in_the_order_of_time(self) -> None:
        false = table(blocks("alerts", small()), "False alerts")
        columns = [false.column(name) for name in ("run", "post", "in a row", "time (UTC)")]
        assert list(zip(*columns, strict=True)) == [
            (0, "f2", 1, "2023-11-14 00:20:00"),
            (0, "f4", 1, "2023-11-14 00:40:00"),
            (0, "f5", 2, "2023-11-14 00:50:00"),
            (0, "q3", 1, "2023-11-14 01:20:00"),
        ]
        assert [round(worth, 4) for worth in false.column("worth")] == [0, 0, -0.1761, 0]

    def test_priorities_taken_for_others(self) -> None:
        keen, shy = blocks("priorities", small())[1:]
        assert isinstance(keen, Crossed)
        assert isinstance(shy, Crossed)
        assert keen.columns == ("Critical", "High", "Medium", "Low", ABSENT_POST)
        assert keen.rows == ("Critical", "High", "Medium", "Low")
        assert keen.counts == ((1, 0, 0, 0, 0), (0, 1, 1, 0, 0), (1, 0, 0, 0, 0), (1, 2, 0, 0, 0))
        assert shy.counts == ((0, 0, 1, 0, 0), (2, 0, 0, 0, 0), (0, 0, 0, 0, 1), (0, 0, 0, 1, 2))

    def test_types_that_call_for_action_come_first_then_those_of_most_posts(self) -> None:
        shaded = next(e for e in blocks("types", small()) if isinstance(e, Shaded))
        assert shaded.rows == (
            *("Report-EmergingThreats *", "Request-GoodsServices *"),
            *("Report-News", "Other-Irrelevant"),
        )
        assert shaded.counts == (2, 1, 5, 2)


def test_labels_may_say_what_posts_say() -> None:
    lines = ["topic\tpost_id\tlevel\ttypes\ttext", "flood\tf1\tCritical\tNews\tHelp us <now>"]
    lines += ["flood\tf2\tLow\tNews\t", "flood\tf1\tLow\tNews\tSaid again"]
    labels = pd.read_csv(io.StringIO("\n".join(lines)), sep="\t", keep_default_na=False)
    found = blocks("alerts", small(labels=labels))
    assert table(found, "Missed alerts").column("text") == ["Help us <now>"]
    assert table(found, "False alerts").column("text") == [""]
    assert "column text" not in str(found)
    wordless = blocks("alerts", small())
    assert "text" not in [each.head for each in table(wordless, "Missed alerts").heads]
    assert all(each.note.endswith(WORDLESS) for each in listed(wordless))


def test_json_labels_may_say_what_posts_say(tmp_path: Path) -> None:
    text = (STREAM / "labels.json").read_text()
    path = tmp_path / "labels.json"
    path.write_text(text.replace('{"postID": "f1"', '{"text": "Send boats", "postID": "f1"'))
    found = blocks("alerts", small(labels=path))
    assert table(found, "Missed alerts").column("text") == ["Send boats", ""]


def test_labels_without_priorities_have_no_alerts() -> None:
    labels = pd.DataFrame({"topic": ["flood"], "post_id": ["f1"], "types": ["News"]})
    evaluation = small(labels=labels)
    assert blocks("alerts", evaluation) == []
    assert blocks("priorities", evaluation) == []


def test_long_lists_are_cut_and_the_cut_is_told() -> None:
    """Of 10,100 false alerts the page holds 10,000: the last in a row cost the most."""
    posts = [f"p{at}" for at in range(10_100)]
    run = pd.DataFrame({"topic": "e", "post_id": posts, "priority": 0.9, "types": "News"})
    labels = pd.DataFrame({"topic": "e", "post_id": posts, "level": "Low", "types": "News"})
    found = blocks("alerts", small(runs=[run], labels=labels, epochs=None))
    false = table(found, "False alerts")
    assert false.column("post") == posts[100:]
    told = listed(found)[1]
    assert (told.name, told.total) == ("False alerts", 10_100)
    assert "10,100 alerts for posts that deserved none, run by run" in told.note
    assert "100 are left out; the page holds the worst of each run." in told.note


def test_the_lists_hold_what_the_command_prints(tmp_path: Path) -> None:
    """Each missed and false alert once for each run, with its worth; each type with its F1."""
    given = (STREAM / "keen.txt", STREAM / "shy.tsv", STREAM / "labels.json")
    options = ("--ontology", ONTOLOGY, "--epochs", STREAM / "epochs.txt", "--quiet", "-f", "csv")
    frames = {}
    for name in ("alerts", "types"):
        done = program("incidents", *given, *options, "--explain", name, "-o", tmp_path / name)
        assert done.code == 0, done.err
        frames[name] = pd.read_csv(tmp_path / name, comment="#")
    evaluation = small()
    found, runs = blocks("alerts", evaluation), evaluation.index.runs
    false, missed = table(found, "False alerts"), table(found, "Missed alerts")
    told = {
        (runs[run], post, round(worth, 9))
        for run, post, worth in zip(
            *(false.column(name) for name in ("run", "post", "worth")), strict=True
        )
    }
    pairs = zip(*(missed.column(name) for name in ("runs", "post")), strict=True)
    told |= {(runs[run], post, -1.0) for own, post in pairs for run in own}
    printed = frames["alerts"]
    assert told == {(row.run, row.post_id, round(row.worth, 9)) for row in printed.itertuples()}
    assert len(told) == len(printed)
    shaded = next(e for e in blocks("types", evaluation) if isinstance(e, Shaded))
    cells = {
        (runs[run], kind.removesuffix(" *")): value
        for kind, values in zip(shaded.rows, shaded.cells, strict=True)
        for run, value in zip(shaded.runs, values, strict=True)
    }
    assert cells == {
        (row.run, row.type): pytest.approx(row.F1) for row in frames["types"].itertuples()
    }


LEVEL_BOUNDS = ((0.75, "Critical"), (0.5, "High"), (0.25, "Medium"))


@settings(max_examples=60)
@given(data=st.data())
def test_every_number_is_that_of_a_slow_count(folder: Path, data: st.DataObject) -> None:
    case: Case = data.draw(cases("note").filter(lambda each: each.options == {"rules": {}}))
    ontology = folder / ("new.json" if case.types == NEW else "old.json")
    evaluation = small(runs=[case.runs], labels=case.labels, ontology=ontology, epochs=None)
    found = blocks("alerts", evaluation)
    runs = evaluation.index.runs
    trails = {
        run: aaw_note(world.labels, world.lines, world.ontology).trail
        for run, world in case.worlds.items()
    }
    rows = {runs[row[0]]: row[1:] for row in table(found, "Alerts of every run").rows}
    assert rows == {run: counted(trail, case, run) for run, trail in trails.items()}
    lost = Counter(
        (step.event, step.post, runs.index(run))
        for run, trail in trails.items()
        for step in trail
        if step.high and not step.alert
    )
    missed, false = (
        [each.table for each in listed(found) if each.name == name]
        for name in ("Missed alerts", "False alerts")
    )
    told = [
        zip(*(each.column(name) for name in ("event", "post", "missed by", "runs")), strict=True)
        for each in missed
    ]
    every = [row for rows in told for row in rows]
    assert lost == Counter((event, post, run) for event, post, _, own in every for run in own)
    assert Counter((event, post) for event, post, *_ in every) == Counter(
        {(event, post) for event, post, _ in lost}
    )
    assert all(by == len(own) for *_, by, own in every)
    assert Counter(run for each in false for run in each.column("run")) == {
        runs.index(run): number
        for run, trail in trails.items()
        if (number := sum(step.alert and not step.high for step in trail))
    }
    for each in blocks("priorities", evaluation)[1:]:
        assert isinstance(each, Crossed)
        assert met(each) == priorities_of(case, each.caption)


def counted(trail: tuple[Step, ...], case: Case, run: str) -> tuple[Any, ...]:
    """The row of a run."""
    level = {each.place: each.priority for each in united(case.worlds[run].labels)}
    true = sum(step.alert and step.high for step in trail)
    false = [step.delta + 1 for step in trail if step.alert and not step.high]
    lost = [level[step.event, step.post] for step in trail if step.high and not step.alert]
    parts = true, len(false), len(lost)
    return (
        *(parts, *parts[:2]),
        *(lost.count("Critical"), lost.count("High"), max(false, default=0)),
    )


def met(block: Crossed) -> Counter[tuple[str, str]]:
    """How often each two levels met."""
    pairs = {
        (row, column): number
        for row, counts in zip(block.rows, block.counts, strict=True)
        for column, number in zip(block.columns, counts, strict=True)
    }
    return Counter({pair: number for pair, number in pairs.items() if number})


def priorities_of(case: Case, run: str) -> Counter[tuple[str, str]]:
    """The same, post by post."""
    world = case.worlds[run]
    scores = normalised(world.lines, "auto", True)
    said = {line.place: score for line, score in zip(world.lines, scores, strict=True)}
    found: Counter[tuple[str, str]] = Counter()
    for label in united(world.labels):
        if label.priority != "Unknown":
            score = said.get(label.place)
            above = (name for bound, name in LEVEL_BOUNDS if score is not None and score > bound)
            found[label.priority, ABSENT_POST if score is None else next(above, "Low")] += 1
    return found


def test_every_run_has_a_table_of_all_types() -> None:
    tables = next(e for e in blocks("types", small()) if isinstance(e, Folded)).tables
    assert [len(each.rows) for each in tables] == [4, 4]

"""What a report says went wrong, held to a slow count and to what scores and explanations say."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests import cases
from tests.oracles import temporal as slow
from tests.oracles.faults import Sent
from tests.oracles.faults import faults as slow_faults
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tseval.core.blocks import Listed, Searched
from tseval.core.calling import CommonOptions
from tseval.core.scoring import chosen_measures, scores_of
from tseval.families.temporal import explain as module
from tseval.families.temporal.evaluation import TemporalEvaluation, TemporalInputs
from tseval.families.temporal.explain import CUT, PARTS

pytestmark = pytest.mark.small_times

Rows = list[dict[str, Any]]
KINDS = ("Missed", "Late", "Repeats", "Noise")
UNJUDGED = "Not judged"
HOUR = 3600


def faults(evaluation: TemporalEvaluation) -> Searched | None:
    """The lists of a report; None where nothing went wrong."""
    (block,) = cases.section(evaluation, "wrong")
    return block if isinstance(block, Searched) else None


def lists(evaluation: TemporalEvaluation) -> dict[str, Rows]:
    """The rows of each list by their heads, runs by name; there is room for all."""
    runs = evaluation.index.runs
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "ROWS", 1_000_000)
        patched.setattr(module, "CHARACTERS", 50_000_000)
        found = faults(evaluation)
    if found is None:
        return {kind: [] for kind in KINDS}
    assert tuple(each.name for each in found.lists) in (KINDS, (*KINDS, UNJUDGED))
    return {each.name: _rows(each, runs) for each in found.lists}


def _rows(listed: Listed, runs: tuple[str, ...]) -> Rows:
    heads = [head.head for head in listed.table.heads]
    made = [dict(zip(heads, row, strict=True)) for row in listed.table.rows]
    assert listed.total == len(made)
    if listed.name != "Missed":
        return [{**row, "run": runs[row["run"]]} for row in made]
    assert all(row["missed by"] == len(set(row["runs"])) > 0 for row in made)
    return [{**row, "runs": [runs[each] for each in row["runs"]]} for row in made]


def of_runs(missed: Rows) -> Rows:
    """The list of missed nuggets with a row for each run."""
    return [{**row, "run": run} for row in missed for run in row["runs"]]


def fixtures() -> TemporalEvaluation:
    return cases.read(TemporalInputs([SWIFT, THOROUGH], NUGGETS, MATCHES, TOPICS))


@cache
def of_2014(pack: Path) -> TemporalEvaluation:
    folder = pack / "temporal" / "2014"
    inputs = TemporalInputs(
        tuple(sorted(folder.glob("runs/*.gz"))),
        folder / "nuggets.tsv.gz",
        folder / "matches.tsv.gz",
        folder / "topics.xml",
        pool=folder / "updates_sampled.tsv.gz",
    )
    return cases.read(inputs, CommonOptions(edition="ts2014"))


def table(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


class TestSlowly:
    @given(cases.collections())
    def test_the_lists_are_those_of_the_slow_count(self, collection: slow.Collection) -> None:
        evaluation = cases.evaluation(collection)
        found = lists(evaluation)
        wanted = {kind: Counter[tuple[Any, ...]]() for kind in KINDS}
        for run in evaluation.index.runs:
            for topic in {nugget.topic for nugget in collection.nuggets}:
                case = slow.select(collection, run, topic)
                grades = {match: float(grade) for match, grade in case.best.items()}
                times = {each.nugget_id: each.time for each in case.nuggets}
                sent = [Sent(each.update_id, each.time) for each in case.updates]
                own = slow_faults(sent, times, grades)
                where = (run, topic)
                wanted["Missed"].update((*where, name) for name in own.missed)
                wanted["Late"].update((*where, times[n] / HOUR, s) for n, s in own.late.items())
                wanted["Repeats"].update((*where, name) for name in own.repeats)
                wanted["Noise"].update((*where, name) for name in own.noise)
        nuggets = {(topic, name) for _, topic, name in wanted["Missed"]}
        assert sorted((r["topic"], r["its id"]) for r in found["Missed"]) == sorted(nuggets)
        found["Missed"] = of_runs(found["Missed"])
        keys = {"Missed": "its id", "Repeats": "update", "Noise": "update"}
        for kind, key in keys.items():
            got = Counter((row["run"], row["topic"], row[key]) for row in found[kind])
            assert got == wanted[kind], kind
        start = {topic: collection.starts[topic] / HOUR for topic in cases.TOPICS}
        late = Counter(
            (r["run"], r["topic"], round(HOUR * (r["at (h)"] + start[r["topic"]] - r["late (h)"])))
            for r in found["Late"]
        )
        elements = wanted["Late"].elements()
        assert late == Counter((r, t, round(HOUR * at)) for r, t, at, _ in elements)
        seconds = sorted(round(HOUR * row["late (h)"]) for row in found["Late"])
        assert seconds == sorted(each[-1] for each in wanted["Late"].elements())

    def test_the_real_runs_of_2014(self, conformance: Path) -> None:
        folder = conformance / "temporal" / "2014"
        pool = {row["update_id"]: row for row in table(folder / "updates_sampled.tsv.gz")}
        nuggets: dict[str, dict[str, float]] = {}
        for row in table(folder / "nuggets.tsv.gz"):
            if int(row["importance"]) > 0:  # what matters to nobody does not count
                times = nuggets.setdefault(row["query_id"], {})
                times[row["nugget_id"]] = float(row["timestamp"])
        said = table(folder / "matches.tsv.gz")
        matches = {(row["update_id"], row["nugget_id"]): 1.0 for row in said}
        found = lists(of_2014(conformance))
        found["Missed"] = of_runs(found["Missed"])
        kinds = (*KINDS, UNJUDGED)
        counted = dict.fromkeys(kinds, 0)
        in_topic = {(row["query_id"], row["update_id"]) for row in pool.values()}
        for path in sorted(folder.glob("runs/*.gz")):
            sent: dict[str, list[Sent]] = {}
            with gzip.open(path, "rt") as lines:
                for line in lines:
                    topic, team, name, document, sentence, time, _ = line.split()
                    own = pool.get(f"{document}-{sentence}")
                    other = own and pool.get(own["duplicate_id"])
                    counts = (other or own or {"update_id": f"{document}-{sentence}"})["update_id"]
                    sent.setdefault(f"TS14.{topic}", []).append(Sent(counts, float(time)))
            run = f"{team}-{name}"
            for topic, times in nuggets.items():
                judged = {name for own, name in in_topic if own == topic}
                wanted = slow_faults(sent.get(topic, []), times, matches, judged)
                rows = {
                    kind: [
                        row for row in found[kind] if row["topic"] == topic and row["run"] == run
                    ]
                    for kind in kinds
                }
                assert sorted(r["its id"] for r in rows["Missed"]) == sorted(wanted.missed)
                assert sorted(r["late (h)"] * HOUR for r in rows["Late"]) == pytest.approx(
                    sorted(wanted.late.values())
                )
                assert sorted(r["update"] for r in rows["Repeats"]) == sorted(wanted.repeats)
                assert sorted(r["update"] for r in rows["Noise"]) == sorted(wanted.noise)
                assert sorted(r["update"] for r in rows[UNJUDGED]) == sorted(wanted.unjudged)
                for kind in kinds:
                    counted[kind] += len(rows[kind])
        assert counted == {kind: len(found[kind]) for kind in kinds}
        assert counted[UNJUDGED] == 15_974 + 5_721 - 1_706 - 1_499  # lines less those in the pool
        assert min(counted.values()) > 200


class TestScoresAndExplanations:
    @pytest.mark.parametrize("which", ["fixtures", "2014"])
    def test_they_are_what_the_explanations_say(self, which: str, request: Any) -> None:
        is_real = which == "2014"
        found = of_2014(request.getfixturevalue("conformance")) if is_real else fixtures()
        rows = lists(found)
        rows["Missed"] = of_runs(rows["Missed"])
        nuggets, updates = cases.explained(found, "nuggets"), cases.explained(found, "updates")
        missed = nuggets[nuggets.status == "missed"]
        assert Counter(zip(missed.run, missed.topic, missed.nugget_id, strict=True)) == Counter(
            (row["run"], row["topic"], row["its id"]) for row in rows["Missed"]
        )
        late = nuggets[nuggets.hours_early < 0]
        assert Counter(zip(late.run, late.update_id, late.text, strict=True)) == Counter(
            (row["run"], row["update"], row["nugget"]) for row in rows["Late"]
        )
        assert np.sort(-late.hours_early * late.importance) == pytest.approx(
            np.sort([row["weight x late"] for row in rows["Late"]])
        )
        roles = (("Repeats", "repeats"), ("Noise", "nothing"), (UNJUDGED, "unjudged"))
        for kind, role in roles[: 2 + is_real]:
            told = updates[updates.role == role]
            assert Counter(zip(told.run, told.topic, told.update_id, strict=True)) == Counter(
                (row["run"], row["topic"], row["update"]) for row in rows[kind]
            )

    def test_what_was_missed_is_what_recall_lacks(self) -> None:
        found = fixtures()
        scores = scores_of(found, chosen_measures(found, ["R"]))
        weights = found.index["nuggets"].select("topic", "importance").rows()
        for run in found.index.runs:
            for topic in found.index.topics:
                total = sum(weight for own, weight in weights if own == topic)
                missed = sum(
                    row["weight"]
                    for row in of_runs(lists(found)["Missed"])
                    if (row["run"], row["topic"]) == (run, topic)
                )
                assert 1 - missed / total == pytest.approx(scores.value("R", topic, run))


class TestByHand:
    def test_the_worst_come_first(self) -> None:
        rows = lists(fixtures())
        for kind, by in (
            ("Missed", "weight"),
            ("Late", "weight x late"),
            ("Repeats", "words"),
            ("Noise", "words"),
        ):
            sizes = [row[by] for row in rows[kind]]
            assert sizes == sorted(sizes, reverse=True), kind
        first = rows["Missed"][0]
        assert (first["runs"], first["topic"], first["weight"]) == (["swift"], "mine", 3)
        assert first["at (h)"] == 6.0

    def test_what_several_runs_missed_is_one_row_and_the_note_counts_both(self) -> None:
        found = fixtures()
        made = faults(found)
        assert made is not None
        missed = made.lists[0]
        rows = lists(found)["Missed"]
        of_two = [row for row in rows if row["missed by"] == 2]
        weight = sum(row["weight"] for row in rows)
        assert (missed.total, len(of_two), weight) == (8, 2, 12)
        assert missed.note == (
            "8 nuggets of weight 12 together that some of 2 runs never said, 10 times in all; no "
            "run said 2 of them. The heaviest come first, of equal ones what most runs missed."
        )

    def test_one_run_missed_what_it_missed(self) -> None:
        found = cases.read(TemporalInputs([SWIFT], NUGGETS, MATCHES, TOPICS))
        made = faults(found)
        assert made is not None
        assert "together that the run never said, the heaviest first." in made.lists[0].note

    def test_a_repeat_names_what_it_repeats_and_how_long_after(self) -> None:
        repeats = {row["update"]: row for row in lists(fixtures())["Repeats"]}
        own = repeats["th-ferry-8"]  # at 16 h, of what th-ferry-4 said at 8 h; and of a lighter one
        assert (own["at (h)"], own["said before (h)"], own["weight"]) == (16.0, 8.0, 3.0)
        assert own["nugget"] == "Six people died in the collision"
        assert own["said again"].endswith("lifeboats brought 224 people ashore")
        assert {each["run"] for each in repeats.values()} == {"swift", "thorough"}
        assert len(repeats) == 8

    def test_parts_are_thirds_of_the_topic(self) -> None:
        found = fixtures()
        for kind in KINDS:
            for row in lists(found)[kind]:
                topic = found.index.topics.index(row["topic"])
                whole = (found.ends[topic] - found.starts[topic]) / HOUR
                third = min(2, max(0, int(row["at (h)"] // (whole / 3))))
                assert row["part of topic"] == PARTS[third]

    def test_texts_have_so_much_room_and_what_is_left_out_is_counted(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = fixtures()
        whole = lists(found)["Noise"]
        monkeypatch.setattr(module, "CHARACTERS", 120)
        made = faults(found)
        assert made is not None
        noise = made.lists[3]
        texts = noise.table.column("text")
        assert 0 < sum(map(len, texts)) <= 120
        left = len(whole) - len(texts)
        assert (noise.total, left > 0) == (len(whole), True)
        assert f"{left} of them are left out" in noise.note

    def test_rows_have_a_limit_where_texts_are_empty_too(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "ROWS", 4)
        updates = [slow.Update("t1", f"u{at}", at) for at in range(9)]
        nuggets = [slow.Nugget("t1", f"n{at}", at) for at in range(7)]
        found = cases.evaluation(slow.Collection(updates, nuggets, [], (), {"t1": 0}))
        made = faults(found)
        assert made is not None
        held = {each.name: (each.total, len(each.table.rows)) for each in made.lists}
        assert held == {"Missed": (7, 4), "Late": (0, 0), "Repeats": (0, 0), "Noise": (9, 4)}
        assert "5 of them are left out" in made.lists[3].note

    def test_a_long_text_ends_early_and_that_is_said(self, tmp_path: Path) -> None:
        path = tmp_path / "swift.tsv"
        text = Path(SWIFT).read_text(encoding="utf-8").rstrip("\n").split("\n")
        cells = text[1].split("\t")
        cells[text[0].split("\t").index("update_id")] = "long"
        cells[text[0].split("\t").index("text")] = "z" * (CUT + 1)
        path.write_text("\n".join([*text, "\t".join(cells)]) + "\n", encoding="utf-8")
        found = cases.read(TemporalInputs([str(path)], NUGGETS, MATCHES, TOPICS))
        (row,) = (row for row in lists(found)["Noise"] if row["update"] == "long")
        assert row["text"] == "z" * CUT + "…"
        made = faults(found)
        assert made is not None
        assert f"1 text of more than {CUT} characters ends there" in made.lists[3].note

    def test_a_perfect_run_has_no_faults(self) -> None:
        nugget = slow.Nugget("t1", "n", 5, "river")
        update = slow.Update("t1", "u", 5, "river", "a")
        match = slow.Match("t1", "u", "n")
        found = cases.evaluation(slow.Collection([update], [nugget], [match], (), {"t1": 0}))
        assert faults(found) is None

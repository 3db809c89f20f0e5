"""Timelines: every number of the original program that the pack holds.

The expected numbers are never touched: where the code differs, the code is wrong.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tseval
from tests.program import tseval as program
from tseval import InputError, Scores
from tseval.core.calling import CommonOptions, evaluated
from tseval.core.registry import measure
from tseval.families.timelines.alignments import cheapest, one_to_one
from tseval.families.timelines.explain import ties_of
from tseval.families.timelines.family import FAMILY, TimelineInputs, TimelineOptions
from tseval.families.timelines.files import EPOCH, RUNS, STRICT, date_of, day_of, name_timelines
from tseval.families.timelines.measures import choose, take, ways_of
from tseval.families.timelines.rows import (
    ALIGN_CONTENT,
    ALIGNED,
    TimelineIndex,
    align,
    closeness,
    cost_of,
    count_grams,
    slices,
)
from tseval.families.timelines.words import ORIGINAL, REIMPL, Wording, stem, stop_words
from tseval.io.tables import read

BACKENDS = (ORIGINAL, REIMPL)
METRICS = ("concat", "agreement", *ALIGNED)
SIZES = {"rouge_1": 1, "rouge_2": 2}
CLOSE = 1e-9


def text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def lines(path: Path) -> Iterator[Any]:
    return map(json.loads, filter(None, text(path).split("\n")))


def expected(pack: Path, name: str) -> Any:
    return json.loads(text(pack / "timelines" / "expected" / name))


@cache
def cases(pack: Path) -> dict[str, dict[str, Any]]:
    return {each["case"]: each for each in lines(pack / "timelines" / "data" / "cases.jsonl")}


@cache
def timelines(pack: Path) -> dict[str, list[Any]]:
    files = sorted((pack / "timelines" / "data").glob("timelines.*"))
    return {each["id"]: each["timeline"] for file in files for each in lines(file)}


def files(
    pack: Path, folder: Path, topics: Mapping[str, tuple[str, str]] | None = None
) -> tuple[Path, Path]:
    """The pack's cases as a system and its references: every case a topic, or as they are named.

    Under their names `topics` has a topic and what the reference is called.
    """
    system, gold = folder / "system.jsonl", folder / "gold.jsonl"
    known, every = timelines(pack), cases(pack)
    with system.open("w", encoding="utf-8") as own, gold.open("w", encoding="utf-8") as other:
        for name in topics or every:
            topic, reference = (topics or {}).get(name, (name, None))
            case = every[name]
            line = {"topic": topic, "id": reference, "timeline": known[case["pred"]]}
            own.write(json.dumps(line) + "\n")
            for each in [known[ref] for ref in case["refs"]] or [[]]:
                other.write(json.dumps({**line, "timeline": each}) + "\n")
    return system, gold


def names(backend: str) -> list[str]:
    rouge = [
        f"{metric}({size},{value},{backend})"
        for metric in METRICS
        for size in SIZES
        for value in "PRF"
    ]
    return [*(f"dates({value})" for value in "PRF"), *rouge]


@pytest.fixture(scope="module")
def scores(conformance: Path, tmp_path_factory: pytest.TempPathFactory) -> Scores:
    wanted = dict.fromkeys(name for backend in BACKENDS for name in names(backend))
    system, gold = files(conformance, tmp_path_factory.mktemp("cases"))
    return tseval.score_timelines(system, gold, list(wanted))


def is_close(value: float | None, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return value is None
    return value is not None and abs(value - wanted) <= CLOSE


def each_value(metric: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for size in SIZES:
        triple = metric.get(size, metric)
        for at, value in enumerate("PRF"):
            yield size, value, triple if isinstance(triple, dict) else triple[at]


def test_every_score(conformance: Path, scores: Scores) -> None:
    wrong, number = [], 0
    for case, all_of in expected(conformance, "scores.json").items():
        dates = all_of["dates"]
        wanted = [
            (f"dates({value})", dates if isinstance(dates, dict) else dates[at])
            for at, value in enumerate("PRF")
        ]
        wanted += [
            (f"{metric}({size},{value},{backend})", number)
            for backend in BACKENDS
            for metric in METRICS
            for size, value, number in each_value(all_of[backend][metric])
        ]
        number += len(wanted)
        wrong += [
            (case, name) for name, value in wanted if not is_close(scores.value(name, case), value)
        ]
    assert number == 321 * 63
    assert wrong == []


@pytest.fixture(scope="module")
def index(conformance: Path, tmp_path_factory: pytest.TempPathFactory) -> TimelineIndex:
    """The cases' timelines, with every count that a test asked of them."""
    return index_of(*files(conformance, tmp_path_factory.mktemp("cases")))


def index_of(system: Path, gold: Path) -> TimelineIndex:
    inputs = TimelineInputs([system], gold)
    found: TimelineIndex = evaluated(FAMILY, inputs, TimelineOptions(), CommonOptions()).index
    return found


def test_every_sum(conformance: Path, index: TimelineIndex) -> None:
    """What precision and recall are quotients of; of what tilse has no number for there is none."""
    wrong, number = [], 0
    names = ("precise", "predicted", "recalled", "reference")
    sums: dict[str, Any] = {}
    for case, backends in expected(conformance, "sums.json.gz").items():
        for backend, metrics in backends.items():
            for metric, sizes in metrics.items():
                for name, wanted in sizes.items():
                    each = f"{metric}({name},{backend})"
                    if each not in sums:
                        ends = np.full(index.units, np.inf)
                        rows = take(index, measure(each, "timelines")).values_at(ends)
                        values = rows.select("topic", *names)
                        sums[each] = {topic: own for topic, *own in values.iter_rows()}
                    found = [*sums[each][case]]
                    if not cases(conformance)[case]["refs"]:
                        found[1] = 0.0  # files have one empty reference where the case has none
                    number += 1
                    if wanted is None or found != pytest.approx(wanted, abs=CLOSE):
                        wrong.append((case, backend, metric, name, wanted, found))
    assert wrong == []
    assert number == 6340


def test_every_alignment_and_every_range_of_ties(conformance: Path, index: TimelineIndex) -> None:
    alignments = expected(conformance, "alignments.json.gz")
    ranges = expected(conformance, "tie_ranges.json")
    topics = index["units"]["topic"].to_list()
    pairs = {topics[pair.unit]: pair for pair in slices(index)}
    found: dict[str, Any] = {}
    wrong = []
    for case, metrics in alignments.items():
        for metric, sides in metrics.items():
            if sides and case in pairs:
                own = align(index, pairs[case], metric, 0)
                wrong += [(case, metric)] * ([side.tolist() for side in own] != sides)
    for backend in BACKENDS:
        for metric in ALIGNED:
            for name in SIZES:
                each = measure(f"{metric}({name},{backend})", "timelines")
                for row in ties_of(index, {ways_of(each, index): each}).iter_rows(named=True):
                    said = dict(_ranges(row))
                    if said and row["topic"] in alignments:
                        of = found.setdefault(row["topic"], {}).setdefault(backend, {})
                        of.setdefault(metric, {})[name] = said
    assert len(alignments) == 318
    assert wrong == []
    assert _alike(found, ranges)


def _ranges(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for side in "PR":
        low, high = row[f"lowest_{side}"], row[f"highest_{side}"]
        if high - low > 1e-12:
            yield side.lower(), [low, high]


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    return bool(np.allclose(one, other, rtol=0, atol=CLOSE))


def test_every_assignment(conformance: Path) -> None:
    wanted = expected(conformance, "assignment.json")
    for each in lines(conformance / "timelines" / "data" / "assignment.jsonl"):
        cost = np.array(each["cost"])
        assert one_to_one(cost).tolist() == wanted[each["id"]]["column_of_row"], each["id"]
        assert cheapest(cost).tolist() == wanted[each["id"]]["argmin_of_row"], each["id"]


def test_every_stem(conformance: Path) -> None:
    folder = conformance / "timelines" / "expected"
    for name, number in ((REIMPL, 12818), (ORIGINAL, 9382)):
        rows = [row.split("\t") for row in text(folder / f"stems_{name}.tsv.gz").split("\n") if row]
        assert len(rows) == number
        assert [(token, stem(token, name)) for token, _ in rows] == [tuple(row) for row in rows]
    listed = text(conformance / "timelines" / "data" / "smart_stopwords.txt").split()
    assert stop_words() == set(listed)


def wording(backend: str, flags: str) -> Wording:
    given = dict(each.split("=") for each in flags.split(","))
    return Wording(backend, given["stem"] == "1", given["stop"] == "1")


def test_every_count(conformance: Path, tmp_path: Path) -> None:
    wanted = expected(conformance, "rouge_pairs.json")
    system, gold = tmp_path / "system.jsonl", tmp_path / "gold.jsonl"
    pairs = list(lines(conformance / "timelines" / "data" / "rouge_pairs.jsonl"))
    sides = [[(pair["id"], [pair["summary"]]) for pair in pairs]]
    sides += [[(pair["id"], pair["references"]) for pair in pairs]]
    for path, rows in zip((system, gold), sides, strict=True):
        every = [
            {"topic": name, "timeline": [["2024-03-01", summary]]}
            for name, summaries in rows
            for summary in summaries
        ]
        path.write_text("".join(json.dumps(each) + "\n" for each in every), encoding="utf-8")
    index = index_of(system, gold)
    topics = index["units"]["topic"].to_list()
    for pair in slices(index):
        own = wanted[topics[pair.unit]]
        row, column = pair.rows.start, pair.columns.start
        for flags, backends in own["counts"].items():
            for backend, sizes in backends.items():
                for size, numbers in enumerate(sizes, start=1):
                    counts = count_grams(index, wording(backend, flags), size, joined=False)
                    found = [counts.hits[row, column], counts.predicted[row]]
                    assert [*found, counts.reference[column]] == numbers, (topics[pair.unit], flags)
        assert cost_of(index, pair, ALIGN_CONTENT) == 0
        assert float(closeness(index, pair)[0, 0]) == own["approximation"]
    assert len(slices(index)) == len(pairs)


@pytest.mark.parametrize("flags", ["stem=1,stop=0", "stem=0,stop=1", "stem=0,stop=0"])
def test_every_score_without_stemming_or_with_stop_words(
    conformance: Path, tmp_path: Path, flags: str
) -> None:
    wanted = expected(conformance, "flags.json.gz")
    given = wording(ORIGINAL, flags)
    rules = {
        "stem": "yes" if given.stems else "no",
        "stop-words": "dropped" if given.drops_stop_words else "kept",
    }
    system, gold = files(conformance, tmp_path, {case: (case, "") for case in wanted})
    measures = list(dict.fromkeys(name for backend in BACKENDS for name in names(backend)))
    found = tseval.score_timelines(system, gold, measures, rules=rules)
    wrong = [
        (case, backend, metric, size, value)
        for case, backends in wanted.items()
        for backend, settings in backends.items()
        for metric, values in settings.get(flags, {}).items()
        for size, value, number in each_value(values)
        if not is_close(found.value(f"{metric}({size},{value},{backend})", case), number)
    ]
    assert wrong == []


def test_every_beta(conformance: Path, tmp_path: Path) -> None:
    for precision, recall, beta, wanted in expected(conformance, "f_scores.json"):
        sides = pl.DataFrame({"P": [float(precision)], "R": [float(recall)]})
        found = sides.select(choose(measure(f"dates(beta={beta})", "timelines"))).item()
        assert found == pytest.approx(wanted)
    wanted = expected(conformance, "beta.json")
    system, gold = files(conformance, tmp_path, {case: (case, "") for case in wanted})
    measures = [
        f"{metric}({size},reimpl,beta={beta})"
        for beta in ("0.5", "2", "3")
        for metric in METRICS
        for size in SIZES
    ]
    found = tseval.score_timelines(system, gold, measures)
    wrong = [
        (case, flag, metric, size)
        for case, betas in wanted.items()
        for flag, metrics in betas.items()
        for metric, values in metrics.items()
        if metric != "dates"
        for size, value, number in each_value(values)
        if value == "F"
        and not is_close(found.value(f"{metric}({size},reimpl,{flag})", case), number)
    ]
    assert wrong == []


AVERAGES = {"mean_pr": "AVG-PR", "mean_f": "AVG-F", "topic_macro": "TOPIC-MACRO"}


def test_every_average(conformance: Path, tmp_path: Path) -> None:
    wrong, number = [], 0
    for group, content in expected(conformance, "averages.json").items():
        topics = {name: _topic(name) for name in content["cases"]}
        system, gold = files(conformance, tmp_path, topics)
        for backend in BACKENDS:
            for key, rule in AVERAGES.items():
                metrics = content[backend].get(key, {})
                rules = {"average": rule, "backend": backend}
                if content["policy"] == "strict" and "open" not in group:
                    rules["protocol"] = "PROTOCOL-1"
                if content["policy"] == "skip":
                    rules["failures"] = "topic"
                undefined = "zero" if content["policy"] == "zero" else "skip"
                found = tseval.score_timelines(
                    system, gold, names(backend), rules=rules, undefined=undefined
                )
                for name, value in _averages(metrics, backend):
                    number += 1
                    wrong += [(group, rule, name)] * (not is_close(found.value(name), value))
    assert wrong == []
    assert number > 500


def _topic(case: str) -> tuple[str, str]:
    """The topic of a case, and which of its references it is."""
    topic, _, reference = case.rpartition("/")[2].partition("_")
    return (topic, reference) if "t17" in case else (case, "")


def _averages(metrics: Mapping[str, Any], backend: str) -> Iterator[tuple[str, Any]]:
    for metric, values in metrics.items():
        of_sizes = {"": values} if metric == "dates" else values
        for size, triple in of_sizes.items():
            inside = f"{size},{{}},{backend}" if size else "{}"
            if isinstance(triple, list):
                for value, each in zip("PRF", triple, strict=True):
                    yield f"{metric}({inside.format(value)})", each
            else:
                yield f"{metric}({inside.format('F')})", triple


def test_the_published_numbers(conformance: Path, tmp_path: Path) -> None:
    printed = json.loads(text(conformance / "timelines" / "expected" / "published.json"))
    topics = {name: (name, "") for name in cases(conformance) if name.startswith("flan/t17/")}
    system, gold = files(conformance, tmp_path, topics)
    found = tseval.score_timelines(system, gold, edition="timeranker")
    for metric, sizes in printed["values"].items():
        for size, value in sizes.items():
            assert found.value(f"{metric}({size},F)") == pytest.approx(value, abs=1e-15)


def test_every_text_file(conformance: Path, tmp_path: Path) -> None:
    wanted = expected(conformance, "parse_text.json")
    path = tmp_path / "timeline.txt"
    for each in lines(conformance / "timelines" / "data" / "parse_text.jsonl"):
        content = each.get("bytes_utf8")
        path.write_bytes(bytes.fromhex(each["bytes_hex"]) if content is None else content.encode())
        blocks = wanted[each["id"]]
        if any(date is None for date, _ in blocks):
            with pytest.raises(InputError, match="a block without a date"):
                read([str(path)], RUNS, "timeline-text")
            continue
        assert _read(path, "timeline-text") == dict(map(tuple, blocks)), each["id"]


def _read(path: Path, form: str | None = None) -> dict[str, list[str]]:
    rows = read([str(path)], RUNS, form).frame.drop_nulls("day").with_columns(date=date_of())
    entries = rows.group_by("entry", maintain_order=True).agg(pl.col("date").first(), "text")
    return {date: texts for _, date, texts in entries.iter_rows()}


def _written(text: str) -> str | None:
    day = day_of(text)
    return None if day is None else (EPOCH + timedelta(day[0])).isoformat()


def test_every_date(conformance: Path) -> None:
    for date, readers in expected(conformance, "date_strings.json").items():
        text_date = readers["tilse_text"]
        strict = _written(date) if STRICT.fullmatch(date) else None
        assert strict == (None if isinstance(text_date, dict) else text_date)
        any_date = [each for each in readers.values() if isinstance(each, str)]
        assert _written(date) == next(iter(any_date), None), date


def test_every_file_of_json_lines(conformance: Path, tmp_path: Path) -> None:
    wanted = expected(conformance, "parse_jsonl.json")
    path = tmp_path / "timelines.jsonl"
    for each in lines(conformance / "timelines" / "data" / "parse_jsonl.jsonl"):
        path.write_text(each["text"], encoding="utf-8")
        rows = name_timelines(read([str(path)], RUNS).frame, ["timelines"])
        known = [reader for reader in wanted[each["id"]].values() if not isinstance(reader, dict)]
        if known:
            dates = {date for timeline in known[0] for date, _ in timeline}
            assert set(rows.select(date_of()).to_series()) == dates, each["id"]
            assert rows["timeline"].n_unique() == len(known[0])


def test_the_command_line_says_the_same(conformance: Path, tmp_path: Path) -> None:
    name = "sdf-bestds/t17/bpoil_bbc"
    case, known = cases(conformance)[name], timelines(conformance)
    system, gold = tmp_path / "system.jsonl", tmp_path / "gold.jsonl"
    system.write_text(json.dumps(known[case["pred"]]) + "\n", encoding="utf-8")
    gold.write_text("".join(json.dumps(known[ref]) + "\n" for ref in case["refs"]), "utf-8")
    done = program("timelines", str(system), str(gold), "-f", "json")
    records = {each["measure"]: each["value"] for each in json.loads(done.out)["records"]}
    wanted = expected(conformance, "scores.json")[name]
    values = {f"dates({v})": n for v, n in zip("PRF", wanted["dates"], strict=True)} | {
        f"{metric}({size},{value})": number
        for metric in METRICS
        for size, value, number in each_value(wanted["original"][metric])
    }
    assert records == pytest.approx(values, abs=CLOSE)

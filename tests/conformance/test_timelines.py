"""Timelines: every number of the original program that the pack holds.

The expected numbers are never touched: where the code differs, the code is wrong.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tseval
from tests.program import tseval as program
from tseval import InputError, Scores
from tseval.families.timelines.alignment import cheapest, one_to_one
from tseval.families.timelines.dates import day_of, strict_day, written
from tseval.families.timelines.files import read_timelines
from tseval.families.timelines.measures import harmonic
from tseval.families.timelines.overlap import Counts, Tokens
from tseval.families.timelines.stemmers import nltk_stem, original_stem, stop_words
from tseval.families.timelines.tally import ALIGNED, Tally, Timeline
from tseval.families.timelines.words import ORIGINAL, REIMPL, Wording
from tseval.files.inputs import Input
from tseval.tables import ABSENT

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


@pytest.fixture(scope="module", autouse=True)
def _counted_once() -> Iterator[None]:
    """Let the same texts be divided and counted once, whichever test and average asks."""
    known: dict[object, Counts] = {}
    divided: dict[object, list[str]] = {}
    count, divide = Counts.of, Wording.tokens

    def of(texts: Sequence[Tokens], references: Sequence[Sequence[Tokens]], size: int) -> Counts:
        told = tuple(map(tuple, texts)), tuple(tuple(map(tuple, each)) for each in references), size
        if told not in known:
            known[told] = count(texts, references, size)
        return known[told]

    def tokens(self: Wording, sentences: Iterable[str]) -> list[str]:
        told = self, *sentences
        if told not in divided:
            divided[told] = divide(self, told[1:])
        return divided[told]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Counts, "of", of)
        patch.setattr(Wording, "tokens", tokens)
        yield


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


@cache
def tally(pack: Path, case: str) -> Tally:
    """The case's timelines, with every count that a test asked of them."""
    found = cases(pack)[case]
    known = timelines(pack)

    def made(name: str) -> Timeline:
        days = {
            day_of(date): [sentence.strip() for sentence in sentences]
            for date, sentences in known[name]
        }
        return Timeline.of(days)

    return Tally(made(found["pred"]), [made(ref) for ref in found["refs"]])


def test_every_sum(conformance: Path) -> None:
    """What precision and recall are quotients of; of what tilse has no number for there is none."""
    wrong, number = [], 0
    for case, backends in expected(conformance, "sums.json.gz").items():
        own = tally(conformance, case)
        for backend, metrics in backends.items():
            for metric, sizes in metrics.items():
                for name, wanted in sizes.items():
                    found = own.sums(metric, Wording(backend), SIZES[name])
                    number += 1
                    if wanted is None or found[:4] != pytest.approx(wanted, abs=CLOSE):
                        wrong.append((case, backend, metric, name, wanted, found))
    assert wrong == []
    assert number == 6340


def test_every_alignment_and_every_range_of_ties(conformance: Path) -> None:
    alignments = expected(conformance, "alignments.json.gz")
    ranges = expected(conformance, "tie_ranges.json")
    found, wrong = {}, []
    for case, metrics in alignments.items():
        own = tally(conformance, case)
        for metric, sides in metrics.items():
            if sides and own.has_days:
                wrong += [(case, metric)] * ([s.tolist() for s in own.aligned(metric)] != sides)
        for backend in BACKENDS if own.has_days else ():
            for metric in ALIGNED:
                for name, size in SIZES.items():
                    said = dict(_ranges(own, metric, Wording(backend), size))
                    if said:
                        of = found.setdefault(case, {}).setdefault(backend, {})
                        of.setdefault(metric, {})[name] = said
    assert len(alignments) == 318
    assert wrong == []
    assert _alike(found, ranges)


def _ranges(own: Tally, metric: str, wording: Wording, size: int) -> Iterator[tuple[str, Any]]:
    sums, found = own.sums(metric, wording, size), own.ranges(metric, wording, size)
    numbers = (sums.predicted, sums.reference)
    for name, each, number in zip("pr", found or (), numbers, strict=False):
        if number and each.high - each.low > 1e-12:
            yield name, [each.low / number, each.high / number]


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
    for name, stem, number in (("reimpl", nltk_stem, 12818), ("original", original_stem, 9382)):
        rows = [row.split("\t") for row in text(folder / f"stems_{name}.tsv.gz").split("\n") if row]
        assert len(rows) == number
        assert [(token, stem(token)) for token, _ in rows] == [tuple(row) for row in rows]
    listed = text(conformance / "timelines" / "data" / "smart_stopwords.txt").split()
    assert stop_words() == set(listed)


def wording(backend: str, flags: str) -> Wording:
    given = dict(each.split("=") for each in flags.split(","))
    return Wording(backend, given["stem"] == "1", given["stop"] == "1")


def test_every_count(conformance: Path) -> None:
    wanted = expected(conformance, "rouge_pairs.json")
    for pair in lines(conformance / "timelines" / "data" / "rouge_pairs.jsonl"):
        references = [Timeline.of({1: each}) for each in pair["references"]]
        own = Tally(Timeline.of({1: pair["summary"]}), references)
        for flags, backends in wanted[pair["id"]]["counts"].items():
            for backend, sizes in backends.items():
                for size, numbers in enumerate(sizes, start=1):
                    counts = own.counts(wording(backend, flags), size)
                    found = [counts.hits[0, 0], counts.predicted[0], counts.reference[0]]
                    assert found == numbers, (pair["id"], flags, backend, size)
        assert own.cost(ALIGNED[1]) == 0
        assert float(own._closeness[0, 0]) == wanted[pair["id"]]["approximation"]


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
        assert harmonic(
            np.array([float(precision)]), np.array([float(recall)]), beta
        ) == pytest.approx(wanted)
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
                read_timelines(Input(path), "timeline", "timeline-text")
            continue
        assert _read(path, "timeline-text") == dict(map(tuple, blocks)), each["id"]


def _read(path: Path, form: str | None = None) -> dict[str, list[str]]:
    table = read_timelines(Input(path), "timeline", form)
    found: dict[str, list[str]] = {}
    entries: dict[str, int] = {}
    for row, (day, entry) in enumerate(zip(table.day.tolist(), table.entry.tolist(), strict=True)):
        if day != ABSENT:
            date = written(day)
            if entries.get(date) != entry:
                found[date] = []
            entries[date] = entry
            found[date].append(table.text[row])
    return found


def test_every_date(conformance: Path) -> None:
    for date, readers in expected(conformance, "date_strings.json").items():
        text_date = readers["tilse_text"]
        day = strict_day(date)
        assert (None if day is None else written(day)) == (
            None if isinstance(text_date, dict) else text_date
        )
        any_date = [each for each in readers.values() if isinstance(each, str)]
        day = day_of(date)
        assert (None if day is None else written(day)) == next(iter(any_date), None), date


def test_every_file_of_json_lines(conformance: Path, tmp_path: Path) -> None:
    wanted = expected(conformance, "parse_jsonl.json")
    path = tmp_path / "timelines.jsonl"
    for each in lines(conformance / "timelines" / "data" / "parse_jsonl.jsonl"):
        path.write_text(each["text"], encoding="utf-8")
        table = read_timelines(Input(path), "timelines")
        read = [reader for reader in wanted[each["id"]].values() if not isinstance(reader, dict)]
        if read:
            dates = {date for timeline in read[0] for date, _ in timeline}
            assert {written(day) for day in table.day.tolist()} == dates, each["id"]
            assert len(set(table.timeline.to_list())) == len(read[0])


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

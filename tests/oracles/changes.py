"""Change detection, slowly: dictionaries and loops over every unit, and nothing shared.

Written from the words of the guidelines of 2026 and of the paper whose measures they name. It reads
the track's files with `json` alone, drops what is faulty, and notes each fault with its place.
"""

from __future__ import annotations

import gzip
import itertools
import json
import math
import re
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

MEASURES = ("tRR", "tRBP", "tNDCG", "tAP", "silent")
LEVELS = ("documents", "questions")
SETS = ("overall", "has-answer", "nil")
RUNTAG = re.compile(r"[a-zA-Z0-9_-][a-zA-Z0-9_.-]{1,19}")
MOST = 100
"""How many documents of a question count on a day."""


@dataclass(frozen=True)
class Reading:
    """What the guidelines leave open."""

    gains: str = "raw"
    ap: str = "paper"
    p: float = 0.5
    ties: str = "file"
    order: str = "score"
    missing_date: str = "silent"
    missing_topic: str = "silent"
    proposed: str = "drop"
    question_gain: str = "max"
    average: str = "nested"


BASE = Reading()


def reading(rule: str) -> Reading:
    """The base with one change, as the tables of expected values name it."""
    if rule == "base":
        return BASE
    name, _, value = rule.partition("=")
    changed: dict[str, Any] = {name.replace("-", "_"): float(value) if name == "p" else value}
    if name == "missing-date":
        changed["ties"] = "expected"
    return replace(BASE, **changed)


@dataclass
class Said:
    """A question on a day of a run: its rank, and its documents as (id, score)."""

    rank: int
    documents: list[tuple[str, float]]


@dataclass
class Run:
    """What a run says of each topic and day; and what is wrong with its file."""

    tag: str | None = None
    topics: dict[str, dict[str, dict[str, Said]]] = field(default_factory=dict)
    faults: list[tuple[str, str]] = field(default_factory=list)
    """Where, as `line day question`, and what."""


@dataclass
class Collection:
    """What is known beside the run."""

    questions: dict[str, list[str]]
    days: list[str]
    day_of: dict[str, str]
    gains: dict[tuple[str, str, str], dict[str, float]]
    """Of the relevant documents, by topic, question and the document's day."""
    judged: dict[tuple[str, str, str], float] | None = None
    """By topic, question and day."""


# Reading.


def _lines(path: Path) -> list[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:
        return [line.rstrip("\n") for line in stream if line.strip()]


def _first_that_is(*paths: Path) -> Path:
    return next(path for path in paths if path.exists())


def read_collection(folder: Path) -> Collection:
    """The topics, days, documents and judgments of a folder."""
    topics = [json.loads(line) for line in _lines(folder / "topics.jsonl")]
    documents = _first_that_is(folder / "documents.tsv", folder / "documents.tsv.gz")
    day_of = dict(line.split("\t") for line in _lines(documents)[1:])
    gains: dict[tuple[str, str, str], dict[str, float]] = {}
    for line in _lines(folder / "qrels.tsv")[1:]:
        topic, qid, doc, gain = line.split("\t")
        if float(gain) > 0:
            gains.setdefault((topic, qid, day_of[doc]), {})[doc] = float(gain)
    judged = None
    if (folder / "questions.tsv").exists():
        judged = {}
        for line in _lines(folder / "questions.tsv")[1:]:
            topic, qid, day, gain = line.split("\t")
            judged[topic, qid, day] = float(gain)
    return Collection(
        {each["tid"]: [q["qid"] for q in each["questions"]] for each in topics},
        sorted(_lines(folder / "days.txt")),
        day_of,
        gains,
        judged,
    )


def read_run(path: Path, world: Collection, order: str = "score") -> Run:
    """A run, of which everything faulty is dropped."""
    return parse_run(_lines(path), world, order)


def parse_run(lines: list[str], world: Collection, order: str = "score") -> Run:
    """The same from the lines of its file."""
    run = Run()
    first = json.loads(lines[0]) if lines else {}
    start = 0
    if "runtag" in first:
        start = 1
        run.tag = first["runtag"]
        if not RUNTAG.fullmatch(first["runtag"]):
            run.faults.append(("1", "bad-runtag"))
    else:
        run.faults.append(("1", "no-metadata"))
    for number, text in enumerate(lines[start:], start=start + 1):
        record = json.loads(text)
        topic = record["topic"]
        if topic not in world.questions:
            run.faults.append((str(number), "unknown-topic"))
        elif topic in run.topics:
            run.faults.append((str(number), "repeated-topic"))
        else:
            run.topics[topic] = _days(record["results"], number, topic, run, world, order)
    for topic in world.questions:
        if topic not in run.topics:
            run.faults.append(("", f"missing-topic {topic}"))
    return run


def _days(
    results: dict[str, Any], number: int, topic: str, run: Run, world: Collection, order: str
) -> dict[str, dict[str, Said]]:
    days: dict[str, dict[str, Said]] = {}
    for day, block in results.items():
        if not _is_day(day):
            run.faults.append((f"{number} {day}", "bad-day"))
        elif day not in world.days:
            run.faults.append((f"{number} {day}", "day-outside"))
        else:
            listed = block["results"] if isinstance(block, dict) else block
            days[day] = _questions(listed, f"{number} {day}", day, topic, run, world, order)
    return days


def _is_day(text: str) -> bool:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _key(record: dict[str, Any], name: str) -> Any:
    return record[name] if name in record else record[name.replace("-", "_")]


def _questions(
    listed: list[Any], where: str, day: str, topic: str, run: Run, world: Collection, order: str
) -> dict[str, Said]:
    said: dict[str, Said] = {}
    seen = set()
    for question in listed:
        qid = question["qid"]
        rank = _key(question, "question-rank")
        here = f"{where} {qid}"
        known = qid in world.questions[topic]
        if not known and not (run.tag is not None and qid.startswith(run.tag)):
            run.faults.append((here, "bad-question"))
            continue
        if qid in seen:
            run.faults.append((here, "repeated-question"))
            continue
        seen.add(qid)
        if isinstance(rank, bool) or not isinstance(rank, int) or rank < 0:
            run.faults.append((here, "bad-rank"))
            continue
        listing = _key(question, "doc-ranking")
        said[qid] = Said(rank, _documents(listing, here, day, run, world, order))
    return said


def _documents(
    listing: list[Any], here: str, day: str, run: Run, world: Collection, order: str
) -> list[tuple[str, float]]:
    if len(listing) > MOST:
        run.faults.append((here, "more-than-100"))
    kept: list[tuple[str, float]] = []
    seen = set()
    for document in listing:
        doc = document["doc_id"] if "doc_id" in document else document["docid"]
        score = document["score"]
        if doc in seen:
            run.faults.append((here, "repeated-document"))
            continue
        seen.add(doc)
        if doc not in world.day_of:
            run.faults.append((here, "unknown-document"))
        elif world.day_of[doc] != day:
            run.faults.append((here, "wrong-day"))
        elif not _is_finite(score):
            run.faults.append((here, "bad-score"))
        else:
            kept.append((doc, float(score)))
    if len(kept) > MOST and order == "score":
        best = sorted(kept, key=lambda each: -each[1])[:MOST]
        return [each for each in kept if each in best]
    return kept[:MOST]


def _is_finite(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


# One ranking.


def grouped(
    items: list[tuple[str, float]], gains: dict[str, float], r: Reading
) -> list[list[float]]:
    """The gains of a ranking, in groups that tie; items are (id, key), the least key first."""
    ordered = sorted(items, key=lambda each: each[1])
    groups = []
    for _, group in itertools.groupby(ordered, key=lambda each: each[1]):
        tied = list(group)
        if r.ties == "id":
            tied.sort(key=lambda each: each[0])
        found = [gains.get(name, 0.0) for name, _ in tied]
        groups += [found] if r.ties == "expected" else [[gain] for gain in found]
    return groups


def terminal(gains: list[float], relevant: list[float]) -> float:
    """What the item after the last is worth."""
    return sum(gains) / sum(relevant) if relevant else 1.0


def measures_of(gains: list[float], relevant: list[float], r: Reading) -> dict[str, float]:
    """The four measures of gains in one order; `relevant` are all that there are above 0."""
    end = terminal(gains, relevant)
    whole = [*gains, end]
    first = [rank for rank, gain in enumerate(whole, start=1) if gain > 0]
    rbp = sum((1 - r.p) * gain * r.p ** (rank - 1) for rank, gain in enumerate(gains, start=1))
    falling = [*sorted(relevant, reverse=True), 1.0]
    ideal = dcg(falling[: len(whole)])
    below = sum(relevant) + 1 if r.ap == "paper" else precisions(falling)
    return {
        "tRR": 1 / first[0] if first else 0.0,
        "tRBP": rbp + end * r.p ** len(gains),
        "tNDCG": dcg(whole) / ideal,
        "tAP": precisions(whole) / below,
    }


def dcg(gains: list[float]) -> float:
    """Gains discounted by the logarithm of their ranks."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def precisions(gains: list[float]) -> float:
    """The sum over the ranks of the gain there times the mean gain so far."""
    total, so_far = 0.0, 0.0
    for rank, gain in enumerate(gains, start=1):
        so_far += gain
        total += gain * so_far / rank
    return total


def scaled(gain: float, r: Reading) -> float:
    """A gain above 0 as the rule has it."""
    return {"raw": gain, "scaled": gain / 10, "binary": 1.0}[r.gains] if gain > 0 else 0.0


def unit(groups: list[list[float]], relevant: list[float], r: Reading) -> dict[str, float]:
    """The measures of a unit; of groups that tie the mean over all orders, in closed form."""
    groups = [[scaled(gain, r) for gain in group] for group in groups]
    relevant = [scaled(gain, r) for gain in relevant]
    flat = [gain for group in groups for gain in group]
    if all(len(group) == 1 for group in groups):
        found = measures_of(flat, relevant, r)
    else:
        found = _expected(groups, relevant, r)
    return found | {"silent": 0.0 if flat else 1.0}


def _expected(groups: list[list[float]], relevant: list[float], r: Reading) -> dict[str, float]:
    means = [sum(group) / len(group) for group in groups for _ in group]
    found = measures_of(means, relevant, r)
    end = terminal([gain for group in groups for gain in group], relevant)
    whole = [*groups, [end]]
    above, before, so_far, first = 0.0, 0, 0.0, None
    for group in whole:
        n, s, q = len(group), sum(group), sum(gain * gain for gain in group)
        k = sum(gain > 0 for gain in group)
        pairs = (s * s - q) / (n * (n - 1)) if n > 1 else 0.0
        for j in range(1, n + 1):
            above += (s / n * so_far + q / n + (j - 1) * pairs) / (before + j)
        if first is None and k:
            chances = [math.comb(n - j, k - 1) / math.comb(n, k) for j in range(1, n - k + 2)]
            first = sum(chance / (before + j) for j, chance in enumerate(chances, start=1))
        before, so_far = before + n, so_far + s
    falling = [*sorted(relevant, reverse=True), 1.0]
    below = sum(relevant) + 1 if r.ap == "paper" else precisions(falling)
    return found | {"tRR": first or 0.0, "tAP": above / below}


def over_all_orders(
    groups: list[list[float]], relevant: list[float], r: Reading
) -> dict[str, float]:
    """The mean over all orders of what ties, one after the other."""
    orders = list(itertools.product(*[list(itertools.permutations(group)) for group in groups]))
    found = [measures_of([g for group in each for g in group], relevant, r) for each in orders]
    return {name: sum(each[name] for each in found) / len(found) for name in found[0]}


# A run.


@dataclass(frozen=True)
class Unit:
    """One unit with its values; `question` is empty for the ranking of the questions."""

    level: str
    topic: str
    question: str
    day: str
    has_answer: bool
    values: dict[str, float]


def document_units(run: Run, world: Collection, r: Reading) -> list[Unit]:
    """Every topic, known question and day."""
    units = []
    for topic, questions in world.questions.items():
        for qid in questions:
            for day in world.days:
                gains = world.gains.get((topic, qid, day), {})
                said = run.topics.get(topic, {}).get(day, {}).get(qid)
                listed = said.documents if said is not None else []
                by_list = [(doc, float(place)) for place, (doc, _) in enumerate(listed)]
                by_score = [(doc, -score) for doc, score in listed]
                groups = grouped(by_score if r.order == "score" else by_list, gains, r)
                values = _counted(unit(groups, list(gains.values()), r), run, topic, r)
                units.append(Unit("documents", topic, qid, day, bool(gains), values))
    return units


def _counted(values: dict[str, float], run: Run, topic: str, r: Reading) -> dict[str, float]:
    if topic in run.topics or r.missing_topic == "silent":
        return values
    return dict.fromkeys(values, 0.0) | {"silent": values["silent"]}


def question_units(run: Run, world: Collection, r: Reading) -> list[Unit]:
    """Every topic and day."""
    units = []
    for topic, questions in world.questions.items():
        proposed: list[str] = []
        for day in world.days:
            said = run.topics.get(topic, {}).get(day)
            items = [(qid, float(each.rank)) for qid, each in (said or {}).items()]
            if said is None and topic in run.topics and r.missing_date == "tied":
                items = [(qid, 0.0) for qid in questions]
            if r.proposed == "drop":
                items = [item for item in items if item[0] in questions]
            proposed += [q for q, _ in items if q not in questions and q not in proposed]
            gains = {}
            for qid in (*questions, *proposed):
                gain = _question_gain(topic, qid, day, world, r)
                if gain > 0:
                    gains[qid] = gain
            groups = grouped(items, gains, r)
            values = _counted(unit(groups, list(gains.values()), r), run, topic, r)
            units.append(Unit("questions", topic, "", day, bool(gains), values))
    return units


def _question_gain(topic: str, qid: str, day: str, world: Collection, r: Reading) -> float:
    if r.question_gain == "judged":
        return (world.judged or {}).get((topic, qid, day), 0.0)
    return max(world.gains.get((topic, qid, day), {}).values(), default=0.0)


def units_of(run: Run, world: Collection, r: Reading) -> list[Unit]:
    """All units of both levels."""
    return [*document_units(run, world, r), *question_units(run, world, r)]


def in_set(each: Unit, level: str, chosen: str) -> bool:
    """Whether a unit belongs to a level and a set."""
    if each.level != level:
        return False
    return chosen == "overall" or each.has_answer == (chosen == "has-answer")


def mean(values: list[float]) -> float | None:
    """Their mean; None without any."""
    return math.fsum(values) / len(values) if values else None


def averaged(units: list[Unit], name: str, average: str) -> float | None:
    """The mean over units, or over days, then questions, then topics."""
    if average == "units":
        return mean([each.values[name] for each in units])
    topics: dict[str, dict[str, list[float]]] = {}
    for each in units:
        topics.setdefault(each.topic, {}).setdefault(each.question, []).append(each.values[name])
    of_topics = [[mean(days) for days in questions.values()] for questions in topics.values()]
    return mean([mean([v for v in each if v is not None]) or 0.0 for each in of_topics])


def table(
    units: list[Unit], r: Reading, before: str | None = None
) -> dict[tuple[str, str, str], float | None]:
    """Every measure, and the number of units, by level, set and name."""
    found: dict[tuple[str, str, str], float | None] = {}
    for level in LEVELS:
        for chosen in SETS:
            own = [u for u in units if in_set(u, level, chosen)]
            own = [u for u in own if before is None or u.day < before]
            found[level, chosen, "units"] = float(len(own))
            for name in MEASURES:
                found[level, chosen, name] = averaged(own, name, r.average)
    return found

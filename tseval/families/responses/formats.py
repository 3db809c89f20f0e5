"""The files of responses as `tseval validate` and `tseval import` know them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from tseval.errors import Fault, did_you_mean
from tseval.families.responses.files import (
    is_gold,
    is_labelled,
    is_nugget_list,
    read_gold,
    read_sheets,
)
from tseval.families.responses.labels import KNOWN
from tseval.families.responses.rules import ResponseRules
from tseval.families.responses.tables import GRADES, NUGGETS, Gold, Grade, Sheet
from tseval.files.formats import Format, Line, Rank
from tseval.files.imports import Import, Imported, NothingAsked, numbers_as_text
from tseval.files.inputs import Input
from tseval.files.reading import refuse

RULES = ResponseRules()
LABELS = ("not_support", "partial_support", "support")


def _read(source: Input, form: str | None, _: Sequence[str]) -> Sheet:
    return read_sheets([source], RULES, form)[0]


def _read_gold(source: Input, form: str | None, _: Sequence[str]) -> Gold:
    return read_gold([source], RULES, form)


def remarks(sheet: Sheet) -> Iterator[Line]:
    """Yield labels that count as none, and excesses over the limits of the track."""
    yield from unknown_words(sheet)
    yield from ((said, False) for said in sheet.warnings)


def unknown_words(read: Sheet | Gold) -> Iterator[Line]:
    """Yield the words that count as none, each with its line; a missing one is not a fault."""
    source = read.origin.sources[0]
    for what, word, line in read.unknown:
        if word.strip():
            known = KNOWN[what][0]
            reason = f'unknown {what} "{word}"{did_you_mean(word, known)}'
            cure = f"write one of {', '.join(known)}"
            fault = Fault(source.path, line, reason, cure, "unknown-label", unit=source.unit)
            yield str(fault), True


def _time(time: float) -> str:
    return "" if math.isnan(time) else numbers_as_text(np.array([time]))[0]


def _grades(paths: Sequence[str], _: NothingAsked) -> Imported:
    """The labels of nuggets as the plain table: a row a label."""
    rows: list[tuple[str, ...]] = []
    before: Counter[tuple[str, str]] = Counter()
    for source, sheet in ((path, _read(Input(path), None, paths)) for path in paths):
        if not any(isinstance(each, Grade) for part in sheet.responses for each in part.labels):
            refuse(Input(source), "holds no labels of nuggets", "give assignments of nuggets")
        for response in sheet.responses:
            run, topic = response.run, response.topic
            before[run, topic] += 1
            for at, label in enumerate(response.labels):
                if isinstance(label, Grade) and not label.failed:
                    time = response.time if math.isnan(label.time) else label.time
                    version = response.version or str(before[run, topic])
                    nugget = label.nugget.key[0] if label.nugget.key[1] < 0 else f"{topic}#{at}"
                    rows.append(
                        (
                            run,
                            topic,
                            nugget,
                            LABELS[label.grade],
                            _time(time),
                            version,
                            label.nugget.importance,
                        )
                    )
    return _columns(("run", "topic", "nugget_id", "label", "time", "version", "importance"), rows)


def _nuggets(paths: Sequence[str], _: NothingAsked) -> Imported:
    """Lists of nuggets as the plain table."""
    gold = read_gold(paths, RULES)
    rows = [
        (topic, each.id or f"{topic}#{at}", each.importance, _time(each.time), each.key[0])
        for topic, own in gold.nuggets.items()
        for at, each in enumerate(own)
    ]
    return _columns(("topic", "nugget_id", "importance", "time", "text"), rows)


def _columns(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Imported:
    return Imported({name: [row[at] for row in rows] for at, name in enumerate(names)})


FORMATS = (
    Format(
        GRADES.table,
        _read,
        is_labelled,
        rank=Rank.SURE,
        remarks=remarks,
        imports=(
            Import(
                "response-labels",
                "labels of nuggets: assignments of responses",
                _grades,
                several=True,
            ),
        ),
    ),
    Format(
        NUGGETS.table,
        _read_gold,
        lambda source: is_gold(source) or is_nugget_list(source),
        rank=Rank.SURE,
        remarks=unknown_words,
        imports=(Import("response-nuggets", "lists of nuggets of responses", _nuggets),),
    ),
)

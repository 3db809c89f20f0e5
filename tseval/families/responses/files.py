"""Reading responses, labels and gold: each file by what its content shows it to be."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.nearest import names_in
from tseval.core.wording import count
from tseval.families.responses.labels import (
    IMPORTANCE,
    NONE,
    PARTIAL,
    SUPPORT,
    SUPPORTED,
    TIER,
    Read,
    bank_of,
    criteria_of,
    grade_of,
    keys_of,
    nuggets_in,
    response_of,
    rubric_of,
    sort_of,
    support_word,
    too_much,
    unknown_importances,
    unknown_labels,
    verdict_of,
)
from tseval.families.responses.objects import (
    Object,
    WrongRecordError,
    documents,
    first_object,
    is_json,
    members,
    name_of,
    text_of,
    topic_of,
)
from tseval.families.responses.rules import ResponseRules
from tseval.families.responses.tables import (
    ANNOTATIONS,
    COUNTS,
    GRADES,
    HITS,
    NO_TIME,
    NUGGETS,
    VERDICTS,
    Annotation,
    Count,
    Gold,
    Grade,
    Nugget,
    Question,
    Response,
    Sheet,
    Sort,
    UnknownWord,
)
from tseval.files.faults import FaultList
from tseval.files.frames import run_names
from tseval.files.inputs import Each, Input
from tseval.files.plain import BY_KEYS, Rows, check_one_run, recognise, record_of
from tseval.files.reading import input_of, names_of, refuse, refuse_where, rows_of
from tseval.files.text_lines import first_row
from tseval.tables import Origin, Schema

if TYPE_CHECKING:
    from tseval.files.reading import Given

HIT = re.compile(rb"(\d+)_(\d+_\d+)_(\d+)_(\S+)\t([01])")
"""A line of CONE-RAG without a header: hit, turn, nugget and run, then the label."""
ANNOTATED = ("supports", "partial", "contradicts", "none")
SORT_CURE = (
    "looked for assignments (`nuggets` with `assignment`), verdicts (`criteria`), support labels "
    "(`sentences`), judgments of reports (`judgments`) and runs (`answer`, `response` or "
    "`responses`)"
)
GOLD_CURE = (
    "looked for nuggets (`nuggets`), a bank (`nugget_bank`), rubrics (`rubrics`), turns with their "
    'nuggets (`{"turn": {"[1]": …}}`), and a table `topic nugget_id importance`'
)
TABLES: tuple[tuple[Sort, Schema], ...] = (
    (Sort.ANNOTATIONS, ANNOTATIONS),
    (Sort.COUNTS, COUNTS),
    (Sort.HITS, HITS),
    (Sort.VERDICTS, VERDICTS),
    (Sort.GRADES, GRADES),
)
"""The plain tables of labels, in the order in which a header is held against them."""


def read_sheets(
    given: Sequence[Given], rules: ResponseRules, form: str | None = None, each: Each = map
) -> list[Sheet]:
    """Every file of labels or responses."""
    inputs = [input_of(one, GRADES) for one in given]
    return list(each(partial(_sheet, rules=rules, form=form), inputs, run_names(inputs)))


def _sheet(source: Input, name: str, rules: ResponseRules, form: str | None) -> Sheet:
    """The responses of a file, under the name that the caller gives its run."""
    sheet = _read_sheet(source, name, rules, form)
    runs = tuple(dict.fromkeys(each.run for each in sheet.responses))
    responses = sheet.responses
    if source.run_name is not None:
        faults = FaultList(source)
        check_one_run(runs, faults)
        faults.check()
        runs = (source.run_name,)
        responses = tuple(replace(each, run=source.run_name) for each in responses)
    sources = tuple(replace(each, runs=runs) for each in sheet.origin.sources)
    return replace(sheet, responses=responses, origin=replace(sheet.origin, sources=sources))


def _read_sheet(source: Input, name: str, rules: ResponseRules, form: str | None) -> Sheet:
    if form is None and not source.is_table and is_hits(source):
        return _hit_lines(source)
    if form in (None, *BY_KEYS) and _is_json(source):
        return _json_sheet(source, Read(name, rules))
    names = names_of(source) if source.is_table else names_in(source, form)
    sort, schema = _table_of(names)
    return TABLE_READERS[sort](source, rows_of(source, schema, form), name, rules)


def _table_of(names: list[str]) -> tuple[Sort, Schema]:
    """The table that has all its columns among these names, or else the nearest.

    That is the one that has most of the names, then the one that lacks least, then that of labels
    of nuggets. Reading it tells what is missing.
    """
    whole = [each for each in TABLES if not each[1].missing(names)]
    if whole:
        return whole[0]
    return max(
        reversed(TABLES),
        key=lambda each: (len(each[1].placed(names)), -len(each[1].missing(names))),
    )


def _is_json(source: Input) -> bool:
    """Whether an input is JSON, and no plain table of labels written as such."""
    if source.is_table:
        return False
    names = recognise(source)[1]
    return is_json(source) and all(schema.missing(names) for _, schema in TABLES)


def _json_sheet(source: Input, read: Read) -> Sheet:
    faults = FaultList(source)
    found: dict[Sort, list[Response]] = {}
    for line, record in documents(source, faults):
        try:
            sort = sort_of(record)
            if sort is None and _holds_gold(record):
                raise WrongRecordError("nuggets, and no labels of them", "give them as --nuggets")
            if sort is None:
                raise WrongRecordError("neither labels nor a response", SORT_CURE)
            if found and sort not in found:
                first = next(iter(found))
                raise WrongRecordError(
                    f"{sort.value}, where the lines above hold {first.value}",
                    "give each sort of labels a file of its own",
                )
            found.setdefault(sort, []).append(response_of(sort, record, read, line))
        except WrongRecordError as error:
            error.noted(faults, line)
    faults.check()
    if not found:
        refuse(source, "holds no responses", SORT_CURE)
    ((sort, responses),) = found.items()
    warnings = [said for each in responses for said in too_much(each)]
    return _made(source, sort, responses, warnings)


def _made(
    source: Input, sort: Sort, responses: Sequence[Response], warnings: Iterable[str] = ()
) -> Sheet:
    graded = [one for each in responses for one in each.labels if isinstance(one, Grade)]
    if sort is Sort.VERDICTS and graded and not any(one.word or one.failed for one in graded):
        reason = "no criterion has a verdict"
        cure = "if this is a rubric, pass it as --nuggets FILE"
        refuse(source, reason, cure, "missing-verdict")
    failed = sum(one.failed for one in graded)
    if failed:
        told = f"left out {count(failed, 'failed answer')} of the judge"
        warnings = [*warnings, f"{source.path}: {told}"]
    lines = np.array([each.line for each in responses], np.int64)
    origin = Origin.single(record_of(source, GRADES, len(lines)), lines)
    unknown = tuple(unknown_labels(sort, responses))
    return Sheet(sort, tuple(responses), origin, tuple(warnings), unknown)


# Plain tables of labels.


def _grouped(
    rows: Rows, name: str, topic: str, label: Callable[[int], Any], version: str = ""
) -> list[Response]:
    """The rows of each run, topic and version as one response, at the line of its first."""
    topics = rows.columns[topic].to_list()
    runs = rows.columns["run"].to_list() if "run" in rows.columns else [name] * len(topics)
    versions = rows.columns[version].to_list() if version in rows.columns else [""] * len(topics)
    found: dict[tuple[str, str, str], list[int]] = {}
    for row, key in enumerate(zip(runs, topics, versions, strict=True)):
        found.setdefault(key, []).append(row)
    lines = rows.origin.line.tolist()
    return [
        _dated(
            Response(key[0], key[1], [label(row) for row in own], NO_TIME, lines[own[0]], key[2])
        )
        for key, own in found.items()
    ]


def _dated(response: Response) -> Response:
    return replace(response, time=max(_known_times(response), default=NO_TIME))


def _known_times(response: Response) -> list[float]:
    return [each.time for each in response.labels if not math.isnan(each.time)]


def _times(rows: Rows) -> list[float]:
    times = rows.get("time")
    return [NO_TIME] * len(rows.origin.line) if times is None else times.tolist()


def _grade_rows(source: Input, rows: Rows, name: str, rules: ResponseRules) -> Sheet:
    faults, times = FaultList(source), _times(rows)
    nuggets, labels = rows.columns["nugget_id"].to_list(), rows.columns["label"].to_list()
    importance = rows.get("importance")
    words = [""] * len(nuggets) if importance is None else importance.to_list()

    def label(row: int) -> Grade:
        try:
            named = SUPPORTED.get(support_word(labels[row])) if rules.labels == "lenient" else None
            meant = labels[row] if named is None else (NONE, PARTIAL, SUPPORT)[named]
            grade, known = grade_of(meant, rules)
        except WrongRecordError as error:
            error.noted(faults, int(rows.origin.line[row]))
            grade, known = 0, False
        nugget, line = Nugget((nuggets[row], -1), words[row]), int(rows.origin.line[row])
        return Grade(nugget, grade, times[row], known, labels[row], line)

    responses = _grouped(rows, name, "topic", label, "version")
    faults.check()
    lost = rules.versions == "replace" and "version" not in rows.columns
    return _made(
        source, Sort.GRADES, responses, _unversioned(source.path, responses) if lost else ()
    )


def _unversioned(path: str, responses: Sequence[Response]) -> Iterator[str]:
    """That what looks like versions of a response is one, since no column tells them apart."""
    if any(len(set(_known_times(each))) > 1 for each in responses):
        yield (
            f"{path}: without a column version all labels of a run and topic are one response, "
            "of which --rule versions=replace replaces nothing"
        )


def _annotation_rows(source: Input, rows: Rows, name: str, _: ResponseRules) -> Sheet:
    faults, times = FaultList(source), _times(rows)
    answers = rows.columns["answer_id"].to_list()
    labels = [label.strip().lower() for label in rows.columns["annotation"].to_list()]
    for row, label in enumerate(labels):
        if label not in ANNOTATED:
            reason = f'unknown annotation "{label}"'
            cure = f"they are {', '.join(ANNOTATED)}"
            faults.add(int(rows.origin.line[row]), reason, cure, "unknown-label")
    _check_annotated_once(rows, times, faults)
    faults.check()
    made = _grouped(rows, name, "topic", lambda r: Annotation(answers[r], labels[r], times[r]))
    return _made(source, Sort.ANNOTATIONS, made)


def _check_annotated_once(rows: Rows, times: Sequence[float], faults: FaultList) -> None:
    """An answer may have one annotation of a run on a topic, or one at a time."""
    columns = [rows.columns[name].to_list() for name in ("run", "topic", "answer_id")]
    lines = rows.origin.line.tolist()
    first: dict[tuple[str, ...], int] = {}
    for line, time, *key in zip(lines, times, *columns, strict=True):
        own = (*key, "" if math.isnan(time) else repr(time))
        if first.setdefault(own, line) != line:
            reason = f'answer "{key[-1]}" is annotated twice'
            cure = f"first in line {first[own]}: remove one of them"
            faults.add(line, reason, cure, "duplicate-id")


def _count_rows(source: Input, rows: Rows, name: str, _: ResponseRules) -> Sheet:
    metrics, values = rows.columns["metric"].to_list(), rows.columns["value"].tolist()
    made = _grouped(rows, name, "request_id", lambda row: Count(metrics[row], values[row]))
    return _made(source, Sort.COUNTS, [each for each in made if each.topic != "all"])


def _hit_rows(source: Input, rows: Rows, name: str, _: ResponseRules) -> Sheet:
    labels, nuggets = rows.columns["label"], rows.columns["nugget"].to_list()
    wrong, reason = ~np.isin(labels, (0, 1)), "label {:g} is neither 0 nor 1"
    cure = "1 says that a nugget is there"
    refuse_where(source, rows.origin, wrong, labels, reason, cure, "unknown-label")
    made = _grouped(
        rows, name, "turn", lambda row: Grade(Nugget((nuggets[row], row)), 2 * int(labels[row]))
    )
    return _made(source, Sort.HITS, made)


def _verdict_rows(source: Input, rows: Rows, name: str, _: ResponseRules) -> Sheet:
    times, weights = _times(rows), np.nan_to_num(rows.get("weight")).tolist()
    lines, blank = rows.origin.line.tolist(), [""] * len(times)
    columns = {key: rows.get(key) for key in ("verdict", "criterion", "tier", "status")}
    told = {key: blank if own is None else own.to_list() for key, own in columns.items()}

    def label(row: int) -> Grade:
        criterion = told["criterion"][row] or str(row)
        nugget = Nugget((criterion, 0), told["tier"][row], weight=weights[row])
        grade = verdict_of(nugget, told["verdict"][row], told["status"][row])
        return grade._replace(time=times[row], line=lines[row])

    return _made(source, Sort.VERDICTS, _grouped(rows, name, "topic", label))


TABLE_READERS: Mapping[Sort, Callable[[Input, Rows, str, ResponseRules], Sheet]] = {
    Sort.GRADES: _grade_rows,
    Sort.ANNOTATIONS: _annotation_rows,
    Sort.COUNTS: _count_rows,
    Sort.HITS: _hit_rows,
    Sort.VERDICTS: _verdict_rows,
}


def is_hits(source: Input) -> bool:
    """Whether a file has the lines of CONE-RAG, without a header."""
    return HIT.fullmatch(first_row(source).rstrip(b"\r\n")) is not None


def _hit_lines(source: Input) -> Sheet:
    faults = FaultList(source)
    found: dict[tuple[str, str], list[Grade]] = {}
    lines: dict[tuple[str, str], int] = {}
    number = 0
    for block in source.blocks():
        for line in block.split(b"\n")[:-1]:
            number += 1
            match = HIT.fullmatch(line.rstrip(b"\r"))
            if match is not None:
                _, turn, nugget, run, label = (
                    part.decode("utf-8", "replace") for part in match.groups()
                )
                grade = Grade(Nugget((nugget, number)), 2 * int(label))
                found.setdefault((run, turn), []).append(grade)
                lines.setdefault((run, turn), number)
            elif line.strip():
                cure = "write hit_topic_turn_nugget_run, a tab, 0 or 1"
                faults.add(number, "no label of a turn", cure, "record-format")
    faults.check()
    made = [
        Response(run, turn, own, NO_TIME, lines[run, turn]) for (run, turn), own in found.items()
    ]
    return _made(source, Sort.HITS, made)


def is_labelled(source: Input) -> bool:
    """Whether a file holds labels of responses, or responses, by its content."""
    if is_hits(source):
        return True
    names = recognise(source)[1]
    if any(not schema.missing(names) for _, schema in TABLES):
        return True
    record = first_object(source) if is_json(source) else None
    return record is not None and sort_of(record) is not None


def is_of_responses(path: str) -> bool:
    """Whether a file holds responses, labels of them, or what they are held against."""
    source = Input(path)
    return is_labelled(source) or is_gold(source)


# Gold.


def read_gold(given: Sequence[Given], rules: ResponseRules, form: str | None = None) -> Gold:
    """The nuggets, banks or rubrics of all these files."""
    parts = [_gold(input_of(one, NUGGETS), rules, form) for one in given]
    nuggets: dict[str, tuple[Nugget, ...]] = {}
    questions: dict[str, tuple[Question, ...]] = {}
    for part in parts:
        nuggets |= part.nuggets
        questions |= part.questions
    unknown = tuple(each for part in parts for each in part.unknown)
    return Gold(Origin.join([part.origin for part in parts]), nuggets, questions, unknown)


def _gold(source: Input, rules: ResponseRules, form: str | None) -> Gold:
    if source.is_table or not _is_gold_json(source, form):
        return _nugget_rows(rows_of(source, NUGGETS, form), rules)
    faults = FaultList(source)
    nuggets: dict[str, tuple[Nugget, ...]] = {}
    questions: dict[str, tuple[Question, ...]] = {}
    lines: dict[str, int] = {}
    unknown: list[UnknownWord] = []
    for line, record in documents(source, faults):
        try:
            for topic, own, asked in _gold_of(record, rules):
                if topic in lines:
                    cure = f"first in line {lines[topic]}: remove one of them"
                    raise WrongRecordError(f'topic "{topic}" stands twice', cure)
                lines[topic] = line
                if own is not None:
                    nuggets[topic] = tuple(own)
                    what = TIER if "criteria" in record else IMPORTANCE
                    unknown += unknown_importances([(e.importance, line) for e in own], what)
                if asked is not None:
                    questions[topic] = asked
        except WrongRecordError as error:
            error.noted(faults, line)
    faults.check()
    if not lines:
        refuse(source, "holds no nuggets", GOLD_CURE)
    number = np.array(list(lines.values()), np.int64)
    origin = Origin.single(record_of(source, NUGGETS, len(lines)), number)
    return Gold(origin, nuggets, questions, tuple(unknown))


def is_gold(source: Input) -> bool:
    """Whether a file holds nuggets, banks or rubrics, by its content."""
    record = first_object(source) if is_json(source) else None
    return record is not None and _holds_gold(record)


def _holds_gold(record: Object) -> bool:
    if not record:
        return False
    known = any(key in record for key in ("nugget_bank", "rubrics")) or all(
        _is_turn(each) for each in record.values()
    )
    lists = any(isinstance(record.get(key), list) for key in ("nuggets", "criteria"))
    return known or (lists and sort_of(record) is None)


def is_nugget_list(source: Input) -> bool:
    """Whether a plain table has importances in words, as lists of nuggets of answers do."""
    form, names = recognise(source)
    if form not in ("tsv", "csv") or NUGGETS.missing(names):
        return False
    lines = source.head().split(b"\n")[1:]
    words = re.compile(rb"(^|[\t,])(vital|okay)([\t,\r]|$)")
    return any(words.search(line) for line in lines)


def _is_gold_json(source: Input, form: str | None) -> bool:
    names = recognise(source)[1]
    return is_json(source) and form in (None, *BY_KEYS) and bool(NUGGETS.missing(names))


def _gold_of(
    record: Object, rules: ResponseRules
) -> Iterator[tuple[str, list[Nugget] | None, tuple[Question, ...] | None]]:
    """What one object holds: the topic with its nuggets, or with its questions."""
    if isinstance(record.get("nuggets"), list):
        own = nuggets_in(members(record, "nuggets"), rules)
        yield topic_of(record), own, None
    elif "criteria" in record:
        yield topic_of(record), criteria_of(record), None
    elif "nugget_bank" in record:
        topic = topic_of(record)
        yield topic, None, bank_of(record, topic)
    elif "rubrics" in record:
        yield topic_of(record), None, rubric_of(record)
    elif record and all(_is_turn(each) for each in record.values()):
        for turn, listed in record.items():
            texts = [text_of(each, "text") for each in listed.values()]
            keys = keys_of(texts, rules)
            yield name_of(turn, "turn"), [Nugget(key) for key in keys], None
    else:
        raise WrongRecordError("no nuggets", GOLD_CURE)


def _is_turn(value: Any) -> bool:
    """Whether this is the nuggets of a turn: objects under `[1]` and so on."""
    return isinstance(value, dict) and all(
        key.startswith("[") and isinstance(each, dict) for key, each in value.items()
    )


def _nugget_rows(rows: Rows, rules: ResponseRules) -> Gold:
    """A plain table of nuggets: each goes by its id, and by its text where it has one."""
    topics, ids = rows.columns["topic"].to_list(), rows.columns["nugget_id"].to_list()
    words, times, texts = rows.columns["importance"].to_list(), _times(rows), rows.get("text")
    found: dict[str, list[int]] = {}
    for row, topic in enumerate(topics):
        found.setdefault(topic, []).append(row)
    nuggets = {}
    for topic, own in found.items():
        said = [""] * len(own) if texts is None else [texts[row] for row in own]
        keys = keys_of(said, rules)
        nuggets[topic] = tuple(
            Nugget(key, words[row], times[row], id=ids[row])
            for key, row in zip(keys, own, strict=True)
        )
    unknown = unknown_importances(zip(words, rows.origin.line.tolist(), strict=True))
    return Gold(rows.origin, nuggets, {}, tuple(unknown))

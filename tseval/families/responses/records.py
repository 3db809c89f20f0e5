"""Records of JSON: every form of responses with labels, and of gold, as rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from itertools import chain
from typing import Any, TypeAlias, cast

import polars as pl

from tseval.core.rules import RuleSet, choice
from tseval.core.wording import count
from tseval.io import json_text
from tseval.io.cells import BYTE_ORDER_MARK
from tseval.io.faults import FaultList
from tseval.io.inputs import Input
from tseval.io.json_tables import HALVES_CURE, OBJECT_CURE, holds_half, objects
from tseval.io.limits import DOCUMENT
from tseval.io.records import kind_of
from tseval.io.schema import ALL_TOPICS, Schema
from tseval.io.tables import frame_of_rows
from tseval.io.text_lines import whole_text
from tseval.io.times import TIME_CURE, NotANumber, implausible, number, why_implausible
from tseval.records import frozen

Record: TypeAlias = Mapping[str, Any]


class Sort(Enum):
    """What the labels of a response are; or that it is the response itself."""

    GRADES = "labels of nuggets"
    VERDICTS = "verdicts of a rubric"
    SUPPORT = "labels of citations"
    REPORT = "judgments of reports"
    COUNTS = "counts of reports"
    ANNOTATIONS = "annotations of answers"
    HITS = "labels of turns"
    ANSWERS = "responses without labels"


GRADED = (Sort.GRADES, Sort.VERDICTS, Sort.HITS)
"""The labels that say how far a response has a nugget, or meets a criterion."""


@frozen
class ResponseRules(RuleSet):
    """How labels are read, which nuggets count, and what several responses are."""

    labels: str = choice(
        "lenient",
        "how the labels of nuggets are compared",
        exact="as they are written; a label or an importance that is not there is a fault",
        lenient="without blanks around them and in lower case; a missing one counts 0",
        strict="as they are written; any but the three labels is a fault",
    )
    duplicates: str = choice(
        "a nugget that stands twice in a list",
        count="counts twice",
        merge="counts once, with the first one's importance and the best label",
    )
    nuggets: str = choice(
        "the nuggets over which a response is scored",
        given="those of the file of nuggets, or without one the response's own",
        file="those of the file of nuggets",
        record="the response's own",
    )
    unlisted: str = choice(
        "a label for a nugget that the file of nuggets lacks",
        fault="is a fault",
        ignored="is left out",
    )
    versions: str = choice(
        "several responses of a run on a topic, at different times",
        append="the best label so far counts",
        replace="the labels of the newest count",
    )
    denominator: str = choice(
        "by which nuggets a score at a time is divided",
        all="all of them",
        known="those known before that time; a nugget counts as said from its own time on",
    )
    mean: str = choice(
        "of what `all` is the mean",
        topics="of the topics",
        records="of the responses: two of a topic count twice",
    )
    positions: str = choice(
        "a citation of a position outside of the references",
        fault="is a fault",
        text="is the name of a document",
    )


def fields(kind: Any, names: str) -> dict[str, Any]:
    """Return columns of one type."""
    return dict.fromkeys(names.split(), kind)


RESPONSE = fields(pl.Int64, "response at") | fields(pl.String, "run topic version")
RESPONSE |= fields(pl.Float64, "whole time")
"""The number of the response; the place of the label in it, null where it has none; the time of the
response's last sentence, and the label's own."""
NUGGET = fields(pl.String, "text importance") | fields(pl.Int64, "place")
NUGGET |= fields(pl.Float64, "nugget_time weight")
"""By text and place nuggets of two lists are the same: `place` says how often the text stood
before, and is -1 where the text is an id. A criterion has its tier as importance, and a weight."""
GRADE = (
    fields(pl.Int64, "grade") | fields(pl.Boolean, "is_known failed") | fields(pl.String, "word")
)
"""The grade is 0, 1 for in part, or 2. A judge that failed gave no label; the word is the label."""
LABELLED = {label: f"labelled {label}" for label in (2, 1, 0, -1)}
CITED = (
    *LABELLED.values(), "pairs", "first", "first_hard", "first_cited", "first_sentences", "mean",
    "mean_cited", "mean_sentences",
)  # fmt: skip
"""What the citations of a sentence add to which sum."""
CITING = ("correctly_cited_sentences", "sentences_with_citations_or_requiring_citations")
JUDGED = (
    "sentences", "character_count", "citations", "relevant_citations", "supporting_citations",
    *CITING,
)  # fmt: skip
LENGTHS = ("sentences", "character_count", "words", "citations")
TYPES = {
    **dict.fromkeys(GRADED, NUGGET | GRADE),
    Sort.SUPPORT: dict.fromkeys(CITED, pl.Float64),
    Sort.REPORT: dict.fromkeys(JUDGED, pl.Float64)
    | fields(pl.List(pl.String), "questions answers"),
    Sort.COUNTS: fields(pl.String, "metric") | fields(pl.Float64, "value"),
    Sort.ANNOTATIONS: fields(pl.String, "answer") | fields(pl.Int64, "grade"),
    Sort.ANSWERS: dict.fromkeys(LENGTHS, pl.Float64)
    | fields(pl.String, "text")
    | fields(pl.List(pl.String), "documents"),
}
"""The columns of labels of each sort, beside those of the response."""
QUESTION = fields(pl.String, "text") | fields(pl.Float64, "weight") | fields(pl.Boolean, "every")
QUESTION |= fields(pl.List(pl.String), "answers")
"""A question takes every one of its answers (AND), or any (OR)."""
GOLD = fields(pl.Int64, "line at") | fields(pl.String, "topic kind id") | NUGGET | QUESTION
"""A row a nugget, a criterion or a question; or one without a place in a list that has none."""
LISTED, CRITERIA, QUESTIONS = "nuggets", "criteria", "questions"
"""The kinds of gold."""
BANK = fields(pl.Int64, "response") | fields(pl.String, "topic") | QUESTION
"""The questions that came with a response."""
VITAL, OKAY, MANDATORY, OPTIONAL = "vital", "okay", "mandatory", "optional"
GRADE_OF = {"support": 2, "partial_support": 1, "not_support": 0}
LABEL_OF = {grade: label for label, grade in GRADE_OF.items()}
VERDICT_OF = {"satisfied": 2, "partially_satisfied": 1, "not_satisfied": 0}
SUPPORTED = {"full support": 2, "fs": 2, "partial support": 1, "ps": 1, "no support": 0, "ns": 0}
"""The words for the support of a citation, in any case."""
TOPIC_KEYS = ("topic_id", "narrative_id", "qid", "query_id")
"""Where the topic stands: under the first of these, or under `turn`; then in `metadata`."""
VITAL_WEIGHT, OKAY_WEIGHT = 2.0, 1.0
"""The weights of questions in the weighted coverage."""
RUBRIC_WEIGHTS = {"A": 4.0, "B": 2.0, "C": 1.0}
"""The weights of questions of a rubric, by the letter with which their importance begins."""
SORTS: dict[str, tuple[Sort, set[str]]] = {
    "judgments": (Sort.REPORT, set()),
    "sentences": (Sort.SUPPORT, set()),
    CRITERIA: (Sort.VERDICTS, {"verdict", "status"}),
    LISTED: (Sort.GRADES, {"assignment"}),
}
"""What records with these lists are, if their members have such keys."""
POSITION_CURE = "positions count from 0; --rule positions=text takes it for the name of a document"
LABEL_CURE = f"the labels are {', '.join(GRADE_OF)}; --rule labels=lenient counts any other 0"
KEY_CURE = "--rule labels=lenient counts a missing label 0, and a missing importance as neither"
SUPPORT_CURE = (
    "a citation is labelled 2 (FS, Full Support), 1 (PS), 0 (NS), or -1 if it was not judged"
)
SORT_CURE = (
    "looked for assignments (`nuggets` with `assignment`), verdicts (`criteria`), support labels "
    "(`sentences`), judgments of reports (`judgments`) and runs (`answer`, `response` or "
    "`responses`)"
)
GOLD_CURE = (
    "looked for nuggets (`nuggets`), a bank (`nugget_bank`), rubrics (`rubrics`), turns with their "
    'nuggets (`{"turn": {"[1]": …}}`), and a table `topic nugget_id importance`'
)


class WrongRecordError(Exception):
    """A record that cannot be read: why, and what to do; perhaps for several reasons."""

    def __init__(self, reasons: str | Sequence[str], cure: str, code: str = "record-format"):
        super().__init__(reasons)
        self.reasons = [reasons] if isinstance(reasons, str) else reasons
        self.cure, self.code = cure, code

    def note(self, faults: FaultList, line: int | None) -> None:
        """Note every reason as a fault of a line."""
        for reason in self.reasons:
            faults.add(line, reason, self.cure, self.code)


def documents(source: Input, faults: FaultList) -> Iterator[tuple[int, Record]]:
    """Yield every object with its line: one a line; or one, or a list of them, over all lines.

    Those of a list count as in the first line.
    """
    first = source.first_line(DOCUMENT).removeprefix(BYTE_ORDER_MARK).strip()
    is_whole = first == b"{" or first.startswith(b"[")
    if not is_whole and first.startswith(b"{") and not _parses(first):
        is_whole = _parses(source.whole_lines().removeprefix(BYTE_ORDER_MARK))
    if not is_whole:
        yield from objects(source, faults)
        return
    text = whole_text(source, faults)
    try:
        found = json_text.load(text)
    except (ValueError, RecursionError) as error:
        cure = "a document of JSON over several lines is one object"
        faults.add(*json_text.fault_of(text, error, cure))
        return
    for each in found if isinstance(found, list) else [found]:
        if holds_half(each):
            reason = "an escape stands for half a character: not UTF-8"
            faults.add(1, reason, HALVES_CURE, "encoding")
        elif isinstance(each, dict):
            yield 1, each
        else:
            faults.add(1, f"{kind_of(each)} where an object is expected", OBJECT_CURE, "json-type")


def _parses(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def value_in(record: Record, key: str, kind: type, default: Any = None) -> Any:
    """Return the value of a key if it is of this kind; the default where the key is missing."""
    value = record.get(key, default)
    if not isinstance(value, kind):
        what = f'"{key}" is {kind_of(value)}' if key in record else f'no "{key}"'
        raise WrongRecordError(what, f'"{key}" must be {kind_of(kind())}')
    return value


def list_in(record: Record, key: str, *, may_lack: bool = False) -> list[Any]:
    """Return a list; null is an empty one, and so is a missing one if it may be."""
    is_empty = record.get(key) is None and (may_lack or key in record)
    found: list[Any] = [] if is_empty else value_in(record, key, list)
    return found


def members(record: Record, key: str, *, may_lack: bool = False) -> list[Record]:
    """Return a list of objects."""
    found = list_in(record, key, may_lack=may_lack)
    for each in found:
        if not isinstance(each, dict):
            cure = f'"{key}" must be a list of objects'
            raise WrongRecordError(f'"{key}" holds {kind_of(each)}', cure)
    return found


def text_in(record: Record, key: str, default: str | None = None) -> str:
    """Return a text."""
    return str(value_in(record, key, str, default))


def object_in(record: Record, key: str) -> Record:
    """Return an object, an empty one where there is none."""
    found = record.get(key)
    return found if isinstance(found, dict) else {}


def metadata(record: Record) -> Record:
    """Return the object `metadata`; an empty one where there is none."""
    is_missing = record.get("metadata") is None
    return {} if is_missing else cast("Record", value_in(record, "metadata", dict))


def weight_in(record: Record) -> float:
    """Return the weight of a criterion: a finite number, also as a text of one."""
    value = record["weight"]
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise WrongRecordError(f'"weight" is {kind_of(value)}', "give a number")
    try:
        return number(str(value))
    except NotANumber as error:
        raise WrongRecordError(f'weight "{value}" {error}', "give a number") from None


def first_of(*places: tuple[Record, Sequence[str]]) -> tuple[str, Any]:
    """Return the first key with a value, and this; two empty values where there is none."""
    every = ((key, record.get(key)) for record, keys in places for key in keys)
    return next(((key, value) for key, value in every if value is not None), ("", None))


def name_of(value: Any, key: str) -> str:
    """Return a name: a text that is not blank, or a whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise WrongRecordError(f'"{key}" is {kind_of(value)}', "give a text")
    if not value.strip():
        raise WrongRecordError(f"empty {key}", f"give every response its {key}")
    if any(sign in value for sign in "\t\n\r"):
        raise WrongRecordError(f"{key} holds a tab or a line's end", "remove it")
    return value


def topic_of(record: Record) -> str:
    """Return the topic."""
    in_metadata = (*TOPIC_KEYS, "request_id")
    key, value = first_of((record, (*TOPIC_KEYS, "turn")), (metadata(record), in_metadata))
    if not key:
        raise WrongRecordError("no topic", f"name it as one of {', '.join(in_metadata)}")
    topic = name_of(value, key)
    if topic == ALL_TOPICS:
        reason = 'a topic is called "all", the name of the mean over topics'
        raise WrongRecordError(reason, "give the topic another name")
    return topic


def run_of(record: Record) -> str | None:
    """Return the run; None where no key names one."""
    key, value = first_of((record, ["run_id"]), (metadata(record), ["run_id", "team_id"]))
    return name_of(value, key) if key else None


def sentences_of(record: Record) -> list[Any] | None:
    """Return the sentences, None where there are none; a text is one sentence."""
    key, value = first_of((record, ("answer", "response", "responses")))
    return [value] if isinstance(value, str) else list_in(record, key) if key else None


def word_of(label: Any) -> str:
    """Return a label as it is written; nothing where there is none."""
    return "" if label is None else str(label)


def grade_of(label: Any, rules: ResponseRules) -> tuple[int, bool]:
    """Return the grade of a label, and whether it is one of the three as the rules compare them."""
    if isinstance(label, str) and rules.labels == "lenient":
        label = label.strip().lower()
    is_known = isinstance(label, str) and label in GRADE_OF
    if not is_known and rules.labels == "strict":
        shown = f' "{label}"' if isinstance(label, str) else f", {kind_of(label)},"
        raise WrongRecordError(f"unknown label{shown}", LABEL_CURE)
    return (GRADE_OF[label] if is_known else 0), is_known


def verdict_of(verdict: Any, status: Any) -> tuple[int, bool, bool, str]:
    """Return the columns of `GRADE` of a verdict."""
    told = verdict.strip().lower().replace(" ", "_") if isinstance(verdict, str) else ""
    is_failed = not told and status == "failed"
    return VERDICT_OF.get(told, 0), told in VERDICT_OF, is_failed, word_of(verdict)


def support_of(citation: Record) -> int:
    """Return the label of a citation; one that the judge failed to label is not judged."""
    given = label = citation.get("support")
    if label is None and citation.get("status") == "failed":
        return -1
    if isinstance(label, str):
        with suppress(ValueError):
            named = SUPPORTED.get(support_word(label))
            label = int(label) if named is None else named
    if type(label) is not int or label not in LABELLED:
        shown = f'"{given}"' if label is given and isinstance(given, str) else str(label)
        shown = shown if isinstance(label, int | float | str) else f"that is {kind_of(label)}"
        raise WrongRecordError(f"unknown label {shown}", SUPPORT_CURE)
    return label


def support_word(label: str) -> str:
    """Return a label of support as labels are compared."""
    return label.strip().lower().replace("_", " ")


def cited_amounts(labels: Sequence[int]) -> Iterator[float]:
    """Yield what a sentence adds to `CITED` by the labels of its citations.

    One whose first citation is not judged is in neither precision nor recall, and so for all
    citations; one without any is in recall alone.
    """
    first = labels[0] if labels else -1
    judged = [each / 2 for each in labels if each >= 0]
    yield from (labels.count(each) for each in LABELLED)
    yield len(labels)
    yield from (max(first, 0) / 2, first == 2, first >= 0, first >= 0 or not labels)
    yield sum(judged) / len(judged) if judged else 0
    yield from (bool(judged), bool(judged) or not labels)


class Reader:
    """Reads the records of a file of JSON as responses with labels, or as gold."""

    def __init__(self, source: Input, rules: ResponseRules) -> None:
        self.rules, self.times, self.parse_time = rules, source.times, source.time_parser
        self.labels: dict[Sort, Callable[[Record], Iterator[tuple[Any, ...]]]] = {
            Sort.GRADES: self.grades,
            Sort.VERDICTS: self.verdicts,
            Sort.SUPPORT: self.support,
            Sort.REPORT: self.judgments,
            Sort.ANSWERS: self.answers,
        }
        """How the labels of each sort are read: the time of each, and its columns of `TYPES`."""

    def time(self, record: Record, default: float | None = None) -> float | None:
        """Return the time of a record, or of a sentence; the default where none is given."""
        given = record.get("time")
        if given is None:
            given = metadata(record).get("time")
        if given is None:
            return default
        if isinstance(given, bool) or not isinstance(given, int | float | str):
            raise WrongRecordError(f'"time" is {kind_of(given)}', TIME_CURE)
        try:
            seconds, why = self.parse_time(str(given)), None
        except NotANumber as error:
            why = str(error), *self.times.cure([str(given)])
        else:
            if implausible(seconds, relative=self.times.relative):
                why = why_implausible(seconds, relative=self.times.relative)
        if why:
            raise WrongRecordError(f'time "{given}" {why[0]}', *why[1:])
        return seconds

    def nuggets(self, record: Record, key: str) -> list[tuple[Any, ...]]:
        """Return the nuggets or criteria of a list, as the columns of `NUGGET`.

        A criterion without a weight weighs nothing. Where equal nuggets count once, all have the
        place 0.
        """
        is_rubric, rows, before = key == CRITERIA, [], Counter[str]()
        merges = self.rules.duplicates == "merge" and not is_rubric
        for each in members(record, key):
            text = text_in(each, "text", "")
            place = 0 if merges else before[text]
            before[text] += 1
            importance = word_of(each.get("tier" if is_rubric else "importance"))
            has_weight = each.get("weight") is not None if is_rubric else "weight" in each
            weight = weight_in(each) if has_weight else 0.0 if is_rubric else None
            time = None if is_rubric else self.time(each)
            rows.append((text, importance, place, time, weight))
        return rows

    def grades(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the labels of nuggets of an assignment."""
        listed, wrong = members(record, "nuggets"), []
        for key in ("importance", "assignment") if self.rules.labels == "exact" else ():
            if any(key not in each for each in listed):
                raise WrongRecordError(f'a nugget has no "{key}"', KEY_CURE)
        for nugget, each in zip(self.nuggets(record, "nuggets"), listed, strict=True):
            label = each.get("assignment")
            try:
                yield None, *nugget, *grade_of(label, self.rules), False, word_of(label)
            except WrongRecordError as error:
                wrong.append(f'{error.reasons[0]} of nugget "{nugget[0]}"')
        if wrong:
            raise WrongRecordError(wrong, LABEL_CURE)

    def verdicts(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the verdicts of a rubric."""
        for criterion, each in zip(self.nuggets(record, CRITERIA), record[CRITERIA], strict=True):
            yield None, *criterion, *verdict_of(each.get("verdict"), each.get("status"))

    def support(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the sentences whose citations are labelled."""
        whole = self.time(record)
        for sentence in members(record, "sentences"):
            labels = [support_of(each) for each in members(sentence, "citations", may_lack=True)]
            yield self.time(sentence, whole), *map(float, cited_amounts(labels))

    def judgments(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the sentences of a report that was judged; the report itself may have times."""
        report = object_in(record, "report")
        whole, there = self.time(record, self.time(report)), sentences_of(report) or []
        for at, sentence in enumerate(members(record, "judgments")):
            beside = there[at] if at < len(there) and isinstance(there[at], dict) else {}
            time = self.time(sentence, self.time(beside, whole))
            cited = len(list_in(sentence, "citations", may_lack=True))
            told, matched = [], []
            for each in members(sentence, "judgments", may_lack=True):
                text_in(each, "judgment_type_id")
                told.append(object_in(each, "response"))
            for nugget in chain(*(members(e, "matched_nuggets", may_lack=True) for e in told)):
                question, answer = text_in(nugget, "question_text"), nugget.get("matched_answer")
                is_one = isinstance(answer, str)  # which may stand without a list
                answers = [answer] if is_one else list_in(nugget, "matched_answer", may_lack=True)
                matched += [(question, str(each)) for each in answers]
            relevant, attested, needs = (
                sum(each.get(key) is True for each in told)
                for key in ("is_relevant", "is_attested", "requires_citation")
            )
            is_correct, counts = 0 < cited <= attested, cited > 0 or needs > 0
            amounts = (1, len(text_in(sentence, "text")), cited, relevant, attested, is_correct)
            lists = [question for question, _ in matched], [answer for _, answer in matched]
            yield time, *map(float, (*amounts, counts)), *lists

    def answers(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the sentences of a response, with the documents that they cite."""
        whole = self.time(record)
        references = list_in(record, "references", may_lack=True)
        for each in sentences_of(record) or ():
            if not isinstance(each, dict | str):
                raise WrongRecordError(f"a sentence is {kind_of(each)}", "give an object or a text")
            sentence = {"text": each} if isinstance(each, str) else each
            cited = list(self.documents(sentence, references))
            text, time = text_in(sentence, "text"), self.time(sentence, whole)
            lengths = (1, len(text), len(text.split()), len(cited))
            yield time, *map(float, lengths), text, cited

    def documents(self, sentence: Record, references: Sequence[Any]) -> Iterator[str]:
        """Yield the documents that a sentence cites, by their names or their positions."""
        cited = sentence.get("citations")
        is_keyed = isinstance(cited, dict)
        for each in (
            list(cited or ()) if is_keyed else list_in(sentence, "citations", may_lack=True)
        ):
            if isinstance(each, dict):
                yield str(each.get("reference", each.get("docid")))
            elif isinstance(each, bool) or not isinstance(each, int | str):
                cure = "give a position or a name"
                raise WrongRecordError(f"a citation is {kind_of(each)}", cure)
            elif isinstance(each, int) and 0 <= each < len(references):
                yield str(references[each])
            elif isinstance(each, str) or self.rules.positions == "text":
                yield str(each)
            else:
                listed = count(len(references), "reference")
                reason = f"a citation of position {each}, of {listed}"
                raise WrongRecordError(reason, POSITION_CURE)

    def response(self, sort: Sort, record: Record) -> tuple[Any, ...]:
        """Return labels of a response, the bank with it, and its run, topic, version and time."""
        labels, bank = list(self.labels[sort](record)), None
        report = object_in(record, "report") if sort is Sort.REPORT else {}
        named = {**report, **record}
        topic, run, whole = topic_of(named), run_of(named), self.time(named)
        parts = sentences_of(named) or list_in(named, "sentences", may_lack=True)
        times = [self.time(each, whole) if isinstance(each, dict) else whole for each in parts]
        whole = max((each for each in times if each is not None), default=whole)
        if sort is Sort.REPORT and "nugget_bank" in record:
            bank = list(bank_of(record, topic))
        return labels, bank, run, topic, "", whole

    def gold(self, record: Record) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
        """Yield each topic of a record of gold, the kind of gold, and its rows."""
        if isinstance(record.get("nuggets"), list):
            nuggets = self.nuggets(record, LISTED)
            yield topic_of(record), LISTED, named_rows(nuggets)
        elif "criteria" in record:
            yield topic_of(record), CRITERIA, named_rows(self.nuggets(record, CRITERIA))
        elif "nugget_bank" in record:
            topic = topic_of(record)
            yield topic, QUESTIONS, list(bank_of(record, topic))
        elif "rubrics" in record:
            yield topic_of(record), QUESTIONS, [rubric_of(e) for e in members(record, "rubrics")]
        elif record and all(map(is_turn, record.values())):
            for turn, listed in record.items():
                texts = [{"text": text_in(each, "text")} for each in listed.values()]
                nuggets = self.nuggets({LISTED: texts}, LISTED)
                yield name_of(turn, "turn"), LISTED, named_rows(nuggets)
        else:
            raise WrongRecordError("no nuggets", GOLD_CURE)


def named_rows(nuggets: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return nuggets as rows."""
    return [dict(zip(NUGGET, each, strict=True)) for each in nuggets]


def bank_of(record: Record, topic: str) -> Iterator[dict[str, Any]]:
    """Yield the questions of a bank of nuggets, as rows."""
    bank = record["nugget_bank"]
    if not isinstance(bank, dict):
        raise WrongRecordError(f'"nugget_bank" is {kind_of(bank)}', f"give topic {topic} a bank")
    for text, question in bank.items():
        if not isinstance(question, dict):
            raise WrongRecordError(f'question "{text}" is {kind_of(question)}', "give an object")
        answers, kind = question.get("answers"), question.get("aggregator_type") or "OR"
        if not isinstance(answers, dict | list):
            cure = "give an object of them"
            raise WrongRecordError(f'question "{text}" has no "answers"', cure)
        if kind not in ("OR", "AND"):
            raise WrongRecordError(f'unknown aggregator_type "{kind}"', "it is OR or AND")
        weight = VITAL_WEIGHT if question.get("importance") == VITAL else OKAY_WEIGHT
        yield question_row(text, weight, answers, every=kind == "AND")


def rubric_of(question: Record) -> dict[str, Any]:
    """Return a question of a rubric with the ids of its answers, as a row."""
    text = str(question.get("question_id", question.get("question_text", "")))
    importance = text_in(question, "importance")
    weight = RUBRIC_WEIGHTS.get(importance.strip()[:1].upper())
    if weight is None:
        cure = "it begins with A, B or C, such as `A: Have to Know`"
        raise WrongRecordError(f'unknown importance "{importance}"', cure)
    answers = [answer.get("answer_id") for answer in members(question, "short_answers")]
    return question_row(text, weight, answers)


def question_row(
    text: str, weight: float, answers: Iterable[Any], *, every: bool = False
) -> dict[str, Any]:
    """Return a question as a row, with its different answers."""
    named = sorted({str(answer) for answer in answers})
    return {"text": text, "weight": weight, "every": every, "answers": named}


def is_turn(value: Any) -> bool:
    """Return whether this is the nuggets of a turn: objects under `[1]` and so on."""
    return isinstance(value, dict) and all(
        key.startswith("[") and isinstance(each, dict) for key, each in value.items()
    )


def sort_of(record: Record) -> Sort | None:
    """Return what a record is by its keys; None if nothing known."""
    lists = [key for key in SORTS if isinstance(record.get(key), list)]
    if not lists:
        return None if sentences_of(record) is None else Sort.ANSWERS
    sort, marks = SORTS[lists[0]]
    objects = [each for each in record[lists[0]] if isinstance(each, dict)]
    is_marked = not marks or any(not marks.isdisjoint(each) for each in objects)
    if is_marked or (record[lists[0]] == [] and sort is Sort.VERDICTS):
        return sort
    return sort if record.get("run_id") or metadata(record).get("run_id") else None


def is_gold(record: Record) -> bool:
    """Return whether a record holds nuggets, a bank, rubrics or turns."""
    if not record:
        return False
    is_known = "nugget_bank" in record or "rubrics" in record or all(map(is_turn, record.values()))
    is_list = any(isinstance(record.get(key), list) for key in (LISTED, CRITERIA))
    return is_known or (is_list and sort_of(record) is None)


def read_labels(
    source: Input, rules: ResponseRules, faults: FaultList
) -> tuple[Sort, pl.DataFrame, pl.DataFrame]:
    """Return the sort of the labels of a file, its rows, and the banks that came with them."""
    reader, sort, rows, banks = Reader(source, rules), None, list[Any](), list[dict[str, Any]]()
    for response, (line, record) in enumerate(documents(source, faults)):
        try:
            own = sort_of(record)
            if own is None and is_gold(record):
                raise WrongRecordError("nuggets, and no labels of them", "give them as --nuggets")
            if own is None:
                raise WrongRecordError("neither labels nor a response", SORT_CURE)
            if sort not in (None, own):
                reason = f"{own.value}, where the lines above hold {sort.value}"
                raise WrongRecordError(reason, "give each sort of labels a file of its own")
            labels, bank, *head = reader.response(own, record)
        except WrongRecordError as error:
            error.note(faults, line)
            continue
        sort, nothing = own, [None] * (1 + len(TYPES[own]))
        listed = enumerate(labels) if labels else [(None, nothing)]
        rows += [(line, response, at, *head, *label) for at, label in listed]
        if bank is not None:
            banks += [{"response": response, "topic": head[1], **each} for each in bank or [{}]]
    faults.check()
    if sort is None:
        faults.refuse(None, "holds no responses", SORT_CURE, "no-rows")
    frame = frame_of_rows(rows, Schema("", ()), **RESPONSE, **TYPES[sort])
    return sort, frame, pl.DataFrame(banks, schema=BANK)


def read_gold(source: Input, rules: ResponseRules, faults: FaultList) -> pl.DataFrame:
    """Return the rows of a file of gold; a topic may stand once."""
    reader, lines, rows = Reader(source, rules), dict[str, int](), list[dict[str, Any]]()
    for line, record in documents(source, faults):
        try:
            for topic, kind, own in reader.gold(record):
                if topic in lines:
                    cure = f"first in line {lines[topic]}: remove one of them"
                    raise WrongRecordError(f'topic "{topic}" stands twice', cure)
                lines[topic], head = line, {"line": line, "topic": topic, "kind": kind}
                rows += [{**head, "at": at, **each} for at, each in enumerate(own)] or [head]
        except WrongRecordError as error:
            error.note(faults, line)
    faults.check()
    if not lines:
        faults.refuse(None, "holds no nuggets", GOLD_CURE, "no-rows")
    return pl.DataFrame(rows, schema=GOLD)

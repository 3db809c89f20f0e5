"""Records of JSON: every form of responses with labels, and of gold, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, TypeAlias

import polars as pl

from tseval.core.rules import RuleSet, choice
from tseval.core.wording import count
from tseval.io import json_text
from tseval.io.faults import FaultList
from tseval.io.inputs import Input
from tseval.io.json_text import OBJECT_CURE
from tseval.io.records import is_array, is_name, kind_of, wrong_in
from tseval.io.schema import Schema
from tseval.io.tables import TrackRows, add_faults, check_topics, frame_of_rows
from tseval.io.times import NotANumber, implausible, number, why_implausible
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
RESPONSE |= fields(pl.Float64, "last time")
"""The number of the response; the place of the label in it, null where it has none; the time of the
response's last sentence, and the label's own."""
NUGGET = fields(pl.String, "text importance") | fields(pl.Float64, "weight nugget_time")
"""A nugget or a criterion, which has its tier as importance, and a weight."""
WORD = NUGGET | fields(pl.String, "word status")
"""The word is the label or the verdict as it is written."""
GRADE = NUGGET | fields(pl.Int64, "place grade") | fields(pl.Boolean, "is_known failed")
GRADE |= fields(pl.String, "word")
"""By text and place nuggets of two lists are the same: `place` says how often the text stood
before, and is -1 where the text is an id. The grade is 0, 1 for in part, or 2. A judge that failed
gave no label."""
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
QUESTION = fields(pl.String, "text") | fields(pl.Float64, "weight") | fields(pl.Boolean, "every")
QUESTION |= fields(pl.List(pl.String), "answers")
"""A question takes every one of its answers (AND), or any (OR)."""
TYPES = {
    **dict.fromkeys(GRADED, GRADE),
    Sort.SUPPORT: dict.fromkeys(CITED, pl.Float64),
    Sort.REPORT: dict.fromkeys(JUDGED, pl.Float64)
    | fields(pl.List(pl.String), "questions answers")
    | fields(pl.List(pl.Struct(QUESTION)), "bank"),
    Sort.COUNTS: fields(pl.String, "metric") | fields(pl.Float64, "value"),
    Sort.ANNOTATIONS: fields(pl.String, "answer") | fields(pl.Int64, "grade"),
    Sort.ANSWERS: dict.fromkeys(LENGTHS, pl.Float64)
    | fields(pl.String, "text")
    | fields(pl.List(pl.String), "documents"),
}
"""The columns of labels of each sort, beside those of the response."""
GOLD = fields(pl.Int64, "line at place") | fields(pl.String, "topic kind id") | NUGGET | QUESTION
"""A row a nugget, a criterion or a question; or one without a place in a list that has none."""
LISTED, CRITERIA, QUESTIONS = "nuggets", "criteria", "questions"
"""The kinds of gold."""
VITAL, OKAY, MANDATORY, OPTIONAL = "vital", "okay", "mandatory", "optional"
GRADE_OF = {"support": 2, "partial_support": 1, "not_support": 0}
LABEL_OF = {grade: label for label, grade in GRADE_OF.items()}
VERDICT_OF = {"satisfied": 2, "partially_satisfied": 1, "not_satisfied": 0}
SUPPORTED = {"full support": 2, "fs": 2, "partial support": 1, "ps": 1, "no support": 0, "ns": 0}
"""The words for the support of a citation, in any case."""
SUPPORT_OF = SUPPORTED | {str(label): label for label in LABELLED}
LENIENT = GRADE_OF | SUPPORTED | {word.replace(" ", "_"): each for word, each in SUPPORTED.items()}
"""The labels that a table may have."""
SENTENCES = ("answer", "response", "responses")
"""Where the sentences of a response stand: under the first of these."""
TOPIC_KEYS = ("topic_id", "narrative_id", "qid", "query_id")
"""Where the topic stands: under the first of these, or under `turn`; then in `metadata`."""

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
    """A record that cannot be read: why, what to do, and the code of the fault."""

    def __init__(self, reason: str, cure: str, code: str = "record-format"):
        super().__init__(reason, cure, code)


def documents(source: Input, faults: FaultList) -> Iterator[tuple[int, Record]]:
    """Yield every object with its line: one a line, one over all lines, or those of a list."""
    of_lines = json_text.documents(source, faults, OBJECT_CURE)
    for line, each in json_text.elements(source, faults) if is_array(source) else of_lines:
        if isinstance(each, dict):
            yield line, each
        else:
            reason = f"{kind_of(each)} where an object is expected"
            faults.add(line, reason, OBJECT_CURE, "json-type")


SHAPES: Mapping[Sort, Mapping[str, Any]] = {
    Sort.GRADES: {"nuggets": [{"text?": str}]},
    Sort.VERDICTS: {"criteria": [{"text?": str}]},
    Sort.SUPPORT: {"sentences": [{"citations?": [{}]}]},
    Sort.REPORT: {
        "judgments": [{"text": str, "citations?": [], "judgments?": [{"judgment_type_id": str}]}],
        "nugget_bank?": {},
    },
    Sort.ANSWERS: {"references?": []},
}
"""What keys of records hold: an object with these keys, a list of such, a text; `?` may lack."""
GOLD_SHAPE = {
    "nuggets?": [{"text?": str}],
    "criteria?": [{"text?": str}],
    "nugget_bank?": {},
    "rubrics?": [{"importance": str, "short_answers": [{}]}],
}


def check(value: Any, shape: Any, key: str, verb: str = "is") -> None:
    """Refuse a value that is not of a shape; null counts as no value."""
    kind: Any = shape if isinstance(shape, type) else type(shape)
    if not isinstance(value, kind):
        reason = f'no "{key}"' if value is None else f'"{key}" {verb} {kind_of(value)}'
        raise WrongRecordError(reason, f"give {kind_of(kind())}")
    for name, inner in shape.items() if kind is dict else ():
        key, is_needed = name.rstrip("?"), not name.endswith("?")
        if is_needed or value.get(key) is not None:
            check(value.get(key), inner, key)
    for each in value if kind is list and shape else ():
        check(each, shape[0], key, "holds")


def name_in(record: Record, keys: Sequence[str], in_metadata: Sequence[str]) -> str | None:
    """Return the name under the first of these keys of a record, or else of its metadata."""
    places = [(record, key) for key in keys]
    places += [(object_in(record, "metadata"), key) for key in in_metadata]
    key, value = next(((k, each[k]) for each, k in places if each.get(k) is not None), ("", ""))
    value = str(value) if type(value) is int else value
    if key and (wrong := wrong_in({key: value}, **{key: is_name})):
        raise WrongRecordError(wrong, f"give every response a {key} that is one line of text")
    return value or None


def topic_of(record: Record) -> str:
    """Return the topic."""
    in_metadata = (*TOPIC_KEYS, "request_id")
    topic = name_in(record, (*TOPIC_KEYS, "turn"), in_metadata)
    if topic is None:
        raise WrongRecordError("no topic", f"name it as one of {', '.join(in_metadata)}")
    return topic


def sentences_of(record: Record) -> list[Any]:
    """Return the sentences; a text is one sentence."""
    key = next((key for key in SENTENCES if record.get(key) is not None), "")
    return list_of(record[key], key, "sentences") if key else []


def list_of(value: Any, key: str, items: str) -> list[Any]:
    """Return a list as it is, and a text as a list of one."""
    if not isinstance(value, str | list):
        raise WrongRecordError(f'"{key}" is {kind_of(value)}', f"give a list of {items}")
    return [value] if isinstance(value, str) else value


def object_in(record: Record, key: str) -> Record:
    """Return the object under a key, an empty one where there is none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def word_of(label: Any) -> str:
    """Return a label as it is written; nothing where there is none."""
    return "" if label is None else str(label)


def support_of(citation: Record) -> int:
    """Return the label of a citation; one that the judge failed to label is not judged."""
    label = citation.get("support")
    if label is None and citation.get("status") == "failed":
        return -1
    grade = SUPPORT_OF.get(str(label).strip().lower().replace("_", " "))
    if grade is None:
        raise WrongRecordError(f'unknown label "{word_of(label)}"', SUPPORT_CURE)
    return grade


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


def grade_words(
    rows: pl.DataFrame,
    sort: Sort,
    rules: ResponseRules,
    faults: FaultList,
    known: Mapping[str, int] = GRADE_OF,
) -> pl.DataFrame:
    """Return rows with the grades of their labels, which mean these, or of their verdicts."""
    word, is_failed = pl.col("word").fill_null(""), pl.lit(value=False)
    label = word.str.strip_chars().str.to_lowercase() if rules.labels == "lenient" else word
    if sort is Sort.VERDICTS:
        label = word.str.strip_chars().str.to_lowercase().str.replace_all(" ", "_")
        known, is_failed = VERDICT_OF, (label == "") & pl.col("status").eq_missing("failed")
    grade = label.replace_strict(known, default=None, return_dtype=pl.Int64)
    place = place_of(rules, "response", sort is Sort.VERDICTS)
    columns = {"word": word, "grade": grade.fill_null(0), "is_known": grade.is_not_null()}
    rows = rows.with_columns(**columns, failed=is_failed, place=place)
    if sort is Sort.GRADES and rules.labels == "strict":
        unknown = rows.filter(~pl.col("is_known")).drop_nulls("at")
        reason = 'unknown label "{word}" of nugget "{text}"'
        add_faults(faults, unknown, reason, LABEL_CURE, "record-format")
    return rows


def place_of(rules: ResponseRules, list_of: str, is_rubric: bool | pl.Expr = False) -> pl.Expr:
    """Return how often the text of a nugget stood in its list before; all 0 where they merge."""
    before = pl.int_range(pl.len()).over(list_of, "text")
    is_counted = pl.lit(rules.duplicates == "count") | is_rubric
    return pl.when(is_counted).then(before).otherwise(0)


@frozen
class Reader:
    """Reads the records of a file of JSON as responses with labels, or as gold."""

    source: Input
    rules: ResponseRules

    def time(self, record: Any, default: float | None = None) -> float | None:
        """Return the time of a record, or of a sentence; the default where none is given."""
        if not isinstance(record, dict):
            return default
        value = record.get("time")
        value = object_in(record, "metadata").get("time") if value is None else value
        if value is None:
            return default
        times = self.source.times
        try:
            seconds = self.source.time_parser(str(value))
        except NotANumber as error:
            cure = times.cure([str(value)])
            raise WrongRecordError(f'time "{value}" {error}', *cure) from None
        if implausible(seconds, relative=times.relative):
            reason, *rest = why_implausible(seconds, relative=times.relative)
            raise WrongRecordError(f'time "{value}" {reason}', *rest)
        return seconds

    def nuggets(self, record: Record, key: str = LISTED) -> Iterator[tuple[Any, ...]]:
        """Yield nuggets or criteria as the columns of `WORD`."""
        is_rubric = key == CRITERIA
        importance, label = ("tier", "verdict") if is_rubric else ("importance", "assignment")
        for each in record[key]:
            weight, word, status = each.get("weight"), each.get(label), word_of(each.get("status"))
            weight = 0 if weight is None and is_rubric else weight
            try:
                weight = None if weight is None else number(str(weight))
            except NotANumber as error:
                raise WrongRecordError(f'weight "{weight}" {error}', "give a number") from None
            if status == "failed" and not isinstance(word, str):
                word = None
            time = None if is_rubric else self.time(each)
            text = each.get("text") or "", word_of(each.get(importance))
            yield None, *text, weight, time, word_of(word), status

    def grades(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the labels of nuggets of an assignment."""
        for key in ("importance", "assignment") if self.rules.labels == "exact" else ():
            if any(key not in each for each in record[LISTED]):
                raise WrongRecordError(f'a nugget has no "{key}"', KEY_CURE)
        return self.nuggets(record)

    def support(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the sentences whose citations are labelled."""
        time = self.time(record)
        for sentence in record["sentences"]:
            labels = [support_of(each) for each in sentence.get("citations") or ()]
            yield self.time(sentence, time), *map(float, cited_amounts(labels))

    def judgments(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the sentences of a report that was judged; the report itself may have times.

        The first has the bank of questions, too, or else a row that is no sentence.
        """
        report, bank = report_of(record), None
        if "nugget_bank" in record:
            bank = list(bank_of(record))
        time, judgments = self.time(record, self.time(report)), record["judgments"]
        sentences = [*sentences_of(report), *[None] * len(judgments)]
        for judged, sentence in zip(judgments, sentences, strict=False):
            replies = [object_in(each, "response") for each in judged.get("judgments") or ()]
            questions, answers = list[str](), list[str]()
            for reply in replies:
                check(reply, {"matched_nuggets?": [{"question_text": str}]}, "response")
                for nugget in reply.get("matched_nuggets") or ():
                    matched = nugget.get("matched_answer") or []
                    answers += map(str, list_of(matched, "matched_answer", "answers"))
                    questions += [nugget["question_text"]] * (len(answers) - len(questions))
            cited = len(judged.get("citations") or ())
            relevant, attested, needs = (
                sum(each.get(key) is True for each in replies)
                for key in ("is_relevant", "is_attested", "requires_citation")
            )
            is_correct, counts = 0 < cited <= attested, cited > 0 or needs > 0
            amounts = (1, len(judged["text"]), cited, relevant, attested, is_correct, counts)
            date = self.time(judged, self.time(sentence, time))
            yield date, *map(float, amounts), questions, answers, bank
            bank = None
        if bank is not None:
            yield (*[None] * len(TYPES[Sort.REPORT]), bank)

    def answers(self, record: Record) -> Iterator[tuple[Any, ...]]:
        """Yield the sentences of a response, with the documents that they cite."""
        time, references = self.time(record), record.get("references") or []
        for each in sentences_of(record):
            sentence = {"text": each} if isinstance(each, str) else each
            check(sentence, {"text": str}, "sentence")
            documents = list(self.documents(sentence.get("citations") or [], references))
            text = sentence["text"]
            lengths = (1, len(text), len(text.split()), len(documents))
            yield self.time(sentence, time), *map(float, lengths), text, documents

    def documents(self, cited: Any, references: Sequence[Any]) -> Iterator[str]:
        """Yield the documents that a sentence cites, by their names or their positions."""
        check(cited, {} if isinstance(cited, dict) else [], "citations")
        for each in cited:
            if isinstance(each, dict):
                yield str(each.get("reference", each.get("docid")))
            elif type(each) not in (int, str):
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

    def head(self, record: Record) -> tuple[Any, ...]:
        """Return the run, the topic, the version and the last time of a response."""
        run, time = name_in(record, ["run_id"], ["run_id", "team_id"]), self.time(record)
        parts = sentences_of(record) or record.get("sentences") or [None]
        times = [self.time(each, time) for each in parts]
        last = max((each for each in times if each is not None), default=time)
        return run, topic_of(record), "", last

    def gold(self, record: Record) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
        """Yield each topic of a record of gold, the kind of gold, and its rows."""
        key = next((key for key in (LISTED, CRITERIA) if isinstance(record.get(key), list)), None)
        if key is not None:
            nuggets = [each[1:5] for each in self.nuggets(record, key)]
            yield topic_of(record), key, [dict(zip(NUGGET, each, strict=True)) for each in nuggets]
        elif "nugget_bank" in record:
            yield topic_of(record), QUESTIONS, list(bank_of(record))
        elif "rubrics" in record:
            yield topic_of(record), QUESTIONS, list(map(rubric_of, record["rubrics"] or ()))
        elif record and all(map(is_turn, record.values())):
            for turn, listed in record.items():
                check([*listed.values()], [{"text": str}], turn)
                texts = [{"text": each["text"], "importance": ""} for each in listed.values()]
                yield topic_of({"turn": turn}), LISTED, texts
        else:
            raise WrongRecordError("no nuggets", GOLD_CURE)


LABELS: Mapping[Sort, Callable[[Reader, Record], Iterator[tuple[Any, ...]]]] = {
    Sort.GRADES: Reader.grades,
    Sort.VERDICTS: partial(Reader.nuggets, key=CRITERIA),
    Sort.SUPPORT: Reader.support,
    Sort.REPORT: Reader.judgments,
    Sort.ANSWERS: Reader.answers,
}
"""How the labels of each sort are read: the time of each, and its columns."""


def report_of(record: Record) -> Record:
    """Return the report that was judged, an empty one where there is none."""
    report = object_in(record, "report")
    check(report, {"metadata?": {}}, "report")
    return report


def bank_of(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the questions of a bank of nuggets, as rows."""
    for text, question in (record["nugget_bank"] or {}).items():
        if not isinstance(question, dict) or not isinstance(question.get("answers"), dict | list):
            reason = f'question "{text}" has no "answers"'
            raise WrongRecordError(reason, "give an object with an object of answers")
        kind = question.get("aggregator_type") or "OR"
        if kind not in ("OR", "AND"):
            raise WrongRecordError(f'unknown aggregator_type "{kind}"', "it is OR or AND")
        weight = 2.0 if question.get("importance") == VITAL else 1.0
        answers = sorted(set(map(str, question["answers"])))
        yield {"text": text, "weight": weight, "every": kind == "AND", "answers": answers}


def rubric_of(question: Record) -> dict[str, Any]:
    """Return a question of a rubric with the ids of its answers, as a row."""
    text = str(question.get("question_id", question.get("question_text", "")))
    weight = RUBRIC_WEIGHTS.get(question["importance"].strip()[:1].upper())
    if weight is None:
        cure = "it begins with A, B or C, such as `A: Have to Know`"
        raise WrongRecordError(f'unknown importance "{question["importance"]}"', cure)
    answers = {str(answer.get("answer_id")) for answer in question["short_answers"]}
    return {"text": text, "weight": weight, "every": False, "answers": sorted(answers)}


def is_turn(value: Any) -> bool:
    """Return whether this is the nuggets of a turn: objects under `[1]` and so on."""
    return isinstance(value, dict) and all(
        key.startswith("[") and isinstance(each, dict) for key, each in value.items()
    )


def sort_of(record: Record) -> Sort | None:
    """Return what a record is by its keys; None if nothing known."""
    key = next((key for key in SORTS if isinstance(record.get(key), list)), None)
    if key is None:
        has_sentences = any(isinstance(record.get(key), str | list) for key in SENTENCES)
        return Sort.ANSWERS if has_sentences else None
    sort, marks = SORTS[key]
    objects = [each for each in record[key] if isinstance(each, dict)]
    is_marked = not marks or any(not marks.isdisjoint(each) for each in objects)
    is_empty_rubric = record[key] == [] and sort is Sort.VERDICTS
    has_run = record.get("run_id") or object_in(record, "metadata").get("run_id")
    return sort if is_marked or is_empty_rubric or has_run else None


def is_gold(record: Record) -> bool:
    """Return whether a record holds nuggets, a bank, rubrics or turns."""
    if not record:
        return False
    is_known = "nugget_bank" in record or "rubrics" in record or all(map(is_turn, record.values()))
    is_list = any(isinstance(record.get(key), list) for key in (LISTED, CRITERIA))
    return is_known or (is_list and sort_of(record) is None)


def read_labels(source: Input, faults: FaultList, rules: ResponseRules) -> TrackRows:
    """Read the labels of a file, or its responses, all of one sort."""
    reader, sort, rows, response = Reader(source, rules), None, list[Any](), -1
    for response, (line, record) in enumerate(documents(source, faults)):
        try:
            check(record, {"metadata?": {}}, "record")
            other = sort_of(record)
            if other is None and is_gold(record):
                raise WrongRecordError("nuggets, and no labels of them", "give them as --nuggets")
            if other is None:
                raise WrongRecordError("neither labels nor a response", SORT_CURE)
            if sort not in (None, other):
                reason = f"{other.value}, where the lines above hold {sort.value}"
                raise WrongRecordError(reason, "give each sort of labels a file of its own")
            check(record, SHAPES[other], "record")
            labels = list(LABELS[other](reader, record))
            head = reader.head({**report_of(record), **record})
        except WrongRecordError as error:
            faults.add(line, *error.args)
            continue
        sort, types = other, WORD if other in GRADED else TYPES[other]
        for at, label in enumerate(labels or [(None,) * (1 + len(types))]):
            place = at if label[1] is not None else None
            rows.append((line, response, place, *head, *label))
    faults.check()
    if sort is None:
        faults.refuse(None, "holds no responses", SORT_CURE, "no-rows")
    frame = frame_of_rows(rows, Schema("", ()), **RESPONSE, **types)
    frame = grade_words(frame, sort, rules, faults) if sort in GRADED else frame
    frame = check_topics(frame.select("line", *RESPONSE, *TYPES[sort]), faults)
    return TrackRows(frame.with_columns(sort=pl.lit(sort.name)), rows=response + 1)


def read_gold(source: Input, faults: FaultList, rules: ResponseRules) -> TrackRows:
    """Read a file of gold; a topic may stand once."""
    reader, lines, rows = Reader(source, rules), dict[str, int](), list[dict[str, Any]]()
    for line, record in documents(source, faults):
        try:
            check(record, {"metadata?": {}, **GOLD_SHAPE}, "record")
            for topic, kind, listed in reader.gold(record):
                if topic in lines:
                    cure = f"first in line {lines[topic]}: remove one of them"
                    raise WrongRecordError(f'topic "{topic}" stands twice', cure)
                lines[topic], head = line, {"line": line, "topic": topic, "kind": kind}
                rows += [{**head, "at": at, **each} for at, each in enumerate(listed)] or [head]
        except WrongRecordError as error:
            faults.add(line, *error.args)
    faults.check()
    if not lines:
        faults.refuse(None, "holds no nuggets", GOLD_CURE, "no-rows")
    frame = check_topics(pl.DataFrame(rows, schema=GOLD), faults)
    place = place_of(rules, "topic", pl.col("kind") == CRITERIA)
    return TrackRows(frame.with_columns(place=place), rows=len(lines))

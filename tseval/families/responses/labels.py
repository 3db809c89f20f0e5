"""From objects of JSON to labels: one function for each form of `responses.md`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tseval.core.wording import count, count_words
from tseval.errors import Reason
from tseval.families.responses.objects import (
    Object,
    WrongRecordError,
    kind_of,
    listed,
    members,
    metadata,
    number_of,
    own_time,
    run_of,
    text_of,
    topic_of,
)
from tseval.families.responses.rules import ResponseRules
from tseval.families.responses.tables import (
    MANDATORY,
    NO_TIME,
    OKAY,
    OPTIONAL,
    VITAL,
    Cited,
    Grade,
    Judged,
    Key,
    Nugget,
    Question,
    Response,
    Sentence,
    Sort,
    UnknownWord,
)

SUPPORT, PARTIAL, NONE = "support", "partial_support", "not_support"
GRADE_OF = {SUPPORT: 2, PARTIAL: 1, NONE: 0}
LABEL_CURE = f"the labels are {', '.join(GRADE_OF)}; --rule labels=lenient counts any other 0"
KEY_CURE = "--rule labels=lenient counts a missing label 0, and a missing importance as neither"
VERDICTS = {"satisfied": 2, "partially_satisfied": 1, "not_satisfied": 0}
SUPPORTED = {"full support": 2, "fs": 2, "partial support": 1, "ps": 1, "no support": 0, "ns": 0}
"""The words for the support of a citation, in any case."""
SUPPORT_CURE = (
    "a citation is labelled 2 (FS, Full Support), 1 (PS), 0 (NS), or -1 if it was not judged"
)
VITAL_WEIGHT, OKAY_WEIGHT = 2.0, 1.0
"""What questions weigh in the weighted coverage."""
RUBRIC_WEIGHTS = {"A": 4.0, "B": 2.0, "C": 1.0}
"""What questions of a rubric weigh, by the letter that their importance begins with."""
MOST_CITATIONS, MOST_WORDS = 3, 1024
"""What a sentence and a response of 2026 may have."""


class Read(NamedTuple):
    """What the file being read goes by."""

    run: str
    """What its run is called where no record says."""
    rules: ResponseRules


# Nuggets.


def grade_of(label: Any, rules: ResponseRules) -> tuple[int, bool]:
    """The grade of a label, and whether it is one of the three as the rules compare them."""
    if isinstance(label, str) and rules.labels == "lenient":
        label = label.strip().lower()
    known = isinstance(label, str) and label in GRADE_OF
    if not known and rules.labels == "strict":
        shown = f' "{label}"' if isinstance(label, str) else f", {kind_of(label)},"
        raise WrongRecordError(f"unknown label{shown}", LABEL_CURE)
    return (GRADE_OF[label] if known else 0), known


def word_of(label: Any) -> str:
    """A label as it is written; nothing where there is none."""
    return "" if label is None else str(label)


def grades(record: Object, read: Read) -> Iterator[Grade]:
    """The labels of nuggets of an assignment."""
    nuggets = members(record, "nuggets")
    if read.rules.labels == "exact":
        for key in ("importance", "assignment"):
            if any(key not in each for each in nuggets):
                raise WrongRecordError(f'a nugget has no "{key}"', KEY_CURE)
    wrong: list[str] = []
    for each, nugget in zip(nuggets, nuggets_in(nuggets, read.rules), strict=True):
        try:
            grade, known = grade_of(each.get("assignment"), read.rules)
            yield Grade(nugget, grade, known=known, word=word_of(each.get("assignment")))
        except WrongRecordError as error:
            wrong.append(f'{error.reasons[0]} of nugget "{nugget.key[0]}"')
    if wrong:
        raise WrongRecordError(wrong[0], LABEL_CURE, wrong[1:])


def nuggets_in(listed_nuggets: list[Object], rules: ResponseRules) -> list[Nugget]:
    """The nuggets of one list, each with its text and how often that stood before."""
    texts = [text_of(each, "text", "") for each in listed_nuggets]
    weights = [
        number_of(each["weight"], "weight") if "weight" in each else math.nan
        for each in listed_nuggets
    ]
    return [
        Nugget(key, word_of(each.get("importance")), own_time(each), weight)
        for key, each, weight in zip(keys_of(texts, rules), listed_nuggets, weights, strict=True)
    ]


def keys_of(texts: list[str], rules: ResponseRules) -> list[Key]:
    """What tells the nuggets of one list apart: where they count once, the text alone."""
    before: Counter[str] = Counter()
    keys = []
    for text in texts:
        keys.append((text, 0 if rules.duplicates == "merge" else before[text]))
        before[text] += 1
    return keys


def verdicts(record: Object, _: Read) -> Iterator[Grade]:
    """The verdicts of a rubric; a criterion without a weight weighs nothing."""
    for each, criterion in zip(members(record, "criteria"), criteria_of(record), strict=True):
        yield verdict_of(criterion, each.get("verdict"), each.get("status"))


def verdict_of(criterion: Nugget, verdict: Any, status: Any) -> Grade:
    """Return the verdict on a criterion; a judge that failed gave none."""
    said = verdict.strip().lower().replace(" ", "_") if isinstance(verdict, str) else ""
    failed = not said and status == "failed"
    known = said in VERDICTS
    return Grade(criterion, VERDICTS.get(said, 0), NO_TIME, known, word_of(verdict), failed=failed)


def criteria_of(record: Object) -> list[Nugget]:
    """Return the criteria of a rubric, each with its text and the number of earlier equal texts."""
    before: Counter[str] = Counter()
    found = []
    for each in members(record, "criteria"):
        text = text_of(each, "text", "")
        weight = 0.0 if each.get("weight") is None else number_of(each["weight"], "weight")
        found.append(Nugget((text, before[text]), word_of(each.get("tier")), weight=weight))
        before[text] += 1
    return found


# Citations.


def support(record: Object, _: Read) -> Iterator[Cited]:
    """The labels of the citations of every sentence."""
    whole = own_time(record)
    for sentence in members(record, "sentences"):
        cited = members(sentence, "citations", may_lack=True)
        yield Cited(tuple(_support_of(each) for each in cited), _time_in(sentence, whole))


def support_word(label: str) -> str:
    """Return a label of support in the form in which labels are compared."""
    return label.strip().lower().replace("_", " ")


def _support_of(citation: Object) -> int:
    label = citation.get("support")
    if label is None and citation.get("status") == "failed":
        return -1
    if isinstance(label, str):
        named = SUPPORTED.get(support_word(label))
        try:
            label = int(label) if named is None else named
        except ValueError:
            raise WrongRecordError(f'unknown label "{label}"', SUPPORT_CURE) from None
    if isinstance(label, bool) or label not in (2, 1, 0, -1) or not isinstance(label, int):
        shown = f"{label}" if isinstance(label, int | float) else f"that is {kind_of(label)}"
        raise WrongRecordError(f"unknown label {shown}", SUPPORT_CURE)
    return label


def judged(record: Object, _: Read) -> Iterator[Judged]:
    """The sentences of a report that was judged."""
    report = _report(record)
    whole = _either(own_time(record), own_time(report))
    sentences = members(record, "judgments")
    of_report = [each if isinstance(each, dict) else {} for each in _parts(report) or ()]
    for at, sentence in enumerate(sentences):
        there = of_report[at] if at < len(of_report) else {}
        time = _either(own_time(sentence), _either(own_time(there), whole))
        yield _judged(sentence, time)


def _judged(sentence: Object, time: float) -> Judged:
    citations = len(listed(sentence, "citations", may_lack=True))
    said = [_answer(each) for each in members(sentence, "judgments", may_lack=True)]
    relevant = sum(each.get("is_relevant") is True for each in said)
    attested = sum(each.get("is_attested") is True for each in said)
    needs = any(each.get("requires_citation") is True for each in said)
    answers = [
        (text_of(nugget, "question_text"), str(answer))
        for each in said
        for nugget in members(each, "matched_nuggets", may_lack=True)
        for answer in _answers_of(nugget)
    ]
    characters = len(text_of(sentence, "text"))
    counts = citations > 0 or needs
    return Judged(characters, citations, relevant, attested, counts, tuple(answers), time)


def _answers_of(nugget: Object) -> list[Any]:
    """The answers that were matched, of which a single one may stand without a list."""
    found = nugget.get("matched_answer")
    return [found] if isinstance(found, str) else listed(nugget, "matched_answer", may_lack=True)


def _answer(judgment: Object) -> Object:
    """What a judge answered; nothing where there is no object."""
    text_of(judgment, "judgment_type_id")
    found = judgment.get("response")
    return found if isinstance(found, dict) else {}


def bank_of(record: Object, topic: str) -> tuple[Question, ...]:
    """The questions of a bank of nuggets."""
    bank = record.get("nugget_bank")
    if not isinstance(bank, dict):
        raise WrongRecordError(f'"nugget_bank" is {kind_of(bank)}', f"give topic {topic} a bank")
    return tuple(_question(text, each) for text, each in bank.items())


def _question(text: str, question: Any) -> Question:
    if not isinstance(question, dict):
        raise WrongRecordError(f'question "{text}" is {kind_of(question)}', "give an object")
    answers = question.get("answers")
    if not isinstance(answers, dict | list):
        raise WrongRecordError(f'question "{text}" has no "answers"', "give an object of them")
    kind = question.get("aggregator_type") or "OR"
    if kind not in ("OR", "AND"):
        raise WrongRecordError(f'unknown aggregator_type "{kind}"', "it is OR or AND")
    vital = question.get("importance") == "vital"
    weight = VITAL_WEIGHT if vital else OKAY_WEIGHT
    return Question(text, frozenset(map(str, answers)), kind == "AND", weight)


def rubric_of(record: Object) -> tuple[Question, ...]:
    """The questions of a rubric with the ids of their answers."""
    return tuple(_rubric_question(each) for each in members(record, "rubrics"))


def _rubric_question(each: Object) -> Question:
    text = str(each.get("question_id", each.get("question_text", "")))
    importance = text_of(each, "importance")
    weight = RUBRIC_WEIGHTS.get(importance.strip()[:1].upper())
    if weight is None:
        cure = "it begins with A, B or C, such as `A: Have to Know`"
        raise WrongRecordError(f'unknown importance "{importance}"', cure)
    ids = [str(answer.get("answer_id")) for answer in members(each, "short_answers")]
    return Question(text, frozenset(ids), every=False, weight=weight)


# Responses.


def answers(record: Object, read: Read) -> Iterator[Sentence]:
    """The sentences of a response, with the documents that they cite."""
    parts, whole = _parts(record), own_time(record)
    references = listed(record, "references", may_lack=True)
    for each in parts or ():
        if isinstance(each, str):
            yield Sentence(each, (), whole)
        elif isinstance(each, dict):
            cited = tuple(_documents(each, references, read.rules))
            yield Sentence(text_of(each, "text"), cited, _time_in(each, whole))
        else:
            raise WrongRecordError(f"a sentence is {kind_of(each)}", "give an object or a text")


def _parts(record: Object) -> list[Any] | None:
    """The sentences, under the first key that is there; a text is one sentence."""
    for key in ("answer", "response", "responses"):
        if record.get(key) is not None:
            found = record[key]
            return [found] if isinstance(found, str) else listed(record, key)
    return None


def _documents(sentence: Object, references: list[Any], rules: ResponseRules) -> Iterator[str]:
    cited = sentence.get("citations")
    if isinstance(cited, Mapping):
        yield from cited
        return
    for each in listed(sentence, "citations", may_lack=True):
        if isinstance(each, Mapping):
            yield str(each.get("reference", each.get("docid")))
        elif isinstance(each, int) and not isinstance(each, bool):
            yield _reference(each, references, rules)
        elif isinstance(each, str):
            yield each
        else:
            raise WrongRecordError(f"a citation is {kind_of(each)}", "give a position or a name")


def _reference(position: int, references: list[Any], rules: ResponseRules) -> str:
    if 0 <= position < len(references):
        return str(references[position])
    if rules.positions == "text":
        return str(position)
    raise WrongRecordError(
        f"a citation of position {position}, of {count(len(references), 'reference')}",
        "positions count from 0; --rule positions=text takes it for the name of a document",
    )


# Whole records.


def _either(one: float, other: float) -> float:
    return other if math.isnan(one) else one


def _time_in(sentence: Object, whole: float) -> float:
    """A sentence's own time, else that of the response."""
    return _either(own_time(sentence), whole)


def _report(record: Object) -> Object:
    found = record.get("report")
    return found if isinstance(found, dict) else {}


LABELS: dict[Sort, Callable[[Object, Read], Iterator[Any]]] = {
    Sort.GRADES: grades,
    Sort.VERDICTS: verdicts,
    Sort.SUPPORT: support,
    Sort.REPORT: judged,
    Sort.ANSWERS: answers,
}
"""How the labels of each sort of record are read."""


def response_of(sort: Sort, record: Object, read: Read, line: int) -> Response:
    """One record of a file as a response with its labels."""
    named = {**_report(record), **record} if sort is Sort.REPORT else record
    labels = tuple(LABELS[sort](record, read))
    topic = topic_of(named)
    inline = sort is Sort.REPORT and "nugget_bank" in record
    return Response(
        run_of(named, read.run),
        topic,
        labels,
        last_time(named),
        line,
        bank=bank_of(record, topic) if inline else None,
    )


def last_time(record: Object) -> float:
    """When the last sentence of a response was there: its own time wins."""
    whole = own_time(record)
    parts = _parts(record) or listed(record, "sentences", may_lack=True)
    times = [_time_in(each, whole) if isinstance(each, dict) else whole for each in parts]
    return max((each for each in times if not math.isnan(each)), default=whole)


def too_much(response: Response) -> Iterator[str]:
    """What a response has more of than one of 2026 may have."""
    sentences = [each for each in response.labels if isinstance(each, Sentence)]
    words = sum(len(each.text.split()) for each in sentences)
    most = max((len(each.documents) for each in sentences), default=0)
    where = f"run {response.run}, topic {response.topic}"
    if words > MOST_WORDS:
        yield f"{where}: {words:,} words, where TREC RAG 2026 takes {MOST_WORDS:,}"
    if most > MOST_CITATIONS:
        told = f"{most} citations, where TREC RAG 2026 takes {MOST_CITATIONS}"
        yield f"{where}: a sentence has {told}"


def _names_run(record: Object) -> bool:
    return bool(record.get("run_id") or metadata(record).get("run_id"))


def sort_of(record: Object) -> Sort | None:
    """What a record is by its keys; None if nothing known."""
    for key, sort in (
        ("judgments", Sort.REPORT),
        ("sentences", Sort.SUPPORT),
    ):
        if isinstance(record.get(key), list):
            return sort
    criteria = record.get("criteria")
    if isinstance(criteria, list):
        judged = any(
            isinstance(each, dict) and {"verdict", "status"} & set(each) for each in criteria
        )
        return Sort.VERDICTS if judged or not criteria or _names_run(record) else None
    nuggets = record.get("nuggets")
    if isinstance(nuggets, list):
        labelled = any(isinstance(each, dict) and "assignment" in each for each in nuggets)
        return Sort.GRADES if labelled or _names_run(record) else None
    return Sort.ANSWERS if _parts(record) is not None else None


# Words that count as none.

LABEL, VERDICT, IMPORTANCE, TIER = "label", "verdict", "importance", "tier"
KNOWN: Mapping[str, tuple[Sequence[str], str]] = {
    LABEL: (tuple(GRADE_OF), "counted 0"),
    VERDICT: (tuple(VERDICTS), "counted 0"),
    IMPORTANCE: ((VITAL, OKAY), "neither vital nor okay"),
    TIER: ((MANDATORY, OPTIONAL), "neither mandatory nor optional"),
}
"""For each place the known words, and how other words count."""


def unknown_labels(sort: Sort, responses: Iterable[Response]) -> Iterator[UnknownWord]:
    """Find the labels, verdicts and importances that are unknown."""
    is_rubric = sort is Sort.VERDICTS
    what, place = (VERDICT, TIER) if is_rubric else (LABEL, IMPORTANCE)
    for response in responses:
        for label in response.labels:
            if isinstance(label, Grade):
                line = label.line or response.line
                if not label.known and not label.failed:
                    yield UnknownWord(what, label.word, line)
                if is_rubric or sort is Sort.GRADES:
                    yield from unknown_importances([(label.nugget.importance, line)], place)


def unknown_importances(
    importances: Iterable[tuple[str, int]], what: str = IMPORTANCE
) -> Iterator[UnknownWord]:
    """Find the importances, or tiers, that are unknown; a missing one is left out."""
    for word, line in importances:
        if word and word not in KNOWN[what][0]:
            yield UnknownWord(what, word, line)


def warn_of_unknown(path: str, unknown: Sequence[UnknownWord], labels: int) -> Iterator[str]:
    """Warn once of each kind of unknown word, with how often it stands and what it may mean.

    Of so many labels in all: if none is known, that explains scores of 0.
    """
    for what, (known, fate) in KNOWN.items():
        words = [each.word for each in unknown if each.what == what]
        if words and what in (LABEL, VERDICT) and len(words) == labels:
            shown = count_words(words, known)
            yield Reason(f"{path}: no {what} is known, so every score is 0: {shown}")
        elif words:
            nouns = count(len(words), f"unknown {what}")
            yield f"{path}: {nouns}, {fate}: {count_words(words, known)}"

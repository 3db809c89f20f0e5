"""What a reader of scores should know: words that count as none, and zeros with a cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tseval.core.measure import Measure
from tseval.core.wording import count, count_words
from tseval.errors import Fault, Reason, did_you_mean
from tseval.families.responses.labels import GRADE_OF, VERDICTS
from tseval.families.responses.tables import OKAY, VITAL, Grade, Response, Sort, Unknown
from tseval.files.inputs import Input

if TYPE_CHECKING:
    from tseval.families.responses.index import ResponseIndex

LABEL, VERDICT, IMPORTANCE = "label", "verdict", "importance"
KNOWN: Mapping[str, tuple[Sequence[str], str]] = {
    LABEL: (tuple(GRADE_OF), "counted 0"),
    VERDICT: (tuple(VERDICTS), "counted 0"),
    IMPORTANCE: ((VITAL, OKAY), "neither vital nor okay"),
}
"""The words that each place knows, and what becomes of others."""


def unknown_word(source: Input, what: str, word: str, line: int) -> Unknown:
    """Describe a word that is none of those that its place knows."""
    known = KNOWN[what][0]
    reason = f'unknown {what} "{word}"{did_you_mean(word, known)}' if word else f"no {what}"
    cure = f"write one of {', '.join(known)}"
    fault = Fault(source.path, line, reason, cure, unit=source.unit, code="unknown-label")
    return Unknown(what, word, fault)


def unknown_labels(source: Input, sort: Sort, responses: Iterable[Response]) -> Iterator[Unknown]:
    """Find the labels, verdicts and importances that are unknown."""
    what = VERDICT if sort is Sort.VERDICTS else LABEL
    for response in responses:
        for label in response.labels:
            if isinstance(label, Grade):
                line = label.line or response.line
                if not label.known and not label.failed:
                    yield unknown_word(source, what, label.word, line)
                if sort is Sort.GRADES:
                    yield from unknown_importances(source, [(label.nugget.importance, line)])


def unknown_importances(source: Input, importances: Iterable[tuple[str, int]]) -> Iterator[Unknown]:
    """Find the importances that are neither vital nor okay; a missing one is left out."""
    for word, line in importances:
        if word not in ("", VITAL, OKAY):
            yield unknown_word(source, IMPORTANCE, word, line)


def warn_of_unknown(path: str, unknown: Sequence[Unknown], labels: int) -> Iterator[str]:
    """Warn once of each kind of unknown word, with how often it stands and what it may mean.

    Of so many labels in all: if none is known, that explains scores of 0.
    """
    for what, (known, fate) in KNOWN.items():
        words = [each.word for each in unknown if each.what == what]
        if words and what != IMPORTANCE and len(words) == labels:
            shown = count_words(words, known)
            yield Reason(f"{path}: no {what} is known, so every score is 0: {shown}")
        elif words:
            nouns = count(len(words), f"unknown {what}")
            yield f"{path}: {nouns}, {fate}: {count_words(words, known)}"


def warn_of_no_vital(index: ResponseIndex, wanted: Sequence[Measure]) -> Iterator[str]:
    """Warn of scores over vital or okay nuggets where there is none."""
    found = set(index.importance)
    names = dict.fromkeys(each.definition.name for each in wanted)
    for words, base in (((VITAL,), "vital"), ((VITAL, OKAY), "weighted")):
        zero = [name for name in names if name.removeprefix("strict_") == base]
        if index.sort is Sort.GRADES and index.nugget and zero and found.isdisjoint(words):
            yield Reason(f"no nugget is {' or '.join(words)}, so this is 0: {', '.join(zero)}")

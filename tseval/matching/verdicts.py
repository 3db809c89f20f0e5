"""A sample that somebody judged: read, checked against how it was written, and asked who said what.

Nobody has to judge everything: of the texts of a run, from the likeliest on, no more than those
up to the first that says the nugget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import InputError
from tseval.files.inputs import Input
from tseval.files.reading import Wrong, names_of, refuse, refuse_rows, rows_of
from tseval.matching.likeliest import Likeliest
from tseval.matching.sampling import NO, YES, checksum_of, hashed, place_of
from tseval.records import frozen
from tseval.statistics import Drawn
from tseval.tables import CORRECTIONS, JUDGED, JudgedPairs, Nuggets, Updates, repeated_rows
from tseval.tables.schema import TOPIC, Column, Kind, Schema

if TYPE_CHECKING:
    from tseval.tables import Origin
    from tseval.tables.columns import BoolArray, IntArray

ANSWERS = Schema("answers", (TOPIC, Column("relevant", Kind.ID, may_be_blank=True)))
"""A pool of posts that assessors fill in."""
VERDICT = ("write yes or no, or leave it blank if no verdict is needed", "unknown-label")
ROW_CURE = "give the file as `tseval sample` wrote it, with nothing but verdicts filled in"
UNJUDGED_CURE = "judge it, or the text above it if that says the nugget"
HEADER = 1 << 12
"""The number of bytes that hold the first line of a table."""
AGAIN = "sample again with these runs, nuggets and rules"


def pairs_from(columns: Mapping[str, Any], origin: Origin) -> JudgedPairs:
    """Return the sample that these columns hold; faults are an `InputError`."""
    source, verdicts = Input(origin.sources[0].path), columns["verdict"]
    words = [name.strip().casefold() for name in verdicts.vocabulary()]
    said = np.array([word in YES for word in words], bool)[verdicts.codes]
    judged = np.array([word != "" for word in words], bool)[verdicts.codes]
    pairs = JudgedPairs.of({**columns, "said": said, "judged": judged}, origin)
    if not len(pairs):
        refuse(source, "holds no pair", "give the file that `tseval sample` wrote")
    known = np.array([word in (*YES, *NO, "") for word in words], bool)[verdicts.codes]
    wrong = [
        Wrong(row, f'the verdict "{verdicts[row]}" is neither yes nor no', *VERDICT)
        for row in np.flatnonzero(~known).tolist()
    ]
    _refuse(pairs, [*wrong, *_changed(pairs)])
    expected = int(pairs.design["rows"])
    if len(pairs) != expected:
        lost = f"holds {len(pairs)} of the {expected} pairs of its sample"
        cure = "put back the rows that were removed: what is not judged stays blank"
        refuse(source, lost, cure, "changed-rows")
    if not judged.any():
        cure = "write yes or no into the column verdict"
        refuse(source, "holds no verdict", cure, "missing-verdict")
    return pairs


def holds_verdicts(path: Path) -> bool:
    """Return whether a file is a review or a sample with verdicts, or a pool with answers."""
    content = Input(str(path)).head(HEADER)
    head = content.replace(b"\0", b"").lower()
    if b"verdict" not in head and b"relevant" not in head:
        return False
    try:
        names = {name.casefold() for name in names_of(Input(str(path)))}
    except InputError:  # no table
        names = set()
    for schema in (CORRECTIONS, JUDGED, ANSWERS):
        if {column.name for column in schema.required} <= names:
            filled_in = "relevant" if schema is ANSWERS else "verdict"
            words = rows_of(Input(str(path)), schema).get(filled_in).vocabulary()
            return any(word.strip() for word in words)
    return content.startswith((b"\xff\xfe", b"\xfe\xff"))  # a spreadsheet saved it as UTF-16


def _changed(pairs: JudgedPairs) -> Iterator[Wrong]:
    """Rows that are not as they were written, of another sample, or there twice."""
    line = pairs.sample[0]
    repeats, originals = repeated_rows(pairs.topic, pairs.nugget_id, pairs.pair)
    twice = dict(zip(repeats.tolist(), originals.tolist(), strict=True))
    for row in range(len(pairs)):
        place = place_of(pairs.stratum[row], float(pairs.inclusion[row]))
        key = pairs.topic[row], pairs.nugget_id[row], pairs.pair[row]
        if pairs.sample[row] != line:
            reason = "belongs to another sample than the first row"
            yield Wrong(row, reason, ROW_CURE, "changed-rows")
        elif checksum_of(line, *key, place) != pairs.checksum[row]:
            reason = "is not as it was written: a cell beside the verdict differs"
            yield Wrong(row, reason, ROW_CURE, "changed-rows")
        elif row in twice:
            first = pairs.origin.place(twice[row])
            cure = "remove one of the two"
            yield Wrong(row, f"the same pair stands at {first}", cure, "duplicate-id")


def _refuse(pairs: JudgedPairs, wrong: list[Wrong]) -> None:
    refuse_rows(pairs.origin, wrong, partial(_shown, pairs))


def _shown(pairs: JudgedPairs, row: int) -> str:
    """A row's ids, in place of the row."""
    return "\t".join((pairs.topic[row], pairs.nugget_id[row], pairs.pair[row]))


@frozen(eq=False)
class Verdicts:
    """What the judged nuggets are in these runs, and how they were drawn."""

    nugget: IntArray
    """The rows of the nuggets that were sampled."""
    said: BoolArray
    """Runs x these nuggets: whether a text that was read says it."""
    drawn: Drawn
    read: int
    """How many verdicts it took."""


def verdicts_of(
    pairs: JudgedPairs, gold: str, updates: Updates, nuggets: Nuggets, likeliest: Likeliest
) -> Verdicts:
    """The verdicts as they count for these runs; what nobody judged and had to be is a fault.

    `gold` is the hash of the nuggets, as signatures have it. What was sampled of nuggets that do
    not count by other rules than the sample's is left out.
    """
    _check_nuggets(pairs, gold, len(nuggets))
    names = zip(nuggets.topic.to_list(), nuggets.nugget_id.to_list(), strict=True)
    place = {name: row for row, name in enumerate(names)}
    first = {key: row for key, row in _first_rows(pairs).items() if key in place}
    nugget = np.array([place[key] for key in first], np.int64)
    rows = np.array(list(first.values()), np.int64)
    column = {each: at for at, each in enumerate(nugget.tolist())}
    row_of = {pair: row for row, pair in enumerate(pairs.pair.to_list())}
    said = np.zeros((len(likeliest.runs), len(nugget)), bool)
    unjudged: dict[int, str] = {}
    for run, each, texts in likeliest.places():
        if each not in column:
            continue
        name = likeliest.runs[run]
        keys = _keys(updates, nuggets, each, likeliest.update[texts])
        missing = [key for key in keys if key not in row_of]
        if missing:
            refuse(
                Input(pairs.origin.sources[0].path),
                f'run {name} has a text for nugget "{nuggets.nugget_id[each]}" of topic '
                f'"{nuggets.topic[each]}" that is not in the sample',
                f"its updates are others than then, or it was not among the runs: {AGAIN}",
                "unknown-id",
            )
        found = [row_of[key] for key in keys]
        up_to = next((at for at, row in enumerate(found) if pairs.said[row]), len(found))
        said[run, column[each]] = up_to < len(found)
        for row in found[:up_to]:
            if not pairs.judged[row]:
                unjudged.setdefault(row, name)
    _refuse(
        pairs,
        [
            Wrong(
                row,
                f"has no verdict, and run {name} has no text above it that says the nugget",
                UNJUDGED_CURE,
                "missing-verdict",
            )
            for row, name in sorted(unjudged.items())
        ],
    )
    strata = np.array([int(pairs.stratum[row]) for row in rows.tolist()], np.int64)
    drawn = Drawn(strata, pairs.inclusion[rows])
    return Verdicts(nugget, said, drawn, int(pairs.judged.sum()))


def _check_nuggets(pairs: JudgedPairs, gold: str, number: int) -> None:
    """Refuse a sample of other nuggets, and one of which not all that count could be drawn."""
    design, path = pairs.design, pairs.origin.sources[0].path
    own, whole = design["nuggets"], int(design["sampled"].partition("/")[2])
    if own != gold:
        reason = f"the sample was drawn for other nuggets ({own}) than these ({gold})"
        refuse(Input(path), reason, f"give those, or {AGAIN}", "unrelated-inputs")
    if whole < number:
        refuse(
            Input(path),
            f"the sample was drawn of {whole} nuggets, and by these rules {number} count",
            f"score by the edition and the rules of the sample, or {AGAIN}",
            "unrelated-inputs",
        )


def _first_rows(pairs: JudgedPairs) -> dict[tuple[str, str], int]:
    """For each nugget of the sample the first row that is about it."""
    first: dict[tuple[str, str], int] = {}
    for row, name in enumerate(zip(pairs.topic.to_list(), pairs.nugget_id.to_list(), strict=True)):
        first.setdefault(name, row)
    return first


def _keys(updates: Updates, nuggets: Nuggets, nugget: int, rows: IntArray) -> list[str]:
    """The pairs of a nugget and these texts, as they are called."""
    name = nuggets.topic[nugget], nuggets.nugget_id[nugget], nuggets.text[nugget]
    return [hashed(*name, updates.text[row]) for row in rows.tolist()]

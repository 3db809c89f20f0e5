"""The board: the scores of all runs on all topics, with everything that is missing settled.

Which way a measure goes follows from its name: scores come from files, of whatever family. A
signature says of which family; where all scores have one, no other family is looked at.

Scores may have rows of topics and rows of groups, such as information types. A mean over both would
be none that anybody knows, and a pair of runs cannot be tested over topics of which one holds the
posts of another. The measures of groups are means over groups, so these are what they are compared
over, and the others over topics.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from tseval.comparison.plan import Treatment
from tseval.core.family import Words
from tseval.core.measure import Measure, parse_measure, split_measures, with_name
from tseval.core.registry import definitions, family, family_names
from tseval.core.wording import automatic_matches, count, listed
from tseval.errors import MeasureError, MissingTopics, UsageError, check_known
from tseval.io.faults import FaultList
from tseval.io.given import is_frame
from tseval.io.inputs import SHORT_HASH, InputRecord
from tseval.io.names import natural_order
from tseval.io.schema import ALL_TOPICS, SCORES
from tseval.io.scores import READER, Provenance
from tseval.io.tables import read
from tseval.records import frozen
from tseval.statistics.bootstrap import contributions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.arrays import BoolArray, FloatArray
    from tseval.core.scores import Scores
    from tseval.io.given import Given

Families: TypeAlias = tuple[str, ...] | None
"""The families that scores are of; None where not all scores say so."""
KEY = SCORES.key
NO_TOPICS_CURE = "runs are compared topic by topic: write the scores with -q (--per-topic)"


def single_topics(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return the scores of single topics, of which a file needs at least one."""
    single = frame.filter(pl.col("topic") != ALL_TOPICS)
    if not single.height:
        reason = "holds means alone" if frame.height else "holds no scores"
        faults.add(None, reason, NO_TOPICS_CURE, "no-rows")
    return single


@frozen(eq=False)
class TopicScores:
    """Scores of single topics: what runs are compared by."""

    frame: pl.DataFrame
    """`run topic measure value`, where a value that is undefined is null.

    `weight`, if any file says what values weigh, is what the value was divided by where the `all`
    of a measure is a quotient of sums, else null.
    """
    sources: tuple[InputRecord, ...]
    signatures: tuple[str, ...] = ()
    """How the scores came about, as far as their files tell; each once."""
    untold: tuple[str, ...] = ()
    """The files that do not tell it."""
    types: tuple[str, ...] = ()
    """The topics that are information types of incident streams, as far as their files tell."""
    doubts: tuple[str, ...] = ()
    """Warnings of the files that scores are not comparable."""

    @classmethod
    def join(cls, parts: Sequence[TopicScores]) -> TopicScores:
        """Return the scores of all parts."""

        def joined(name: str) -> tuple[Any, ...]:
            return tuple(dict.fromkeys(each for part in parts for each in getattr(part, name)))

        frame = pl.concat([part.frame for part in parts], how="diagonal")
        sources = tuple(each for part in parts for each in part.sources)
        return cls(frame, sources, *map(joined, ("signatures", "untold", "types", "doubts")))

    @property
    def digest(self) -> str:
        """The hash of the scores themselves: the same whatever the order of rows and files."""
        values, undefined = self.frame["value"].to_numpy(), self.frame["value"].is_null()
        shown = ["" if lacks else repr(v) for v, lacks in zip(values, undefined, strict=True)]
        columns = [*self.frame.select(KEY), pl.Series("value", shown, pl.String)]
        if "weight" in self.frame:
            weights = self.frame["weight"].fill_null(math.nan)
            columns.append(pl.Series("weight", list(map(repr, weights.to_list()))))
        lines = pl.select(pl.concat_str(columns, separator="\t")).to_series().sort()
        return hashlib.sha256(lines.str.join("\n").item().encode()).hexdigest()


def read_scores(given: Sequence[Given], form: str | None = None) -> TopicScores:
    """Read the scores of several files; any fault is an `InputError`.

    A (run, topic, measure) may stand once in all of them together. NaN in a frame is undefined.
    """
    filled = [
        each.assign(value=each["value"].astype("Float64"))
        if is_frame(each) and "value" in each and each["value"].dtype.kind == "f"
        else each
        for each in given
    ]
    table = read(filled, replace(READER, check=single_topics), form)
    notes: tuple[Provenance, ...] = table.notes
    return TopicScores(
        _weighed(table.frame, [note.weights for note in notes]).drop("line", "file"),
        table.sources,
        tuple(note.signature for note in notes if note.signature),
        tuple(s.path for s, note in zip(table.sources, notes, strict=True) if not note.signature),
        tuple(each for note in notes for each in note.types),
        tuple(each for note in notes for each in note.warnings if "not comparable" in each),
    )


def _weighed(frame: pl.DataFrame, weights: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """Return scores with the weights that their files say, the last where one says several."""
    rows = []
    for file, told in enumerate(weights):
        for each in told:
            if isinstance(each, dict) and {*KEY, "weight"} <= each.keys():
                with suppress(TypeError, ValueError):
                    weight = float(each["weight"])
                    if math.isfinite(weight) and weight >= 0:
                        rows.append((file, *(str(each[name]) for name in KEY), weight))
    if not rows:
        return frame
    known = pl.DataFrame(rows, schema=["file", *KEY, "weight"], orient="row")
    known = known.cast({"file": frame.schema["file"]}).unique(["file", *KEY], keep="last")
    return frame.join(known, on=["file", *KEY], how="left", maintain_order="left")


def scores_table(scores: Scores) -> TopicScores:
    """Scores in memory as if they had been read from the file that they write."""
    there = np.broadcast_to(scores.counted[:, :, None], scores.values.shape)
    each = np.nonzero(there if scores.applies is None else there & scores.applies)
    named = zip(KEY, (scores.runs, scores.topics, scores.measures), each, strict=True)
    columns = {
        name: pl.Series(names, dtype=pl.String).gather(codes) for name, names, codes in named
    }
    known = pl.Series(scores.values[each]).zip_with(
        pl.Series(scores.defined[each]), pl.Series([None], dtype=pl.Float64)
    )
    frame = pl.DataFrame(columns | {"value": known})
    if scores.overall is not None and scores.overall.weights is not None:
        frame = frame.with_columns(weight=scores.overall.weights[each])
    return TopicScores(frame, scores.inputs, (scores.signature,), types=scores.types)


@frozen(eq=False)
class Board:
    """Values by run, topic and measure, of which those count that are `known`.

    A run that has no score of a measure at all takes no part in it.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    known: BoolArray
    higher: tuple[bool, ...]
    """For each measure whether higher is better."""
    traits: dict[str, str]
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...]
    weights: FloatArray | None = None
    """What values weigh, NaN where their mean over topics is not weighed; None for none."""
    strays: tuple[str, ...] = ()
    """The measures whose direction is told, and of which there are no scores."""
    families: Families = None

    def of(self, measure: str) -> tuple[FloatArray, BoolArray]:
        """One measure's values, of shape (runs, topics), and which count."""
        at = self.measures.index(measure)
        return self.values[:, :, at], self.known[:, :, at]

    def weighed(self, measure: str) -> FloatArray | None:
        """What one measure's values weigh, of shape (runs, topics), if its `all` is a quotient."""
        if self.weights is None:
            return None
        weights = self.weights[:, :, self.measures.index(measure)]
        _, known = self.of(measure)
        return weights if known.any() and np.isfinite(weights[known]).all() else None

    def taking_part(self, measure: str) -> list[int]:
        """The runs that have a score of the measure."""
        return np.flatnonzero(self.of(measure)[1].any(axis=1)).tolist()

    def higher_is_better(self, measure: str) -> bool:
        """Whether higher is better."""
        return self.higher[self.measures.index(measure)]

    def oriented(self, measure: str) -> FloatArray:
        """One measure's values such that higher is better; NaN where they don't count."""
        values, known = self.of(measure)
        weights = self.weighed(measure)
        if weights is not None:
            values = values.copy()
            for run in self.taking_part(measure):
                own = known[run]
                parts = values[run, own][:, None], weights[run, own][:, None]
                values[run, own] = contributions(*parts).ravel()
        return np.where(known, values if self.higher_is_better(measure) else -values, np.nan)


def build_board(
    table: TopicScores, wanted: Sequence[str] = (), treatment: Treatment | None = None
) -> Board:
    """The board of these scores: measures asked for, or all; runs and topics in natural order."""
    rules = (treatment or Treatment()).made_for(table.signatures)
    used = natural_order(table.frame["measure"].unique())
    families = None if table.untold else families_of(table.signatures, used)
    by_name = pl.col("measure").replace(titles(families))
    table = replace(table, frame=table.frame.with_columns(by_name))
    present = in_order(table.frame["measure"].unique(), families)
    measures = tuple(choose_measures(wanted, present, families))
    called = {name: named(name, present) for name in rules.lower + rules.higher}
    lower, upper = (
        tuple(called[name] or name for name in dict.fromkeys(told))
        for told in (rules.lower, rules.higher)
    )
    rules = replace(rules, lower=lower, higher=upper)
    ways = [
        name in upper if name in lower + upper else higher_is_better(name, families)
        for name in measures
    ]
    chosen = table.frame.filter(pl.col("measure").is_in(measures))
    kept, of_kinds = of_one_kind(chosen, table.types, families)
    runs, topics = (tuple(natural_order(kept[name].unique())) for name in ("run", "topic"))
    names = runs, topics, measures
    place = tuple(
        kept[column].cast(pl.Enum(own)).to_physical().to_numpy()
        for column, own in zip(KEY, names, strict=True)
    )

    def cube(rows: pl.Series, empty: float) -> NDArray[Any]:
        found = np.full(tuple(map(len, names)), empty, rows.to_numpy().dtype)
        found[place] = rows.to_numpy()
        return found

    values, defined = cube(kept["value"].fill_null(0.0), 0.0), kept["value"].is_not_null()
    scored = cube(pl.repeat(True, kept.height, eager=True), False)
    if scored.sum() < kept.height:
        run, topic, name = kept.filter(~pl.struct(KEY).is_first_distinct()).row(0)[:3]
        raise UsageError(
            f"the score of run '{run}' on topic '{topic}' by {name} is given twice, perhaps "
            "under the measure's name and under an official title"
        )
    higher = tuple(way is not False for way in ways)
    known, warnings = _apply_treatment(rules, higher, names, values, scored, cube(defined, False))
    weights = cube(kept["weight"].fill_null(np.nan), np.nan) if "weight" in kept else None
    if weights is not None:
        empty = known & (weights == 0)  # a topic without a post adds nothing
        known &= ~empty
        if empty.any():
            lost = [name for at, name in enumerate(measures) if empty[:, :, at].any()]
            items = _pooled(lost[0], families).items
            warnings.append(
                f"{listed(lost)}: topics without {items} are not counted as 0 after all, since "
                f"they add nothing to the {items} of all topics"
            )
    unknown = [name for name, way in zip(measures, ways, strict=True) if way is None]
    traits = {"scores": f"sha256:{table.digest[:SHORT_HASH]}"} | rules.traits()
    traits |= {"over": "types,else-events"} if kept.height < chosen.height else {}
    if len(table.signatures) == 1 and not table.untold:
        traits = {"of": f"({table.signatures[0]})"} | traits
    return Board(
        *names,
        values,
        known,
        higher,
        traits,
        inputs=tuple(sorted(table.sources, key=lambda source: source.path)),
        warnings=(
            *table.doubts,
            *_signatures(table, rules),
            *_unweighed(measures, known, weights, table.signatures, families),
            *of_kinds,
            *_unknown_ways(unknown, rules, families),
            *warnings,
            *automatic_matches(*table.signatures),
        ),
        weights=weights,
        strays=tuple(name for name, own in called.items() if own is None),
        families=families,
    )


def check_directions(*boards: Board) -> None:
    """Refuse a direction that is told of a measure of which none of these boards has scores."""
    for name in boards[0].strays:
        if all(name in board.strays for board in boards):
            known = dict.fromkeys(measure for board in boards for measure in board.measures)
            check_known("measure", name, known)


UNDEFINED_AS_ZERO = "undefined:zero"
"""What a signature says where undefined topics count in the mean."""


def _signatures(table: TopicScores, rules: Treatment) -> Iterator[str]:
    """Scores that came about differently should not be compared by accident."""
    as_zero = any(f"|{UNDEFINED_AS_ZERO}|" in f"|{each}|" for each in table.signatures)
    if as_zero and rules.undefined == "skip":
        yield (
            "the scores count topics where a measure is undefined as 0, which are left out here: "
            "--undefined zero counts them too"
        )
    if len(table.signatures) > 1:
        parts = [set(signature.split("|")) for signature in table.signatures]
        shared = parts[0].intersection(*parts[1:])
        differing = sorted(parts[0].union(*parts[1:]) - shared)
        yield f"the scores have different signatures: {listed(differing)}"
    if table.signatures and table.untold:
        yield (
            f"without a signature, so perhaps made by other rules: {listed(table.untold)}; "
            "-o FILE.json writes one with the scores"
        )


def _unweighed(
    measures: Sequence[str],
    known: BoolArray,
    weights: FloatArray | None,
    signatures: Sequence[str],
    families: Families,
) -> Iterator[str]:
    """A word where `all` of the scores is a quotient of sums, and their files tell no weights."""
    lost = [
        name
        for at, name in enumerate(measures)
        if weights is None or not np.isfinite(weights[:, :, at][known[:, :, at]]).all()
        if _pooled(name, families).pooled_by
    ]
    by_topics = bool(signatures) and all("mean=topics" in each for each in signatures)
    if lost and not by_topics:
        words = _pooled(lost[0], families)
        yield (
            f"{listed(lost)}: compared by means over topics, though `all` of edition "
            f"{words.pooled_by} is that of all topics' {words.items}: these scores don't tell how "
            f"many {words.items} a topic has; write them with -f json or parquet, which do"
        )


def _pooled(name: str, families: Families) -> Words:
    """The words of the family that may take `all` of this measure from all topics together."""
    return _words(name, families, "may_pool") or Words()


def _words(name: str, families: Families, trait: str) -> Words | None:
    """The words of the family of a measure whose definition has this trait."""
    known = (each for each in known_measures(name, families) if getattr(each.definition, trait))
    return next((family(each.family).words for each in known), None)


def _unknown_ways(unknown: Sequence[str], rules: Treatment, families: Families) -> Iterator[str]:
    """What was assumed of measures that have no definition here."""
    if unknown:
        verb = "is taken" if len(unknown) == 1 else "are taken"
        yield (
            f"{listed(unknown)}: no measure of this name has a known direction; higher {verb} "
            "to be better (--lower-is-better NAME says otherwise)"
        )
    for name in rules.lower + rules.higher:
        if higher_is_better(name, families) not in (None, name in rules.higher):
            way = "lower" if name in rules.lower else "higher"
            yield f"{name}: {way} is taken to be better, against the measure's definition"


Names: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""The runs, topics and measures of arrays of this shape."""


def _apply_treatment(
    rules: Treatment,
    higher: Sequence[bool],
    names: Names,
    values: FloatArray,
    present: BoolArray,
    defined: BoolArray,
) -> tuple[BoolArray, list[str]]:
    """Which values count by these rules, and what was done; `present` marks all that are scored.

    0 is what saying nothing is worth, but not where it is the best value, or a middling one.
    """
    takes_part = present.any(axis=1, keepdims=True)
    missing = present.any(axis=0, keepdims=True) & takes_part & ~present
    no_score, as_zero, left_out = "has no score in", "counted as 0", "left out"
    if rules.on_missing == "error" and missing.any():
        raise MissingTopics(next(_lost(missing, names, no_score)) + ": there are no scores")
    undefined = present & ~defined
    is_worst = np.asarray(higher, np.bool_) & (values.min(axis=(0, 1)) >= 0)
    zeroed = missing & is_worst & np.bool_(rules.on_missing == "zero")
    known = defined | zeroed
    how = left_out
    if rules.undefined == "zero":
        known, how = known | undefined, as_zero
    told = [
        f"run {names[0][run]}: no scores of {names[2][at]}, not compared by it"
        for run, at in np.argwhere(~present.any(axis=1)).tolist()
    ]
    for where, what, done in (
        (zeroed, no_score, as_zero),
        (missing & ~zeroed, no_score, left_out),
        (undefined, "undefined in", how),
    ):
        told += [f"{line}: {done}" for line in _lost(where, names, what)]
    return known, told


def _lost(where: BoolArray, names: Names, what: str) -> Iterator[str]:
    """For each run the topics without a value, measures with the same topics together."""
    runs, topics, measures = names
    for run, lacks in zip(runs, where, strict=True):
        together: dict[tuple[str, ...], list[str]] = {}
        for name, own in zip(measures, lacks.T, strict=True):
            lost = tuple(compress(topics, own.tolist()))
            together.setdefault(lost, []).append(name)
        together.pop((), None)
        for lost, of in together.items():
            yield f"run {run}: {listed(of)} {what} {count(len(lost), 'topic')} ({listed(lost)})"


# Measures by their names.


@cache
def known_measures(name: str, families: Families = None) -> tuple[Measure, ...]:
    """The measures of these families, or of all, that are written like this."""
    found = []
    for each in family_names() if families is None else families:
        with suppress(MeasureError):
            found.append(parse_measure(name, definitions(each)))
    return tuple(found)


def families_of(signatures: Sequence[str], names: Sequence[str]) -> tuple[str, ...] | None:
    """The families of scores with these signatures and measures; None where that isn't told.

    It is the first family that has the edition and all the measures: others are not loaded.
    """
    traits = map(traits_of, signatures)
    found = [_family_of(own.get("family"), own.get("edition"), tuple(names)) for own in traits]
    known = tuple(dict.fromkeys(each for each in found if each is not None))
    return None if None in found or not known else known


def traits_of(signature: str) -> dict[str, str]:
    """The parts of a signature by their names."""
    parts = (part.partition(":") for part in signature.split("|"))
    return {name: value for name, _, value in parts}


@cache
def _family_of(name: str | None, edition: str | None, names: tuple[str, ...]) -> str | None:
    for each in family_names():
        has_edition = edition in {one.name for one in family(each).editions}
        is_meant = name == each or (name is None and has_edition)
        if is_meant and all(
            known_measures(titles((each,)).get(one, one), (each,)) for one in names
        ):
            return each
    return None


def higher_is_better(name: str, families: Families = None) -> bool | None:
    """Whether higher is better by the measure's definition.

    None where no measure has the name, or two families have one that go different ways.
    """
    told = {measure.higher_is_better for measure in known_measures(name, families)}
    return told.pop() if len(told) == 1 else None


@cache
def titles(families: Families = None) -> dict[str, str]:
    """The measures' names by the titles that the tables of the track's scripts give them."""
    names = family_names() if families is None else families
    every = (edition for name in names for edition in family(name).editions)
    return {title: name for each in every for name, title in each.titles.items()}


def in_order(names: Iterable[str], families: Families = None) -> list[str]:
    """The measures in the order in which they are defined, then those that nobody knows."""
    within = family_names() if families is None else families
    order = [name for each in within for name in definitions(each)]

    def place(name: str) -> int:
        known = known_measures(name, families)
        return order.index(known[0].definition.name) if known else len(order)

    return sorted(natural_order(names), key=place)


def choose_measures(
    wanted: Sequence[str], present: Sequence[str], families: Families = None
) -> list[str]:
    """The measures asked for, of those present, in the order asked for; all if none is named.

    A name may have blanks in brackets or stand by an official title. One that isn't there is a
    `UsageError`.
    """
    if not wanted:
        return list(present)
    found: list[str] = []
    for text in wanted:
        parts = [text.strip()] if named(text, present, families) else split_measures(text)
        for part in parts:
            name = named(part, present, families)
            check_known("measure", name or part, present)
            found.append(name or part)
    if not found:
        raise UsageError("no measure is named")
    return list(dict.fromkeys(found))


def named(text: str, present: Sequence[str], families: Families = None) -> str | None:
    """The measure that a text names, as it is written in the scores."""
    text, within = text.strip(), family_names() if families is None else families
    texts = dict.fromkeys((text, *(with_name(text, definitions(each)) for each in within)))
    known = [each for one in texts for each in known_measures(one, families)]
    written = {text, titles(families).get(text, text), *(each.name for each in known)}
    return next((name for name in present if name in written), None)


# Rows of topics, or of groups.


def of_one_kind(
    rows: pl.DataFrame, types: Sequence[str], families: Families = None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The scores without the topics of measures that have groups, and what is to be told of it."""
    # Measures that have rows of groups beside those of topics.
    names = rows["measure"].unique(maintain_order=True)
    words = {name: own for name in names if (own := _words(name, families, "by_group"))}
    if not words:
        return rows, ()
    said, has_both = next(iter(words.values())), pl.col("measure").is_in(list(words))
    groups = types or _likely_groups(rows, has_both, said, families)
    if groups is None:
        told = (
            f"{listed(_names(rows, 'measure', has_both))}: nothing tells here whether topics are "
            f"{said.topic}s or {said.groups}; scores as -f json or parquet do"
        )
        return rows, (told,)
    of_group = pl.col("topic").is_in(groups)
    with_groups = _names(rows, "measure", has_both & of_group)
    is_lost = has_both & ~of_group & pl.col("measure").is_in(with_groups)
    kept = rows.filter(~is_lost)
    if kept.height == rows.height:
        return rows, ()
    told = (
        f"{listed(_names(rows, 'measure', is_lost))}: compared over {said.groups}, whose mean is "
        f"the score; rows of {said.topic}s are left out: {listed(_names(rows, 'topic', is_lost))}"
    )
    return kept, (told,)


def _likely_groups(
    rows: pl.DataFrame, has_both: pl.Expr, said: Words, families: Families
) -> list[str] | None:
    """The groups where no file tells them: topics of which the family's other measures know none.

    Without such measures it is the topics that are called as groups usually are; None if none is,
    and there may be groups of other names.
    """
    of_topics = []
    for name in rows["measure"].unique():
        known = known_measures(name, families)
        if not any(each.definition.by_group for each in known):
            of_topics += [name for each in known if family(each.family).words.groups]
    topics = _names(rows, "topic", pl.col("measure").is_in(of_topics))
    candidates = _names(rows, "topic", has_both)
    if topics:
        return [name for name in candidates if name not in topics]
    return [name for name in candidates if name.startswith(said.group_names)] or None


def _names(rows: pl.DataFrame, column: str, chosen: pl.Expr) -> list[str]:
    """The names in the chosen rows, each once, in the order of all rows."""
    names = set(rows.filter(chosen)[column])
    return [name for name in rows[column].unique(maintain_order=True) if name in names]

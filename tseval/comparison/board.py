"""The board: the scores of all runs on all topics, with everything that is missing settled."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.comparison.directions import (
    choose_measures,
    families_of,
    higher_is_better,
    in_order,
    known_measures,
    named,
    titles,
)
from tseval.comparison.plan import Treatment
from tseval.comparison.row_groups import of_one_kind
from tseval.core.family import Words
from tseval.core.registry import family
from tseval.core.wording import automatic_matches, count, listed
from tseval.errors import MissingTopics, UsageError, check_known
from tseval.io.faults import FaultList
from tseval.io.given import is_frame
from tseval.io.inputs import InputRecord
from tseval.io.names import natural_order
from tseval.io.schema import ALL_TOPICS, SCORES
from tseval.io.scores import READER, Provenance
from tseval.io.tables import read
from tseval.records import frozen
from tseval.statistics.bootstrap import contributions

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray
    from tseval.core.scores import Scores
    from tseval.io.given import Given

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
            return tuple(chain.from_iterable(getattr(part, name) for part in parts))

        told = ("signatures", "untold", "types", "doubts")
        frame = pl.concat([part.frame for part in parts], how="diagonal")
        return cls(frame, joined("sources"), *(tuple(dict.fromkeys(joined(name))) for name in told))

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


SHORT_HASH = 12
"""How many hexadecimal digits of a hash a signature shows."""


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
    families: tuple[str, ...] | None = None
    """The families that the scores are of; None where not all scores tell."""

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
    measures = choose_measures(wanted, present, families)
    lower, strays = _resolve_names(rules.lower, present)
    higher_told, more = _resolve_names(rules.higher, present)
    rules = replace(rules, lower=lower, higher=higher_told)
    chosen = table.frame.filter(pl.col("measure").is_in(measures))
    kept, of_kinds = of_one_kind(chosen, table.types, families)
    cube = _Cube.of(kept, measures)
    ways = [_direction(name, rules, families) for name in measures]
    higher = tuple(way is not False for way in ways)
    known, warnings = cube.apply_treatment(rules, higher)
    weights = cube.weights
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
        runs=cube.runs,
        topics=cube.topics,
        measures=tuple(measures),
        values=np.where(cube.defined, cube.values, 0.0),
        known=known,
        higher=higher,
        traits=traits,
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
        strays=(*strays, *more),
        families=families,
    )


def check_directions(*boards: Board) -> None:
    """Refuse a direction that is told of a measure of which none of these boards has scores."""
    for name in boards[0].strays:
        if all(name in board.strays for board in boards):
            known = dict.fromkeys(measure for board in boards for measure in board.measures)
            check_known("measure", name, known)


def _resolve_names(
    told: Sequence[str], present: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Measures as they are called in the scores, and those of which there are none."""
    names = {name: named(name, present) for name in told}
    strays = tuple(name for name, there in names.items() if there is None)
    return tuple(there or name for name, there in names.items()), strays


UNDEFINED_AS_ZERO = "undefined:zero"
"""What a signature says where undefined topics count in the mean."""


def _direction(name: str, rules: Treatment, families: tuple[str, ...] | None) -> bool | None:
    if name in rules.lower or name in rules.higher:
        return name in rules.higher
    return higher_is_better(name, families)


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
    families: tuple[str, ...] | None,
) -> Iterator[str]:
    """A word where `all` of the scores is a quotient of sums, and their files tell no weights."""
    lost = []
    for at, name in enumerate(measures):
        own = known[:, :, at]
        lacking = weights is None or not np.isfinite(weights[:, :, at][own]).all()
        if lacking and _pooled(name, families).pooled_by:
            lost.append(name)
    by_topics = bool(signatures) and all("mean=topics" in each for each in signatures)
    if lost and not by_topics:
        words = _pooled(lost[0], families)
        yield (
            f"{listed(lost)}: compared by means over topics, though `all` of edition "
            f"{words.pooled_by} is that of all topics' {words.items}: these scores don't tell how "
            f"many {words.items} a topic has; write them with -f json or parquet, which do"
        )


def _pooled(name: str, families: tuple[str, ...] | None) -> Words:
    """The words of the family that may take `all` of this measure from all topics together."""
    pooled = (each for each in known_measures(name, families) if each.definition.may_pool)
    return next((family(each.family).words for each in pooled), Words())


def _unknown_ways(
    unknown: Sequence[str], rules: Treatment, families: tuple[str, ...] | None
) -> Iterator[str]:
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


@frozen(eq=False)
class _Cube:
    """Values of the shape (runs, topics, measures); `present` tells where there is a row."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    defined: BoolArray
    present: BoolArray
    weights: FloatArray | None

    @classmethod
    def of(cls, rows: pl.DataFrame, measures: Sequence[str]) -> _Cube:
        runs, topics = (tuple(natural_order(rows[name].unique())) for name in ("run", "topic"))
        named = zip(KEY, (runs, topics, measures), strict=True)
        place = tuple(
            rows[name].cast(pl.Enum(names)).to_physical().to_numpy() for name, names in named
        )
        shape = (len(runs), len(topics), len(measures))
        values, defined, present = np.zeros(shape), np.zeros(shape, bool), np.zeros(shape, bool)
        values[place] = rows["value"].fill_null(0.0)
        defined[place], present[place] = rows["value"].is_not_null(), True
        if present.sum() < rows.height:
            run, topic, name = rows.filter(~pl.struct(KEY).is_first_distinct()).row(0)[:3]
            raise UsageError(
                f"the score of run '{run}' on topic '{topic}' by {name} is given twice, perhaps "
                "under the measure's name and under an official title"
            )
        weights = None
        if "weight" in rows:
            weights = np.full(shape, np.nan)
            weights[place] = rows["weight"].fill_null(np.nan)
        return cls(runs, topics, tuple(measures), values, defined, present, weights)

    def apply_treatment(
        self, rules: Treatment, higher: Sequence[bool]
    ) -> tuple[BoolArray, list[str]]:
        """Which values count by these rules, and what was done.

        0 is what saying nothing is worth, but not where it is the best value, or a middling one.
        """
        takes_part = self.present.any(axis=1, keepdims=True)
        judged = self.present.any(axis=0, keepdims=True)
        missing = judged & takes_part & ~self.present
        if rules.on_missing == "error" and missing.any():
            raise MissingTopics(next(self._lost(missing)) + ": there are no scores")
        undefined = self.present & ~self.defined
        lowest = np.where(self.defined, self.values, 0.0).min(axis=(0, 1))
        worst: BoolArray = np.asarray(higher, np.bool_) & (lowest >= 0)
        zeroed = worst & np.bool_(rules.on_missing == "zero")
        known = self.defined | (missing & zeroed)
        if rules.undefined == "zero":
            known = known | undefined
        told = [
            f"run {run}: no scores of {name}, not compared by it"
            for r, run in enumerate(self.runs)
            for m, name in enumerate(self.measures)
            if not self.present[r, :, m].any()
        ]
        told += [f"{line}: counted as 0" for line in self._lost(missing & zeroed)]
        told += [f"{line}: left out" for line in self._lost(missing & ~zeroed)]
        how = "counted as 0" if rules.undefined == "zero" else "left out"
        told += [f"{line}: {how}" for line in self._lost(undefined, "undefined in")]
        return known, told

    def _lost(self, where: BoolArray, what: str = "has no score in") -> Iterator[str]:
        """For each run the topics without a value, measures with the same topics together."""
        for r, run in enumerate(self.runs):
            together: dict[tuple[int, ...], list[str]] = {}
            for m, name in enumerate(self.measures):
                topics = tuple(np.flatnonzero(where[r, :, m]).tolist())
                if topics:
                    together.setdefault(topics, []).append(name)
            for lost, names in together.items():
                shown = listed([self.topics[t] for t in lost])
                noun = count(len(lost), "topic")
                yield f"run {run}: {listed(names)} {what} {noun} ({shown})"

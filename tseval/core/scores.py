"""Scores: the result of every scoring command, and what can be asked of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.results import Values
from tseval.core.wording import count
from tseval.errors import UsageError, check_known, check_suffix
from tseval.io.inputs import InputRecord
from tseval.io.schema import ALL_TOPICS
from tseval.io.score_files import ScoreRecord
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.arrays import BoolArray, FloatArray
    from tseval.core.panels import Picture


@frozen
class Overall:
    """Values of `all` that are no means over topics, of the shape (runs, measures).

    `given` says which measures these are; the others hold anything.
    """

    value: FloatArray
    defined: BoolArray
    given: BoolArray
    weights: FloatArray | None = None
    """Where such a value is a quotient of sums over topics, what the value of each topic is divided
    by, of the shape (runs, topics, measures); NaN for other measures."""


def over_topics(values: Values, counted: BoolArray, *, undefined_as_zero: bool) -> Values:
    """The mean of each run and measure over the topics that count, of values as `Scores` has them.

    `counted` has their shape, or one that stands for it. Topics are added one after the other, as
    in curves: numpy's sum goes another way for one measure, whose last bit then tells its company.
    """
    used = np.broadcast_to(counted, values.value.shape)
    used = used if undefined_as_zero else used & values.defined
    number = used.sum(axis=1)
    worth = np.where(used & values.defined, values.value, 0.0)
    sums = worth.cumsum(axis=1)[:, -1] + 0.0 if worth.shape[1] else np.zeros(number.shape)
    return Values(sums / np.maximum(number, 1), number > 0)


SHOWN = 4
"""So many names stand in a `repr`; of more their number."""
NAMED = 24
"""So many topics are named below a panel; of more nothing."""
COLUMNS = 2
"""How many panels stand side by side."""
APART = 0.5
"""How far the runs of a topic are spread, as a share of the place that a topic has."""
LONGEST = 250
"""MLflow takes no longer name."""


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Values by run, topic and measure, with their signature, inputs and warnings.

    `value` and `defined` have the shape (runs, topics, measures); `counted[run, topic]` is False
    for a topic that the run lacks and that was to be skipped.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    defined: BoolArray
    counted: BoolArray
    undefined_as_zero: bool
    signature: str
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...] = ()
    overall: Overall | None = None
    """What `all` is where it is not the mean over topics."""
    applies: BoolArray | None = None
    """Which measures a topic can have, of the shape (topics, measures); None for all."""
    types: tuple[str, ...] = ()
    """The topics that are information types, where such stand beside events."""
    units: Mapping[str, str] = field(default_factory=dict)
    """What measures are counted in, by their names; those of plain numbers are not in it."""
    means: FloatArray = field(init=False)
    """Per run and measure the mean over the topics that count; 0 where it is undefined."""
    mean_defined: BoolArray = field(init=False)

    def __post_init__(self) -> None:
        values = Values(self.values, self.defined)
        counted = self.counted[:, :, None] & self._applicable
        found = over_topics(values, counted, undefined_as_zero=self.undefined_as_zero)
        means, defined = found.value, found.defined
        if self.overall is not None:
            means = np.where(self.overall.given, self.overall.value, means)
            defined = np.where(self.overall.given, self.overall.defined, defined)
        object.__setattr__(self, "mean_defined", defined)
        object.__setattr__(self, "means", means)

    def __repr__(self) -> str:
        parts = {"run": self.runs, "topic": self.topics, "measure": self.measures}
        shown = [
            ", ".join(names) if len(names) <= SHOWN else count(len(names), what)
            for what, names in parts.items()
        ]
        return f"Scores({'; '.join(shown)})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the values of all topics, and the signature."""
        from tseval.io.score_files import displayed, html_signature, html_table

        rows = [
            [run, *(displayed(self.value(name, run=run)) for name in self.measures)]
            for run in self.runs
        ]
        table = html_table(["run", *self.measures], rows, names=1)
        return f"{table}\n{html_signature(self.signature)}"

    def __eq__(self, other: object) -> bool:
        """Whether all values are the same and came about in the same way."""
        return isinstance(other, Scores) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        known = np.where(self.defined, self.values, 0.0) + 0.0  # one zero is as good as the other
        means = np.where(self.mean_defined, self.means, 0.0) + 0.0
        arrays = (known, self.defined, self.counted, means, self.mean_defined)
        names = (self.runs, self.topics, self.measures, self.signature)
        return (*names, *(np.ascontiguousarray(each).tobytes() for each in arrays))

    def to_dict(self, topic: str = ALL_TOPICS, *, safe: bool = False) -> dict[str, float | None]:
        """Return the values of a topic by `MEASURE`, or by `RUN/MEASURE` with several runs.

        With `safe` names are such that MLflow and W&B take them, and undefined values, which they
        do not take, are left out.
        """
        several = len(self.runs) > 1
        found = {
            f"{run}/{name}" if several else name: self.value(name, topic, run)
            for run in self.runs
            for name in self.measures
        }
        if not safe:
            return found
        named = zip(safe_names(list(found)), found.values(), strict=True)
        return {name: value for name, value in named if value is not None}

    def plot(self) -> Picture:
        """A picture of every value: a panel for each measure, topic by topic, and `all` last."""
        from tseval.core.panels import Axis, Dots, Panel, Picture

        topics, runs = (*self.topics, ALL_TOPICS), self.runs
        places = tuple(float(at) for at in range(1, len(topics) + 1))
        is_named = len(topics) <= NAMED
        ticks, names = (places, topics) if is_named else ((), ())
        x = Axis("topic", low=0.5, high=len(topics) + 0.5, ticks=ticks, names=names, is_whole=True)
        panels = []
        for measure in self.measures:
            dots = []
            for at, run in enumerate(runs):
                aside = APART * ((at + 0.5) / len(runs) - 0.5)
                values = tuple(self.value(measure, topic, run) for topic in topics)
                beside = tuple(place + aside for place in places)
                dots.append(Dots(at, beside, values, (1.0,) * len(topics)))
            known = [0.0, *(value for own in dots for value in own.value if value is not None)]
            y = Axis(low=min(known), high=max(known), is_rounded=True)
            panels.append(Panel(measure, "", x, (), y, dots=tuple(dots)))
        return Picture("Scores by topic", self.signature, runs, tuple(panels), COLUMNS)

    @property
    def _applicable(self) -> BoolArray:
        shape = self.values.shape[1:]
        return np.ones(shape, bool) if self.applies is None else self.applies

    def records(self, *, per_topic: bool = True) -> Iterator[ScoreRecord]:
        """Every value, by run, topic and measure; the mean over topics last of each run."""
        applies = self._applicable
        for r, run in enumerate(self.runs):
            for t, topic in enumerate(self.topics if per_topic else ()):
                if self.counted[r, t]:
                    for m in np.flatnonzero(applies[t]).tolist():
                        known = self.defined[r, t, m]
                        value = float(self.values[r, t, m]) if known else None
                        yield ScoreRecord(run, topic, self.measures[m], value)
            for m, name in enumerate(self.measures):
                value = float(self.means[r, m]) if self.mean_defined[r, m] else None
                yield ScoreRecord(run, ALL_TOPICS, name, value)

    def weights(self) -> Iterator[ScoreRecord]:
        """For each topic of measures whose `all` is a quotient of sums what its value weighs.

        The sum of values times weights, by the sum of weights, is `all`.
        """
        weights = None if self.overall is None else self.overall.weights
        if weights is None:
            return
        for r, t, m in np.argwhere(~np.isnan(weights) & self.counted[:, :, None]).tolist():
            at = self.runs[r], self.topics[t], self.measures[m]
            yield ScoreRecord(*at, float(weights[r, t, m]))

    def topics_of(self, run: str, measure: str) -> int:
        """How many topics a measure of a run was taken in."""
        r, m = _place(self.runs, run, "run"), _place(self.measures, measure, "measure")
        return int((self.counted[r] & self._applicable[:, m]).sum())

    def undefined(self) -> Iterator[tuple[str, str, list[str]]]:
        """For each run and measure that is undefined anywhere, the topics where it is."""
        for r, run in enumerate(self.runs):
            for m, name in enumerate(self.measures):
                missing = ~self.defined[r, :, m] & self.counted[r] & self._applicable[:, m]
                if missing.any():
                    yield run, name, [self.topics[t] for t in np.flatnonzero(missing)]

    def value(
        self, measure: object, topic: str = ALL_TOPICS, run: str | None = None
    ) -> float | None:
        """Return one value; None if it is undefined or the topic was skipped.

        `run` may be left out where there is one alone. An unknown name is a `UsageError`.
        """
        if run is None and len(self.runs) != 1:
            raise UsageError(f"say which run: {', '.join(self.runs)}")
        r = _place(self.runs, self.runs[0] if run is None else run, "run")
        m = _place(self.measures, str(measure), "measure")
        if topic == ALL_TOPICS:
            return float(self.means[r, m]) if self.mean_defined[r, m] else None
        t = _place(self.topics, topic, "topic")
        known = self.defined[r, t, m] and self.counted[r, t]
        return float(self.values[r, t, m]) if known else None

    def frame(self, *, per_topic: bool = True) -> pd.DataFrame:
        """Return a tidy frame: run, topic, measure, value; undefined is `pandas.NA`."""
        import pandas as pd

        records = list(self.records(per_topic=per_topic))
        frame = pd.DataFrame.from_records(records, columns=ScoreRecord._fields)
        return frame.astype({"value": "Float64"})

    def save(self, path: str | Path, *, per_topic: bool = True, safe_csv: bool = False) -> None:
        """Write the scores to a file, whole or not at all, in the format of its suffix.

        `.json`, `.csv`, `.parquet`, `.trec`, `.md`, `.tex`; anything else is a `UsageError`. Cells
        that a spreadsheet takes for formulas are a warning; `safe_csv` makes texts of them.
        """
        from tseval.io.atomic_write import write_file
        from tseval.io.rows import guarded
        from tseval.io.score_files import RESULT_FORMS, SUFFIXES

        suffix = Path(path).suffix.lstrip(".").lower()
        form = SUFFIXES.get(suffix, suffix)
        check_suffix(f"cannot save '{path}'", form, RESULT_FORMS)
        content = self.in_form(form, per_topic=per_topic)
        write_file(path, guarded(content, form, safe=safe_csv))

    def in_form(self, form: str, *, per_topic: bool = True) -> bytes:
        """The content of a file of these scores, in one of `RESULT_FORMS`."""
        from tseval.io.score_files import ScoreFile, Undefined, score_file_bytes

        file = ScoreFile(
            self.runs,
            list(self.records(per_topic=per_topic)),
            self.signature,
            self.inputs,
            self.warnings,
            self.types,
            [
                Undefined(run, measure, len(topics), self.topics_of(run, measure))
                for run, measure, topics in self.undefined()
            ],
            list(self.weights()) if per_topic else [],
            self.units,
        )
        return score_file_bytes(file, form)


def _place(names: tuple[str, ...], name: str, what: str) -> int:
    check_known(what, name, names)
    return names.index(name)


def safe_names(names: Sequence[str]) -> list[str]:
    """The names such that W&B and MLflow take them, no two alike; the same names give the same.

    W&B sorts and filters by names of letters, digits and underscores that begin with no digit;
    MLflow takes these too, up to `LONGEST` characters. A name that would be another's has a number.
    """
    safe: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", name.replace("@", "_at_")).strip("_") or "value"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        found, number = plain[:LONGEST], 1
        while found in safe:
            number += 1
            end = f"_{number}"
            found = plain[: LONGEST - len(end)] + end
        safe.append(found)
    return safe

"""Temporal summarization in blocks and live: the gold, to which updates are held as they come.

`LiveScores` is the same for a program that knows itself what each update says.

Each update has its pairs with nuggets in a column, `says`: they are found once, when it comes, and
stay beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tseval.core.family import Access, as_measures
from tseval.core.frames import Content, FrameGold
from tseval.core.kernel import KEY, sort_rows
from tseval.core.measure import Measure
from tseval.core.scoring import scores_of
from tseval.core.streams import Rows
from tseval.errors import UsageError
from tseval.families.temporal import files, rows
from tseval.families.temporal.evaluation import (
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
    check_texts,
    matcher_name,
)
from tseval.families.temporal.rows import ASSESSED
from tseval.families.temporal.rules import DRAFT
from tseval.io.schema import ALL_TOPICS
from tseval.io.tables import Table, TableReader, add_faults
from tseval.io.topics import YEARS_CURE, GoldTopics
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.core.scores import Scores
    from tseval.io.faults import FaultList
    from tseval.io.given import Given

RULES = DRAFT.rules
CODES = pl.selectors.categorical()
SAYS = pl.List(pl.Struct({"nugget": pl.UInt32, "grade": pl.Float64}))
"""The type of what updates say, where they are told it."""


@frozen(kw_only=True)
class StreamedEvaluation(TemporalEvaluation):
    """Updates that are kept, and numbers of the others."""

    numbers: pl.DataFrame
    """`run topic rows` of the others, with how many of them have each of `rows.MARKS`."""

    @classmethod
    def choose_readers(cls, inputs: Any, rules: Any) -> Mapping[str, TableReader]:  # noqa: ARG003 - of any
        """Return how the inputs are read: updates with texts as names, since more will come."""
        named = replace(files.NAMED_RUNS, check=name_ids)
        return {**files.readers_by(rules), "updates": named}

    @property
    def census(self) -> pl.DataFrame:
        """How many updates there were, and of what kind."""
        kept = self.request.tables["updates"].frame
        marked = kept.group_by(KEY).agg(*map(rows.count_marked, rows.MARKS), rows=pl.len())
        census = rows.add_up([marked, self.numbers.select(*KEY, "rows", *rows.MARKS)])
        return census.with_columns(read="rows")

    @property
    def coded(self) -> dict[str, Table]:
        """The tables, with names of the updates as codes too."""
        updates = self.request.tables["updates"]
        frame = files.code_names(updates.frame).with_row_index("update")
        return {**self.request.tables, "updates": replace(updates, frame=frame)}

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Yield what a reader should know of files that do not fit together, and of runs."""
        tables = self.coded
        found, updates = rows.UpdatePairs(self.found), tables["updates"].frame
        yield from rows.find_warnings(tables, updates, found, self.frames, self.census)
        yield from super().caveats(wanted)


class TemporalGold(FrameGold):
    """The nuggets and what stands beside them; an update is kept that says more than all before."""

    evaluation = StreamedEvaluation
    in_order = True
    marks = rows.MARKS

    def __init__(self, inputs: TemporalInputs, options: TemporalOptions, *more: Any) -> None:
        edition, changed, access = more
        if edition != DRAFT or changed:
            raise UsageError("what is not read whole scores by the draft, without other rules")
        name = matcher_name(options, assessed=inputs.matches is not None)
        super().__init__(inputs, options, *more)
        tables = {name: each for name, each in self.request.tables.items() if name != "updates"}
        self.tables, self.pool = tables, rows.pool_of(tables)
        self.nuggets = rows.find_nuggets(tables, RULES)
        self.topics = GoldTopics(tables["nuggets"].frame["topic"].unique(), RULES.topic_names)
        self.times = rows.find_times(tables, self.nuggets)
        starts = self.times.select(pl.col("topic").cast(pl.String), "start")
        self.starts = dict(starts.iter_rows())
        if "matches" in tables:
            self.name = files.maker_of(tables["matches"]) or name
            graded = "grade" in tables["matches"].frame.columns
            self.told = ["nugget", *["grade"] * graded, "match"]
        else:
            from tseval.matching.in_units import match_blocks
            from tseval.matching.matching import get_matcher

            using = get_matcher(name, options.threshold)
            self.name, self.told = str(using), ["nugget", *["grade"] * bool(using.grades)]
            self.match = match_blocks(using, self.nuggets, access.sharing)

    def prepare(
        self, block: pl.DataFrame, before: pl.DataFrame | None, faults: FaultList
    ) -> pl.DataFrame:
        """Return updates with the texts of what stands for them, what they say, and their marks."""
        self._refuse_clashes(block, before, faults)
        named = files.code_names(self.topics.rename_in(block))
        tables = {**self.tables, "updates": Table("updates", named, ())}
        updates = rows.add_texts(rows.find_scored_updates(tables, RULES), self.pool)
        if "matches" in tables:
            found, is_silent = rows.find_assessed(tables, updates), pl.lit(value=False)
        else:
            check_texts(tables)
            matched, is_silent = self.match(updates), pl.col("text") == ""
            pairs = matched.select(
                pl.col("update").cast(pl.UInt32),
                nugget=self.nuggets["nugget"].gather(matched["nugget"]),
                grade=pl.col("score").fill_null(1.0),
            )
            found = rows.UpdatePairs(pairs)
        says = found.pairs.group_by("update", maintain_order=True).agg(says=pl.struct(self.told))
        start = pl.col("topic").cast(pl.String).replace_strict(self.starts, default=None)
        updates = updates.with_columns(
            early=(pl.col("time") < start).fill_null(value=False),
            silent=is_silent,
            judged=rows.are_judged(found, has_pool="pool" in tables),
        ).join(says, on="update", how="left", maintain_order="left")
        return block.with_columns(updates.select("text", "says", *rows.MARKS))

    def _refuse_clashes(
        self, block: pl.DataFrame, before: pl.DataFrame | None, faults: FaultList
    ) -> None:
        """Refuse topics that by two names with prefixes would be one of the gold."""
        known: Iterable[str] = [] if before is None else before["topic"].unique(maintain_order=True)
        prefixed = {topic: own for own in known if (topic := self.topics.find(own))}
        wrong = self.topics.clashes(block, prefixed)
        add_faults(faults, wrong, "{reason}", YEARS_CURE, "ambiguous-id")
        faults.check()

    def evaluate(self, runs: Table, others: pl.DataFrame) -> StreamedEvaluation:
        """Return the evaluation of some updates, which are prepared."""
        frame = self.topics.rename_in(runs.frame).with_columns(pl.col("^cost$").fill_null(1.0))
        tables = {**self.tables, "updates": replace(runs, frame=frame)}
        updates = frame.with_row_index("update").with_columns(weight=1.0)
        pairs = updates.select("update", "says").explode("says").drop_nulls().unnest("says")
        found, updates = rows.UpdatePairs(pairs), updates.drop("says")
        index = rows.index_of(tables, updates, self.nuggets, found, RULES, self.times)
        request = self.request._replace(tables=tables)
        fields = {"request": request, "found": pairs, "numbers": self.topics.rename_in(others)}
        content = Content(index, first_traits={"matcher": self.name}, fields=fields)
        return StreamedEvaluation.of(request, content)

    def keep(self, updates: pl.DataFrame) -> pl.Series:
        """Return which updates say more of a nugget than all before.

        Also those of a run's least and largest confidence. Of matches it is remembered which
        updates have come.
        """
        place, unit = pl.int_range(pl.len(), dtype=pl.UInt32), ["run", "nugget"]
        numbered = updates.select("run", "time", "says", row=place)
        pairs = numbered.explode("says").drop_nulls("says").unnest("says")
        pairs = sort_rows(pairs, *unit, "time")
        says_more = rows.begins(*unit)
        if "grade" in self.told:
            before = pl.col("grade").cum_max().shift(1).over(unit).fill_null(0.0)
            says_more = pl.col("grade") > before
        kept = [pairs.filter(says_more)["row"]]
        if "match" in self.told:
            if self.memory is None:
                number = self.tables["matches"].frame.height
                self.memory = pl.select(has_come=pl.repeat(False, number))
            has_come = self.memory["has_come"].scatter(pairs["match"], True)
            self.memory = has_come.to_frame()
        if "confidence" in updates.columns:
            level = pl.col("confidence").fill_null(0.0)
            is_end = (place == level.arg_min()) | (place == level.arg_max())
            kept.append(updates.select(is_end.over("run")).to_series().arg_true())
        return updates.select(place.is_in(pl.concat(kept).implode())).to_series()

    def conclude(
        self, evaluation: StreamedEvaluation, *, is_live: bool, to_come: bool
    ) -> list[str]:
        """Refuse matches, and a pool, that fit no update; of matches some may be yet to come."""
        tables, index = evaluation.coded, evaluation.frames
        waiting = 0
        if "matches" in tables:
            if not is_live:
                rows.refuse_foreign_matches(tables)
            unknown = files.find_unknown(tables, tables["updates"].frame)
            if self.memory is not None:
                unknown = unknown.filter(~self.memory["has_come"].gather(unknown["row"]))
            waiting = unknown.height
            files.refuse_unknown(tables, unknown.clear() if to_come else unknown)
        if not is_live:
            rows.refuse_foreign_pool(tables, evaluation.census, index)
        verb = "match speaks" if waiting == 1 else "matches speak"
        return [f"{waiting:,} {verb} of updates that have not come yet"] * (waiting > 0)


def name_ids(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return updates with their ids and all names as texts."""
    return files.ids_as_texts(frame, faults).with_columns(CODES.cast(pl.String))


class LiveScores:
    """Scores of runs whose updates arrive one at a time, each with the nuggets that it reports.

    After each update the values are those of `tseval.score` for the updates so far, in any order of
    times. `topics` has the starts of topics, for times such as `6h`.
    """

    def __init__(
        self,
        nuggets: Given,
        measures: Iterable[str | Measure] | str | Measure | None = None,
        at: Sequence[str] = (),
        *,
        topics: Given | None = None,
        run: str = "run",
    ) -> None:
        inputs = TemporalInputs((), nuggets, topics=topics)
        gold = TemporalGold(inputs, TemporalOptions(matcher="exact"), DRAFT, {}, Access())
        gold.name, gold.told = ASSESSED, ["nugget", "grade"]
        self.gold, self.run, self.sent = gold, run, set[tuple[str, ...]]()
        self.rows = Rows(gold, as_measures(measures), [at] if isinstance(at, str) else at)
        self.rows.runs[run] = None
        self.has_cost: bool | None = None
        """Whether updates have costs, which the first decides; None before it."""
        names = gold.nuggets.select(pl.col(files.NUGGET).cast(pl.String), "nugget").iter_rows()
        self.nuggets = {(topic, name): nugget for topic, name, nugget in names}

    def add(
        self,
        topic: str,
        update_id: str,
        time: float,
        says: Iterable[str] | Mapping[str, float] = (),
        *,
        text: str = "",
        cost: float | None = None,
        run: str | None = None,
    ) -> None:
        """Take an update; `says` names the nuggets that it says, perhaps with grades.

        An update that came before, an unknown nugget, and a cost where the first update had none
        are refused. An update of a topic that is not in the gold counts for nothing.
        """
        run, known = run or self.run, self.gold.topics.rename(topic)
        grades = says if isinstance(says, Mapping) else dict.fromkeys(says, 1.0)
        if unknown := [name for name in grades if (known, name) not in self.nuggets]:
            raise UsageError(f'topic "{topic}" has no nugget {", ".join(unknown)}')
        if (run, topic, update_id) in self.sent:
            raise UsageError(f'update "{update_id}" of topic "{topic}" came before')
        if cost is not None and self.has_cost is False:
            raise UsageError("the first update has no cost: give it one too")
        self.has_cost = cost is not None if self.has_cost is None else self.has_cost
        row = {"run": run, "topic": topic, "update_id": update_id, "time": float(time)}
        said = [
            {"nugget": self.nuggets[known, name], "grade": float(grade)}
            for name, grade in grades.items()
            if grade > 0
        ]
        row |= {"text": text, "line": len(self.sent) + 1, "says": said, "sampled": True}
        row |= {"early": False, "silent": False, "judged": True}
        types = {**self.rows.empty.frame.schema, "says": SAYS}
        row |= {"cost": 1.0 if cost is None else cost} if self.has_cost else {}
        block = pl.DataFrame([row], {name: types.get(name, pl.Float64) for name in row})
        self.sent.add((run, topic, update_id))
        self.rows.runs[run] = None
        self.rows.add(block)

    def scores(self, on_missing: str | None = None, undefined: str = "skip") -> Scores:
        """Return the scores of the updates so far."""
        measures = self.rows.measures
        return scores_of(self.rows.evaluation(), measures, on_missing, undefined, is_plain=True)

    def value(
        self, measure: object, topic: str = ALL_TOPICS, run: str | None = None
    ) -> float | None:
        """Return the present value of a measure for a topic or for all; None if it is undefined."""
        return self.scores().value(measure, topic, run)

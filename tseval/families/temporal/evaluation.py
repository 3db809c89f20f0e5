"""Temporal summarization: from inputs and options to everything that a measure needs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from tseval.core.calling import Asking, curved, evaluated, explained, scored
from tseval.core.declared import (
    COMPARE,
    JITTER,
    MATCH,
    SCORES,
    STREAMS,
    SWEEP,
    UNMEASURED,
    argument,
    file_option,
    option,
)
from tseval.core.family import Access, Lost, ViewRequest
from tseval.core.frames import Content, FrameEvaluation, Request
from tseval.core.measure import Measure
from tseval.core.registry import measures
from tseval.core.results import Firsts
from tseval.core.rules import Edition
from tseval.core.scores import Scores
from tseval.core.scoring import scores_of
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.temporal import files, rows
from tseval.families.temporal import measures as definitions
from tseval.families.temporal.rows import ASSESSED
from tseval.families.temporal.rules import Rules
from tseval.io import schema
from tseval.io.inputs import SHORT_HASH
from tseval.io.names import natural_order
from tseval.io.score_files import displayed
from tseval.io.tables import Table, TableReader
from tseval.io.times import length_of
from tseval.io.topics import name_topics
from tseval.matching.asking import AskingOptions
from tseval.parallel.sharing import ALONE
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.io.given import Given

DEFAULT_MATCHER = "learned"
MATCHERS = (
    "learned", "fuzzy", "exact", "grams", "rapidfuzz", "embedding", "late", "llm", "blend",
)  # fmt: skip
"""The matchers that come along; they are not asked, since loading them takes a while."""
MATCHER_NAMES = (
    f"{', '.join(MATCHERS)}, or one with parameters, such as fuzzy(threshold=0.6) or "
    "llm(model=NAME,budget=5)"
)
CORRECTED_SCORES = "corrected"
"""The view that shows corrected scores with their intervals."""
SAMPLES = 1000
BOUNDED = ("P(updates)", "F")
"""What to report beside P, which may exceed 1."""
FEW = 4
"""Of so many runs these are told."""


def check_error(within: str) -> str:
    """Refuse what is no error of times."""
    length_of("jitter", within)
    return within


@frozen
class TemporalInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    updates: Sequence[Given] = argument(
        "UPDATES", "one or more files of updates", schema.UPDATES, several=True
    )
    nuggets: Given = argument("NUGGETS", "the file of nuggets", schema.NUGGETS)
    matches: Given | None = file_option(
        "The matches of assessors.",
        table=schema.MATCHES,
        not_within=(MATCH, "--resume"),
        by_place=True,
        needed_by=("matched-nuggets-only=yes", f"matcher={ASSESSED}"),
    )
    topics: Given | None = file_option(
        "The start of each topic: a table `topic start [end]`.",
        table=schema.TOPICS,
        not_within=(MATCH,),
    )
    duplicates: Given | None = file_option(
        "Pairs of duplicate updates: a table `topic update_id duplicate_id`.",
        table=schema.DUPLICATES,
        not_within=(MATCH, *STREAMS),
        needed_by=("exact-duplicates=lookup",),
    )
    pool: Given | None = file_option(
        "The updates that assessors saw. Matches may refer to them, and runs without texts get "
        "their texts from here.",
        table=schema.POOL,
        needed_by=("unsampled",),
    )
    corrections: Given | None = file_option(
        "Decisions that override the matcher: a table `topic update_id nugget_id verdict`, such "
        "as `tseval match --review` writes.",
        table=schema.CORRECTIONS,
        not_within=("--matches", *STREAMS),
    )
    judged: Given | None = file_option(
        "Correct the scores with a judged sample: the file of `tseval sample`, filled in. The "
        "matcher is the sample's.",
        table=schema.JUDGED,
        within=(SCORES, CORRECTED_SCORES, COMPARE),
        not_within=("--matches", "--corrections", "--brief", UNMEASURED),
    )


ruled = partial(option, not_within=(MATCH,))
rate = partial(option, metavar="SHARE", at_least=0, at_most=1, within=(CORRECTED_SCORES,))
"""Options that stand for rules, and how reliable a matcher is."""


@frozen
class TemporalOptions(AskingOptions):
    """How updates are matched, the options that stand for rules, and what --jitter draws."""

    matcher: str | None = option(
        f"The automatic matcher: {MATCHER_NAMES}. Default: {DEFAULT_MATCHER}.",
        metavar="NAME",
        not_within=(SWEEP, "--judged"),
        by_place=True,
    )
    threshold: float | None = option(
        "The matcher's threshold.", not_within=(SWEEP, "--matches", "--judged")
    )
    ignore_unsampled: bool = ruled(
        "Leave out updates that are not in the pool: --rule unsampled=skip.",
        kind=bool,
        rule="unsampled=skip",
    )
    binary: bool = ruled(
        "Reward nuggets of importance above 0 with 1, others with 0: --rule reward=binary.",
        kind=bool,
        rule="reward=binary",
    )
    matched_nuggets_only: bool = ruled(
        "Leave out nuggets that no match names: --rule matched-nuggets-only=yes.",
        kind=bool,
        rule="matched-nuggets-only=yes",
    )
    latency_from: str | None = ruled(
        "The time from which the latency of a nugget counts: --rule latency-from=VALUE. With "
        "`all` and `updates` it depends on all loaded runs.",
        choices=("nuggets", "all", "updates"),
        rule="latency-from",
    )
    jitter: str | None = option(
        "Show the interval of each score if every nugget's time is wrong by up to this much, such "
        "as 1h. Default measures: Rs T.",
        metavar="TIME",
        kind=check_error,
        within=(SCORES, JITTER),
        not_within=("--brief",),
    )
    samples: int = option(
        "Number of times that --jitter draws errors.",
        default=SAMPLES,
        metavar="N",
        at_least=2,
        within=(JITTER,),
    )
    seed: int = option(
        "Seed of the errors of --jitter, and of the topics drawn for the intervals of --judged.",
        default=0,
        at_least=0,
        within=(JITTER, CORRECTED_SCORES),
    )
    sensitivity: float | None = rate(
        "With --judged and --specificity: the share of reported nuggets that the matcher finds, "
        "for a second correction.",
        needed_by=("specificity",),
    )
    specificity: float | None = rate(
        "The share of unreported nuggets left unmatched.", needed_by=("sensitivity",)
    )


# Refusals.


def matcher_name(options: TemporalOptions, *, assessed: bool) -> str:
    """Which matcher to use; matches from a file and a matcher exclude each other."""
    matcher = options.matcher
    if assessed and matcher not in (None, ASSESSED):
        raise UsageError("give matches or a matcher, not both")
    if matcher is not None:
        return matcher
    return ASSESSED if assessed else DEFAULT_MATCHER


# Reading.


def teams_in(updates: pl.DataFrame) -> dict[str, tuple[str, str]]:
    """Return for each run of the track its team, and its name without it."""
    if "team" not in updates.columns:
        return {}
    first = updates.drop_nulls("team").unique("run", keep="first", maintain_order=True)
    pairs = first.select("run", "team").iter_rows()
    return {run: (team, run.removeprefix(f"{team}-")) for run, team in pairs if run != team}


def check_texts(tables: Mapping[str, Table]) -> None:
    """Refuse to match runs of the track where nothing says what their updates are."""
    updates = tables["updates"].frame
    if "pool" in tables and "text" in tables["pool"].frame.columns:
        return
    with_text = updates.filter(pl.col("text") != "") if "text" in updates.columns else updates[:0]
    if silent := natural_order(teams_in(updates).keys() - set(with_text["run"])):
        neither = ", and neither has this pool" if "pool" in tables else ""
        raise UsageError(
            f"runs of the track have no text to match by{neither}: {listed(silent)}; "
            "give --pool FILE with the texts, or --matches FILE"
        )


@frozen(kw_only=True)
class TemporalEvaluation(FrameEvaluation):
    """Runs and gold, matched and indexed: ready for any measure."""

    frames: rows.EarliestIndex
    request: Request
    found: pl.DataFrame
    """Who says what: `update nugget`, and scores and grades as far as there are such."""

    @classmethod
    def choose_readers(cls, inputs: Any, rules: Any) -> Mapping[str, TableReader]:  # noqa: ARG003 - of any
        """Return how the inputs are read by these rules."""
        return files.readers_by(rules)

    @classmethod
    def read_request(
        cls,
        inputs: TemporalInputs,
        options: TemporalOptions,
        edition: Edition[Rules],
        rules: Mapping[str, str],
        access: Access,
    ) -> Request:
        """Read every input, unless some have no meaning together."""
        matcher_name(options, assessed=inputs.matches is not None)
        looked_up = edition.rules.changed(rules).exact_duplicates == "lookup"
        if inputs.duplicates is not None and edition.titles and not looked_up:
            raise UsageError(
                f"edition {edition.name} reads no file of duplicates, its pool declares them; "
                "--rule exact-duplicates=lookup uses one"
            )
        if inputs.duplicates is not None and looked_up and inputs.pool is None:
            raise UsageError("duplicates are looked up in the pool: give --pool FILE")
        return super().read_request(inputs, options, edition, rules, access)

    @classmethod
    def read_tables(
        cls, inputs: TemporalInputs, options: TemporalOptions, rules: Rules, access: Access
    ) -> dict[str, Table]:
        """Read every input that is given, with one name for each topic in all.

        A fault in any of them is an `InputError`. Where nothing is left to match, it is the reading
        of the runs that is shared out.
        """
        if inputs.updates:
            files.refuse_swapped(inputs.updates, inputs.nuggets)
        if inputs.matches is None:
            access = replace(access, sharing=ALONE)
        tables = super().read_tables(inputs, options, rules, access)
        if access.runs is None:
            updates, nuggets = tables["updates"].frame, tables["nuggets"].frame
            times = nuggets.height / updates.height if updates.height else math.inf
            files.refuse_swapped(inputs.updates, inputs.nuggets, times)
        if "matches" in tables:
            tables["matches"] = files.count_matches(files.note_maker(tables["matches"]), rules)
        tables = name_topics(tables, "nuggets", rules.topic_names)
        is_named = tables["updates"].frame.schema["update_id"] == pl.String
        for name in () if is_named else tables:
            frame = files.split_ids(tables[name].frame, "update_id", "duplicate_id")
            tables[name] = replace(tables[name], frame=frame)
        if "judged" in tables:
            from tseval.matching.sampling import check_sample

            tables["judged"] = check_sample(tables["judged"])
        return tables

    @classmethod
    def build(cls, request: Request) -> Content:
        """Match and index, by the matches that were given or those of a matcher."""
        tables, rules = request.tables, request.rules
        updates, nuggets = rows.find_scored_updates(tables, rules), rows.find_nuggets(tables, rules)
        if "matches" in tables:
            rows.refuse_foreign_matches(tables)
            if not files.is_published(tables["matches"]):
                files.refuse_unknown(tables, files.find_unknown(tables, updates))
            found = rows.find_assessed(tables, updates)
            counted = found.pairs.join(nuggets, on="nugget", how="semi", maintain_order="left")
            found = found._replace(pairs=counted)
        else:
            from tseval.families.temporal.matched import find_matched

            check_texts(tables)
            name = matcher_name(request.options, assessed=False)
            if "judged" in tables:
                from tseval.matching.sampling import design_of

                name = design_of(tables["judged"])["matcher"]
            found = find_matched(request, updates, nuggets, name)
        index, traits = rows.index_of(tables, updates, nuggets, found, rules), dict[str, str]()
        if rules.latency_from != "nuggets":  # then the times of nuggets depend on all runs
            runs = tables["updates"]
            loaded = " ".join(sorted(source.sha256 for source in runs.sources))
            digest = hashlib.sha256(loaded.encode()).hexdigest()[:SHORT_HASH]
            traits["latency-runs"] = f"{len(runs.runs)}:sha256:{digest}"
        return Content(
            index,
            (
                *found.remarks,
                *rows.warn_of_pool(request.inputs.pool, tables, rules),
                *rows.find_warnings(tables, updates, found, index),
            ),
            traits,
            first_traits={"matcher": found.matcher, **found.traits},
            fields={"request": request, "found": found.pairs},
        )

    # What else asks matchers.

    @cached_property
    def updates(self) -> pl.DataFrame:
        """The updates that count, of all topics, with ids and texts of what stands for them."""
        tables, rules = self.request.tables, self.edition.rules
        updates = files.join_ids(rows.find_scored_updates(tables, rules), "update_id")
        updates = updates.filter("sampled") if rules.unsampled == "skip" else updates
        return rows.add_texts(updates, rows.pool_of(tables))

    @cached_property
    def nuggets(self) -> pl.DataFrame:
        """The nuggets that count."""
        return self.frames["nuggets"].with_columns(pl.col("topic").cast(pl.String))

    @property
    def pairs(self) -> pl.DataFrame:
        """Who says what, by the rows of `updates` and `nuggets` where the rules leave none out."""
        return self.found.with_columns(pl.col("update", "nugget").cast(pl.Int64))

    @cached_property
    def corrections(self) -> Table | None:
        """The verdicts that are laid over a matcher's pairs."""
        from tseval.families.temporal.matched import verdicts_in

        return verdicts_in(self.request.tables)

    @property
    def teams(self) -> dict[str, tuple[str, str]]:
        """For each run of the track its team's and its own name."""
        return teams_in(self.request.tables["updates"].frame)

    # What this family does otherwise than others.

    @property
    def firsts(self) -> Firsts:
        """M(u).time: when each run first said each nugget."""
        first = self.frames["firsts"].filter("opens")
        gold = first["nugget"].cast(pl.Int64).to_numpy()
        return Firsts(self.frames.units_of(first), gold, first["time"].to_numpy())

    def default_measures(self) -> Sequence[str]:
        """The edition's; with errors of times those of the draft that rest on times, if it has."""
        every = self.edition.measures
        own = [name for name in definitions.OF_TIMES if name in every]
        return own if own and self.request.options.jitter is not None else every

    def check_request(self, wanted: Sequence[Measure]) -> None:
        """Refuse a rule that none of the measures reads."""
        chosen = self.resolve_measures(list(wanted))
        read = {name for each in chosen for name in each.definition.reads}
        if any(each.has("reward") for each in chosen):
            read.add("reward")
        of_measures = {name for each in definitions.DEFINITIONS for name in each.reads}
        idle = [name for name in self.request.asked if name in of_measures - read]
        if idle:
            names = ", ".join(each.name for each in wanted)
            raise UsageError(f"rule {idle[0]} changes nothing in {names}")

    def resolve_measures(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; the rule reward=binary is a parameter of the draft's."""
        chosen = list(dict.fromkeys(wanted))
        for at, each in enumerate(chosen if self.request.asked.get("reward") == "binary" else ()):
            names = {parameter.name for parameter in each.definition.parameters}
            if "reward" in names and not (each.has("updates") or each.has("reward")):
                chosen[at] = each(reward="binary")
        return list(dict.fromkeys(chosen))

    def traits_of(self, wanted: Sequence[Measure]) -> dict[str, str]:
        """Also the cost that measures take which could name one and don't."""
        cost = definitions.default_cost(self.frames) if definitions.leaves_cost_open(wanted) else ""
        return {"cost": cost, **super().traits_of(wanted)}

    def companions(self, scores: Scores, asked: ViewRequest[Any]) -> Iterator[str]:
        """The bounded companions of a P that exceeds 1."""
        is_above = ((scores.value("P", run=run) or 0) > 1 for run in scores.runs)
        if "P" not in scores.measures or not any(is_above):
            return
        wanted = measures(BOUNDED, self.edition.family)
        bounded, of_runs = scores_of(self, wanted, asked.on_missing, asked.undefined), []
        for run in scores.runs:
            numbers = " and ".join(displayed(bounded.value(name, run=run)) for name in BOUNDED)
            of_runs.append(f"{'' if len(scores.runs) == 1 else f'{run} '}{numbers}")
        told = f": {', '.join(of_runs)}" if len(scores.runs) <= FEW else ""
        yield (
            "P exceeds 1 where one update is the first to say several nuggets; at most 1 are "
            f"{' and '.join(BOUNDED)}{told} (-m 'P {' '.join(BOUNDED)} R Rs T')"
        )

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Verbosity without spans is worth a word, and so are nuggets without ends."""
        needs = any("words" in measure.definition.reads for measure in wanted)
        firsts = self.frames["firsts"]
        if needs and firsts.height and "start" not in firsts.columns:
            yield "the matches have no spans: for the verbosity no word of an update says a nugget"
        needs = any(measure.definition.name in definitions.OF_ENDS for measure in wanted)
        if needs and not self.frames["nuggets"]["until"].count():
            yield "no nugget ends: give the nuggets the columns until, replaced_by or both"


@frozen(eq=False)
class ReadInputs:
    """Inputs that are read once, and scored more than once."""

    request: Request

    @classmethod
    def read(cls, inputs: TemporalInputs, options: Any, edition: Any, *more: Any) -> Self:
        """Read all inputs once."""
        return cls(TemporalEvaluation.read_request(inputs, options, edition, *more))

    @classmethod
    def read_judgments(cls, inputs: TemporalInputs, *more: Any) -> Self:
        """Read everything once; without matches of assessors it is a `UsageError`."""
        if inputs.matches is None:
            raise UsageError("leaving runs out needs the matches of assessors: give --matches FILE")
        return cls.read(inputs, *more)

    @property
    def matches_name(self) -> str | None:
        """What the matches that were given are called."""
        matches = self.request.tables.get("matches")
        return None if matches is None else files.maker_of(matches) or ASSESSED

    def threshold(self, matcher: str) -> float | None:
        """A matcher's own threshold."""
        from tseval.matching.matching import get_matcher

        found: float | None = getattr(get_matcher(matcher), "threshold", None)
        return found

    def evaluation(
        self, matcher: str | None = None, threshold: float | None = None
    ) -> TemporalEvaluation:
        """The runs as they were read, or by another matcher than that of the matches."""
        if matcher in (None, self.matches_name):
            return TemporalEvaluation.join(self.request)
        tables = {name: each for name, each in self.request.tables.items() if name != "matches"}
        options = replace(self.request.options, matcher=matcher, threshold=threshold)
        return TemporalEvaluation.join(self.request._replace(tables=tables, options=options))

    @cached_property
    def senders(self) -> pl.DataFrame:
        """Who sent what, under any of its ids: `run topic update_id`."""
        tables, names = self.request.tables, ("run", *files.UPDATE)
        every = (tables["updates"].frame, rows.find_scored_updates(tables, self.request.rules))
        return pl.concat([each.select(names) for each in every]).unique()

    def without(self, runs: Collection[str]) -> tuple[TemporalEvaluation, Lost]:
        """The runs, these too, without the judgments that these alone contributed.

        Of the matches, and of the pool, go the updates that these runs alone sent. What others sent
        as well would have been judged without them. The gold stays, since its nuggets were not
        found in runs; where they were, the rule matched-nuggets-only leaves out those that these
        runs alone had said.
        """
        left = dict(self.request.tables)
        before = left["matches"].frame
        is_theirs = pl.col("run").is_in(list(runs)).all()
        for name in [name for name in ("matches", "pool") if name in left]:
            frame = left[name].frame.with_row_index("row")
            sent = frame.select("row", *files.UPDATE).join(self.senders, on=files.UPDATE)
            lost = sent.group_by("row").agg(is_theirs=is_theirs).filter("is_theirs")
            kept = frame.join(lost, on="row", how="anti", maintain_order="left").drop("row")
            left[name] = replace(left[name], frame=kept)
        after = left["matches"].frame
        said = [frame.select(files.NUGGET).n_unique() for frame in (before, after)]
        lost_matches = before.height - after.height
        evaluation = TemporalEvaluation.join(self.request._replace(tables=left))
        return evaluation, Lost(before.height, lost_matches, said[0] - said[1])


# The calls in Python, whose parameters are declared.


def score(asking: Asking) -> Scores:
    """Score one or more runs against gold nuggets.

    Every table may be a path, `-`, or a pandas frame with the columns of the plain tables; several
    runs are a list of them, or one table with a column `run`. With `matches` these are used;
    without, `matcher` finds them (default `learned`), and verdicts in `corrections` are laid over
    them. With `judged`, a sample of `tseval.sample` with verdicts, its matcher is used, and scores
    are `CorrectedScores`, with intervals. `measures` are names or `Measure` values, the
    edition's list by default; `at` adds each of them at these times. `rules` are combined with
    those of the edition: `{"unsampled": "skip"}`. `jobs`, `engine`, `scheduler` and `resume` say
    where matching runs, and change no score. `input_format` names the format of all inputs, or of
    some: `{"nuggets": "csv"}`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    return scored(asking)


def curve(asking: Asking) -> pd.DataFrame:
    """Return measures as functions of time: a row for each time at which one can change.

    The columns are `run topic measure time hours value`: from just after `time` on, `hours` after
    the topic's start, the measure has this value, until the next row. `per_topic` has every topic
    as well as `all`. The other parameters are those of `score`.
    """
    return curved(asking)


def explain(asking: Asking, what: str) -> pd.DataFrame:
    """Explain scores nugget by nugget, or with `what="updates"` update by update.

    The columns are those of `tseval score --explain`, with times as time stamps. The other
    parameters are those of `score`.
    """
    return explained(asking, view=what)


def match(asking: Asking) -> pd.DataFrame:
    """Return the matches of a matcher, one per row, with their scores and evidence.

    The columns are those of `tseval match`; the frame can be given back as `matches`. The other
    parameters are those of `score`.
    """
    from tseval.matching.found import match_frame, match_rows
    from tseval.matching.matching import get_matcher

    evaluation: TemporalEvaluation = evaluated(*asking)
    options, laid = asking.options, evaluation.traits.get("corrections")
    using = get_matcher(options.matcher or DEFAULT_MATCHER, options.threshold, options.terms)
    pairs = match_rows(using, evaluation.updates, evaluation.nuggets, evaluation.pairs, laid)
    return match_frame(list(pairs), graded=bool(using.grades))

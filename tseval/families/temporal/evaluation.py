"""Temporal summarization: from inputs and options to everything that a measure needs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

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
from tseval.core.family import (
    SHORT_HASH,
    Access,
    Column,
    Lost,
    ViewRequest,
    hashes,
)
from tseval.core.frames import FrameEvaluation, read_inputs
from tseval.core.measure import Measure
from tseval.core.registry import measures
from tseval.core.results import Firsts, Result
from tseval.core.rules import Edition
from tseval.core.scores import Scores
from tseval.core.scoring import scores_of
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.temporal import files, rows
from tseval.families.temporal.measures import (
    OF_TIMES,
    default_cost,
    leaves_cost_open,
)
from tseval.families.temporal.rules import WEIGHING, Rules
from tseval.io.names import natural_order
from tseval.io.schema import (
    CORRECTIONS,
    DUPLICATES,
    JUDGED,
    MATCHES,
    NUGGETS,
    POOL,
    TOPICS,
    UPDATES,
)
from tseval.io.score_files import displayed
from tseval.io.tables import Table
from tseval.io.times import length_of
from tseval.io.topics import name_topics
from tseval.matching.asking import AskingOptions
from tseval.parallel.sharing import ALONE
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.io.given import Given

ASSESSED = "assessed"
DEFAULT_MATCHER = "learned"
MATCHERS = (
    "learned", "fuzzy", "exact", "grams", "rapidfuzz", "embedding", "late", "llm", "blend",
)  # fmt: skip
"""The matchers that come along; they are not asked, since loading them takes a while."""
MATCHER_NAMES = f"{', '.join(MATCHERS)}, or one with parameters, such as fuzzy(threshold=0.6)"
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
        "UPDATES", "one or more files of updates", UPDATES, several=True
    )
    nuggets: Given = argument("NUGGETS", "the file of nuggets", NUGGETS)
    matches: Given | None = file_option(
        "--matches",
        "Matches that assessors made.",
        table=MATCHES,
        not_within=(MATCH, "--resume"),
        by_place=True,
        needed_by=("matched-nuggets-only=yes", f"matcher={ASSESSED}"),
    )
    topics: Given | None = file_option(
        "--topics",
        "When each topic starts: a table `topic start [end]`.",
        table=TOPICS,
        not_within=(MATCH,),
    )
    duplicates: Given | None = file_option(
        "--duplicates",
        "Pairs of updates that say the same: a table `topic update_id duplicate_id`.",
        table=DUPLICATES,
        not_within=(MATCH, *STREAMS),
        needed_by=("exact-duplicates=lookup",),
    )
    pool: Given | None = file_option(
        "--pool",
        "The updates assessors saw: matches may speak of them, and runs without texts take theirs "
        "from there.",
        table=POOL,
        needed_by=("unsampled",),
    )
    corrections: Given | None = file_option(
        "--corrections",
        "Pairs to accept or reject, whatever the matcher finds: a table `topic update_id nugget_id "
        "verdict`, such as `tseval match --review` writes it.",
        table=CORRECTIONS,
        not_within=("--matches", *STREAMS),
    )
    judged: Given | None = file_option(
        "--judged",
        "Correct scores by what was judged of a sample: what `tseval sample` wrote, filled in. The "
        "matcher is the sample's.",
        table=JUDGED,
        within=(SCORES, CORRECTED_SCORES, COMPARE),
        not_within=("--matches", "--corrections", "--brief", UNMEASURED),
    )


@frozen
class TemporalOptions(AskingOptions):
    """How updates are matched, the options that stand for rules, and what --jitter draws."""

    matcher: str | None = option(
        "--matcher",
        f"How to find matches instead: {MATCHER_NAMES}. Default: {DEFAULT_MATCHER}.",
        metavar="NAME",
        not_within=(SWEEP,),
        by_place=True,
    )
    threshold: float | None = option(
        "--threshold", "The matcher's threshold.", not_within=(SWEEP, "--matches")
    )
    ignore_unsampled: bool = option(
        "--ignore-unsampled",
        "Leave out updates that are not in the pool: --rule unsampled=skip.",
        kind=bool,
        not_within=(MATCH,),
        rule="unsampled=skip",
    )
    binary: bool = option(
        "--binary",
        "A nugget is worth 1 if its importance is above 0, else 0: --rule reward=binary.",
        kind=bool,
        not_within=(MATCH,),
        rule="reward=binary",
    )
    matched_nuggets_only: bool = option(
        "--matched-nuggets-only",
        "Leave out nuggets that no match names: --rule matched-nuggets-only=yes.",
        kind=bool,
        not_within=(MATCH,),
        rule="matched-nuggets-only=yes",
    )
    latency_from: str | None = option(
        "--latency-from",
        "Since when a nugget could be known: --rule latency-from=VALUE. What `all` and `updates` "
        "give depends on all runs that are loaded.",
        choices=("nuggets", "all", "updates"),
        not_within=(MATCH,),
        rule="latency-from",
    )
    jitter: str | None = option(
        "--jitter",
        "With each score the interval in which it lies if every nugget's time is wrong by up to "
        "so much, such as 1h. Default measures: Rs T.",
        metavar="TIME",
        kind=check_error,
        within=(SCORES, JITTER),
        not_within=("--brief",),
    )
    samples: int = option(
        "--samples",
        "How often --jitter draws errors.",
        default=SAMPLES,
        metavar="N",
        at_least=2,
        within=(JITTER,),
    )
    seed: int = option(
        "--seed",
        "For the errors that --jitter draws, and the topics that intervals of --judged do.",
        default=0,
        at_least=0,
        within=(JITTER, CORRECTED_SCORES),
    )
    sensitivity: float | None = option(
        "--sensitivity",
        "With --judged: the share of the nuggets said that the matcher finds, where it is known; "
        "with --specificity, for another correction beside.",
        metavar="SHARE",
        at_least=0,
        at_most=1,
        within=(CORRECTED_SCORES,),
        needed_by=("specificity",),
    )
    specificity: float | None = option(
        "--specificity",
        "The share of the nuggets not said that it does not find.",
        metavar="SHARE",
        at_least=0,
        at_most=1,
        within=(CORRECTED_SCORES,),
        needed_by=("sensitivity",),
    )


# Refusals.


def check_rules(edition: Edition[Rules], rules: Rules, inputs: TemporalInputs) -> None:
    """Refuse a file of duplicates that would do nothing by the edition's rules."""
    looked_up = rules.exact_duplicates == "lookup"
    if inputs.duplicates is not None and edition.titles and not looked_up:
        raise UsageError(
            f"edition {edition.name} reads no file of duplicates, its pool declares them; "
            "--rule exact-duplicates=lookup uses one"
        )
    if inputs.duplicates is not None and looked_up and inputs.pool is None:
        raise UsageError("duplicates are looked up in the pool: give --pool FILE")


def sample_matcher(own: str, options: TemporalOptions) -> str:
    """The matcher that a sample was drawn by, with its threshold; another beside it is refused."""
    if options.matcher is not None or options.threshold is not None:
        raise UsageError(f"the sample was drawn by {own}, which corrects: name no other matcher")
    return own


def matcher_name(options: TemporalOptions, *, assessed: bool) -> str:
    """Which matcher to use; matches from a file and a matcher exclude each other."""
    matcher = options.matcher
    if assessed and matcher not in (None, ASSESSED):
        raise UsageError("give matches or a matcher, not both")
    if matcher is not None:
        return matcher
    return ASSESSED if assessed else DEFAULT_MATCHER


# Reading.


class ReadTables(NamedTuple):
    """The tables that were given, and the matcher that made the matches among them."""

    tables: Mapping[str, Table]
    maker: str | None = None


def read_tables(inputs: TemporalInputs, rules: Rules, access: Access) -> ReadTables:
    """Read every input that was given as rules have it, with one name for each topic in all.

    A fault in any of them is an `InputError`. Where nothing is left to match, it is the reading of
    the runs that is shared out.
    """
    files.refuse_swapped(inputs.updates, inputs.nuggets)
    if inputs.matches is None:
        access = replace(access, sharing=ALONE)
    tables = read_inputs(inputs, access, files.readers_by(rules))
    updates, nuggets = tables["updates"].frame, tables["nuggets"].frame
    times = nuggets.height / updates.height if updates.height else math.inf
    files.refuse_swapped(inputs.updates, inputs.nuggets, times)
    if "matches" not in tables:
        return ReadTables(code_ids(name_topics(tables, "nuggets", rules.topic_names)))
    maker = files.maker_of(tables["matches"])
    tables["matches"] = files.drop_rejected(tables["matches"])
    tables = code_ids(name_topics(tables, "nuggets", rules.topic_names))
    frame = rows.count_matches(tables["matches"].frame, rules)
    tables["matches"] = replace(tables["matches"], frame=frame)
    return ReadTables(tables, maker)


def code_ids(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables with the ids of updates as pairs of codes, as runs have them."""
    coded = dict(tables)
    for name in tables.keys() - {"updates"}:
        frame = files.split_ids(tables[name].frame, "update_id", "duplicate_id")
        coded[name] = replace(tables[name], frame=frame)
    return coded


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


def hash_tables(tables: Mapping[str, Table]) -> dict[str, str]:
    """Return the short hashes of the inputs that can change a number, beside the runs."""
    return hashes({name: tables[name] for name in list(files.READERS)[1:] if name in tables})


def latency_traits(tables: Mapping[str, Table], rules: Rules) -> dict[str, str]:
    """Return the runs, where since when a nugget could be known depends on all of them."""
    if rules.latency_from == "nuggets":
        return {}
    runs = tables["updates"]
    loaded = " ".join(sorted(source.sha256 for source in runs.sources))
    digest = hashlib.sha256(loaded.encode()).hexdigest()[:SHORT_HASH]
    return {"latency-runs": f"{len(runs.runs)}:sha256:{digest}"}


def load_correcting() -> Any:
    """Return the module that corrects scores, which few need; it is built upon this one."""
    return import_module("tseval.families.temporal.correcting")


@frozen(kw_only=True)
class TemporalEvaluation(FrameEvaluation):
    """Runs and gold, matched and indexed: ready for any measure."""

    frames: rows.EarliestIndex
    tables: Mapping[str, Table]
    found: pl.DataFrame
    """Who says what: `update nugget`, and scores and grades as far as there are such."""
    asked_rules: Mapping[str, str]
    """The rules that were asked for beside the edition's."""
    options: TemporalOptions
    correction: Any = None
    """What scores are corrected by, if a sample was judged."""

    @classmethod
    def read(
        cls,
        inputs: TemporalInputs,
        options: TemporalOptions,
        edition: Edition[Rules],
        rules: Mapping[str, str],
        access: Access,
        known: ReadTables | None = None,
    ) -> TemporalEvaluation:
        """Read, match and index; `known` stands for what is in the inputs, if it was read before.

        The matcher is `assessed` if there are matches, else the default one.
        """
        changed = edition.rules.changed(rules)
        access.check(inputs, options, rules)
        check_rules(edition, changed, inputs)
        name = matcher_name(options, assessed=inputs.matches is not None)
        tables, maker = known or read_tables(inputs, changed, access)
        updates = rows.find_scored_updates(tables, changed)
        judged: Table | None = None
        if "judged" in tables:
            from tseval.matching.verdicts import check_sample, design_of

            judged = check_sample(tables["judged"])
            name = sample_matcher(design_of(judged)["matcher"], options)
        nuggets = rows.find_nuggets(tables, changed)
        traits, told, decided = dict[str, str](), tuple[str, ...](), None
        if "matches" in tables:
            found = find_assessed(tables, updates, nuggets, maker)
            name = maker or name
        else:
            from tseval.families.temporal.matched import find_matched

            check_texts(tables)
            terms = (name, options.threshold, options.terms)
            matched = find_matched(tables, updates, nuggets, *terms, changed, access)
            name, found, traits, told, decided = matched
        index = rows.index_of(tables, updates, nuggets, found, changed)
        told_rules = {
            "rules": changed.rules_signature(edition.rules),
            **latency_traits(tables, changed),
        }
        evaluation = cls(
            edition=replace(edition, rules=changed),
            frames=index,
            tables=tables,
            found=found.pairs,
            asked_rules=rules,
            options=options,
            traits={"matcher": name, **traits, **told_rules, **hash_tables(tables)},
            inputs=tuple(
                replace(source, runs=source.runs if table is tables["updates"] else ())
                for table in (tables[each] for each in files.READERS if each in tables)
                for source in table.sources
            ),
            warnings=(
                *told,
                *rows.warn_of_pool(inputs.pool, tables, changed),
                *rows.find_warnings(tables, updates, found, index, decided),
            ),
        )
        if judged is None:
            return evaluation
        corrected: TemporalEvaluation = load_correcting().correct(evaluation, judged, access)
        return corrected

    # What else asks matchers.

    @cached_property
    def scored_updates(self) -> pl.DataFrame:
        """The updates that count, of all topics, under what stands for them."""
        rules = self.edition.rules
        updates = rows.find_scored_updates(self.tables, rules)
        return updates.filter("sampled") if rules.unsampled == "skip" else updates

    @cached_property
    def updates(self) -> pl.DataFrame:
        """The same with their ids and texts as such."""
        pool = rows.pool_of(self.tables) if "pool" in self.tables else None
        return rows.add_texts(files.join_ids(self.scored_updates, "update_id"), pool)

    @cached_property
    def nuggets(self) -> pl.DataFrame:
        """The nuggets that count."""
        return self.frames["nuggets"].with_columns(pl.col("topic").cast(pl.String))

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """Who says what, by the rows of `updates` and `nuggets`: `update nugget score`."""
        said = self.scored_updates.with_row_index("row")
        if self.edition.rules.unsampled == "one-word":
            said = said.filter("sampled")
        gold, found = self.frames["nuggets"].with_row_index("row"), self.found
        for name, table in (("update", said), ("nugget", gold)):
            numbers = table.select(name, pl.col("row").cast(pl.Int64))
            found = found.join(numbers, on=name, maintain_order="left")
            found = found.drop(name).rename({"row": name})
        return found.select("update", "nugget", pl.exclude("update", "nugget"))

    @cached_property
    def corrections(self) -> Table | None:
        """The verdicts that are laid over a matcher's pairs."""
        if "corrections" not in self.tables:
            return None
        from tseval.matching.corrections import check_verdicts

        return check_verdicts(files.name_ids(self.tables["corrections"]))

    @cached_property
    def teams(self) -> dict[str, tuple[str, str]]:
        """For each run of the track its team's and its own name."""
        return teams_in(self.tables["updates"].frame)

    # What this family does otherwise than others.

    @property
    def firsts(self) -> Firsts:
        """M(u).time: when each run first said each nugget."""
        first = self.frames["firsts"].filter("opens")
        gold = self.frames["nuggets"].select("nugget").with_row_index("row")
        place = first.join(gold, on="nugget", maintain_order="left")["row"].cast(pl.Int64)
        return Firsts(self.frames.units_of(first), place.to_numpy(), first["time"].to_numpy())

    def default_measures(self) -> Sequence[str]:
        """The edition's; with errors of times those of the draft that rest on times, if it has.

        Of a sample that was judged those that it can correct.
        """
        every = self.edition.measures
        if self.correction is not None:
            corrected = load_correcting().CORRECTED
            return [name for name in every if name in corrected] or ["C"]
        own = [name for name in OF_TIMES if name in every]
        return own if own and self.options.jitter is not None else every

    def check_request(self, wanted: Sequence[Measure]) -> None:
        """Refuse a rule that none of the measures reads."""
        chosen = self.resolve_measures(list(wanted))
        read = {name for each in chosen for name in each.definition.reads}
        if any(each.has("reward") for each in chosen):
            read.add("reward")
        idle = [name for name in self.asked_rules if name in WEIGHING and name not in read]
        if idle:
            names = ", ".join(each.name for each in wanted)
            raise UsageError(f"rule {idle[0]} changes nothing in {names}")

    def resolve_measures(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; the rule reward=binary is a parameter of the draft's."""
        if self.asked_rules.get("reward") != "binary":
            return list(dict.fromkeys(wanted))

        def in_binary(measure: Measure) -> Measure:
            takes_reward = any(each.name == "reward" for each in measure.definition.parameters)
            is_fixed = measure.has("updates") or measure.has("reward")
            return measure(reward="binary") if takes_reward and not is_fixed else measure

        return list(dict.fromkeys(map(in_binary, wanted)))

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:
        """A measure at its time; where a sample was judged, as that corrects it."""
        column = super().take(measure, known)
        if self.correction is None:
            return column
        return replace(column, values=self.correction.values(self.index, measure, column.values))

    def finished(self, scores: Scores) -> Scores:
        """With intervals, where a sample was judged."""
        if self.correction is None:
            return scores
        wanted = measures(scores.measures, self.edition.family)
        automatic = [super(TemporalEvaluation, self).take(each, {}).values for each in wanted]
        asked = scores, wanted, automatic, self.correction, self.index, self.options
        finished: Scores = load_correcting().with_intervals(*asked)
        return finished

    def traits_of(self, wanted: Sequence[Measure]) -> dict[str, str]:
        """Also the cost that measures take which could name one and don't."""
        cost = default_cost(self.frames) if leaves_cost_open(wanted) else ""
        return {"cost": cost, **super().traits_of(wanted)}

    def companions(self, scores: Scores, asked: ViewRequest[Any]) -> Iterator[str]:
        """The bounded companions of a P that exceeds 1."""
        if "P" not in scores.measures:
            return
        if any((scores.value("P", run=run) or 0) > 1 for run in scores.runs):
            wanted = measures(BOUNDED, self.edition.family)
            bounded = scores_of(self, wanted, asked.on_missing, asked.undefined)
            of_runs = []
            for run in scores.runs:
                numbers = " and ".join(displayed(bounded.value(name, run=run)) for name in BOUNDED)
                of_runs.append(f"{'' if len(scores.runs) == 1 else f'{run} '}{numbers}")
            told = f": {', '.join(of_runs)}" if len(scores.runs) <= FEW else ""
            yield (
                "P exceeds 1 where one update is the first to say several nuggets; at most 1 are "
                f"{' and '.join(BOUNDED)}{told} (-m 'P {' '.join(BOUNDED)} R Rs T')"
            )

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Verbosity without spans is worth a word."""
        needs = any("words" in measure.definition.reads for measure in wanted)
        firsts = self.frames["firsts"]
        if needs and firsts.height and "start" not in firsts.columns:
            yield "the matches have no spans: for the verbosity no word of an update says a nugget"


def find_assessed(
    tables: Mapping[str, Table], updates: pl.DataFrame, nuggets: pl.DataFrame, maker: str | None
) -> rows.UpdatePairs:
    """Return the pairs of the matches that were given; those that fit nothing are refused.

    Without a pool all updates were judged, unless the track published the matches; its assessors
    judged a pool, also where it is not given.
    """
    matches = tables["matches"]
    rows.refuse_foreign_matches(tables)
    pool = tables["pool"].frame if "pool" in tables else None
    if not files.is_published(matches):
        unknown = files.find_unknown(matches, updates, pool)
        files.refuse_unknown(matches, unknown, tables["nuggets"].frame, has_pool=pool is not None)
    every = tables["nuggets"].frame.with_row_index("nugget")
    pairs = rows.find_pairs(matches.frame, updates, every)
    is_whole = maker is not None or (pool is None and not files.is_published(matches))
    judged = None if is_whole else pairs["update"]
    pairs = pairs.join(nuggets, on="nugget", how="semi", maintain_order="left")
    return rows.UpdatePairs(pairs, judged, files.are_in_bytes(matches))


# Inputs that are read once, and scored more than once.


@frozen
class ReadInputs:
    """Inputs that were read, and what they are scored by."""

    inputs: TemporalInputs
    options: TemporalOptions
    edition: Edition[Rules]
    rules: Mapping[str, str]
    access: Access
    known: ReadTables


@frozen
class TemporalMatched(ReadInputs):
    """Updates and nuggets that are scored by one matcher after the other."""

    @property
    def matches_name(self) -> str | None:
        """What the matches that were given are called."""
        return self.known.maker or ASSESSED if "matches" in self.known.tables else None

    def threshold(self, matcher: str) -> float | None:
        """A matcher's own threshold."""
        from tseval.matching.matching import get_matcher

        found: float | None = getattr(get_matcher(matcher), "threshold", None)
        return found

    def evaluation(self, matcher: str, threshold: float | None) -> TemporalEvaluation:
        """The runs by a matcher, or by the matches that were given."""
        inputs, known, options = self.inputs, self.known, self.options
        if matcher != self.matches_name:
            others = {name: each for name, each in known.tables.items() if name != "matches"}
            inputs, known = replace(inputs, matches=None), ReadTables(others)
            options = replace(options, matcher=matcher, threshold=threshold)
        return TemporalEvaluation.read(
            inputs, options, self.edition, self.rules, self.access, known
        )


def read_matched(
    inputs: TemporalInputs,
    options: TemporalOptions,
    edition: Edition[Rules],
    rules: Mapping[str, str],
    access: Access,
) -> TemporalMatched:
    """Read all inputs once."""
    access.check(inputs, options, rules)
    known = read_tables(inputs, edition.rules.changed(rules), access)
    return TemporalMatched(inputs, options, edition, rules, access, known)


@frozen(eq=False)
class TemporalJudgments(ReadInputs):
    """Judgments without those that some runs alone contributed, for `compare --leave-out`.

    Of the matches, and of the pool, go the updates that these runs alone sent. What others sent as
    well would have been judged without them. The gold stays, since its nuggets were not found in
    runs; where they were, the rule matched-nuggets-only leaves out those that these runs alone had
    said.
    """

    senders: pl.DataFrame
    """Who sent what, under any of its ids: `run topic update_id`."""

    def evaluation(self, known: ReadTables | None = None) -> TemporalEvaluation:
        """The runs with all judgments, or with those of other tables."""
        asked = self.inputs, self.options, self.edition, self.rules, self.access
        return TemporalEvaluation.read(*asked, known or self.known)

    def without(self, runs: Collection[str]) -> tuple[TemporalEvaluation, Lost]:
        """The runs, these too, without the judgments that these alone contributed."""
        left = dict(self.known.tables)
        before = left["matches"].frame
        is_theirs = pl.col("run").is_in(list(runs)).all()
        for name in [name for name in ("matches", "pool") if name in left]:
            frame = left[name].frame.with_row_index("row")
            sent = frame.select("row", *rows.UPDATE).join(self.senders, on=rows.UPDATE)
            lost = sent.group_by("row").agg(is_theirs=is_theirs).filter("is_theirs")
            kept = frame.join(lost, on="row", how="anti", maintain_order="left").drop("row")
            left[name] = replace(left[name], frame=kept)
        after = left["matches"].frame
        said = [frame.select(rows.NUGGET).n_unique() for frame in (before, after)]
        lost_matches = before.height - after.height
        evaluation = self.evaluation(ReadTables(left, self.known.maker))
        return evaluation, Lost(before.height, lost_matches, said[0] - said[1])


def read_judgments(
    inputs: TemporalInputs,
    options: TemporalOptions,
    edition: Edition[Rules],
    rules_asked: Mapping[str, str],
    access: Access,
) -> TemporalJudgments:
    """Read everything once; without matches of assessors it is a `UsageError`."""
    changed = edition.rules.changed(rules_asked)
    if inputs.matches is None:
        raise UsageError("leaving runs out needs the matches of assessors: give --matches FILE")
    known = read_tables(inputs, changed, access)
    names = ("run", *rows.UPDATE)
    every = (known.tables["updates"].frame, rows.find_scored_updates(known.tables, changed))
    senders = pl.concat([each.select(names) for each in every]).unique()
    return TemporalJudgments(inputs, options, edition, rules_asked, access, known, senders)


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
    return scored(*asking)


def curve(asking: Asking) -> pd.DataFrame:
    """The measures as functions of time: a row for each time at which one can change.

    The columns are `run topic measure time hours value`: from just after `time` on, `hours` after
    the topic's start, the measure has this value, until the next row. `per_topic` has every topic
    as well as `all`. The other parameters are those of `score`.
    """
    return curved(*asking)


def explain(asking: Asking, what: str) -> pd.DataFrame:
    """Why a run scored what it did: nugget by nugget, or with `what="updates"` update by update.

    The columns are those of `tseval score --explain`, with times as time stamps. The other
    parameters are those of `score`.
    """
    return explained(*asking, view=what)


def match(asking: Asking) -> pd.DataFrame:
    """The matches that a matcher finds, one a row, with score and evidence.

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

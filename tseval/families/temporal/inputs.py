"""What temporal summarization is given: the inputs and options, checked, and read into tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.declared import COMPARE, SCORES, SWEEP, argument, file_option, option
from tseval.core.editions import Edition
from tseval.core.family import Access, hashes
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.temporal import plain_files
from tseval.families.temporal.assessments import counted_matches
from tseval.families.temporal.rules import Rules
from tseval.families.temporal.trec_files import TrackReading
from tseval.files.reading import read_if_given
from tseval.files.topics import read_topics
from tseval.matching.asking import AskingOptions
from tseval.parallel.runs import Spread
from tseval.parallel.sharing import ALONE, Sharing
from tseval.records import frozen
from tseval.tables import (
    ABSENT,
    Corrections,
    Duplicates,
    InputRecord,
    JudgedPairs,
    Matches,
    Nuggets,
    Origin,
    Pool,
    Topics,
    Updates,
    all_names,
    natural_order,
)
from tseval.tables.memory import release_unused
from tseval.tables.origin import origins_of, records_of
from tseval.tables.schema import (
    CORRECTIONS,
    DUPLICATES,
    JUDGED,
    MATCHES,
    NUGGETS,
    POOL,
    TOPICS,
    UPDATES,
)
from tseval.tables.times import NotANumber
from tseval.tables.times import duration as seconds_of
from tseval.tables.topic_names import TopicNames, with_topics_named

if TYPE_CHECKING:
    from tseval.files.given import Given

ASSESSED = "assessed"
DEFAULT_MATCHER = "learned"
MATCHERS = (
    "learned", "fuzzy", "exact", "grams", "rapidfuzz", "embedding", "late", "llm", "blend",
)  # fmt: skip
"""The matchers that come along; they are not asked, since loading them takes a while."""
MATCHER_NAMES = f"{', '.join(MATCHERS)}, or one with parameters, such as fuzzy(threshold=0.6)"
JITTER = "jitter"
"""The view that shows how far scores move."""
CORRECTED_SCORES = "corrected"
"""The view that shows corrected scores with their intervals."""
SAMPLES = 1000


@frozen
class TemporalInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    updates: Sequence[Given] = argument(
        "UPDATES", "one or more files of updates", UPDATES, several=True
    )
    nuggets: Given = argument("NUGGETS", "the file of nuggets", NUGGETS)
    matches: Given | None = file_option("--matches", "Matches that assessors made.", table=MATCHES)
    topics: Given | None = file_option(
        "--topics", "When each topic starts: a table `topic start [end]`.", table=TOPICS
    )
    duplicates: Given | None = file_option(
        "--duplicates",
        "Pairs of updates that say the same: a table `topic update_id duplicate_id`.",
        table=DUPLICATES,
    )
    pool: Given | None = file_option(
        "--pool",
        "The updates assessors saw: matches may speak of them, and runs without texts take theirs "
        "from there.",
        table=POOL,
    )
    corrections: Given | None = file_option(
        "--corrections",
        "Pairs to accept or reject, whatever the matcher finds: a table `topic update_id nugget_id "
        "verdict`, such as `tseval match --review` writes it.",
        table=CORRECTIONS,
    )
    judged: Given | None = file_option(
        "--judged",
        "Correct scores by what was judged of a sample: what `tseval sample` wrote, filled in. The "
        "matcher is the sample's.",
        table=JUDGED,
        within=(SCORES, CORRECTED_SCORES, COMPARE),
    )


@frozen
class TemporalOptions(AskingOptions):
    """How updates are matched, the options that stand for rules, and what --jitter draws."""

    matcher: str | None = option(
        "--matcher",
        f"How to find matches instead: {MATCHER_NAMES}. Default: {DEFAULT_MATCHER}.",
        metavar="NAME",
        not_within=(SWEEP,),
    )
    threshold: float | None = option(
        "--threshold", "The matcher's threshold.", kind=float, not_within=(SWEEP,)
    )
    ignore_unsampled: bool = option(
        "--ignore-unsampled",
        "Leave out updates that are not in the pool: --rule unsampled=skip.",
        kind=bool,
        rule="unsampled=skip",
    )
    binary: bool = option(
        "--binary",
        "A nugget is worth 1 if its importance is above 0, else 0: --rule reward=binary.",
        kind=bool,
        rule="reward=binary",
    )
    matched_nuggets_only: bool = option(
        "--matched-nuggets-only",
        "Leave out nuggets that no match names: --rule matched-nuggets-only=yes.",
        kind=bool,
        rule="matched-nuggets-only=yes",
    )
    latency_from: str | None = option(
        "--latency-from",
        "Since when a nugget could be known: --rule latency-from=VALUE. What `all` and `updates` "
        "give depends on all runs that are loaded.",
        choices=("nuggets", "all", "updates"),
        rule="latency-from",
    )
    jitter: str | None = option(
        "--jitter",
        "With each score the interval in which it lies if every nugget's time is wrong by up to "
        "so much, such as 1h. Default measures: Rs T.",
        metavar="TIME",
        within=(SCORES, JITTER),
    )
    samples: int = option(
        "--samples",
        "How often --jitter draws errors.",
        default=SAMPLES,
        metavar="N",
        kind=int,
        at_least=2,
        shows_default=True,
        within=(JITTER,),
    )
    seed: int = option(
        "--seed",
        "For the errors that --jitter draws, and the topics that intervals of --judged do.",
        default=0,
        kind=int,
        shows_default=True,
        within=(JITTER, CORRECTED_SCORES),
    )
    sensitivity: float | None = option(
        "--sensitivity",
        "With --judged: the share of the nuggets said that the matcher finds, where it is known; "
        "with --specificity, for another correction beside.",
        metavar="SHARE",
        kind=float,
        within=(CORRECTED_SCORES,),
    )
    specificity: float | None = option(
        "--specificity",
        "The share of the nuggets not said that it does not find.",
        metavar="SHARE",
        kind=float,
        within=(CORRECTED_SCORES,),
    )


@frozen
class TemporalTables:
    """The inputs as tables."""

    updates: Updates
    nuggets: Nuggets
    matches: Matches | None
    topics: Topics | None
    duplicates: Duplicates | None
    pool: Pool | None
    corrections: Corrections | None = None
    judged: JudgedPairs | None = None

    @property
    def runs(self) -> list[str]:
        """The runs that have an update of any topic."""
        return natural_order(set(all_names(self.updates.run).to_pylist()))

    @property
    def origins(self) -> dict[str, Origin]:
        """Where each table that was given comes from."""
        return origins_of({each.name: getattr(self, each.name) for each in fields(self)})

    def hashes(self) -> dict[str, str]:
        """The short hash of each input that can change a number, beside the runs themselves."""
        order = ("nuggets", "matches", "topics", "duplicates", "pool", "corrections", "judged")
        return hashes({name: self.origins.get(name) for name in order})

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        return records_of(self.origins.values())

    @property
    def teams(self) -> dict[str, tuple[str, str]]:
        """For each run that has one its team, and its name without it."""
        updates = self.updates
        if updates.team is None:
            return {}
        first = np.full(len(updates.run.names), ABSENT)
        first[updates.run.codes[::-1]] = np.arange(len(updates))[::-1]
        first = first[first != ABSENT]
        runs, teams = (names.rows(first).to_list() for names in (updates.run, updates.team))
        return {
            run: (team, run.removeprefix(f"{team}-"))
            for run, team in zip(runs, teams, strict=True)
            if run != team
        }

    def check_texts(self) -> None:
        """Refuse to match runs of the track where nothing says what their updates are."""
        updates, pool = self.updates, self.pool
        if pool is not None and pool.text is not None:
            return
        with_text = updates.run.rows(~updates.text.blank)
        silent = natural_order(self.teams.keys() - set(all_names(with_text).to_pylist()))
        if silent:
            neither = "" if pool is None else ", and neither has this pool"
            raise UsageError(
                f"runs of the track have no text to match by{neither}: {listed(silent)}; "
                "give --pool FILE with the texts, or --matches FILE"
            )


def check_request(inputs: TemporalInputs, options: TemporalOptions, sharing: Sharing) -> None:
    """Refuse a request without runs, one to resume what is not done, and errors that are none."""
    if options.jitter is not None:
        error_of(options.jitter)
    if options.seed < 0:
        raise UsageError(f"a seed is a whole number from 0 on, not {options.seed}")
    if not inputs.updates:
        raise UsageError("no run is given: name at least one table of updates")
    if options.terms is not None and inputs.matches is not None:
        raise UsageError("where matches are given no model is asked: leave out what limits it")
    if inputs.corrections is not None and inputs.matches is not None:
        raise UsageError(
            "corrections are laid over what a matcher finds: give them or --matches, not both"
        )
    others = inputs.matches is not None or inputs.corrections is not None
    if inputs.judged is not None and others:
        raise UsageError(
            "a sample corrects what its matcher finds: give --judged alone, without matches or "
            "corrections"
        )
    if sharing.resume and inputs.matches is not None:
        raise UsageError("where matches are given there is no matching to resume")


def check_rules(
    edition: Edition[Rules], rules: Rules, asked: Mapping[str, str], inputs: TemporalInputs
) -> None:
    """Refuse rules and inputs that would do nothing together."""
    if "unsampled" in asked and inputs.pool is None:
        raise UsageError("without a pool no update is known to be unsampled: give --pool FILE")
    looked_up = rules.exact_duplicates == "lookup"
    if inputs.duplicates is not None and edition.titles and not looked_up:
        raise UsageError(
            f"edition {edition.name} reads no file of duplicates, its pool declares them; "
            "--rule exact-duplicates=lookup uses one"
        )
    if inputs.duplicates is not None and looked_up and inputs.pool is None:
        raise UsageError("duplicates are looked up in the pool: give --pool FILE")
    if asked.get("exact-duplicates") == "lookup" and inputs.duplicates is None:
        raise UsageError("exact-duplicates=lookup needs a file of duplicates: --duplicates FILE")


def sample_matcher(judged: JudgedPairs, options: TemporalOptions) -> str:
    """The matcher that a sample was drawn by, with its threshold; another beside it is refused."""
    own = judged.design["matcher"]
    if options.matcher is not None or options.threshold is not None:
        raise UsageError(f"the sample was drawn by {own}, which corrects: name no other matcher")
    return own


def matcher_name(options: TemporalOptions, *, assessed: bool) -> str:
    """Which matcher to use; matches from a file and a matcher exclude each other."""
    matcher = options.matcher
    if assessed and (matcher not in (None, ASSESSED) or options.threshold is not None):
        raise UsageError("give matches or a matcher with its threshold, not both")
    if matcher == ASSESSED and not assessed:
        raise UsageError(
            "the matcher 'assessed' takes its matches from a file: give --matches FILE"
        )
    if matcher is not None:
        return matcher
    return ASSESSED if assessed else DEFAULT_MATCHER


def error_of(within: str) -> float:
    """The largest error in seconds; a `UsageError` if it is none."""
    try:
        largest = seconds_of(within)
    except NotANumber as error:
        raise UsageError(f"jitter: {error}") from None
    if largest <= 0:
        raise UsageError(f"jitter: an error of {within} moves nothing: give one such as 1h")
    return largest


def read_tables(inputs: TemporalInputs, rules: Rules, access: Access) -> TemporalTables:
    """Every input that was given, read as rules have it, with one name for each topic in all.

    A fault in any of them is an `InputError`. Where nothing is left to match, it is the reading of
    the runs that is shared out.
    """
    access.check(inputs)
    plain_files.refuse_swapped(inputs.updates, inputs.nuggets)
    form, reading = access.form, reading_by(rules)
    spread = Spread(ALONE if inputs.matches is None else access.sharing)
    tables = TemporalTables(
        updates=plain_files.read_updates(inputs.updates, form("updates"), spread),
        nuggets=plain_files.read_nuggets(inputs.nuggets, form("nuggets"), reading),
        matches=None
        if inputs.matches is None
        else counted_matches(
            plain_files.read_matches(inputs.matches, form("matches"), reading), rules
        ),
        topics=read_if_given(inputs.topics, read_topics, form("topics")),
        duplicates=read_if_given(
            inputs.duplicates, plain_files.read_duplicates, form("duplicates")
        ),
        pool=read_if_given(inputs.pool, plain_files.read_pool, form("pool"), reading),
        corrections=read_if_given(
            inputs.corrections, plain_files.read_corrections, form("corrections")
        ),
        judged=read_if_given(inputs.judged, plain_files.read_judged, form("judged")),
    )
    times = len(tables.nuggets) / (len(tables.updates) or np.inf)
    plain_files.refuse_swapped(inputs.updates, inputs.nuggets, times)
    rename = TopicNames(tables.nuggets.topic, rules.topic_names)
    parts = {each.name: getattr(tables, each.name) for each in fields(tables)}
    release_unused()
    return TemporalTables(
        **{name: with_topics_named(table, rename) for name, table in parts.items()}
    )


def reading_by(rules: Rules) -> TrackReading:
    """How these rules have tables read."""
    return TrackReading(rules.encoding, rules.fields, rules.pool_header)

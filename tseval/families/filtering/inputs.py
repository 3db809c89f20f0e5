"""What filtering over time is given: the inputs and options, checked, and read into tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.declared import argument, file_option, option, output_option
from tseval.core.family import Access
from tseval.errors import UsageError
from tseval.families.filtering.files import read_returned, read_truth
from tseval.families.filtering.index import Constants
from tseval.families.filtering.metrics import COSTS, EVEN
from tseval.families.filtering.period import seconds_of
from tseval.families.filtering.rules import FilterRules
from tseval.families.filtering.tables import RETURNED, TRUTH, Returned, Truth
from tseval.files.rows import ROW_FORMS
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables import InputRecord
from tseval.tables.origin import records_of
from tseval.tables.times import NotANumber, number

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables.columns import FloatArray

LEVELS = {"vital": 2.0, "useful": 1.0, "neutral": 0.0}
"""The rating from which on a document is positive, by its name."""
SWEEP = "sweep"
"""What asks for every cutoff of the edition."""
DEFAULT_BATCH = "1d"
RAW, WEIGHTED = "raw", "weighted"
"""The residuals that a verdict goes by."""
RANKING, TEAMS, TESTS = "ranking", "teams", "tests"
FITS, STABILITY, BURSTS = "fits", "stability", "bursts"
"""What can be shown instead of scores."""


def _numbers(flag: str, example: str) -> Callable[[str | tuple[float, ...]], tuple[float, ...]]:
    """What reads the numbers of an option from its text."""

    def numbers(text: str | tuple[float, ...]) -> tuple[float, ...]:
        if isinstance(text, tuple):  # the default
            return text
        try:
            return tuple(map(number, text.split(",")))
        except NotANumber:
            raise UsageError(
                f"{flag}: write three numbers, such as {example}; not '{text}'"
            ) from None

    return numbers


@frozen
class FilterInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", RETURNED, several=True)
    truth: Given = argument("TRUTH", "the truth", TRUTH)


@frozen
class FilterOptions:
    """The period and its batches, what is returned, what is positive, and what is shown."""

    batches: tuple[str, ...] = option(
        "--batch",
        "How long a batch lasts, such as 12h or 7d; repeatable.",
        default=(DEFAULT_BATCH,),
        metavar="LENGTH",
        several=True,
        shows_default=True,
    )
    start: str | None = option(
        "--start",
        "Where the period starts: Unix seconds, ISO 8601, or 6h, 2d from the first judged "
        "document. Default: there.",
        metavar="TIME",
    )
    end: str | None = option(
        "--end",
        "Where it ends; 30d counts from its start. Default: just after the last judged document.",
        metavar="TIME",
    )
    cutoff: str = option(
        "--cutoff",
        "The confidence from which on a document is returned; sweep tries those of the edition "
        "and takes for each run the one with the best end point.",
        default=SWEEP,
        metavar="N|sweep",
        shows_default=True,
    )
    cutoff_step: int | None = option(
        "--cutoff-step", "The step of the sweep.", metavar="N", kind=int, at_least=1
    )
    level: str | None = option(
        "--level",
        "What is positive: documents rated vital (2), useful (1) or neutral (0), or better. "
        "Default: vital; in a plain table without a 2, useful.",
        choices=tuple(LEVELS),
    )
    zeta: float = option(
        "--zeta", "How slowly aptness falls.", default=1.0, kind=float, shows_default=True
    )
    f_weights: tuple[float, ...] = option(
        "--f-weights",
        "How much P, R and A weigh in F_pr and F_pra. Default: 1,1,1.",
        default=EVEN,
        metavar="P,R,A",
        kind=_numbers("--f-weights", "1,1,1"),
    )
    costs: tuple[float, ...] = option(
        "--costs",
        "For C_trk: what a miss and a false alarm cost, and what share of documents are targets. "
        "Default: 1,0.1,0.02.",
        default=COSTS,
        metavar="MISS,ALARM,TARGET",
        kind=_numbers("--costs", "1,0.1,0.02"),
    )
    unjudged: str | None = option(
        "--unjudged",
        "Returned documents that nobody judged; fp: false positives. Default: ignore.",
        choices=("ignore", "fp"),
        rule="unjudged",
    )
    votes: str | None = option(
        "--votes",
        "Whether all assessors have to find a document positive, or any. Default: all.",
        choices=("all", "any"),
        rule="votes",
    )
    partial: str | None = option(
        "--partial",
        "A last batch that is shorter than the others. Default: keep, with a warning.",
        choices=("keep", "drop"),
        rule="partial",
    )
    weights: str | None = option(
        "--weights",
        "A batch weighs its share of the pairs that are positive or returned, or of what the "
        "metric itself is taken from. Default: shared.",
        choices=("shared", "own"),
        rule="weights",
    )
    require_positives: int = option(
        "--require-positives",
        "Leave out topics with fewer positives than this in the period.",
        default=0,
        metavar="N",
        kind=int,
        at_least=0,
        shows_default=True,
    )
    teams: str | None = file_option(
        "--teams",
        "For --show teams: whose each run is, a table `run team`. Default: what stands before the "
        "first hyphen of the run's name; a run that is called as its file is a team by itself.",
        within=(TEAMS,),
    )
    residuals: str = option(
        "--residuals",
        "The residuals that the verdict of `--show fits`, and `--show stability`, look at.",
        default=RAW,
        choices=(RAW, WEIGHTED),
        shows_default=True,
        within=(FITS, STABILITY),
    )
    series: Path | None = output_option(
        "--series",
        "Write every batch of every metric there; the suffix decides: csv, tsv, json, parquet.",
        forms=ROW_FORMS,
    )

    @property
    def lengths(self) -> tuple[str, ...]:
        """The lengths of batches, each once."""
        return tuple(dict.fromkeys(self.batches))

    @property
    def constants(self) -> Constants:
        """The numbers in the formulas of metrics."""
        return Constants(self.zeta, self.f_weights, self.costs)

    @property
    def weighted(self) -> bool:
        """Whether weighted residuals are looked at."""
        return self.residuals == WEIGHTED


@frozen
class FilterTables:
    """The inputs as tables."""

    returned: Returned
    truth: Truth

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        return records_of([self.returned.origin, self.truth.origin])


def read_tables(inputs: FilterInputs, access: Access) -> FilterTables:
    """Every input; a fault in any of them is an `InputError`.

    It is the reading of the runs that is shared.
    """
    access.check(inputs)
    returned = read_returned(inputs.runs, access.form("run"), Spread(access.sharing))
    return FilterTables(returned, read_truth(inputs.truth, access.form("truth")))


def check_options(options: FilterOptions) -> None:
    """Refuse options that have no meaning."""
    if options.level is not None and options.level not in LEVELS:
        raise UsageError(f"level cannot be '{options.level}': choose one of {', '.join(LEVELS)}")
    if not (np.isfinite(options.zeta) and options.zeta > 0):
        raise UsageError("zeta has to be above 0")
    weights, costs = options.f_weights, options.costs
    if len(weights) != len(EVEN) or not all(np.isfinite(w) and w > 0 for w in weights):
        raise UsageError("the weights of P, R and A have to be three numbers above 0: 1,1,1")
    of_no_use = not all(np.isfinite(cost) and cost > 0 for cost in costs)
    if len(costs) != len(COSTS) or of_no_use or costs[2] >= 1:
        raise UsageError(
            "the costs of a miss and a false alarm and the share of targets have to be three "
            "numbers above 0, the share below 1: 1,0.1,0.02"
        )
    if options.cutoff_step is not None and options.cutoff_step < 1:
        raise UsageError("the step of cutoffs has to be 1 or more")
    if not options.batches:
        raise UsageError("no length of batches is given")
    for length in options.batches:
        seconds_of(length)


def level_of(truth: Truth, asked: str | None) -> tuple[str, list[str]]:
    """From which rating on a document is positive.

    A plain table may say 0 and 1; then 1 is positive, and a warning says so.
    """
    if asked is not None:
        return asked, []
    if truth.official or (truth.rating >= LEVELS["vital"]).any():
        return "vital", []
    warning = "no relevance is 2 or above, so 1 is taken for positive: --level says otherwise"
    return "useful", [warning]


def cutoffs_of(rules: FilterRules, options: FilterOptions) -> FloatArray:
    """The cutoffs to try, ascending."""
    if options.cutoff == SWEEP:
        step = options.cutoff_step or rules.step
        return np.arange(rules.lowest, rules.highest + 1, step, dtype=np.float64)
    if options.cutoff_step is not None:
        raise UsageError("a step of cutoffs has no meaning with one cutoff")
    try:
        cutoff = float(options.cutoff)
    except ValueError:
        cutoff = np.nan
    if not np.isfinite(cutoff):
        raise UsageError(f"cutoff cannot be '{options.cutoff}': give a number, or {SWEEP}")
    return np.array([cutoff])

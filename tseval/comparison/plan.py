"""What is asked of a comparison: the test, the correction, the intervals, and at which level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from tseval.core.declared import SWEEP, UNMEASURED, check_record, option
from tseval.errors import UsageError, check_choice
from tseval.io.times import written
from tseval.records import frozen
from tseval.statistics.bootstrap import INTERVALS
from tseval.statistics.paired import CORRECTIONS, TESTS

RESAMPLES = 10_000
LEAST_RESAMPLES, MOST_RESAMPLES = 100, 1_000_000
DRAWS_TO_SPARE = 3
"""How many times as many draws a small p value takes as the correction asks for at least."""
ALPHA = 0.05
FAMILIES = ("all", "measure")
"""Which comparisons are corrected together: all of them, or those of each measure."""
ON_SKIP = "skip"
ON_MISSING = ("zero", ON_SKIP, "error")
UNDEFINED = ("skip", "zero")


RUNS, POWER, AGAINST, LEAVE_OUT, LEAD = "runs", "power", "against", "leave-out", "lead"
"""The analyses: runs held against each other, and the others by the options that ask for them."""


@frozen
class Plan:
    """How runs are compared; a value that has no meaning is a `UsageError`."""

    test: str = option(
        "The test for the p values. All tests are paired by topic and two-sided.",
        default=TESTS[0],
        choices=TESTS,
        within=(RUNS, POWER, SWEEP),
    )
    correction: str = option(
        "The correction for many comparisons: Holm, Bonferroni or Benjamini-Hochberg.",
        default=next(iter(CORRECTIONS)),
        choices=tuple(CORRECTIONS),
        within=(RUNS, POWER, SWEEP),
    )
    family: str = option(
        "The comparisons that are corrected together.",
        default=FAMILIES[0],
        choices=FAMILIES,
        within=(RUNS, SWEEP),
    )
    interval: str = option(
        "The kind of interval from resampled topics.",
        default=INTERVALS[0],
        choices=INTERVALS,
        within=(RUNS, LEAD),
    )
    alpha: float = option(
        "The significance level. Intervals have the confidence level 1 - ALPHA.",
        default=ALPHA,
        within=(RUNS, POWER, AGAINST, LEAD, SWEEP),
    )
    resamples: int = option(
        "Number of resamples of the topics. tseval draws more if a correction needs smaller p "
        "values.",
        default=RESAMPLES,
        at_least=LEAST_RESAMPLES,
        at_most=MOST_RESAMPLES,
        within=(RUNS, POWER, AGAINST, LEAD, SWEEP),
    )
    seed: int = option(
        "Seed of all random draws.",
        default=0,
        within=(RUNS, POWER, AGAINST, LEAD, SWEEP),
    )
    baseline: str | None = option(
        "Compare every run with this one only. Default: every pair.",
        metavar="RUN",
        within=(RUNS, POWER, LEAD, SWEEP),
    )

    def __post_init__(self) -> None:
        check_record(self)
        if not 0 < self.alpha < 1:
            raise UsageError(f"alpha has to lie between 0 and 1, and {self.alpha:g} does not")

    @property
    def level(self) -> float:
        """How much of the resamples an interval holds."""
        return 1 - self.alpha

    def most_draws(self, comparisons: int) -> int:
        """How many draws a p value may take, such that it can survive the correction.

        The smallest of so many is held to alpha by their number, and p is at least 1 by the draws.
        """
        asked = self.alpha if self.correction == "none" else self.alpha / max(1, comparisons)
        return max(self.resamples, min(MOST_RESAMPLES, ceil(DRAWS_TO_SPARE / asked)))

    def traits(self) -> dict[str, str]:
        """What can change a number, by name: parts of the signature."""
        baseline = {} if self.baseline is None else {"baseline": self.baseline}
        return {
            **baseline,
            "test": self.test,
            "correction": f"{self.correction}({self.family})",
            "interval": self.interval,
            "alpha": written(self.alpha),
            "resamples": str(self.resamples),
            "seed": str(self.seed),
        }


@frozen
class Treatment:
    """What becomes of topics without a score, and which way measures go."""

    on_missing: str | None = None
    """By default `skip` where all scores say that they were made so, else `zero`."""
    undefined: str = UNDEFINED[0]
    lower: tuple[str, ...] = option(
        "--lower-is-better",
        "Lower values of this measure are better, if tseval does not define it; repeatable.",
        metavar="NAME",
        several=True,
        not_within=(UNMEASURED,),
    )
    """Measures of which lower is better, whatever their definition."""
    higher: tuple[str, ...] = option(
        "--higher-is-better",
        "Higher values of this measure are better; repeatable.",
        metavar="NAME",
        several=True,
        not_within=(UNMEASURED,),
    )

    def __post_init__(self) -> None:
        if self.on_missing is not None:
            check_choice("on_missing", self.on_missing, ON_MISSING)
        check_choice("undefined", self.undefined, UNDEFINED)
        both = sorted(set(self.lower) & set(self.higher))
        if both:
            raise UsageError(f"measure {both[0]} cannot be better both lower and higher")

    def made_for(self, signatures: Sequence[str]) -> Treatment:
        """The same with the rule for missing topics settled, for scores with these signatures."""
        skipped = [f"|missing:{ON_SKIP}|" in f"|{signature}|" for signature in signatures]
        default = ON_SKIP if skipped and all(skipped) else ON_MISSING[0]
        return replace(self, on_missing=self.on_missing or default)

    def traits(self) -> dict[str, str]:
        """What can change a number, by name: parts of the signature."""
        ways = {"lower": self.lower, "higher": self.higher}
        told = {name: ",".join(sorted(each)) for name, each in ways.items() if each}
        return {"missing": self.on_missing or ON_MISSING[0], "undefined": self.undefined} | told

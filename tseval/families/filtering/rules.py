"""Rules: the habits in which evaluations of filtering differ, each by its name."""

from __future__ import annotations

from tseval.core.rules import RuleSet, choice
from tseval.records import frozen


@frozen
class FilterRules(RuleSet):
    """Every choice; the defaults are what the paper on filtering over time does."""

    lowest: int = 50
    """The lowest cutoff that a sweep tries."""
    highest: int = 1000
    """Above this it tries none."""
    step: int = 50
    """How far apart its cutoffs are, unless another step is asked for."""

    kept: str = choice(
        "at-least",
        "a document is returned if its confidence is",
        at_least="at least the cutoff",
        above="above the cutoff",
    )
    own_rating: str = choice(
        "ignore",
        "a document that the run itself rates below the level asked for (2013 and 2014)",
        ignore="is returned all the same",
        obey="is not returned",
    )
    unjudged: str = choice(
        "ignore",
        "a returned document that nobody judged",
        ignore="is left out",
        fp="is a false positive",
    )
    votes: str = choice(
        "all",
        "a document that assessors rate differently",
        all="is positive if all of them rate it so: the lowest rating wins",
        any="is positive if any of them rates it so: the highest rating wins",
    )
    unsure: str = choice(
        "keep",
        "a judgment in which the assessor has no confidence (0 in the truth)",
        keep="counts as any other",
        drop="is left out",
    )
    partial: str = choice(
        "keep",
        "a last batch that is shorter than the others",
        keep="is a batch as any other",
        drop="is left out of the batches; measures of the whole period keep it",
    )
    weights: str = choice(
        "shared",
        "the weight of a batch in the trend",
        shared="is its share of the pairs that are positive or returned, for every metric",
        own="is its share of what the metric is taken from: for P and FDR the pairs returned, for"
        " R the positive ones, for FPR the negative ones, for the others as shared",
    )
    entities: str = choice(
        "positive",
        "the macro averages P, R, T11U and T11SU are taken over",
        positive="the entities with a positive in the batch; undefined without any",
        all="all entities of the truth; one without positives counts as 0, in T11U as its false"
        " positives cost",
    )

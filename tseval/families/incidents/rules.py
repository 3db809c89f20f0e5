"""The rules in which the evaluations of incident streams differ, and the editions of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from tseval.core.rules import Edition, RuleSet, choice
from tseval.records import frozen

FAMILY = "incidents"
NOTE = "McCreadie, TREC-IS V2 Metrics, May 2019"
PAGE_2018 = "TREC Incident Streams: evaluation (page of the track), 2018"
NOTEBOOK_2018 = "TREC Incident Streams: evaluation notebook, 2018"
TRACK_2021 = "Buntain, McCreadie and Soboroff, Incident Streams 2021, TREC 2021"
PROPOSED = "McCreadie and Soboroff, TREC Incident Streams Track Proposal"
ACTIONABLE = (
    "Request-GoodsServices",
    "Request-SearchAndRescue",
    "CallToAction-MovePeople",
    "Report-EmergingThreats",
    "Report-NewSubEvent",
    "Report-ServiceAvailable",
)
"""The types that call for action, by the track."""
LABELLING = ("repeated-labels", "two-events", "join")
"""What every measure reads: the rules that say which posts there are."""
TYPING = ("type-names", "ancestors", "entries")
"""What all that looks at the types of posts reads."""
OPEN = ("logarithm", "order", "delta", "alert-posts", "repeated-labels")
"""What the note leaves open: the signature always names it."""
SILENCED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("alert-types", "ignored"): (*TYPING, "emitted-from", "actionable", "actionable-weight"),
    ("alert-priority", "raw"): ("normalise", "scale-bottom"),
    ("error-types", "labelled"): ("actionable-mean",),
    ("order", "rank"): ("epochs",),
    ("order", "file"): ("epochs",),
}
"""What is not read any more by whoever reads a rule, where that has this value."""


@frozen
class IncidentRules(RuleSet):
    """Every choice; the defaults are the note of 2019, and what it leaves open made plain."""

    always_named = OPEN
    actionable: tuple[str, ...] = ACTIONABLE
    """The types that call for action."""
    flat_gain: float = 0.3
    """What a true alert is worth whatever its types: alpha."""
    actionable_weight: float = 0.75
    """How much of the types' worth is the actionable ones', if the post has any: lambda."""
    alert_from: float = 0.7
    """The priority from which on a post is an alert."""
    emitted_from: float = 0.5
    """The number from which on a type is given, where runs have numbers for types."""
    absent_priority: float = 0.25
    """The priority of a labelled post that the run lacks."""
    threshold: str = "alert_from"
    """Which of the two that is for which a threshold is given."""
    seed: int = 0
    """For shuffles, where the rules have any."""
    depth: int = 100
    """How many posts of an event nDCG looks at."""
    parts: tuple[str, ...] = ()
    """The endings of the names of events that were labelled in parts; they are taken off."""

    repeated_labels: str = choice(
        "a post that was labelled several times",
        united="counts once: with all its types, and the highest priority",
        entries="counts each time, always with what its last label says",
    )
    two_events: str = choice(
        "a post that was labelled in several events",
        each="counts in each of them",
        first="counts in the first of them, with all its labels",
    )
    join: str = choice(
        "a run's line speaks of",
        event="the post of its own event",
        post="the post of that id, whatever the event",
    )
    ancestors: str = choice(
        "a post that has a type with ancestors in the ontology",
        alone="has that type",
        rolled_up="has all its ancestors too",
    )
    type_posts: str = choice(
        "a type, where a judged pool says for which types each post was judged, is scored over",
        own="the posts that were judged for it",
        all="all posts of the pool; what a post was not judged for, it does not have",
    )
    type_names: str = choice(
        "a type by the name of another year",
        renamed="is the type of this ontology that it became, or was",
        exact="is unknown",
    )
    unknown_priority: str = choice(
        "a post whose priority the assessors left unknown",
        other="is one of the others, neither High nor Critical",
        uncounted="earns as one of the others, but is in no divisor",
    )
    actionable_mean: str = choice(
        "means over the actionable types are divided by",
        present="the number of those that the ontology has",
        named="the number of all of them, six unless others were named",
    )
    types_of_event: str = choice(
        "within an event, a type that no label of it has",
        all="counts as any other type",
        labelled="counts 0, whatever the run says, and is in the divisor",
    )
    any_untyped: str = choice(
        "a labelled post to which the run gives no type, or which it lacks, in the any-type counts",
        missed="was missed: it is a false negative",
        wrong="is a false positive, as the notebook of 2018 counts it",
    )
    any_wrong: str = choice(
        "a labelled post to which the run gives only wrong types, in the any-type counts",
        both="is a false positive and a false negative: recall is over all labelled posts",
        positive="is a false positive alone, as the notebook of 2018 counts it",
    )
    refusals: str = choice(
        "Irrelevant or Unknown as an answer of the run, in the any-type counts,",
        off="is a type like any other",
        on="refuses the post: a true negative if the assessors say the same, else a false negative",
    )
    f1_mean: str = choice(
        "type.F1 over several types is",
        types="the mean of their F1",
        averages="the F1 of their mean precision and their mean recall",
    )
    normalise: str = choice(
        "a run's priorities are scaled so that its lowest is 0 and its highest 1",
        auto="if any of them is outside of [0, 1]",
        always="always; if all are equal they become 0",
        never="never",
    )
    alert_priority: str = choice(
        "whether a post is an alert, and how alert, shows",
        scaled="in its scaled priority",
        raw="in its priority as the run has it",
    )
    order: str = choice(
        "the posts of an event come",
        time="as they were made; where that is unknown as the run's file has them",
        rank="by the run's rank",
        file="as the run's file has them",
    )
    logarithm: str = choice(
        "10",
        "the base of the logarithm in what a false alert costs",
        **{"10": "is 10", "e": "is e"},
    )
    delta: str = choice(
        "the count of false alerts since the last true one",
        event="begins at 0 in each event",
        run="goes on from event to event",
    )
    delta_counts: str = choice(
        "the cost of a false alert depends on",
        before="the false alerts before it: the first one is free",
        **{"with": "these and the false alert itself: the first one costs, too"},
    )
    alert_types: str = choice(
        "the types of a post in its alert worth",
        counted="count: the overlap of the run's with the assessors'",
        ignored="never count: every overlap is 0",
    )
    alert_posts: str = choice(
        "alert worth is added up over",
        labelled="the labelled posts, those that the run lacks among them",
        lines="the lines of the run whose post is labelled, repeats and all",
    )
    alert_mean: str = choice(
        "AAW is",
        halves="half of the sum of its two parts; undefined where one of them has no posts",
        sum="half of the sum of its two parts, where a part without posts adds nothing",
        pooled="the sum of all worth, divided by twice the number of labels",
    )
    error_types: str = choice(
        "a type without a labelled post, in the means of the priority measures",
        labelled="is left out",
        all="counts 0",
    )
    rmse: str = choice(
        "what is called RMSE",
        root="is the root of the mean squared error of each type",
        square="is the mean squared error, without a root",
    )
    scale_bottom: str = choice(
        "scaled priorities below 0.25 or above 1",
        clipped="become 0.25 and 1",
        kept="stay as they are",
    )
    ties: str = choice(
        "where posts of a level tie, nDCG takes",
        expected="the mean over all orders",
        shuffled="the mean over 100 seeded shuffles",
    )
    correlation: str = choice(
        "the correlation of a type where the run's or the assessors' priorities are all equal",
        defined="is undefined, and left out of the mean",
        guarded="is 0 where the deviations from the mean sum to exactly 0, as rounding has it",
    )

    def effective(self, reads: Iterable[str]) -> frozenset[str]:
        """Return what can change something that reads all of this, by these rules."""
        names = set(reads)
        silent = [
            name
            for (rule, value), silenced in SILENCED.items()
            if rule in names and getattr(self, rule.replace("-", "_")) == value
            for name in silenced
        ]
        if "alert-from" in names and self.absent_priority < self.alert_from <= 1:
            silent.append("scale-bottom")  # no post becomes an alert by it, or ceases to be one
        return frozenset(names.difference(silent))


ALERT_MEASURES = (
    "AAW.high",
    "AAW",
    "type.F1(actionable)",
    "type.F1",
    "type.accuracy",
    "priority.RMSE(actionable)",
    "priority.RMSE",
)
"""The columns of the tables since the note, in their order."""
AAW = ("AAW", "AAW.high", "AAW.low")
LEADING_ALERTS = (*ALERT_MEASURES[:3], *ALERT_MEASURES[4:6])
SCRIPT = IncidentRules(
    repeated_labels="entries",
    join="post",
    type_names="exact",
    unknown_priority="uncounted",
    actionable_mean="named",
    normalise="always",
    order="rank",
    alert_types="ignored",
    alert_posts="lines",
    error_types="all",
    rmse="square",
    any_wrong="positive",
    refusals="on",
)
"""What the scripts of 2018 and 2019 have in common."""

PARTS_OF_2018, PARTS_OF_2019 = ("S1", "S2", "S3", "S4"), ("A", "B", "C", "D", "E")
OF_2021 = replace(
    SCRIPT,
    repeated_labels="united",
    two_events="first",
    types_of_event="labelled",
    normalise="never",
    scale_bottom="kept",
    correlation="guarded",
)
OF_PROPOSAL = IncidentRules(
    threshold="emitted_from", emitted_from=0.0, any_wrong="positive", refusals="on"
)
SHARES = ("P", "R", "F1", "accuracy")
MEASURES_OF_2018 = (*(f"type.{name}" for name in SHARES), "priority.MSE")
MEASURES_OF_2018 += tuple(f"any.{name}" for name in SHARES)
MEASURES_OF_2021 = (
    "nDCG@100",
    "type.F1(actionable)",
    "type.F1",
    "type.accuracy",
    "priority.F1(actionable)",
    "priority.F1",
    "priority.pearson(actionable)",
    "priority.pearson",
)
LEADING_OF_2021 = (*MEASURES_OF_2021[:2], *MEASURES_OF_2021[3:5], MEASURES_OF_2021[6])
OF_PROPOSED = ("type.P", "type.R", "type.accuracy")


edition = partial(
    Edition,
    family=FAMILY,
    on_missing="zero",
    measures=ALERT_MEASURES,
    leading=LEADING_ALERTS,
)
"""An edition; those since the note have its columns."""
EDITIONS = (
    edition(
        name="note",
        summary="the formulas of the note of 2019, and what it leaves open made plain",
        citation=NOTE,
        rules=IncidentRules(),
        measures=(*AAW, *ALERT_MEASURES[2:], "priority.MSE", "priority.MSE_posts"),
        leading=(*AAW, "type.F1(actionable)", "priority.RMSE(actionable)"),
    ),
    edition(
        name="2018",
        summary="what the script of 2018 computes: types, any type, and errors of priorities",
        citation=NOTEBOOK_2018,
        rules=replace(SCRIPT, parts=PARTS_OF_2018, any_untyped="wrong"),
        measures=MEASURES_OF_2018,
        leading=("type.F1", "type.P", "type.R", "any.F1", "priority.MSE"),
    ),
    edition(
        name="2018v2",
        summary="the runs of 2018 scored anew, as in the table of the note",
        citation=NOTE,
        rules=replace(SCRIPT, parts=PARTS_OF_2018, alert_mean="pooled"),
    ),
    edition(
        name="2019a",
        summary="what the script of 2019-A computes: alerts by the run's own priorities",
        citation=NOTE,
        rules=replace(SCRIPT, parts=PARTS_OF_2019, alert_priority="raw"),
    ),
    edition(
        name="2019b",
        summary="what the script of 2019-B computes: alerts by scaled priorities",
        citation=NOTE,
        rules=replace(SCRIPT, parts=PARTS_OF_2019),
    ),
    edition(
        name="2021",
        summary="what the scripts of 2021 compute: types, levels, correlation and nDCG",
        citation=TRACK_2021,
        rules=OF_2021,
        measures=MEASURES_OF_2021,
        leading=LEADING_OF_2021,
    ),
    edition(
        name="proposal",
        summary="information types as the proposal of the track has them, over pooled posts",
        citation=PROPOSED,
        rules=OF_PROPOSAL,
        measures=OF_PROPOSED,
        leading=OF_PROPOSED,
    ),
)
"""The note of 2019, and what the track's scripts computed."""

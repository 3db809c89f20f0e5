"""What evaluations of responses do differently, each choice by its name."""

from __future__ import annotations

from tseval.core.rules import RuleSet, choice
from tseval.records import frozen


@frozen
class ResponseRules(RuleSet):
    """How labels are read, which nuggets count, and what several responses are."""

    labels: str = choice(
        "lenient",
        "how the labels of nuggets are compared",
        exact="as they are written; a label or an importance that is not there is a fault",
        lenient="without blanks around them and in lower case; a missing one counts 0",
        strict="as they are written; any but the three labels is a fault",
    )
    duplicates: str = choice(
        "count",
        "a nugget that stands twice in a list",
        count="counts twice",
        merge="counts once, with the first one's importance and the best label",
    )
    nuggets: str = choice(
        "given",
        "the nuggets over which a response is scored",
        given="those of the file of nuggets, or without one the response's own",
        file="those of the file of nuggets",
        record="the response's own",
    )
    unlisted: str = choice(
        "fault",
        "a label for a nugget that the file of nuggets lacks",
        fault="is a fault",
        ignored="is left out",
    )
    versions: str = choice(
        "append",
        "several responses of a run on a topic, at different times",
        append="the best label so far counts",
        replace="the labels of the newest count",
    )
    denominator: str = choice(
        "all",
        "by which nuggets a score at a time is divided",
        all="all of them",
        known="those known before that time; a nugget counts as said from its own time on",
    )
    mean: str = choice(
        "topics",
        "of what `all` is the mean",
        topics="of the topics",
        records="of the responses: two of a topic count twice",
    )
    positions: str = choice(
        "fault",
        "a citation of a position outside of the references",
        fault="is a fault",
        text="is the name of a document",
    )

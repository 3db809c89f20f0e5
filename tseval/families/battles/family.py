"""Battles: what the family declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from tseval.core.declared import argument, option
from tseval.core.family import Family, Words, hashes
from tseval.core.frames import Content, FrameEvaluation, Request
from tseval.core.measure import Measure
from tseval.core.rules import Edition, NoRules
from tseval.core.sections import Reporting, Section
from tseval.families.battles import explain
from tseval.families.battles.files import BATTLES, READER
from tseval.families.battles.measures import BRADLEY_TERRY, DEFINITIONS
from tseval.families.battles.measures import FAMILY as NAME
from tseval.families.battles.rows import are_dated, find_warnings, index_of
from tseval.io.tables import TableReader
from tseval.records import frozen
from tseval.statistics.bootstrap import RESAMPLES

if TYPE_CHECKING:
    from tseval.io.given import Given

DRAWN = ("intervals", "pairs")


@frozen
class BattleInputs:
    """Where the table comes from: paths, `-` for standard input, or pandas frames."""

    judgments: Sequence[Given] = argument(
        "JUDGMENTS", "one or more files of battles", BATTLES, several=True
    )


@frozen
class BattleOptions:
    """What is asked for beside what all families are asked for."""

    intervals: bool = option(
        "Show each measure with its 95 % interval, by a bootstrap over topics; over battles where "
        "there is one topic.",
        kind=bool,
    )
    resamples: int = option(
        "Number of times that --intervals draws topics.",
        default=RESAMPLES,
        metavar="N",
        at_least=2,
        within=DRAWN,
    )
    seed: int = option("Seed of the topics that --intervals draws.", default=0, within=DRAWN)


@frozen(kw_only=True)
class BattleEvaluation(FrameEvaluation):
    """Battles, read and put in order."""

    words: ClassVar[Words] = Words("battles", "topic", undefined_topics=False)
    readers: ClassVar[Mapping[str, TableReader]] = {"judgments": READER}

    is_dated: bool = False
    """Whether every battle has a time."""

    @classmethod
    def build(cls, request: Request) -> Content:
        """Put the battles in order."""
        table = request.tables["judgments"]
        index, fields = index_of(table), {"is_dated": are_dated(table.frame)}
        return Content(
            index, find_warnings(index), last_traits=hashes(request.tables), fields=fields
        )

    def pools(self, measure: Measure) -> bool:
        """Whether `all` is a quotient of sums over all topics: so it is of battles won."""
        return self.follows(measure)

    def follows(self, measure: Measure) -> bool:
        """Whether a measure is followed over time: ratings are taken at single times."""
        return measure.definition.name == "wins"

    def has_times(self, measure: Measure) -> bool:  # noqa: ARG002 - all alike
        """Whether the battles are dated."""
        return self.is_dated


PLAIN = Edition(
    name="plain",
    family=NAME,
    summary="battles as they are: a tie is half a win for each run",
    measures=("wins", "BT", "Elo"),
    leading=("BT", "wins"),
    on_missing="skip",
    citation=BRADLEY_TERRY,
    rules=NoRules(),
)
FAMILY = Family(
    name=NAME,
    command="battles",
    summary="Rate runs that judges compared in pairs.",
    description="""\
\b
tseval battles fixtures/battles.tsv --intervals

JUDGMENTS is a table `topic run_a run_b winner [judge] [order] [time]`, in any format. `winner` is
a, b, tie, or the better run's name. It may be compressed; `-` is standard input.
""",
    inputs=BattleInputs,
    options=BattleOptions,
    definitions=DEFINITIONS,
    editions=(PLAIN,),
    read=BattleEvaluation.read,
    schemas=(BATTLES,),
    formats=READER.formats,
    knows=READER.holds,
    over="battles",
    curves=True,
    views=explain.VIEWS,
    reporting=lambda: Reporting(
        (Section("battles", "Wins against each run", explain.sections),),
        retold=lambda _: BattleOptions(),
    ),
    words=BattleEvaluation.words,
)

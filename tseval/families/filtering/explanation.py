"""What `tseval filter --show` shows instead of scores, and the series of batches beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tseval.core.family import Asked, Shown, View, Writer, Written
from tseval.core.scoring import missing_topics
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.filtering import inputs, stability, trend_tables
from tseval.families.filtering.caveats import trend_warnings
from tseval.families.filtering.evaluation import FilterEvaluation
from tseval.families.filtering.index import TrendIndex
from tseval.families.filtering.inputs import FilterOptions
from tseval.families.filtering.metrics import METRICS
from tseval.families.filtering.picture import trend_picture
from tseval.families.filtering.teams import MEASURES, READING, Teams
from tseval.files import PICTURES
from tseval.files.inputs import Input
from tseval.files.rows import rows_bytes
from tseval.files.score_readers import read_teams
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    Request: TypeAlias = Asked[FilterOptions]


@frozen
class Trends:
    """The trends that are asked for, where missing topics count as was asked for."""

    index: TrendIndex
    asked: list[tuple[str, str]]
    """The metric of each, and the length of its batches."""
    warnings: tuple[str, ...]
    traits: dict[str, str]
    """What becomes of missing topics, as a part of the signature."""

    @classmethod
    def of(cls, evaluation: FilterEvaluation, asked: Request) -> Trends:
        """The trends of the measures that are asked for."""
        rule = asked.on_missing or evaluation.edition.on_missing
        missing = missing_topics([evaluation.index], rule, evaluation.words)
        whole = evaluation.without_missing() if rule == "skip" else evaluation
        index = whole.prepared_for(asked.measures, per_topic=False).index
        trends = whole.trends(asked.measures)
        warnings = (*missing.warnings, *trend_warnings(index, trends))
        return cls(index, trends, warnings, {"missing": rule})

    def shown(
        self,
        frame: pd.DataFrame,
        *notes: str,
        for_people: tuple[str, ...] = (),
    ) -> Shown:
        """One frame with what is to be said of it."""
        return Shown(frame, notes, self.warnings, for_people, traits=self.traits)

    def in_sections(
        self, sections: Mapping[str, pd.DataFrame], *notes: str, traits: Mapping[str, str]
    ) -> Shown:
        """Several frames; as one for programs: the second's rows have `other`, and more columns."""
        import pandas as pd

        joined = pd.concat(list(sections.values()), ignore_index=True)
        return Shown(
            joined, notes, self.warnings, sections=sections, traits=self.traits | dict(traits)
        )


def ranking(evaluation: FilterEvaluation, asked: Request) -> Shown:
    """Runs by end point beside the usual score."""
    trends = Trends.of(evaluation, asked)
    return trends.shown(trend_tables.ranking(trends.index, trends.asked))


def tests(evaluation: FilterEvaluation, asked: Request) -> Shown:
    """Each two runs against each other."""
    trends = Trends.of(evaluation, asked)
    if len(trends.index.runs) < 2:
        raise UsageError("--show tests needs two runs at least")
    frame = trend_tables.comparison(trends.index, trends.asked)
    return trends.shown(
        frame, trend_tables.TRUST, trend_tables.DOUBT, for_people=trend_tables.TESTS_FOR_PEOPLE
    )


def fits(evaluation: FilterEvaluation, asked: Request) -> Shown:
    """Each trend in full."""
    trends = Trends.of(evaluation, asked)
    frame = trend_tables.fits(trends.index, trends.asked, weighted=asked.options.weighted)
    return trends.shown(frame, trend_tables.DOUBT, for_people=trend_tables.FITS_FOR_PEOPLE)


def stable(evaluation: FilterEvaluation, asked: Request) -> Shown:
    """For how many runs assumptions hold, and how far slopes hang on the length of batches."""
    trends, weighted = Trends.of(evaluation, asked), asked.options.weighted
    traits = {"residuals": inputs.WEIGHTED if weighted else ""}
    shares = stability.assumption_shares(trends.index, trends.asked, weighted=weighted)
    pairs = stability.slope_stability(trends.index, trends.asked)
    if not len(pairs):
        notes = (stability.READING, stability.ONE_LENGTH)
        return trends.in_sections({"Assumptions": shares}, *notes, traits=traits)
    sections = {"Assumptions": shares, "Stability": pairs}
    return trends.in_sections(sections, stability.READING, traits=traits)


def teams(evaluation: FilterEvaluation, asked: Request) -> Shown:
    """Teams by their best run."""
    trends = Trends.of(evaluation, asked)
    named, warnings = _named(asked.options.teams, trends.index.runs)
    alone = {run: run for run in _named_as_files(evaluation) if run not in named}
    if alone:
        runs = f"runs that are named as their files, each a team by itself: {listed([*alone])}"
        warnings = (*warnings, f"{runs}; --teams FILE says whose they are")
    members: dict[str, list[str]] = {}
    for run, team in named.items():
        members.setdefault(team, []).append(run)
    traits = {"teams": ";".join(f"{team}={','.join(runs)}" for team, runs in members.items())}
    found = Teams.of(trends.index, trends.asked, named | alone)
    sections = {"Teams by their best run": found.places(), "Agreement": found.agreement()}
    shown = trends.in_sections(sections, READING, traits=traits)
    return replace(shown, warnings=(*shown.warnings, *warnings))


def _named(path: str | None, runs: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The team of each run that a file names, with warnings; one that names no run is refused."""
    if path is None:
        return {}, ()
    named = read_teams(path)
    strangers = sorted(named.keys() - set(runs))
    if len(strangers) == len(named):
        known = f"{listed(runs)}; it has {listed(strangers)}"
        raise UsageError(f"--teams {path} names none of the runs, which are {known}")
    lost = f"teams of runs that are not here: {listed(strangers)}"
    ours = {run: team for run, team in named.items() if run in runs}
    return ours, (lost,) if strangers else ()


def _named_as_files(evaluation: FilterEvaluation) -> list[str]:
    """The runs whose names are those of their files, where a hyphen ends no name of a team."""
    paths = [str(source.path) for source in evaluation.inputs]
    called = {name for path in paths for name in (path, Input(path).name)}
    return [run for run in evaluation.index.runs if run.partition(":")[0] in called]


def bursts(evaluation: FilterEvaluation, asked: Request) -> Shown:
    """How much each interval weighs, for which no run is needed."""
    index = evaluation.index
    cuts = [index.tally.whole, *map(index.cut, asked.options.lengths)]
    warnings = tuple(trend_warnings(index, evaluation.trends(())))
    return Shown(trend_tables.bursts(index.tally, cuts), warnings=warnings)


VIEWS = (
    View(
        inputs.RANKING,
        "runs by end point beside the usual score",
        ranking,
        takes_measures=True,
        by_topic=False,
    ),
    View(
        inputs.TEAMS,
        "teams by their best run in each ranking, and tau of these",
        teams,
        takes_measures=True,
        measures=MEASURES,
        by_topic=False,
    ),
    View(inputs.TESTS, "runs against each other", tests, takes_measures=True, by_topic=False),
    View(
        inputs.FITS,
        "each trend in full, with what it takes for granted",
        fits,
        takes_measures=True,
        by_topic=False,
    ),
    View(
        inputs.STABILITY,
        "for how many runs that holds, and how far slopes hang on the length of batches",
        stable,
        takes_measures=True,
        by_topic=False,
    ),
    View(
        inputs.BURSTS,
        "how much each interval weighs, for which no run is needed",
        bursts,
        leaves_out=("runs",),
    ),
)
"""What can be shown instead of scores."""


def drawn(evaluation: FilterEvaluation, asked: Request, form: str) -> Written:  # noqa: ARG001
    """The trends as a chart."""
    trends = Trends.of(evaluation, asked)
    signature = evaluation.signature(**trends.traits)
    picture = trend_picture(trends.index, trends.asked, signature)
    return Written(picture=picture, warnings=(*evaluation.warnings, *trends.warnings))


PICTURE = Writer(
    PICTURES,
    "the trends, drawn; png and pdf need the extra `report`",
    drawn,
    takes_measures=True,
    by_topic=False,
)


def series(evaluation: FilterEvaluation, asked: Request) -> Mapping[Path, bytes]:
    """Every batch of every metric, where a file is named for them."""
    path = asked.options.series
    if path is None:
        return {}
    if not evaluation.index.runs:
        raise UsageError("--series has no meaning without runs")
    trends = Trends.of(evaluation, asked)
    every = [(metric, length) for length in trends.index.lengths for metric in METRICS]
    frame = trend_tables.every_batch(trends.index, every)
    form = path.suffix.lstrip(".").lower() or "csv"
    return {path: rows_bytes(frame, form, evaluation.signature(**trends.traits))}

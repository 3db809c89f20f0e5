"""`tseval curve`: the measures of any family that can be followed over time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tseval.cli import options
from tseval.cli.declared_options import named_options, record_options
from tseval.cli.family_command import Call, Request
from tseval.cli.ineffective_options import refuse_options
from tseval.cli.options import on_line
from tseval.cli.output import check_output, deliver, form_of, warn
from tseval.cli.progress import progress
from tseval.core import registry, trend_caveats, trends
from tseval.core.calling import Where
from tseval.core.curves import curves, followed_measures, frame
from tseval.core.declared import CURVE, Declared, build, declared, input_tables, option
from tseval.core.family import Access, Evaluation, Family
from tseval.core.measure import Measure
from tseval.core.naming import Naming
from tseval.core.panels import Picture
from tseval.core.scoring import Missing, apply_missing_rule, chosen_measures, missing_topics
from tseval.errors import UsageError
from tseval.io import PICTURES
from tseval.io.columns import column_names
from tseval.io.formats import forms_of
from tseval.io.rows import rows_bytes
from tseval.io.schema import ALL_TOPICS
from tseval.io.times import UNITS, NotANumber, duration
from tseval.records import frozen
from tseval.reporting.charts.curves import (
    CurveWishes,
    Marks,
    MeasureAxis,
    Words,
    batch_picture,
    curve_picture,
)
from tseval.reporting.charts.drawing import draw

if TYPE_CHECKING:
    import pandas as pd

FORMS = ("csv", *PICTURES)
CATCHING_UP = ("Rs",)
"""Measures that pass their range in a batch that catches up with earlier ones."""


@frozen(kw_only=True)
class CurveRequest(Request):
    """What is asked for beside what families declare."""

    chosen: tuple[str, ...] = option(
        "--topic",
        "A topic to show, or `all` for the mean over topics; repeatable. Default: all.",
        metavar="NAME",
        several=True,
        not_within=("--per-topic",),
    )
    batch: str | None = option(
        "Instead of curves the measures of batches of this length, such as 1d, each by itself.",
        metavar="LENGTH",
    )
    trend: bool = option(
        "With --batch: the line through the batches, its slope, its end point and their errors.",
        kind=bool,
        within=("--batch",),
    )
    until: str | None = option(
        "Curves end so long after the topic's start, such as 6h.",
        metavar="LENGTH",
        not_within=("--batch",),
    )
    log: bool = option(
        "Pictures of curves have a logarithmic axis of time.", kind=bool, not_within=("--batch",)
    )
    title: str = option("The title of the chart.", default="Measures over time")

    def topics(self, index: Any) -> list[str]:
        """The topics to show: those named, or the mean, with `-q` every topic before it."""
        if self.chosen:
            return list(dict.fromkeys(self.chosen))
        return [*(index.topics if self.per_topic else ()), ALL_TOPICS]

    @property
    def length(self) -> float | None:
        """The seconds of a batch; None for curves."""
        if self.batch is None:
            return None
        return seconds_of("--batch", self.batch, "a batch must last")

    @property
    def hours(self) -> float | None:
        """The hour at which curves end; None where they end by themselves."""
        if self.until is None:
            return None
        return seconds_of("--until", self.until, "curves must go on for") / UNITS["h"]


def seconds_of(flag: str, text: str, what: str) -> float:
    """A length of time above 0."""
    try:
        length = duration(text)
    except NotANumber as error:
        raise UsageError(f"{flag}: {error}") from None
    if not length > 0:
        raise UsageError(f"{flag}: {what} longer than 0 seconds")
    return length


@frozen
class Followed:
    """What is followed: an evaluation, its measures, and what is told beside them."""

    evaluation: Evaluation
    measures: list[Measure]
    missing: Missing
    undefined_as_zero: bool
    signature: str

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know."""
        evaluation = self.evaluation
        told = tuple(evaluation.caveats(self.measures))
        return (*evaluation.all_warnings, *told, *self.missing.warnings)


def served() -> list[Family[Any, Any]]:
    """The families whose measures are followed over time."""
    return [each for each in registry.all_families() if each.curves or each.batches]


def family_options() -> list[Callable[[Any], Any]]:
    """The options of all these families, each flag once."""
    chosen: dict[str, Callable[[Any], Any]] = {}
    for family in served():
        for record in (family.inputs, family.options):
            for name, each in named_options(record, CURVE).items():
                chosen.setdefault(name, each)
    return list(chosen.values())


def family_of(request: CurveRequest, told: Mapping[str, Declared]) -> Family[Any, Any]:
    """The family that is meant: by an option or an edition that is its alone, or by its gold."""
    families = served()
    for name in told:
        owners = [each for each in families if name in known_options(each)]
        if len(owners) == 1 and owners[0].name != registry.FIRST:
            return owners[0]
    kinds = {each.kind for each in column_names(request.naming.columns)} - {""}
    for each in families:
        if kinds and kinds <= set(input_tables(each.inputs, CURVE)):
            return each
    for each in families:
        if request.edition_name in {edition.name for edition in each.editions}:
            return each
    for each in families:
        if request.files and each.knows is not None and each.knows(request.files[-1]):
            return each
    return registry.family(registry.FIRST)


def known_options(family: Family[Any, Any]) -> dict[str, Declared]:
    """The options that a family declares, by the names of their fields."""
    return {
        field.name: what
        for record in (family.inputs, family.options)
        for field, what in declared(record)
        if what.flags and what.has_meaning(CURVE)
    }


def options_on_line() -> dict[str, Declared]:
    """The options of families that were given."""
    every = {name: what for each in served() for name, what in known_options(each).items()}
    return {name: what for name, what in every.items() if on_line(name)}


def call_of(request: CurveRequest, values: Mapping[str, Any]) -> Call:
    """The family that is meant, as it is called; what means nothing to it, or lacks, is refused."""
    told = options_on_line()
    family = family_of(request, told)
    known = known_options(family)
    strange = [*set(told).difference(known), *(() if family.resumes else ("resume",))]
    refuse_options([CURVE], {}, dict.fromkeys(strange, f"over {family.over}"))
    if request.batch is None and not family.curves:
        raise UsageError(f"measures over {family.over} have batches and no curve: give --batch 1d")
    for name, what in known.items():
        if what.required and values[name] is None:
            raise UsageError(f"measures over {family.over} need {what.name}")
    return Call.of(family, request, values)


def followed(request: CurveRequest, call: Call) -> Followed:
    """Read what the options name, and choose the measures to follow."""
    with request.where.shared() as sharing, progress(call.family.work, request.quiet) as tell:
        evaluation = call.read(Access(request.input_format, sharing, tell, request.wanted))
    edition = evaluation.edition
    rule = request.on_missing or edition.on_missing
    evaluation = apply_missing_rule(evaluation, rule)
    asked = chosen_measures(evaluation, request.wanted)
    wanted = followed_measures(evaluation, asked, named=bool(request.wanted))
    missing = missing_topics([evaluation.index], rule, evaluation.words, evaluation.missing_parts())
    batch = {"batch": request.batch} if request.batch else {}
    traits = {**evaluation.traits_of(wanted), "missing": rule, "undefined": request.undefined}
    signature = evaluation.signature(**traits, **batch)
    return Followed(evaluation, wanted, missing, request.undefined == "zero", signature)


@frozen
class Drawn:
    """The rows and how they are drawn, with warnings of their own."""

    table: pd.DataFrame
    picture: Callable[[], Picture]
    warnings: tuple[str, ...] = ()


def as_curves(asked: Followed, request: CurveRequest) -> Drawn:
    """Every measure at every time at which it can change."""
    drawn = curves(
        asked.evaluation,
        asked.measures,
        request.topics(asked.evaluation.index),
        counted=asked.missing.counted,
        undefined_as_zero=asked.undefined_as_zero,
    )
    table = frame(list(drawn))
    until = request.hours
    if until is not None:
        table = table[table["hours"] <= until].reset_index(drop=True)
    return Drawn(table, lambda: curve_picture(table, words(asked, request), wishes(asked, request)))


def wishes(asked: Followed, request: CurveRequest) -> CurveWishes:
    """How far curves go, and what is drawn around the means over topics."""
    from tseval.comparison import Plan  # which takes longer to load than curves take to write
    from tseval.reporting.curves import Means

    evaluation = asked.evaluation
    own = [each for each in asked.measures if not evaluation.pools(each)]
    if len(evaluation.index.topics) < 2 or ALL_TOPICS not in request.topics(evaluation.index):
        own = []
    hours = request.hours
    means = Means.of(
        evaluation,
        own,
        Plan(),
        asked.missing.counted,
        as_zero=asked.undefined_as_zero,
        until=math.inf if hours is None else hours * UNITS["h"],
    )
    around = {
        each.name: Marks(
            tuple(means.lines(each, UNITS["h"], evaluation.index.runs.index)),
            parts=tuple(means.parts(each, UNITS["h"], evaluation.index.runs.index)),
            keys=means.keys,
        )
        for each in own
    }
    return CurveWishes(around, hours, request.log)


def as_batches(asked: Followed, length: float, request: CurveRequest) -> Drawn:
    """Every measure batch by batch, with the lines through them if they are asked for."""
    drawn = trends.batch_series(
        asked.evaluation,
        asked.measures,
        length,
        request.topics(asked.evaluation.index),
        counted=asked.missing.counted,
        undefined_as_zero=asked.undefined_as_zero,
    )
    table = trends.frame(drawn)
    lines = trends.line_frame(drawn) if request.trend else None
    picture = partial(batch_picture, table, words(asked, request), length / UNITS["h"], lines)
    lost = tuple(trend_caveats.outside(asked.evaluation, drawn))
    if not request.trend:
        return Drawn(table, picture, lost)
    return Drawn(trends.with_lines(table, drawn), picture, (*lost, *trend_caveats.doubts(drawn)))


def words(asked: Followed, request: CurveRequest) -> Words:
    """What stands around the panels, and every run of the command."""
    return Words(
        runs=asked.evaluation.index.runs,
        signature=asked.signature,
        title=request.title,
        axes=axes(asked.evaluation, asked.measures),
    )


def axes(evaluation: Evaluation, wanted: Sequence[Measure]) -> dict[str, MeasureAxis]:
    """How each measure's axis reads."""
    return {
        measure.name: MeasureAxis(
            title=measure.definition.title,
            unit=_unit(measure),
            higher_is_better=measure.higher_is_better,
            pooled=evaluation.pools(measure),
            possible=_possible(measure),
        )
        for measure in wanted
    }


def _unit(measure: Measure) -> str:
    """The unit of a measure's values, which a parameter `unit` may name."""
    named = any(parameter.name == "unit" for parameter in measure.definition.parameters)
    plain = all(name == "unit" for name, _ in measure.arguments)
    return str(measure.argument("unit")) if named and plain else ""


def _possible(measure: Measure) -> tuple[float | None, float | None]:
    """The least and the most that a measure can be in a batch, as far as its range tells plainly.

    What is said of some arguments alone is no bound; nor is that of a measure of which a batch can
    catch up with what happened before.
    """
    told = re.match(r"(-?[\d.]+) (?:to (-?[\d.]+|infinity)|and above)", measure.definition.range)
    if told is None:
        return None, None
    is_plain = ";" not in measure.definition.range and measure.definition.name not in CATCHING_UP
    most = told[2] if is_plain and told[2] != "infinity" else None
    return float(told[1]), None if most is None else float(most)


def run(**given: Any) -> None:
    """The same measures as functions of time: CSV, PNG, SVG, PDF or HTML.

    The suffix of -o decides; without it CSV goes to standard output, one row for each time at
    which a measure can change: from just after it on, the measure has this value. PNG and PDF need
    the extra `report`. The last file tells what the curves are over: nuggets, or a table of
    clusters. With --batch a measure is taken from what is dated in each batch alone, one row for
    each batch.

    \b
    tseval curve mine.tsv theirs.tsv nuggets.tsv --matches matches.tsv -o curve.html
    """
    request = build(
        CurveRequest, given | {"where": build(Where, given), "naming": build(Naming, given)}
    )
    check_output(request.output)
    form = form_of(request.form, request.output, FORMS, "csv")
    length = request.length
    asked = followed(request, call_of(request, given))
    drawn = as_curves(asked, request) if length is None else as_batches(asked, length, request)
    warn((*asked.warnings, *drawn.warnings), request.quiet)
    if form == "csv":
        deliver(rows_bytes(drawn.table, "csv", asked.signature), request.output, form=form)
    else:
        deliver(draw(drawn.picture(), form), request.output)


def parameters() -> list[Callable[[Any], Any]]:
    """Everything that the command takes, in the order of its help."""
    return [
        options.runs_and_nuggets,
        options.measure_option,
        click.option(
            "--edition",
            "edition_name",
            metavar="NAME",
            help="Whose rules; `tseval measures` lists them. Default: draft.",
        ),
        *family_options(),
        options.rule_option("ts2014"),
        *record_options(CurveRequest),
        click.option("-t", "-q", "--per-topic", is_flag=True, help="Every topic as well as `all`."),
        options.missing_option,
        options.undefined_option,
        options.format_option(FORMS, "csv"),
        options.output_option,
        input_format(),
        *record_options(Naming),
        options.engine_options,
        options.resume_option,
        options.quiet_option,
        options.debug_option,
    ]


def input_format() -> Callable[[Any], Any]:
    """The option that names the formats of all inputs that can have curves."""
    named: dict[str, str] = {}
    for family in served():
        named |= input_tables(family.inputs, CURVE)
    formats = [each for family in served() for each in family.formats]
    return options.input_format(forms_of(formats, named.values()), tuple(named))


def command_of_curves() -> click.Command:
    """The whole command."""
    decorated = run
    for decorate in reversed(parameters()):
        decorated = decorate(decorated)
    return click.command(CURVE, cls=options.StrictCommand)(decorated)


command = command_of_curves()

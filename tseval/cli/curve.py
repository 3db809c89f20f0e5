"""`tseval curve`: the measures of any family that can be followed over time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tseval.cli import options
from tseval.cli.options import Call, Request
from tseval.cli.output import checked_form, deliver, progress, warn
from tseval.core import registry, trends
from tseval.core.curves import curves, followed_measures, frame
from tseval.core.declared import (
    CURVE,
    UNRESUMED,
    Declared,
    build,
    declared,
    input_tables,
    option,
)
from tseval.core.family import Access, Evaluation, Family
from tseval.core.measure import Measure
from tseval.core.panels import Picture
from tseval.core.scoring import Missing, apply_missing_rule, chosen_measures, missing_topics
from tseval.errors import UsageError
from tseval.io import PICTURES
from tseval.io.columns import column_names
from tseval.io.formats import forms_of
from tseval.io.rows import rows_bytes
from tseval.io.schema import ALL_TOPICS
from tseval.io.times import UNITS, length_of
from tseval.records import frozen
from tseval.reporting.charts.curves import (
    CurveWishes,
    Marks,
    MeasureAxis,
    Words,
    batch_picture,
    curve_picture,
)

if TYPE_CHECKING:
    import pandas as pd

FORMS = ("csv", *PICTURES)
CATCHING_UP = ("Rs",)
"""Measures that pass their range in a batch that catches up with earlier ones."""


@frozen
class CurveOptions:
    """What is followed, and how it is drawn."""

    chosen: tuple[str, ...] = option(
        "--topic",
        "A topic to show, or `all` for the mean over topics; repeatable. Default: all.",
        metavar="NAME",
        several=True,
        not_within=("--per-topic",),
    )
    batch: str | None = option(
        "Show the measures of each batch of this length, such as 1d, instead of curves.",
        metavar="LENGTH",
    )
    trend: bool = option(
        "With --batch: show the line through the batches, its slope, end point and their errors.",
        kind=bool,
        within=("--batch",),
    )
    until: str | None = option(
        "End the curves this long after the topic's start, such as 6h.",
        metavar="LENGTH",
        not_within=("--batch",),
    )
    log: bool = option(
        "Draw curves with a logarithmic time axis.", kind=bool, not_within=("--batch",)
    )
    title: str = option("The title of the chart.", default="Measures over time")

    @property
    def length(self) -> float | None:
        """The seconds of a batch; None for curves."""
        return None if self.batch is None else length_of("--batch", self.batch)

    @property
    def end(self) -> float:
        """The seconds after which curves end; infinity where they end by themselves."""
        return math.inf if self.until is None else length_of("--until", self.until)


@frozen
class Followed:
    """What is followed: an evaluation, its measures and topics, and how it is asked for."""

    evaluation: Evaluation
    measures: list[Measure]
    topics: list[str]
    missing: Missing
    as_zero: bool
    """Whether a topic where a measure is undefined counts as 0."""
    signature: str
    options: CurveOptions

    @property
    def words(self) -> Words:
        """What stands around the panels, and every run of the command."""
        return Words(
            runs=self.evaluation.index.runs,
            signature=self.signature,
            title=self.options.title,
            axes={each.name: axis(self.evaluation, each) for each in self.measures},
        )


class Drawn(NamedTuple):
    """The rows and how they are drawn, with warnings of their own."""

    table: pd.DataFrame
    picture: Callable[[], Picture]
    warnings: tuple[str, ...] = ()


def served() -> list[Family[Any, Any]]:
    """The families whose measures are followed over time."""
    return [each for each in registry.all_families() if each.curves or each.batches]


def known_options(family: Family[Any, Any]) -> dict[str, tuple[Any, Declared]]:
    """The options that a family declares with their defaults, by the names of their fields."""
    return {
        field.name: (field.default, what)
        for record in (family.inputs, family.options)
        for field, what in declared(record)
        if what.flags and what.has_meaning(CURVE)
    }


def family_options() -> Sequence[click.Parameter]:
    """The options of all these families, each flag once and none of them required."""
    known = {each.name: known_options(each) for each in served()}
    chosen: dict[str, click.Parameter] = {}
    for own in known.values():
        for name, (default, what) in own.items():
            owners = tuple(each for each, options in known.items() if name in options)
            more = replace(what, required=False, within=owners)
            chosen.setdefault(what.name, options.option_of(name, default, more))
    return list(chosen.values())


def family_of(request: Request) -> Family[Any, Any]:
    """The family that is meant: by an option or an edition that is its alone, or by its gold."""
    families, first = served(), registry.family(registry.FIRST)
    known = {each.name: known_options(each) for each in families}
    for name in filter(options.on_line, {name for own in known.values() for name in own}):
        owners = [each for each in families if name in known[each.name]]
        if len(owners) == 1 and owners[0] != first:
            return owners[0]
    kinds = {each.kind for each in column_names(request.naming.columns)} - {""}
    by_kind = (e for e in families if kinds and kinds <= set(input_tables(e.inputs, CURVE)))
    by_edition = (e for e in families if request.edition_name in {own.name for own in e.editions})
    by_gold = (e for e in families if request.files and e.knows and e.knows(request.files[-1]))
    return next(chain(by_kind, by_edition, by_gold), first)


def follow(request: Request, own: CurveOptions, values: Mapping[str, Any]) -> Followed:
    """Read what the options name, and choose the measures to follow; refuse what has no meaning."""
    family = family_of(request)
    over = f"measures over {family.over}"
    ways = [CURVE, family.name, *(() if family.resumes else (UNRESUMED,))]
    options.check_line(*ways, called={family.name: over, UNRESUMED: over})
    if own.batch is None and not family.curves:
        raise UsageError(f"{over} have batches and no curve: give --batch 1d")
    call = Call.of(family, request, values)
    with request.where.shared() as sharing, progress(family.work, request.quiet) as tell:
        evaluation = call.read(Access(request.input_format, sharing, tell, request.wanted))
    rule = request.on_missing or evaluation.edition.on_missing
    evaluation = apply_missing_rule(evaluation, rule)
    asked = chosen_measures(evaluation, request.wanted)
    wanted = followed_measures(evaluation, asked, named=bool(request.wanted))
    missing = missing_topics([evaluation.index], rule, evaluation.words, evaluation.missing_parts())
    traits = {**evaluation.traits_of(wanted), "missing": rule, "undefined": request.undefined}
    signature = evaluation.signature(**traits, **({"batch": own.batch} if own.batch else {}))
    every = [*(evaluation.index.topics if request.per_topic else ()), ALL_TOPICS]
    topics, as_zero = list(dict.fromkeys(own.chosen)) or every, request.undefined == "zero"
    return Followed(evaluation, wanted, topics, missing, as_zero, signature, own)


def as_curves(asked: Followed) -> Drawn:
    """Every measure at every time at which it can change."""
    evaluation, counted, as_zero = asked.evaluation, asked.missing.counted, asked.as_zero
    drawn = curves(
        evaluation, asked.measures, asked.topics, counted=counted, undefined_as_zero=as_zero
    )
    table, end, hour = frame(list(drawn)), asked.options.end, UNITS["h"]
    if end < math.inf:
        table = table[table["hours"] <= end / hour].reset_index(drop=True)

    def picture() -> Picture:
        from tseval.comparison import Plan  # which takes longer to load than curves take to write
        from tseval.reporting.curves import Means

        means_drawn = len(evaluation.index.topics) > 1 and ALL_TOPICS in asked.topics
        own = [each for each in asked.measures if means_drawn and not evaluation.pools(each)]
        means = Means.of(evaluation, own, Plan(), counted, as_zero=as_zero, until=end)
        place, around = evaluation.index.runs.index, {}
        for each in own:
            lines, parts = means.lines(each, hour, place), means.parts(each, hour, place)
            around[each.name] = Marks(tuple(lines), parts=tuple(parts), keys=means.keys)
        until = None if end == math.inf else end / hour
        return curve_picture(table, asked.words, CurveWishes(around, until, asked.options.log))

    return Drawn(table, picture)


def as_batches(asked: Followed, length: float) -> Drawn:
    """Every measure batch by batch, with the lines through them if they are asked for."""
    evaluation, counted = asked.evaluation, asked.missing.counted
    drawn = trends.batch_series(
        evaluation,
        asked.measures,
        length,
        asked.topics,
        counted=counted,
        undefined_as_zero=asked.as_zero,
    )
    table, trend = trends.frame(drawn), asked.options.trend
    lines = trends.line_frame(drawn) if trend else None
    picture = partial(batch_picture, table, asked.words, length / UNITS["h"], lines)
    lost = tuple(trends.outside(evaluation, drawn))
    if not trend:
        return Drawn(table, picture, lost)
    return Drawn(trends.with_lines(table, drawn), picture, (*lost, *trends.doubts(drawn)))


def axis(evaluation: Evaluation, measure: Measure) -> MeasureAxis:
    """How a measure's axis reads; its unit may be named by a parameter `unit`.

    The least and the most that it can be in a batch are known as far as its range tells plainly.
    What is said of some arguments alone is no bound; nor is that of a measure of which a batch can
    catch up with what happened before.
    """
    definition, least, most = measure.definition, None, None
    has_unit = any(parameter.name == "unit" for parameter in definition.parameters)
    is_plain = all(name == "unit" for name, _ in measure.arguments)
    told = re.match(r"(-?[\d.]+) (?:to (-?[\d.]+|infinity)|and above)", definition.range)
    if told is not None:
        least = float(told[1])
        is_bound = ";" not in definition.range and definition.name not in CATCHING_UP
        most = float(told[2]) if is_bound and told[2] not in (None, "infinity") else None
    return MeasureAxis(
        title=definition.title,
        unit=str(measure.argument("unit")) if has_unit and is_plain else "",
        higher_is_better=measure.higher_is_better,
        pooled=evaluation.pools(measure),
        possible=(least, most),
    )


def run(**values: Any) -> None:
    """Show measures as functions of time: CSV, PNG, SVG, PDF or HTML.

    \b
    tseval curve fixtures/runs/*.tsv fixtures/nuggets.tsv -o curve.html

    The suffix of -o is the format. Without -o, tseval writes CSV to standard output, with one row
    for each time at which a measure can change; the value holds from just after that time. PNG and
    PDF need the extra `report`. The last file is the gold: nuggets, or a table of clusters. With
    --batch there is one row per batch, and a measure counts only updates and gold of that batch.
    """
    request, own = Request.of(values), build(CurveOptions, values)
    form = checked_form(request, FORMS, "csv")
    length = own.length
    asked = follow(request, own, values)
    drawn = as_curves(asked) if length is None else as_batches(asked, length)
    told = (*asked.evaluation.all_warnings, *asked.evaluation.caveats(asked.measures))
    warn((*told, *asked.missing.warnings, *drawn.warnings), request.quiet)
    if form == "csv":
        deliver(rows_bytes(drawn.table, "csv", asked.signature), request.output, form=form)
    else:
        deliver(drawn.picture().draw(form), request.output)


def command_of_curves() -> click.Command:
    """The whole command."""
    tables: dict[str, str] = {}
    for family in served():
        tables |= input_tables(family.inputs, CURVE)
    formats = [each for family in served() for each in family.formats]
    return options.command(
        CURVE,
        options.files("UPDATES... NUGGETS"),
        options.shared("wanted", "See `tseval measures`."),
        options.shared(
            "edition_name", "The edition; `tseval measures` lists them. Default: draft."
        ),
        family_options(),
        options.rule("ts2014"),
        options.of_record(CurveOptions),
        options.shared("per_topic"),
        options.shared("on_missing", options.MISSING_TOPICS),
        options.shared("undefined"),
        options.result_format(FORMS, "csv"),
        options.last(
            options.input_format(forms_of(formats, tables.values()), tuple(tables)), resumes=True
        ),
    )(run)


command = command_of_curves()

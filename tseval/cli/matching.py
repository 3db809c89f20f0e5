"""What matchers do: `tseval match`, `calibrate`, `sample` and `judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.cli import options
from tseval.cli.commands import StrictGroup, debug_option
from tseval.cli.options import Call, Request
from tseval.cli.output import check_output, checked_form, deliver, progress, warn
from tseval.cli.tables import rows_table, sections_table
from tseval.core.declared import build, option, output_option
from tseval.core.family import Access
from tseval.core.input_warnings import shared_runs
from tseval.core.naming import named
from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.families.temporal.correcting import SAMPLING_MATCHER, draw_sample
from tseval.families.temporal.evaluation import (
    DEFAULT_MATCHER,
    MATCHER_NAMES,
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.files import READERS
from tseval.families.temporal.rows import ASSESSED
from tseval.families.temporal.rules import DRAFT
from tseval.io import PICTURES
from tseval.io.rows import ROW_FORMS, records_bytes, rows_bytes
from tseval.io.tables import read
from tseval.matching import asking
from tseval.matching.asking import AskingOptions
from tseval.matching.corrections import (
    NEAR,
    check_verdicts,
    lowered,
    review_bytes,
    spreadsheet_bytes,
    spreadsheet_form,
)
from tseval.matching.found import LABEL_FORMS, label_bytes, made_by, match_frame, match_rows
from tseval.matching.in_units import match_in_units
from tseval.matching.matching import SUFFIX, get_matcher, profile_bytes
from tseval.matching.sampling import DEPTH, PAIRS, holds_verdicts
from tseval.records import frozen

if TYPE_CHECKING:
    from matchers import Matcher

MATCH_FORMS = ("table", *ROW_FORMS, *LABEL_FORMS)
CALIBRATION_FORMS = ("table", "json", "csv", *PICTURES)
INPUTS = options.by_flag(TemporalInputs)
formats = options.formats_of(FAMILY, "updates", "nuggets", "pool", "corrections")


def matchers(words: str) -> Any:
    """The option that names several matchers; the words stand behind their names."""
    told, default = f"{MATCHER_NAMES}; {words}", (DEFAULT_MATCHER,)
    return option("--matcher", told, default=default, metavar="NAME", several=True)


# tseval match


@frozen
class MatchOptions:
    """Which matchers find matches, and where pairs go for somebody to accept or reject."""

    names: tuple[str, ...] = matchers("repeatable; a column then has its name.")
    threshold: float | None = option("The threshold of every matcher.")
    review: Path | None = option(
        "Write pairs to this .csv or .tsv file for a spreadsheet, with both texts and a column "
        "`verdict` to fill in. The matches then go only to -o.",
    )
    near: float = option(
        "With --review: include pairs that score up to this much below the threshold.",
        default=NEAR,
        at_least=0,
        within=("--review",),
    )
    overwrite: bool = option(
        "With --review: discard the verdicts in FILE. Without it, tseval keeps them, and refuses "
        "a review that would lose one.",
        kind=bool,
        within=("--review",),
    )

    def check(self, request: Request, form: str) -> None:
        """Refuse what is of one matcher where several are named, and a form that nothing has."""
        alone = f"-f {form}" if form in LABEL_FORMS else "--review" if self.review else ""
        if alone and len(set(self.names)) > 1:
            raise UsageError(f"{alone} is of one matcher: name one")
        if ASSESSED in self.names:
            raise UsageError(
                "assessed matches are in a file already, there is nothing to find: name another "
                "matcher, such as fuzzy, or give the file to `tseval score --matches`"
            )
        if self.review is None:
            return
        check_output(self.review, keeps_verdicts=True)
        if request.form is not None and request.output is None:
            raise UsageError("with --review the matches go to -o alone: -f needs -o FILE")
        spreadsheet_form(self.review)


@options.command(
    "match",
    options.files("UPDATES... NUGGETS"),
    options.of_record(MatchOptions),
    options.of_record(AskingOptions),
    [INPUTS["--pool"], INPUTS["--corrections"]],
    options.result_format(MATCH_FORMS, "tsv"),
    options.last(formats, resumes=True),
)
def match(**values: Any) -> None:
    """List the matches of a matcher, with their scores and evidence.

    \b
    tseval match fixtures/runs/swift.tsv fixtures/nuggets.tsv -o matches.tsv

    The result is a table of matches for `tseval score --matches`. `start` and `end` enclose the
    matching words in the update's text. `found` has the nugget's matching words, `missing` the
    others; the two weights say how much each part counts. `-f nuggetizer` and `-f cone` write the
    labels of all nuggets instead, for `tseval responses` and other programs.
    """
    options.check_line()
    request, own = Request.of(values), build(MatchOptions, values)
    form, output, quiet = checked_form(request, MATCH_FORMS, "tsv"), request.output, request.quiet
    own.check(request, form)
    inputs = Call.of(FAMILY, request, values).inputs(request.files)
    terms, names = build(AskingOptions, values), dict.fromkeys(own.names)
    rows: list[dict[str, Any]] = []
    signatures, told = [], dict[str, None]()
    graded, content = False, None
    beside: dict[Path, bytes] = {}
    with request.where.shared() as sharing:
        for name in names:
            with progress(f"matching by {name}", quiet) as tell:
                access = Access(request.input_format, sharing, tell)
                asked = TemporalOptions(name, own.threshold, **vars(terms))
                found = TemporalEvaluation.read(inputs, asked, DRAFT, {}, access)
                matcher = get_matcher(name, own.threshold, terms.terms)
                if own.review is not None:
                    beside[own.review] = review(own, found, matcher, access, quiet=quiet)
            graded, laid = graded or bool(matcher.grades), found.traits.get("corrections")
            if form in LABEL_FORMS:
                maker = made_by(matcher, laid)
                content = label_bytes(form, found.updates, found.nuggets, found.pairs, maker)
            elif not beside or output is not None:
                rows += match_rows(matcher, found.updates, found.nuggets, found.pairs, laid)
            signatures.append(found.signature())
            told |= dict.fromkeys(found.all_warnings)
    warn(told, quiet)
    if form not in LABEL_FORMS and (output is not None or not beside):
        table, signature = match_frame(rows, graded=graded), "; ".join(signatures)
        several = len(signatures) > 1
        if several:
            table.insert(0, "matcher", table.pop("matcher"))
        if form == "table":  # for people; no program reads it
            table = table.drop(columns=["checksum"] if several else ["matcher", "checksum"])
            content = rows_table(table, signature, to_file=output is not None)
        else:
            content = rows_bytes(table, form, signature)
    deliver(content, output, beside, form=form)


def review(
    own: MatchOptions, found: TemporalEvaluation, matcher: Matcher, access: Access, *, quiet: bool
) -> bytes:
    """The matcher's pairs to accept or reject, with those that it nearly finds."""
    file = own.review or Path()
    is_judged = not own.overwrite and file.is_file() and holds_verdicts(file)
    before = check_verdicts(read([file], READERS["corrections"])) if is_judged else None
    updates, nuggets = found.updates, found.nuggets
    lower = lowered(matcher, own.near)
    pairs = match_in_units(lower, updates, nuggets, access.sharing, access.progress)
    form, laid = spreadsheet_form(file), found.corrections
    content = review_bytes(matcher, updates, nuggets, pairs, laid, before, form)
    if before is not None and not quiet:
        click.echo(f"{file}: {count(before.frame.height, 'verdict')} carried over", err=True)
    return content


# tseval calibrate


@frozen
class CalibrateOptions:
    """Which matchers are calibrated, and where the best of them is kept."""

    names: tuple[str, ...] = matchers("repeatable. tseval ignores its threshold.")
    save: Path | None = output_option(
        "Save the matcher with the chosen threshold, for `--matcher FILE.json` of other commands. "
        "Of several matchers, save the one with the best F1 on held-out topics.",
        forms=(SUFFIX.lstrip("."),),
        metavar="FILE.json",
    )


@options.command(
    "calibrate",
    options.files("UPDATES... NUGGETS MATCHES"),
    options.of_record(CalibrateOptions),
    options.of_record(AskingOptions),
    options.shared("seed"),
    options.result_format(CALIBRATION_FORMS, "table"),
    options.last(options.formats_of(FAMILY, "updates", "nuggets", "matches")),
)
def calibrate(**values: Any) -> None:
    """Measure a matcher's agreement with assessors, and choose its threshold.

    \b
    tseval calibrate fixtures/runs/thorough.tsv fixtures/nuggets.tsv \\
        fixtures/matches.tsv --matcher fuzzy --save profile.json

    UPDATES has the updates that assessors saw; it needs no column `time`. MATCHES has the matches
    of assessors, or is the review of `tseval match --review` with its verdicts. Every other pair of
    a topic counts as no match. With several runs, tseval ranks them by recall, once with the
    matcher and once with the assessors, and compares the two rankings.
    """
    from tseval.families.temporal.matched import read_judged
    from tseval.matching import calibration

    request, own = Request.of(values), build(CalibrateOptions, values)
    form, files = checked_form(request, CALIBRATION_FORMS, "table", own), request.files
    if len(files) < 3:
        raise click.UsageError("Give the updates, then the file of nuggets, then that of matches.")
    inputs = named(TemporalInputs(files[:-2], files[-2], matches=files[-1]), request.naming)
    given = inputs.updates, inputs.nuggets, inputs.matches or ""
    judged = read_judged(*given, request.input_format)
    warn((*shared_runs(judged.inputs), *judged.warnings), request.quiet)
    terms, seed, found = build(AskingOptions, values).terms, request.seed, []
    with request.where.shared() as sharing:
        for name in dict.fromkeys(own.names):
            with progress(f"calibrating {name}", request.quiet) as tell:
                found.append(calibration.calibrate(judged, name, seed, tell, sharing, terms))
            warn(asking.remarks(found[-1].matcher), request.quiet)
    line = calibration.signature(judged, [calibration.answered_name(each) for each in found], seed)
    agreements = calibration.graded_agreements(judged, [each.matcher for each in found])
    if form == "table":
        shown, notes = calibration.sections(found, agreements), calibration.notes(found)
        to_file = request.output is not None
        content = sections_table(shown, line, to_file=to_file, notes=notes)
    elif form == "csv":
        content = rows_bytes(calibration.tidy(found, agreements), "csv", line)
    elif form == "json":
        content = records_bytes([calibration.record(each, agreements) for each in found], line)
    else:
        from tseval.reporting.charts.curves import calibration_picture

        content = calibration_picture(calibration.curves(found), line).draw(form)
    beside = {}
    if own.save is not None:
        best = max(found, key=lambda each: each.left_out["F1"].value)
        numbers = {"topics": list(best.thresholds), **calibration.measured(best)}
        beside[own.save] = profile_bytes(str(best.calibrated), numbers)
    deliver(content, request.output, beside, form=form)


# tseval sample


@frozen
class SampleOptions:
    """By what nuggets are drawn, how many, and which verdicts stand there already."""

    matcher: str = option(
        f"{MATCHER_NAMES}. Its scores form the strata and the order of reading; probabilities "
        "work best.",
        default=SAMPLING_MATCHER,
        metavar="NAME",
    )
    threshold: float | None = option("The matcher's threshold.")
    pairs: int = option(
        "The maximum number of pairs to judge.", default=PAIRS, metavar="N", at_least=1
    )
    depth: int = option(
        "The maximum number of texts of a run to read for a nugget.",
        default=DEPTH,
        metavar="N",
        at_least=1,
    )
    corrections: str | None = option(
        "Verdicts that you already have: a table `topic update_id nugget_id verdict`, such as "
        "`tseval assess export` writes.",
        metavar="FILE",
    )


@options.command(
    "sample",
    options.files("UPDATES... NUGGETS"),
    options.of_record(SampleOptions),
    options.of_record(AskingOptions),
    INPUTS["--pool"],
    options.edition(FAMILY),
    options.rules(FAMILY),
    options.shared("seed"),
    options.last(formats),
)
def sample(**values: Any) -> None:
    """Draw nuggets to judge by hand, in order to correct scores.

    \b
    tseval sample fixtures/runs/*.tsv fixtures/nuggets.tsv -o to_judge.tsv

    The file has the nuggets with texts to read. Write accept or reject into the column `verdict`,
    from top to bottom for each nugget. After the first accept of a run, you may leave its other
    texts blank. Then run `tseval score ... --judged FILE`.
    """
    request, size = Request.of(values), build(SampleOptions, values)
    check_output(request.output)
    output = request.output
    form = "tsv" if output is None else spreadsheet_form(output, "a sample")
    call = Call.of(FAMILY, request, values)
    with request.where.shared() as sharing, progress("reading", request.quiet) as tell:
        evaluation: Any = call.read(Access(request.input_format, sharing, tell))
        found = draw_sample(evaluation, size.pairs, size.depth, tell)
    warn(shared_runs(evaluation.inputs), request.quiet)
    deliver(spreadsheet_bytes(found, form), output)


# tseval judge


@click.group("judge", cls=StrictGroup, params=[debug_option])
def judge() -> None:
    """Export, import and count stored answers of language models.

    \b
    tseval judge status

    A matcher such as `llm(model=NAME)` asks each question once and stores the answer. With
    `llm(model=NAME,replay=true)`, commands use only stored answers.
    """


model_option = click.Option(
    ["--model"], metavar="NAME", help="Export only the answers of this model."
)


@options.command("export", model_option, options.shared("output"), group=judge)
def judge_export(model: str | None, output: Path | None) -> None:
    """Export the answers as JSON lines.

    \b
    tseval judge export -o answers.jsonl

    The order is fixed, so the same answers give the same bytes on any machine.
    """
    check_output(output)
    deliver(asking.export_answers(model), output)


@options.command(
    "import", options.files("FILE...", required=True), options.shared("quiet"), group=judge
)
def judge_import(files: tuple[str, ...], quiet: bool) -> None:
    """Import answers that `tseval judge export` wrote.

    \b
    tseval judge import answers.jsonl

    Each answer must agree with its own hash. tseval imports all lines of a file, or none.
    """
    for file in files:
        new, lines = asking.import_answers(file)
        if not quiet:
            click.echo(f"{file}: {count(lines, 'answer')}, {new:,} of them new", err=True)


@options.command("status", model_option, options.shared("output"), group=judge)
def judge_status(model: str | None, output: Path | None) -> None:
    """Count the stored answers of each model, with their tokens and costs.

    \b
    tseval judge status
    """
    check_output(output)
    where, models = asking.status(model)
    warn([] if where else ["TSEVAL_CACHE is empty: no answer is kept"], quiet=False)
    import pandas as pd

    table = pd.DataFrame(models.rows(), columns=models.columns)
    deliver(rows_table(table, where, to_file=output is not None), output)

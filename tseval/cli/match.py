"""`tseval match`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.cli import options
from tseval.cli.options import Request
from tseval.cli.output import check_output, checked_form, deliver, warn, warn_of_formulas
from tseval.cli.progress import progress
from tseval.cli.tables import rows_table
from tseval.core.declared import build, option
from tseval.core.family import Access
from tseval.core.naming import named
from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import (
    DEFAULT_MATCHER,
    MATCHER_NAMES,
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.files import READERS
from tseval.families.temporal.rules import DRAFT
from tseval.io.atomic_write import write_files
from tseval.io.rows import ROW_FORMS, rows_bytes
from tseval.io.tables import read
from tseval.matching.asking import AskingOptions
from tseval.matching.corrections import NEAR, lowered, review_bytes, spreadsheet_form
from tseval.matching.found import LABEL_FORMS, label_bytes, made_by, match_frame, match_rows
from tseval.matching.in_units import match_in_units
from tseval.matching.matching import get_matcher
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from matchers import Matcher

ASSESSED = "assessed"
FORMS = ("table", *ROW_FORMS, *LABEL_FORMS)
NOTHING_TO_FIND = (
    "assessed matches are in a file already, there is nothing to find: name another matcher, such "
    "as fuzzy, or give the file to `tseval score --matches`"
)


@frozen
class MatchOptions:
    """Which matchers find matches, and where pairs go for somebody to accept or reject."""

    names: tuple[str, ...] = option(
        "--matcher",
        f"{MATCHER_NAMES}; repeatable: a column then says which.",
        default=(DEFAULT_MATCHER,),
        metavar="NAME",
        several=True,
    )
    threshold: float | None = option("The threshold of every matcher.")
    review: Path | None = option(
        "Write pairs there, as .csv or .tsv for a spreadsheet, with both texts and a column "
        "`verdict` to fill in; the matches then go to -o alone.",
        metavar="FILE",
        kind=Path,
    )
    near: float = option(
        "With --review: how far below the threshold a pair may be that stands there too.",
        default=NEAR,
        at_least=0,
        within=("--review",),
    )
    overwrite: bool = option(
        "With --review: discard the verdicts that FILE holds. Without it tseval carries them "
        "over, and refuses a review that would lose one.",
        kind=bool,
        within=("--review",),
    )

    def check(self, request: Request, form: str) -> None:
        """Refuse what is of one matcher where several are named, and a form that nothing has."""
        alone = f"-f {form}" if form in LABEL_FORMS else "--review" if self.review else ""
        if alone and len(set(self.names)) > 1:
            raise UsageError(f"{alone} is of one matcher: name one")
        if ASSESSED in self.names:
            raise UsageError(NOTHING_TO_FIND)
        if self.review is None:
            return
        check_output(self.review, keeps_verdicts=True)
        if request.form is not None and request.output is None:
            raise UsageError("with --review the matches go to -o alone: -f needs -o FILE")
        spreadsheet_form(self.review)

    def files(
        self, evaluation: TemporalEvaluation, matcher: Matcher, access: Access, *, quiet: bool
    ) -> dict[Path, bytes]:
        """The file, if there is to be one: the matcher's pairs, and those that it nearly finds."""
        file = self.review
        if file is None:
            return {}
        from tseval.matching.corrections import check_verdicts
        from tseval.matching.sampling import holds_verdicts

        is_judged = not self.overwrite and file.is_file() and holds_verdicts(file)
        before = check_verdicts(read([file], READERS["corrections"])) if is_judged else None
        updates, nuggets = evaluation.updates, evaluation.nuggets
        lower = lowered(matcher, self.near)
        pairs = match_in_units(lower, updates, nuggets, access.sharing, access.progress)
        form, laid = spreadsheet_form(file), evaluation.corrections
        content = review_bytes(matcher, updates, nuggets, pairs, laid, before, form)
        if before is not None and not quiet:
            click.echo(f"{file}: {count(before.frame.height, 'verdict')} carried over", err=True)
        return {file: content}


FILES = options.by_flag(TemporalInputs)


@options.command(
    "match",
    options.files("UPDATES... NUGGETS"),
    options.of_record(MatchOptions),
    options.of_record(AskingOptions),
    [FILES["--pool"], FILES["--corrections"]],
    options.result_format(FORMS, "tsv"),
    options.last(
        options.formats_of(FAMILY, "updates", "nuggets", "pool", "corrections"), resumes=True
    ),
)
def command(**values: Any) -> None:
    """The matches that a matcher finds, one a line, with score and evidence.

    The result is a table of matches that `tseval score --matches` reads. `start` and `end` span
    the matching words in the update's text; `found` are these words of the nugget, `missing` the
    others, and the two weights what each part is worth. With `-f nuggetizer` or `-f cone` it is
    the labels of all nuggets that `tseval responses` and other programs read.
    """
    options.check_line()
    request, own = Request.of(values), build(MatchOptions, values)
    form, output, quiet = checked_form(request, FORMS, "tsv"), request.output, request.quiet
    own.check(request, form)
    inputs = build(TemporalInputs, values | request.runs_and_gold)
    inputs, terms = named(inputs, request.naming), build(AskingOptions, values)
    rows: list[dict[str, Any]] = []
    signatures, told = [], dict[str, None]()
    graded = False
    beside: dict[Path, bytes] = {}
    labels = b""
    with request.where.shared() as sharing:
        for name in dict.fromkeys(own.names):
            with progress(f"matching by {name}", quiet) as tell:
                access = Access(request.input_format, sharing, tell)
                asked = TemporalOptions(name, own.threshold, **vars(terms))
                evaluation = TemporalEvaluation.read(inputs, asked, DRAFT, {}, access)
                matcher = get_matcher(name, own.threshold, terms.terms)
                beside |= own.files(evaluation, matcher, access, quiet=quiet)
            graded = graded or bool(matcher.grades)
            if form in LABEL_FORMS:
                labels = _labels(evaluation, matcher, form)
            elif not beside or output is not None:
                laid, whole = evaluation.traits.get("corrections"), evaluation
                rows += match_rows(matcher, whole.updates, whole.nuggets, whole.pairs, laid)
            signatures.append(evaluation.signature())
            told |= dict.fromkeys(evaluation.all_warnings)
    warn(told, quiet)
    if beside and output is None:
        write_files(dict(warn_of_formulas(beside).items()))
        return
    table = match_frame(rows, graded=graded)
    to_file = output is not None
    content = labels if form in LABEL_FORMS else _content(table, form, signatures, to_file=to_file)
    deliver(content, output, beside, form=form)


def _content(table: pd.DataFrame, form: str, signatures: list[str], *, to_file: bool) -> bytes:
    """The matches in their form; those of several matchers begin with the matcher."""
    several, signature = len(signatures) > 1, "; ".join(signatures)
    if several:
        table.insert(0, "matcher", table.pop("matcher"))
    if form != "table":
        return rows_bytes(table, form, signature)
    own = ["checksum"] if several else ["matcher", "checksum"]
    table = table.drop(columns=own)  # for people; no program reads it
    return rows_table(table, signature, to_file=to_file)


def _labels(evaluation: TemporalEvaluation, matcher: Matcher, form: str) -> bytes:
    """The matches as labels of all nuggets."""
    maker = made_by(matcher, evaluation.traits.get("corrections"))
    return label_bytes(form, evaluation.updates, evaluation.nuggets, evaluation.pairs, maker)

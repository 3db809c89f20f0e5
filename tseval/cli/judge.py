"""`tseval judge`: the answers of language models that are kept on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from tseval.cli.commands import StrictGroup, debug_option
from tseval.cli.options import files, shared
from tseval.cli.output import check_output, deliver, warn
from tseval.cli.tables import rows_table
from tseval.core.wording import count
from tseval.matching import asking


@click.group("judge", cls=StrictGroup, params=[debug_option])
def command() -> None:
    """Answers of language models: kept ones, to other machines and back.

    A matcher such as `llm(model=NAME)` asks each question once and keeps the answer. With
    `--replay`, commands take answers from there alone.
    """


model_option = click.Option(
    ["--model"], metavar="NAME", help="The answers to questions to this model alone."
)


@command.command("export", params=[model_option, shared("output"), debug_option])
def export(model: str | None, output: Path | None) -> None:
    """The answers, one a line, as JSON.

    They are in an order of their own, so the same answers give the same bytes on any machine.

    \b
    tseval judge export --model NAME -o answers.jsonl
    """
    check_output(output)
    deliver(asking.export_answers(model), output)


@command.command("import", params=[files("FILE...", required=True), shared("quiet"), debug_option])
def take_in(files: tuple[str, ...], quiet: bool) -> None:
    """Take in answers that `tseval judge export` wrote.

    Each has to bear out its own hash. All of a file's lines are taken in, or none.
    """
    for file in files:
        new, lines = asking.import_answers(file)
        if not quiet:
            click.echo(f"{file}: {count(lines, 'answer')}, {new:,} of them new", err=True)


@command.command("status", params=[model_option, shared("output"), debug_option])
def status(model: str | None, output: Path | None) -> None:
    """How many answers are kept of each model, and what they took."""
    check_output(output)
    where, models = asking.status(model)
    warn([] if where else ["TSEVAL_CACHE is empty: no answer is kept"], quiet=False)
    import pandas as pd

    table = pd.DataFrame(models.rows(), columns=models.columns)
    deliver(rows_table(table, where, to_file=output is not None), output)

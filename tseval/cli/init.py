"""`tseval init`: a small folder to begin with."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.commands import debug_option
from tseval.core.declared import build, option
from tseval.core.guessed_columns import GuessedFile, Undecided
from tseval.core.naming import Naming
from tseval.core.wording import count
from tseval.core.working_folder import (
    GOLD,
    MAPPING,
    SCRIPT,
    UserFiles,
    WorkingFolder,
    from_files,
    from_templates,
)
from tseval.io.columns import CONSTANT, ColumnName
from tseval.records import frozen

UNUSED = 8
"""So many columns that are not used are named."""
SHOWN = 40
"""An example is shown up to so many characters."""


@frozen
class InitOptions:
    """What the folder is made from."""

    logs: tuple[str, ...] = option(
        "--from",
        "A log of your agent: any table that tseval reads. tseval guesses its columns and shows "
        "them. Repeatable, for logs of one kind. Default: an invented example.",
        metavar="LOG",
        several=True,
    )
    gold: str | None = option(
        "A file with the facts to report. Default: a draft with the first update of each event.",
        metavar="FILE",
        within=("--from",),
    )
    topic: str | None = option(
        "The event that all rows report, if no column names it.",
        metavar="NAME",
        within=("--from",),
    )
    number: bool = option(
        "--number/--no-number",
        "Number the rows of a file without ids by their lines. Default: --number.",
        default=True,
        kind=bool,
        within=("--from",),
    )


@options.command(
    "init",
    click.Argument(["folder"], metavar="DIR", type=click.Path(path_type=Path, file_okay=False)),
    options.of_record(InitOptions),
    options.column_options(within=("--from",)),
    debug_option,
)
def command(folder: Path, **values: Any) -> None:
    """Create a working folder from your log, or from an example.

    \b
    tseval init try

    The folder has gold, a mapping of columns, and a script that scores and fails a pipeline. Your
    logs and gold stay in their place, and tseval overwrites nothing. It writes its guesses to
    `mapping.toml`, for `--columns` of any command.
    """
    options.check_line()
    asked, names = build(InitOptions, values), [*build(Naming, values).names]
    if asked.topic is not None:
        names.append(ColumnName("", "topic", CONSTANT + asked.topic))
    made = from_templates()
    while asked.logs:
        try:
            files = UserFiles(asked.logs, asked.gold, names, asked.number)
            made = from_files(folder, files)
            break
        except Undecided as error:
            if not is_terminal():
                raise
            names.append(_ask(error))
    made.write(folder)
    _tell(folder, made)


def is_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty()


def _ask(error: Undecided) -> ColumnName:
    """Ask for what the files do not tell."""
    fault = error.faults[0]
    click.echo(f"{fault.file}: {fault.reason}", err=True)
    kind, _, own = error.setting.rpartition(":")
    if not error.choices:
        name = click.prompt("All rows are about one event; its name", err=True)
        return ColumnName(kind, own, CONSTANT + name)
    choices = click.Choice(list(error.choices))
    return ColumnName(kind, own, click.prompt(own, type=choices, err=True))


def _tell(folder: Path, made: WorkingFolder) -> None:
    """Say what was made, what the columns were taken for, and what comes next."""
    for each in made.looked_at:
        _tell_columns(each)
    for note in (note for each in made.looked_at for note in each.notes):
        click.echo(note)
    click.echo(f"made in {folder}:")
    words = {
        MAPPING: "what the columns are called",
        SCRIPT: "scores the runs, and fails where too little is said",
        GOLD: "what there was to say",
    }
    if made.drafts:
        drafts = count(made.drafts, "draft")
        words[GOLD] = f"{drafts}, the first update of each event: write facts in their place"
    for name in made.files:
        click.echo(f"  {name:<16}  {words.get(name, 'a run: what an agent said')}")
    click.echo(f"next: sh {shlex.quote(str(folder / SCRIPT))}")


def _tell_columns(found: GuessedFile) -> None:
    """Which column of a file was taken for which, why, and an example."""
    rows = count(len(found.lines), "row")
    click.echo(f"{found.source.path} as {found.schema.table} ({found.form}, {rows}):")
    width = max(len(each.name) for each in found.guesses)
    for each in found.guesses:
        shown = " ".join(each.example.split())
        shown = shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"
        click.echo(f"  {each.name:<{width}}  {each.own:<10}  by {each.reason:<13}  {shown}")
    used = {each.name for each in found.guesses}
    others = [name for name in found.cells if name not in used]
    if others:
        click.echo(f"  not used: {', '.join(others[:UNUSED])}{', …' * (len(others) > UNUSED)}")

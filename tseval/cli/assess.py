"""`tseval assess`: the assessors' desk, and what can be asked of its store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.cli.options import debug_option, format_option, output_option, quiet_option
from tseval.cli.output import check_output, deliver, form_of
from tseval.core.wording import count

if TYPE_CHECKING:
    from tseval.desk.desk import Desk

OPEN = "open"
"""What the group does where no other command of it is named."""


class Desks(click.Group):
    """A group that opens the desk unless another of its commands is named first."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line as one of `open` where it names no command."""
        named = args[:1] and (args[0] in self.commands or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if named or not args else [OPEN, *args])


@click.group("assess", cls=Desks)
@debug_option
def command() -> None:
    """People match updates to nuggets, in the browser; their disagreement and the scores.

    \b
    tseval assess RUN... [NUGGETS] --store FILE.tseval   opens the desk
    tseval assess status FILE.tseval                     progress and agreement
    tseval assess export FILE.tseval -o FOLDER           nuggets, matches, clusters, corrections
    """


Command = Callable[..., Any]


def store_named(function: Command) -> Command:
    """The store, as an argument or by --store."""
    option = click.option(
        "--store", metavar="FILE", type=click.Path(path_type=Path), help="The store: another way."
    )
    argument = click.argument(
        "named", metavar="[STORE]", required=False, type=click.Path(path_type=Path)
    )
    return argument(option(function))


def the_store(named: Path | None, store: Path | None) -> Path:
    """The one store that is named, once or twice."""
    if named is not None and store is not None and named != store:
        raise click.UsageError(f"Two stores are named: {named} and {store}.")
    found = named or store
    if found is None:
        raise click.UsageError("Name a store: `tseval assess RUN... --store FILE` makes one.")
    return found


def opened(path: Path) -> Desk:
    """The desk of a store that is only read."""
    from tseval.desk.desk import Desk
    from tseval.desk.store import Store

    return Desk(Store.open(path, write=False))


@command.command("export")
@store_named
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the files there; all of them appear, or none.",
)
@quiet_option
@debug_option
def export(named: Path | None, store: Path | None, output: Path, quiet: bool) -> None:
    """Nuggets, matches, clusters and corrections as plain tables.

    The same decisions give the same bytes. `tseval score RUN... FOLDER/nuggets.tsv --matches
    FOLDER/matches.tsv` gives the scores that the page What if shows.

    \b
    tseval assess export desk.tseval -o gold
    """
    from tseval.errors import OutputError
    from tseval.files.atomic_write import write_together

    files = opened(the_store(named, store)).export()
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: {(error.strerror or str(error)).lower()}") from error
    write_together({output / name: content for name, content in files.items()})
    if not quiet:
        click.echo(f"{output}: {', '.join(files)}", err=True)


@command.command("status")
@store_named
@format_option(("table", "json"), "table")
@output_option
@debug_option
def status(named: Path | None, store: Path | None, form: str | None, output: Path | None) -> None:
    """Progress and agreement: what was read, by whom, kappa and alpha.

    `kappa` is Cohen's, of two assessors; `alpha` Krippendorff's. Both are over pairs of an update
    and a nugget that two or more judged; the intervals hold 95 % of resampled updates.
    """
    import pandas as pd

    from tseval.cli.tables import sections_table
    from tseval.desk.agreement import agreements, confusions
    from tseval.desk.progress import by_assessor, by_topic
    from tseval.files.rows import result_object_bytes, whole_numbers

    check_output(output)
    form = form_of(form, output, ("table", "json"), "table")
    desk = opened(the_store(named, store))
    gold = desk.gold()
    parts: dict[str, list[Any]] = {
        "topics": list(by_topic(desk.state, gold)),
        "assessors": list(by_assessor(desk.state)),
        "agreement": list(agreements(gold.judged)),
        "confusions": list(confusions(gold.judged)),
    }
    if form == "json":
        content = {
            name: [{k: _number(v) for k, v in row._asdict().items()} for row in rows]
            for name, rows in parts.items()
        }
        deliver(result_object_bytes(desk.signature, content), output)
        return
    frames = {
        name: whole_numbers(pd.DataFrame(rows, columns=rows[0]._fields))
        for name, rows in parts.items()
        if rows
    }
    deliver(sections_table(frames, desk.signature, to_file=output is not None), output)


def _number(value: Any) -> Any:
    """A value that JSON has: what is undefined is null."""
    return None if isinstance(value, float) and value != value else value


@command.command("merge")
@click.argument("store", type=click.Path(path_type=Path))
@click.argument(
    "others", metavar="OTHER...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@quiet_option
@debug_option
def merge(store: Path, others: tuple[Path, ...], quiet: bool) -> None:
    """Bring the decisions of other stores into STORE.

    They have to be of the same runs, nuggets and pool. It makes no difference which is merged into
    which, and how often.
    """
    from tseval.desk.merging import merged
    from tseval.desk.store import Store

    into = Store.open(store)
    for other in others:
        new, number = merged(into, Store.open(other, write=False))
        if not quiet:
            click.echo(f"{other}: {count(number, 'decision')}, {new:,} of them new", err=True)

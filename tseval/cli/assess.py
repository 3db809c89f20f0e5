"""`tseval assess`: the assessors' desk, and what can be asked of its store."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.cli.commands import StrictGroup, debug_option
from tseval.cli.options import named_options, on_line, shared
from tseval.cli.output import check_output, deliver, form_of
from tseval.core.naming import Naming, named
from tseval.core.wording import count, listed
from tseval.errors import MissingExtra, did_you_mean
from tseval.families.temporal.evaluation import DEFAULT_MATCHER

if TYPE_CHECKING:
    from tseval.desk.desk import Desk
    from tseval.desk.store import Store

OPEN = "open"
"""What the group does where no other command of it is named."""


class Tool(click.Choice[str]):
    """The annotation tool whose files are read and written; for others there are plain tables."""

    def __init__(self) -> None:
        super().__init__(["label-studio"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the tool; for another one say how plain tables serve it."""
        if value not in self.choices:
            self.fail(
                f"'{value}' is not 'label-studio'. For another tool use plain tables: `assess "
                "export` without --to writes them, and `tseval score RUN... NUGGETS --corrections "
                "TABLE --columns FILE.toml` reads the tool's verdicts (docs/assessing.md).",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)


class Desks(StrictGroup):
    """A group that opens the desk unless another of its commands is named first."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line as one of `open` where it names no command."""
        named = args[:1] and (args[0] in self.commands or args[0] in ctx.help_option_names)
        absent = args and not named and not args[0].startswith("-") and not Path(args[0]).exists()
        if absent and (like := did_you_mean(args[0], self.commands)):
            ctx.fail(f"There is no file and no command '{args[0]}'{like}")
        return super().parse_args(ctx, args if named or not args else [OPEN, *args])


@click.group("assess", cls=Desks)
@debug_option
def command() -> None:
    """People match updates to nuggets, in the browser; their disagreement and the scores.

    \b
    tseval assess RUN... [NUGGETS] --store FILE.tseval   opens the desk (see open --help)
    tseval assess status FILE.tseval                     progress and agreement
    tseval assess export FILE.tseval -o FOLDER           nuggets, matches, clusters, corrections
    tseval assess import FILE.tseval FILE --from label-studio   its annotations
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


@command.command(OPEN)
@click.argument("files", metavar="RUN... [NUGGETS]", nargs=-1, type=click.Path(path_type=str))
@click.option(
    "--store",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where decisions are kept. It is made if it is not there; then it needs no other file.",
)
@click.option(
    "--pool",
    "depth",
    default="all",
    show_default=True,
    metavar="N|all",
    help="Read of each run and topic the N updates of highest confidence, else the earliest.",
)
@click.option(
    "--fold",
    default="words",
    show_default=True,
    metavar="words|MATCHER",
    help="Updates of the same words are read once; a matcher such as `fuzzy(threshold=0.9)` folds "
    "what it finds to say each other, with the same numbers.",
)
@click.option(
    "--matcher",
    default=DEFAULT_MATCHER,
    show_default=True,
    metavar="NAME",
    help="Whose matches are suggested, and count where nobody has judged.",
)
@click.option(
    "--unjudged",
    type=click.Choice(["matcher", "no"]),
    default="matcher",
    show_default=True,
    help="What a pair that nobody judged counts as: what the matcher says, or no match.",
)
@click.option(
    "--double",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="The share of updates that two assessors read.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="For the order of the queue.")
@click.option(
    "--assessor",
    "assessors",
    multiple=True,
    metavar="NAME",
    help="Who assesses: a link for each; repeatable. Default: who runs the program.",
)
@click.option("--edition", default="draft", show_default=True, help="By which What if scores.")
@shared("wanted", "For What if.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen. Any address but this machine's own needs a password.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option(
    "--password-file",
    metavar="FILE",
    type=click.Path(path_type=str),
    help="Its first line is the password; without it one is asked for where --host needs one.",
)
@named_options(Naming)["--name"]
@debug_option
def open_desk(
    files: tuple[str, ...],
    store: Path,
    assessors: tuple[str, ...],
    edition: str,
    wanted: tuple[str, ...],
    host: str,
    port: int,
    password_file: str | None,
    **made: Any,
) -> None:
    """Open the desk in the browser of this machine; `open` need not be said.

    RUN are tables of updates, `topic update_id time text`; NUGGETS, if there are any yet, stand
    last. What they hold goes into the store; later `tseval assess --store FILE` is enough.

    \b
    tseval assess one.tsv two.tsv nuggets.tsv --store desk.tseval
    """
    from tseval.desk.access import is_name, is_this_machine
    from tseval.desk.desk import Desk
    from tseval.desk.outcome import Scoring

    names = tuple(name.strip() for name in assessors) or (getpass.getuser(),)
    if wrong := [name for name in names if not is_name(name)]:
        raise click.UsageError(f"Nobody can be called '{wrong[0]}': give a name in one line.")
    password = None
    if password_file is not None or not is_this_machine(host):
        password = _password(password_file)
    desk = Desk(_store(files, store, **made), Scoring(edition, wanted))
    desk.check()
    try:
        from tseval.desk.server import serve
    except ModuleNotFoundError as error:
        raise MissingExtra("assess", "the assessors' desk") from error
    serve(desk, names, host, port, password, lambda words: click.echo(words, err=True))


def _store(
    files: tuple[str, ...],
    path: Path,
    depth: str,
    seed: int,
    run_names: tuple[str, ...],
    **more: Any,
) -> Store:
    """The store that is there, if it is of these files and options; else a new one."""
    from tseval.desk.desk import check_same
    from tseval.desk.pool import read_inputs, runs_and_nuggets
    from tseval.desk.store import Settings, Store
    from tseval.families.temporal.evaluation import TemporalInputs

    if depth != "all" and not (depth.isdecimal() and int(depth) > 0):
        raise click.UsageError(f"--pool is a number above 0, or all, and not '{depth}'.")
    settings = Settings(depth=None if depth == "all" else int(depth), **more)
    kept = {}
    if files:
        runs, gold = runs_and_nuggets(files)
        given = named(TemporalInputs(runs, gold or files[-1]), Naming(run_names=run_names))
        kept = read_inputs(given.updates, gold)
    if path.exists():
        store = Store.open(path)
        check_same(store, kept, {name for name in (*more, "depth") if on_line(name)}, settings)
        return store
    if not kept:
        raise click.UsageError(f"There is no store {path} yet: name the runs to make it of.")
    return Store.create(path, settings, kept, seed)


def _password(file: str | None) -> str:
    """The password for those who come in from elsewhere."""
    if file is None:
        if not sys.stdin.isatty():
            raise click.UsageError("Another address than this machine's needs --password-file.")
        return str(click.prompt("Password of the desk", hide_input=True, err=True))
    from tseval.errors import UsageError

    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} holds no password: {error}") from error
    if not lines or not lines[0].strip():
        raise UsageError(f"{file} holds no password: its first line is empty")
    return lines[0].strip()


@command.command("export")
@store_named
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the files there; all of them appear, or none. With --to the one file.",
)
@click.option("--to", "tool", type=Tool(), help="Write tasks with annotations for Label Studio.")
@click.option("--assessor", metavar="NAME", help="With --to: whose annotations alone.")
@shared("quiet")
@debug_option
def export(
    named: Path | None,
    store: Path | None,
    output: Path,
    tool: str | None,
    assessor: str | None,
    quiet: bool,
) -> None:
    """Nuggets, matches, clusters and corrections as plain tables.

    The same decisions give the same bytes. `tseval score RUN... FOLDER/nuggets.tsv --matches
    FOLDER/matches.tsv` gives the scores that the page What if shows.

    \b
    tseval assess export desk.tseval -o gold
    """
    from tseval.desk.exports import ABOUT
    from tseval.errors import OutputError
    from tseval.io.atomic_write import write_files

    desk = opened(the_store(named, store))
    if tool is not None:
        from tseval.desk.label_studio import export_tasks

        check_output(output)
        deliver(export_tasks(desk, assessor), output)
        return
    if assessor is not None:
        raise click.UsageError("--assessor has no meaning without --to.")
    files = desk.export()
    foreign = [] if (output / ABOUT).exists() else [n for n in files if (output / n).exists()]
    if foreign:
        told = f"{output}: not written by `tseval assess export`: {listed(foreign)}"
        raise OutputError(f"{told}; name another folder")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: {(error.strerror or str(error)).lower()}") from error
    write_files({output / name: content for name, content in files.items()})
    if not quiet:
        click.echo(f"{output}: {', '.join(files)}", err=True)


@command.command("import")
@click.argument("store", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--from", "tool", required=True, type=Tool(), expose_value=False, help="The tool that wrote it."
)
@click.option(
    "--mapping",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.toml",
    help="The names of a task's fields and controls: topic, update, match, words, cluster, ignore, "
    "and tables labels and assessors.",
)
@click.option("--assessor", metavar="NAME", help="Whose annotations they are, if it does not say.")
@shared("quiet")
@debug_option
def import_file(
    store: Path, file: Path, mapping: Path | None, assessor: str | None, quiet: bool
) -> None:
    """Annotations of Label Studio into STORE: matches, words and clusters.

    FILE is the project's export as JSON. Each annotation is of an update that the store has, by
    topic and id. All of the file is imported, or nothing. `assess status` shows the agreement.

    \b
    tseval assess import desk.tseval project.json --from label-studio
    """
    from tseval.desk.desk import Desk
    from tseval.desk.label_studio import TaskMapping, import_annotations
    from tseval.desk.store import Store

    names = TaskMapping() if mapping is None else TaskMapping.read(mapping)
    imported = import_annotations(Desk(Store.open(store)), file, names, assessor)
    if not quiet:
        counts = [f"{name}: {count(number, 'update')}" for name, number in imported.items()]
        click.echo(f"{file}: {'; '.join(counts) or 'nothing'}", err=True)


@command.command("status")
@store_named
@shared("form", "Default: by the suffix of -o, else table.", choices=("table", "json"))
@shared("output")
@debug_option
def status(named: Path | None, store: Path | None, form: str | None, output: Path | None) -> None:
    """Progress and agreement: what was read, by whom, kappa and alpha.

    `kappa` is Cohen's, of two assessors; `alpha` Krippendorff's. Both are over pairs of an update
    and a nugget that two or more judged; the intervals hold 95 % of resampled updates.
    """
    import pandas as pd

    from tseval.cli.tables import sections_table
    from tseval.desk.agreement import agreements, confusions
    from tseval.desk.judgments import by_assessor, by_topic
    from tseval.io.rows import integer_columns, result_object_bytes

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
        name: integer_columns(pd.DataFrame(rows, columns=rows[0]._fields))
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
@shared("quiet")
@debug_option
def merge(store: Path, others: tuple[Path, ...], quiet: bool) -> None:
    """Bring the decisions of other stores into STORE.

    They have to be of the same runs, nuggets and pool. It makes no difference which is merged into
    which, and how often.
    """
    from tseval.desk.store import Store, merge_stores

    into = Store.open(store)
    for other in others:
        new, number = merge_stores(into, Store.open(other, write=False))
        if not quiet:
            click.echo(f"{other}: {count(number, 'decision')}, {new:,} of them new", err=True)

"""`tseval assess`: the assessors' desk, and what can be asked of its store."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.commands import StrictGroup, debug_option
from tseval.cli.options import Request
from tseval.cli.output import check_output, checked_form, deliver
from tseval.cli.tables import sections_table
from tseval.core.declared import build, option
from tseval.core.naming import Naming, named
from tseval.core.wording import count, listed
from tseval.desk.access import is_name, is_this_machine
from tseval.desk.desk import Desk, check_same
from tseval.desk.judgments import agreements, by_assessor, by_topic, confusions
from tseval.desk.label_studio import TaskMapping, export_tasks, import_annotations
from tseval.desk.outcome import ABOUT, Scoring
from tseval.desk.pool import read_inputs, runs_and_nuggets
from tseval.desk.store import Settings, Store, merge_stores
from tseval.errors import MissingExtra, OutputError, UsageError, did_you_mean, reason_of
from tseval.families.temporal.evaluation import TemporalInputs
from tseval.io.atomic_write import write_files
from tseval.io.rows import integer_columns, result_object_bytes
from tseval.records import frozen

TOOL = "label-studio"
"""The annotation tool whose files are read and written."""
STATUS_FORMS = ("table", "json")
OPEN = "open"
"""What the group does where no other command of it is named."""


def check_tool(name: str) -> str:
    """Refuse another annotation tool, and say how plain tables serve it."""
    if name != TOOL:
        raise click.BadParameter(
            f"'{name}' is not '{TOOL}'. For another tool use plain tables: `assess export` without "
            "--to writes them, and `tseval score RUN... NUGGETS --corrections TABLE --columns "
            "FILE.toml` reads the tool's verdicts (docs/assessing.md)."
        )
    return name


def name_in_one_line(text: str) -> str:
    """The name of somebody."""
    if not is_name(text.strip()):
        raise click.BadParameter(f"Nobody can be called '{text}': give a name in one line.")
    return text.strip()


class Desks(StrictGroup):
    """A group that opens the desk unless another of its commands is named first."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line as one of `open` where it names no command."""
        named = args[:1] and (args[0] in self.commands or args[0] in ctx.help_option_names)
        absent = args and not named and not args[0].startswith("-") and not Path(args[0]).exists()
        if absent and (like := did_you_mean(args[0], self.commands)):
            ctx.fail(f"There is no file and no command '{args[0]}'{like}")
        return super().parse_args(ctx, args if named or not args else [OPEN, *args])


@click.group("assess", cls=Desks, params=[debug_option])
def command() -> None:
    """Match updates to nuggets by hand, in the browser.

    \b
    tseval assess fixtures/runs/*.tsv fixtures/nuggets.tsv --store desk.tseval

    This opens the assessment page (see `tseval assess open --help`). The other commands read and
    write its store.
    """


@frozen(kw_only=True)
class DeskOptions:
    """Where the desk keeps decisions, for whom it does, and where it listens."""

    store: Path = option(
        "The file of the decisions. tseval creates it if needed; later it is enough by itself.",
        required=True,
    )
    seed: int = option("Seed of the order of the queue.", default=0)
    assessors: tuple[str, ...] = option(
        "--assessor",
        "The name of an assessor, who gets a separate link; repeatable. Default: the current user.",
        metavar="NAME",
        several=True,
        kind=name_in_one_line,
    )
    edition: str = option("The edition that the page What if applies.", default="draft")
    host: str = option(
        "The address to listen on. Any address other than this machine's needs a password.",
        default="127.0.0.1",
    )
    port: int = option("", default=8765, at_least=0, at_most=65535)
    password_file: str | None = option(
        "A file with the password in its first line. Default: ask for it if --host needs one.",
        metavar="FILE",
    )


@options.command(
    OPEN,
    options.files("RUN... [NUGGETS]"),
    options.of_record(DeskOptions),
    options.of_record(Settings),
    options.shared("wanted", "The measures of the page What if."),
    options.of_record(Naming),
    group=command,
)
def open_desk(**values: Any) -> None:
    """Open the assessment page in the browser. You may leave out `open`.

    \b
    tseval assess fixtures/runs/*.tsv fixtures/nuggets.tsv --store desk.tseval

    RUN is a table of updates, `topic update_id time text`. NUGGETS, if you have any yet, come last.
    tseval copies them into the store; later `tseval assess --store FILE` is enough.
    """
    request, asked = Request.of(values), build(DeskOptions, values)
    names = asked.assessors or (getpass.getuser(),)
    password = None
    if asked.password_file is not None or not is_this_machine(asked.host):
        password = _password(asked.password_file)
    store = _store(request, asked, build(Settings, values))
    desk = Desk(store, Scoring(asked.edition, request.wanted))
    desk.check()
    try:
        from tseval.desk.server import serve
    except ModuleNotFoundError as error:
        raise MissingExtra("assess", "the assessors' desk") from error
    serve(desk, names, asked.host, asked.port, password, lambda words: click.echo(words, err=True))


def _store(request: Request, asked: DeskOptions, settings: Settings) -> Store:
    """The store that is there, if it is of these files and options; else a new one."""
    path = asked.store
    kept = {}
    if request.files:
        runs, gold = runs_and_nuggets(request.files, request.naming)
        inputs = named(TemporalInputs(runs, gold or request.files[-1]), request.naming)
        kept = read_inputs(inputs.updates, gold)
    if path.exists():
        store = Store.open(path)
        check_same(store, kept, set(filter(options.on_line, vars(settings))), settings)
        return store
    if not kept:
        raise click.UsageError(f"There is no store {path} yet: name the runs to make it of.")
    return Store.create(path, settings, kept, asked.seed)


def _password(file: str | None) -> str:
    """The password for those who come in from elsewhere."""
    if file is None:
        if not sys.stdin.isatty():
            raise click.UsageError("Another address than this machine's needs --password-file.")
        return str(click.prompt("Password of the desk", hide_input=True, err=True))
    try:
        password = Path(file).read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} holds no password: {error}") from error
    if not password:
        raise UsageError(f"{file} holds no password: its first line is empty")
    return password


PATH = click.Path(path_type=Path)
STORE = [
    click.Argument(["named"], metavar="[STORE]", required=False, type=PATH),
    click.Option(["--store"], metavar="FILE", type=PATH, help="The store: another way to name it."),
]


def _desk(values: Mapping[str, Any]) -> Desk:
    """The desk of the one store that is named, by its place or its option; it is only read."""
    named, store = values["named"], values["store"]
    if None not in (named, store) and named != store:
        raise click.UsageError(f"Two stores are named: {named} and {store}.")
    path = named or store
    if path is None:
        raise click.UsageError("Name a store: `tseval assess RUN... --store FILE` makes one.")
    return Desk(Store.open(path, write=False))


@frozen
class ExportOptions:
    """Where decisions go, and in which form."""

    folder: Path = option(
        "-o",
        "--output",
        "The folder for the files; with --to, the file. tseval writes all files or none.",
        metavar="FOLDER",
        kind=PATH,
        required=True,
    )
    tool: str | None = option(
        "--to",
        "Write tasks with annotations for Label Studio.",
        kind=check_tool,
        metavar=f"[{TOOL}]",
    )
    assessor: str | None = option(
        "With --to: export only the annotations of this assessor.", metavar="NAME", within=("--to",)
    )


@options.command(
    "export",
    STORE,
    options.of_record(ExportOptions),
    options.shared("quiet"),
    group=command,
)
def export(**values: Any) -> None:
    """Export nuggets, matches, clusters and corrections as plain tables.

    \b
    tseval assess export desk.tseval -o decisions

    `tseval score RUN... FOLDER/nuggets.tsv --matches FOLDER/matches.tsv` gives the scores of the
    page What if. The same decisions always give the same files.
    """
    options.check_line()
    desk, asked = _desk(values), build(ExportOptions, values)
    output = asked.folder
    if asked.tool is not None:
        check_output(output)
        deliver(export_tasks(desk, asked.assessor), output)
        return
    files = desk.export()
    foreign = [] if (output / ABOUT).exists() else [n for n in files if (output / n).exists()]
    if foreign:
        told = f"{output}: not written by `tseval assess export`: {listed(foreign)}"
        raise OutputError(f"{told}; name another folder")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: {reason_of(error)}") from error
    write_files({output / name: content for name, content in files.items()})
    _tell(f"{output}: {', '.join(files)}", values)


@frozen
class ImportOptions:
    """How annotations are read."""

    tool: str = option(
        "--from",
        "The tool that wrote it.",
        kind=check_tool,
        metavar=f"[{TOOL}]",
        required=True,
    )
    mapping: Path | None = option(
        "A file with the names of a task's fields and controls: topic, update, match, words, "
        "cluster, ignore, and tables labels and assessors.",
        metavar="FILE.toml",
    )
    assessor: str | None = option("The assessor, if the file does not name one.", metavar="NAME")


@options.command(
    "import",
    click.Argument(["store"], type=PATH),
    click.Argument(["file"], type=PATH),
    options.of_record(ImportOptions),
    options.shared("quiet"),
    group=command,
)
def import_file(store: Path, file: Path, **values: Any) -> None:
    """Import matches, words and clusters from Label Studio into STORE.

    \b
    tseval assess export desk.tseval --to label-studio -o project.json
    tseval assess import desk.tseval project.json --from label-studio

    FILE is the project's JSON export. Each annotation must name the topic and id of an update in
    the store. tseval imports the whole file or nothing. `assess status` shows the agreement.
    """
    asked = build(ImportOptions, values)
    names = TaskMapping() if asked.mapping is None else TaskMapping.read(asked.mapping)
    imported = import_annotations(Desk(Store.open(store)), file, names, asked.assessor)
    counts = [f"{name}: {count(number, 'update')}" for name, number in imported.items()]
    _tell(f"{file}: {'; '.join(counts) or 'nothing'}", values)


def _tell(words: str, values: Mapping[str, Any]) -> None:
    """Say what was done, unless the command is to be quiet."""
    if not values["quiet"]:
        click.echo(words, err=True)


@options.command(
    "status",
    STORE,
    options.result_format(STATUS_FORMS, "table"),
    options.shared("output"),
    group=command,
)
def status(**values: Any) -> None:
    """Show the progress and the agreement of assessors.

    \b
    tseval assess status desk.tseval

    `kappa` is Cohen's, for two assessors; `alpha` is Krippendorff's. Both use the pairs of update
    and nugget that two or more assessors judged. The 95 % intervals resample updates.
    """
    import pandas as pd

    request = Request.of(values)
    form, output = checked_form(request, STATUS_FORMS, "table"), request.output
    desk = _desk(values)
    gold = desk.gold()
    parts: dict[str, list[Any]] = {
        "topics": list(by_topic(desk.state, gold)),
        "assessors": list(by_assessor(desk.state)),
        "agreement": list(agreements(gold.judged)),
        "confusions": list(confusions(gold.judged)),
    }
    if form == "json":
        content = {
            name: [{k: v if v == v else None for k, v in row._asdict().items()} for row in rows]
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


@options.command(
    "merge",
    click.Argument(["store"], type=PATH),
    click.Argument(["others"], metavar="OTHER...", nargs=-1, required=True, type=PATH),
    options.shared("quiet"),
    group=command,
)
def merge(store: Path, others: tuple[Path, ...], **values: Any) -> None:
    """Merge the decisions of other stores into STORE.

    \b
    cp desk.tseval mine.tseval
    tseval assess merge desk.tseval mine.tseval

    All stores must have the same runs, nuggets and pool. The order of merging makes no difference,
    and merging again changes nothing.
    """
    into = Store.open(store)
    for other in others:
        new, number = merge_stores(into, Store.open(other, write=False))
        _tell(f"{other}: {count(number, 'decision')}, {new:,} of them new", values)

"""`tseval assess`: the assessors' desk, and what can be asked of its store."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.cli import options
from tseval.cli.commands import StrictGroup, debug_option
from tseval.cli.options import Request
from tseval.cli.output import check_output, checked_form, deliver
from tseval.core.declared import build, option
from tseval.core.naming import Naming, named
from tseval.core.wording import count, listed
from tseval.errors import MissingExtra, did_you_mean
from tseval.families.temporal.evaluation import DEFAULT_MATCHER
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.desk.desk import Desk
    from tseval.desk.store import Store

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


def pool_depth(text: str) -> int | None:
    """How many updates of each run and topic are pooled; None for all."""
    if text != "all" and not (text.isdecimal() and int(text) > 0):
        raise click.BadParameter(f"--pool is a number above 0, or all, and not '{text}'.")
    return None if text == "all" else int(text)


def name_in_one_line(text: str) -> str:
    """The name of somebody."""
    from tseval.desk.access import is_name

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
    """People match updates to nuggets, in the browser; their disagreement and the scores.

    \b
    tseval assess RUN... [NUGGETS] --store FILE.tseval   opens the desk (see open --help)
    tseval assess status FILE.tseval                     progress and agreement
    tseval assess export FILE.tseval -o FOLDER           nuggets, matches, clusters, corrections
    tseval assess import FILE.tseval FILE --from label-studio   its annotations
    """


@frozen(kw_only=True)
class DeskOptions:
    """Where the desk keeps decisions and listens, and what a new store is made with."""

    store: Path = option(
        "Where decisions are kept. It is made if it is not there; then it needs no other file.",
        metavar="FILE",
        kind=Path,
        required=True,
    )
    depth: int | None = option(
        "--pool",
        "Read of each run and topic the N updates of highest confidence, else the earliest.",
        default="all",
        metavar="N|all",
        kind=pool_depth,
    )
    fold: str = option(
        "Updates of the same words are read once; a matcher such as `fuzzy(threshold=0.9)` folds "
        "what it finds to say each other, with the same numbers.",
        default="words",
        metavar="words|MATCHER",
    )
    matcher: str = option(
        "Whose matches are suggested, and count where nobody has judged.",
        default=DEFAULT_MATCHER,
        metavar="NAME",
    )
    unjudged: str = option(
        "What a pair that nobody judged counts as: what the matcher says, or no match.",
        default="matcher",
        choices=("matcher", "no"),
    )
    double: float = option(
        "The share of updates that two assessors read.", default=0.2, at_least=0, at_most=1
    )
    seed: int = option("For the order of the queue.", default=0)
    assessors: tuple[str, ...] = option(
        "--assessor",
        "Who assesses: a link for each; repeatable. Default: who runs the program.",
        metavar="NAME",
        several=True,
        kind=name_in_one_line,
    )
    edition: str = option("By which What if scores.", default="draft")
    host: str = option(
        "Where to listen. Any address but this machine's own needs a password.",
        default="127.0.0.1",
    )
    port: int = option("", default=8765, at_least=0, at_most=65535)
    password_file: str | None = option(
        "Its first line is the password; without it one is asked for where --host needs one.",
        metavar="FILE",
    )


@command.command(
    OPEN,
    params=options.flat(
        options.files("RUN... [NUGGETS]"),
        options.of_record(DeskOptions),
        options.shared("wanted", "For What if."),
        options.of_record(Naming),
        debug_option,
    ),
)
def open_desk(**values: Any) -> None:
    """Open the desk in the browser of this machine; `open` need not be said.

    RUN are tables of updates, `topic update_id time text`; NUGGETS, if there are any yet, stand
    last. What they hold goes into the store; later `tseval assess --store FILE` is enough.

    \b
    tseval assess one.tsv two.tsv nuggets.tsv --store desk.tseval
    """
    from tseval.desk.access import is_this_machine
    from tseval.desk.desk import Desk
    from tseval.desk.outcome import Scoring

    request, asked = Request.of(values), build(DeskOptions, values)
    names = asked.assessors or (getpass.getuser(),)
    password = None
    if asked.password_file is not None or not is_this_machine(asked.host):
        password = _password(asked.password_file)
    desk = Desk(_store(request, asked), Scoring(asked.edition, request.wanted))
    desk.check()
    try:
        from tseval.desk.server import serve
    except ModuleNotFoundError as error:
        raise MissingExtra("assess", "the assessors' desk") from error
    serve(desk, names, asked.host, asked.port, password, lambda words: click.echo(words, err=True))


def _store(request: Request, asked: DeskOptions) -> Store:
    """The store that is there, if it is of these files and options; else a new one."""
    from tseval.desk.desk import check_same
    from tseval.desk.pool import read_inputs, runs_and_nuggets
    from tseval.desk.store import Settings, Store
    from tseval.families.temporal.evaluation import TemporalInputs

    path, settings = asked.store, build(Settings, vars(asked))
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
    from tseval.errors import UsageError

    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} holds no password: {error}") from error
    if not lines or not lines[0].strip():
        raise UsageError(f"{file} holds no password: its first line is empty")
    return lines[0].strip()


@frozen
class StoreNamed:
    """The one store that is named, as an argument or by an option."""

    named: Path | None
    store: Path | None = option("The store: another way.", metavar="FILE", kind=Path)

    def open(self) -> Desk:
        """The desk of the store, which is only read."""
        from tseval.desk.desk import Desk
        from tseval.desk.store import Store

        paths = {each for each in (self.named, self.store) if each is not None}
        if len(paths) > 1:
            raise click.UsageError(f"Two stores are named: {self.named} and {self.store}.")
        if not paths:
            raise click.UsageError("Name a store: `tseval assess RUN... --store FILE` makes one.")
        return Desk(Store.open(paths.pop(), write=False))


@frozen
class ExportOptions:
    """Where decisions go, and in which form."""

    folder: Path = option(
        "-o",
        "--output",
        "Write the files there; all of them appear, or none. With --to the one file.",
        metavar="FOLDER",
        kind=click.Path(path_type=Path),
        required=True,
    )
    tool: str | None = option(
        "--to",
        "Write tasks with annotations for Label Studio.",
        kind=check_tool,
        metavar=f"[{TOOL}]",
    )
    assessor: str | None = option(
        "With --to: whose annotations alone.", metavar="NAME", within=("--to",)
    )


STORE = click.Argument(
    ["named"], metavar="[STORE]", required=False, type=click.Path(path_type=Path)
)


@command.command(
    "export",
    params=options.flat(
        STORE,
        options.of_record(StoreNamed),
        options.of_record(ExportOptions),
        options.shared("quiet"),
        debug_option,
    ),
)
def export(**values: Any) -> None:
    """Nuggets, matches, clusters and corrections as plain tables.

    The same decisions give the same bytes. `tseval score RUN... FOLDER/nuggets.tsv --matches
    FOLDER/matches.tsv` gives the scores that the page What if shows.

    \b
    tseval assess export desk.tseval -o gold
    """
    from tseval.desk.exports import ABOUT
    from tseval.errors import OutputError
    from tseval.io.atomic_write import write_files

    options.check_line()
    desk, asked = build(StoreNamed, values).open(), build(ExportOptions, values)
    output = asked.folder
    if asked.tool is not None:
        from tseval.desk.label_studio import export_tasks

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
        raise OutputError(f"{output}: {(error.strerror or str(error)).lower()}") from error
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
        "The names of a task's fields and controls: topic, update, match, words, cluster, ignore, "
        "and tables labels and assessors.",
        metavar="FILE.toml",
        kind=Path,
    )
    assessor: str | None = option("Whose annotations they are, if it does not say.", metavar="NAME")


@command.command(
    "import",
    params=options.flat(
        click.Argument(["store"], type=click.Path(path_type=Path)),
        click.Argument(["file"], type=click.Path(path_type=Path)),
        options.of_record(ImportOptions),
        options.shared("quiet"),
        debug_option,
    ),
)
def import_file(store: Path, file: Path, **values: Any) -> None:
    """Annotations of Label Studio into STORE: matches, words and clusters.

    FILE is the project's export as JSON. Each annotation is of an update that the store has, by
    topic and id. All of the file is imported, or nothing. `assess status` shows the agreement.

    \b
    tseval assess import desk.tseval project.json --from label-studio
    """
    from tseval.desk.desk import Desk
    from tseval.desk.label_studio import TaskMapping, import_annotations
    from tseval.desk.store import Store

    asked = build(ImportOptions, values)
    names = TaskMapping() if asked.mapping is None else TaskMapping.read(asked.mapping)
    imported = import_annotations(Desk(Store.open(store)), file, names, asked.assessor)
    counts = [f"{name}: {count(number, 'update')}" for name, number in imported.items()]
    _tell(f"{file}: {'; '.join(counts) or 'nothing'}", values)


def _tell(words: str, values: Mapping[str, Any]) -> None:
    """Say what was done, unless the command is to be quiet."""
    if not values["quiet"]:
        click.echo(words, err=True)


@command.command(
    "status",
    params=options.flat(
        STORE,
        options.of_record(StoreNamed),
        options.result_format(STATUS_FORMS, "table"),
        options.shared("output"),
        debug_option,
    ),
)
def status(**values: Any) -> None:
    """Progress and agreement: what was read, by whom, kappa and alpha.

    `kappa` is Cohen's, of two assessors; `alpha` Krippendorff's. Both are over pairs of an update
    and a nugget that two or more judged; the intervals hold 95 % of resampled updates.
    """
    import pandas as pd

    from tseval.cli.tables import sections_table
    from tseval.desk.agreement import agreements, confusions
    from tseval.desk.judgments import by_assessor, by_topic
    from tseval.io.rows import integer_columns, result_object_bytes

    request = Request.of(values)
    form, output = checked_form(request, STATUS_FORMS, "table"), request.output
    desk = build(StoreNamed, values).open()
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


@command.command(
    "merge",
    params=options.flat(
        click.Argument(["store"], type=click.Path(path_type=Path)),
        click.Argument(
            ["others"], metavar="OTHER...", nargs=-1, required=True, type=click.Path(path_type=Path)
        ),
        options.shared("quiet"),
        debug_option,
    ),
)
def merge(store: Path, others: tuple[Path, ...], **values: Any) -> None:
    """Bring the decisions of other stores into STORE.

    They have to be of the same runs, nuggets and pool. It makes no difference which is merged into
    which, and how often.
    """
    from tseval.desk.store import Store, merge_stores

    into = Store.open(store)
    for other in others:
        new, number = merge_stores(into, Store.open(other, write=False))
        _tell(f"{other}: {count(number, 'decision')}, {new:,} of them new", values)

"""`tseval gold`: the public judgments that tseval reads, their addresses, and a check of yours."""

from __future__ import annotations

import hashlib
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from tseval.cli import options
from tseval.errors import BAD_INPUT, UsageError, did_you_mean
from tseval.io.inputs import DECOMPRESSORS, Input
from tseval.records import frozen

RUN = "run"
"""The role of runs; where there are none, a command says `RUN...`."""
NO_ADDRESS = "ask the organisers"
ARCHIVES = (".tgz", ".tar.gz", ".zip")
"""The endings of files that tseval does not read before they are unpacked."""


@frozen
class PublicFile:
    """A file of public judgments; a name with `*` stands for several."""

    role: str
    name: str
    address: str = NO_ADDRESS
    also: tuple[str, ...] = ()
    """Other names that public copies have."""
    table: str = ""
    """What `tseval validate` calls its table."""
    sum: str = ""
    """The algorithm and the checksum of the unpacked content, where the publisher states them."""
    optional: bool = False

    @property
    def is_packed(self) -> bool:
        """Whether it is published inside an archive."""
        return self.address.endswith(ARCHIVES)

    @property
    def words(self) -> str:
        """The name and the address, with what else is known."""
        unpack = " (unpack it first)" if self.is_packed else ""
        stated = f", {self.sum}" if self.sum else ""
        optional = ", optional" if self.optional else ""
        return f"{self.name}: {self.address}{unpack}{stated}{optional}"

    def find(self, folder: Path) -> tuple[str, ...]:
        """The paths in a folder or below, plain or compressed; one, unless the name has a `*`."""
        names = (self.name, *self.also)
        every = (name + suffix for name in names for suffix in ("", *DECOMPRESSORS))
        paths = [str(path) for name in every for path in sorted(folder.rglob(name))]
        return tuple(paths if "*" in self.name else paths[:1])

    def check(self, paths: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
        """Lines about the files at these paths, each with whether it tells a fault."""
        from tseval.core.validation import validate

        for path in paths if self.sum else ():
            algorithm, _, stated = self.sum.partition(":")
            content = hashlib.new(algorithm)
            for piece in Input(path).pieces():
                content.update(piece)
            if content.hexdigest() != stated:
                differs = f"{algorithm} is {content.hexdigest()}, but {stated} is stated"
                yield f"{path}: {differs}; download it again: {self.address}", True
        lines = list(validate(paths, self.table)) if self.table else []
        faults = [line for line, is_fault in lines if is_fault]
        if faults:
            more = f" (and {len(faults) - 1} more: `tseval validate`)" if len(faults) > 1 else ""
            yield f"{faults[0]}{more}", True
        elif len(paths) > 1:
            yield f"{paths[0]} and {len(paths) - 1} more, no fault", False
        else:
            yield lines[0][0] if lines else f"{paths[0]}: present", False


@frozen
class PublicGold:
    """The judgments of one edition of a track."""

    title: str
    commands: tuple[str, ...]
    """How a run is scored; `{role}` stands for the paths of the files of a role."""
    page: str
    files: tuple[PublicFile, ...]
    note: str = ""
    between: str = " "
    """What stands between several paths of one role."""

    @property
    def program(self) -> str:
        """The command that scores: `tseval score`."""
        return " ".join(self.commands[0].split()[:2])

    def commands_for(self, paths: Mapping[str, Sequence[str]]) -> Iterator[str]:
        """The commands that need no other roles than these."""
        named = {role: self.between.join(those) for role, those in paths.items()}
        for command in self.commands:
            try:
                yield command.format_map({RUN: "RUN..."} | named)
            except KeyError:
                continue


def public_gold() -> dict[str, PublicGold]:
    """All public judgments by their names, from the table beside this module."""
    table = tomllib.loads(Path(__file__).with_name("public_gold.toml").read_text("utf-8"))
    collections = {}
    for name, each in table.items():
        files = tuple(
            PublicFile(**file | {"also": tuple(file.get("also", ()))}) for file in each["files"]
        )
        collections[name] = PublicGold(
            **each | {"files": files, "commands": tuple(each["commands"])}
        )
    return collections


@options.command(
    "gold",
    click.Argument(["name"], required=False),
    click.Argument(
        ["folder"],
        required=False,
        type=click.Path(path_type=Path, exists=True, file_okay=False),
    ),
)
def command(name: str | None, folder: Path | None) -> None:
    """List the public judgments that tseval reads, and check downloaded files.

    \b
    tseval gold ts2014

    Without NAME, every collection is listed. With NAME, its files and their addresses, and the
    command that scores a run. With FOLDER, the files that you downloaded are checked: which are
    missing, and which differ from the published ones. Nothing is downloaded.
    """
    known = public_gold()
    if name is None:
        rows = [(each, gold.title, gold.program, gold.page) for each, gold in known.items()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
            click.echo("  ".join(cells).rstrip())
        click.echo("`tseval gold NAME` lists the files, `tseval gold NAME FOLDER` checks yours")
    elif name not in known:
        like = did_you_mean(name, known) or ": `tseval gold` lists all"
        raise UsageError(f"no public gold is called '{name}'{like}")
    elif folder is None:
        click.echo("\n".join(_describe(known[name])))
    elif _check(known[name], folder):
        raise click.exceptions.Exit(BAD_INPUT)


def _describe(gold: PublicGold) -> Iterator[str]:
    """All about one collection."""
    width = max(len(file.role) for file in gold.files)
    yield f"{gold.title}: {gold.page}"
    yield from (f"  {file.role:<{width}}  {file.words}" for file in gold.files)
    yield from [gold.note] if gold.note else []
    names = {file.role: (file.name,) for file in gold.files if file.role != RUN}
    yield "to score runs:"
    yield from (f"  {each}" for each in gold.commands_for(names))


def _check(gold: PublicGold, folder: Path) -> bool:
    """Show which files are in the folder, and the commands for them; whether any is at fault."""
    width = max(len(file.role) for file in gold.files)
    present: dict[str, tuple[str, ...]] = {}
    faulty = False
    for file in gold.files:
        paths = file.find(folder)
        if paths:
            present[file.role] = (*present.get(file.role, ()), *map(shlex.quote, paths))
            lines = list(file.check(paths))
        else:
            lines = [(f"missing: {file.words}", not file.optional)]
        for line, is_fault in lines:
            faulty |= is_fault
            click.echo(f"  {file.role:<{width}}  {line}")
    if commands := list(gold.commands_for(present)):
        click.echo("\n".join(["to score runs:", *(f"  {each}" for each in commands)]))
    return faulty

"""Where results go, in which form, never into an input; warnings and progress beside them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tseval.cli.options import SAFE_CSV, Request
from tseval.core.declared import declared
from tseval.errors import (
    OutputError,
    Reason,
    UsageError,
    check_suffix,
    reason_of,
    visible,
)
from tseval.io import PICTURES
from tseval.parallel.sharing import Progress

if TYPE_CHECKING:
    from tseval.core.requirements import Miss

CALLED_OTHERWISE = {"txt": "table", "tex": "latex", "md": "markdown", "htm": "html"}
"""The forms of files whose suffixes have other names."""
IS_INPUT = "is an input too: name another file for the result"


def check_output(output: Path | None, *, keeps_verdicts: bool = False) -> None:
    """Refuse an output that cannot be written, or is an input, before any work is done for it.

    Refuse a file that holds verdicts, too, unless the caller keeps them.
    """
    if output is None:
        return
    if not output.parent.is_dir():
        raise OutputError(f"{output}: there is no folder {output.parent}")
    if output.is_file() or not output.exists():  # a device or a pipe is written to
        check_takes_files(output, Path(os.path.realpath(output)).parent)
    values = click.get_current_context().params.values()
    named = (each for value in values for each in (value if isinstance(value, tuple) else (value,)))
    refuse_inputs(output, [STDIN, *(each for each in named if isinstance(each, str))])
    if output.is_file() and not keeps_verdicts:
        from tseval.matching.sampling import holds_verdicts

        if holds_verdicts(output):
            raise OutputError(f"{output} holds verdicts, which would be lost: name another file")


def check_outputs(record: object) -> None:
    """Refuse files beside the result that cannot be written, or not in any known form."""
    for field, what in declared(type(record)):
        path = getattr(record, field.name) if what.is_output else None
        if path is None:
            continue
        check_output(path)
        if path.suffix:
            check_suffix(f"{what.name} {path}", path.suffix.lstrip(".").lower(), what.choices)


def check_into(folder: Path) -> None:
    """Refuse a folder for several files that is not there, or takes none."""
    if not folder.is_dir():
        raise OutputError(f"{folder}: there is no such folder to write the files into")
    check_takes_files(folder, folder)


def check_takes_files(output: Path, folder: Path) -> None:
    """Refuse an output whose folder takes no new file, as a result is one until it is whole."""
    import tempfile

    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise OutputError(
            f"{output}: nothing can be written into {folder}: {reason_of(error)}"
        ) from error


STDIN = "/dev/stdin"
"""The file that a shell gives for standard input, if it gives one."""


def refuse_inputs(output: Path | None, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that is one of these files, under whatever name."""
    if output is None or not output.is_file():
        return
    for each in inputs:
        if os.path.isfile(each) and output.samefile(each):  # noqa: PTH113 - may hold a NUL
            raise UsageError(f"{output} {IS_INPUT}")


def deliver(
    content: bytes | None,
    output: Path | None,
    beside: Mapping[Path, bytes] | None = None,
    *,
    form: str = "",
) -> None:
    """Write a result to its file, or to standard output; it and the files beside it, or none.

    A result in a form for spreadsheets, and such a file beside it, is looked through for formulas;
    one in a form for machines that goes to a terminal, for what steers it. Tables are written so.
    """
    files: dict[str | Path, bytes] = {}
    for path, each in (beside or {}).items():
        files[path] = without_formulas(each, path.suffix.lstrip(".").lower())
    if content is not None:
        content = without_formulas(content, form)
    if output is not None and os.path.realpath(output) in map(os.path.realpath, files):
        raise UsageError(f"{output} is named for two results: give each a file of its own")
    if output is not None and content is not None:
        files[output] = content
    if files:
        from tseval.io.atomic_write import write_files

        write_files(files)
    if output is None and content is not None:
        if form not in ("", "table", "parquet") and sys.stdout.isatty():
            content = visible(content.decode()).encode()
        try:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(
                f"standard output: {reason_of(error)}; -o FILE writes to a file"
            ) from error


def without_formulas(content: bytes, form: str) -> bytes:
    """A file in which formulas are texts where that was asked for, and are told of where not."""
    from tseval.io.rows import guarded

    asked = click.get_current_context().params
    is_safe, is_quiet = asked.get("safe_csv", False), asked.get("quiet", False)
    return guarded(
        content, form, safe=is_safe, option=SAFE_CSV, warn=lambda text: warn([text], is_quiet)
    )


def leave_if(unmet: Sequence[Miss]) -> None:
    """Leave with the exit code of requirements, once the result is written.

    One that is not met counts more than one that cannot be told.
    """
    for each in unmet:
        click.echo(visible(each.line), err=True)
    if unmet:
        raise click.exceptions.Exit(min(each.code for each in unmet))


def checked_form(request: Request, known: Sequence[str], default: str, *records: object) -> str:
    """The form of the output; refuse files of it and of records that cannot be written."""
    check_output(request.output)
    for each in records:
        check_outputs(each)
    return form_of(request.form, request.output, known, default)


def form_of(form: str | None, output: Path | None, known: Sequence[str], default: str) -> str:
    """The output's form: as asked for, else by the file's suffix, else the default.

    A suffix that names no form is refused, but for `.txt`, a table, and `.tex` and `.md`.
    """
    suffix = output.suffix.lstrip(".").lower() if output is not None else ""
    chosen = form or {"": default, **CALLED_OTHERWISE}.get(suffix, suffix)
    if chosen not in known:
        listed = ", ".join(known)
        raise UsageError(f"'{chosen}' is none of the forms that this result has: {listed}")
    if chosen in ("parquet", *PICTURES) and output is None and sys.stdout.isatty():
        raise UsageError(f"{chosen} is not for a terminal: give -o FILE.{chosen}")
    asked = click.get_current_context().params
    named = [each.suffix for each in asked.values() if isinstance(each, Path)]
    if asked.get("safe_csv") and not {chosen, *named} & {"csv", "tsv", ".csv", ".tsv"}:
        raise UsageError(f"{SAFE_CSV} has no meaning with -f {chosen}: it is for CSV and TSV")
    return chosen


def warn(warnings: Iterable[str], quiet: bool) -> None:
    """Tell warnings on standard error; the quiet hear only those that explain scores of 0."""
    for warning in warnings:
        if not quiet or isinstance(warning, Reason):
            click.echo(f"warning: {visible(warning)}", err=True)


@contextmanager
def progress(what: str, quiet: bool) -> Iterator[Progress | None]:
    """A function to tell how far the work is, by a bar; None where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def tell(done: int, total: int, note: str = "", /) -> None:
            shown = f"{what}: {note}" if note else what
            bar.update(task, completed=done, total=total, description=shown)

        yield tell

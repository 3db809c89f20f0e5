"""Where results go, in which form, and that they never go into an input; warnings beside them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tseval.cli.options import SAFE_CSV
from tseval.core.requirements import FAILED
from tseval.errors import OutputError, Reason, UsageError, reason_of, visible


def check_output(output: Path | None, *, keeps_verdicts: bool = False) -> None:
    """Refuse an output that cannot be written, or is an input, before any work is done for it.

    Refuse a file that holds verdicts, too, unless the caller keeps them.
    """
    if output is None:
        check_standard_output()
        return
    if not output.parent.is_dir():
        raise OutputError(f"{output}: there is no folder {output.parent}")
    check_folder(output)
    refuse_inputs(output, _named_files())
    given = _file_of(sys.stdin)
    if given is not None and output.is_file() and os.path.samestat(given, output.stat()):
        raise UsageError(f"{output} {IS_INPUT}")
    if output.is_file() and not keeps_verdicts:
        from tseval.matching.verdicts import holds_verdicts

        if holds_verdicts(output):
            raise OutputError(f"{output} holds verdicts, which would be lost: name another file")


def check_folder(output: Path) -> None:
    """Refuse a file whose folder takes no new one, as a result is one until it is whole."""
    try:
        target = Path(os.path.realpath(output))  # fails where the working directory is gone
        if target.exists() and not target.is_file():
            return  # a device or a pipe is written to, and a folder is told of elsewhere
    except OSError as error:
        raise OutputError(f"{output}: {reason_of(error)}") from error
    _check_takes_files(output, target.parent)


def check_into(folder: Path) -> None:
    """Refuse a folder for several files that is not there, or takes none."""
    if not folder.is_dir():
        raise OutputError(f"{folder}: there is no such folder to write the files into")
    _check_takes_files(folder, folder)


def _check_takes_files(output: Path, folder: Path) -> None:
    import tempfile

    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise OutputError(
            f"{output}: nothing can be written into {folder}: {reason_of(error)}"
        ) from error


IS_INPUT = "is an input too: name another file for the result"


def refuse_inputs(output: Path | None, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that is one of these files, under whatever name."""
    if output is None or not output.is_file():
        return
    if any(_is_file(each) and output.samefile(each) for each in inputs):
        raise UsageError(f"{output} {IS_INPUT}")


def check_standard_output() -> None:
    """Refuse to write into an input by way of standard output, as `>> FILE` would."""
    written, given = _file_of(sys.stdout), _file_of(sys.stdin)
    if written is None:
        return
    for each in _named_files():
        if os.path.samestat(written, each.stat()):
            raise UsageError(f"standard output goes to {each}, which {IS_INPUT}")
    if given is not None and os.path.samestat(written, given):
        raise UsageError(f"standard output goes to a file that {IS_INPUT}")


def _file_of(stream: Any) -> os.stat_result | None:
    """The regular file behind a stream of this process; None if there is none."""
    try:
        found = os.fstat(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _is_file(path: str | Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - may hold a NUL


def _named_files() -> Iterator[Path]:
    """The files that are there of those that the command's arguments and options name.

    Inputs are strings; where results go is a path.
    """
    context = click.get_current_context(silent=True)
    for value in () if context is None else context.params.values():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, str) and _is_file(each):
                yield Path(each)


def deliver(
    content: bytes,
    output: Path | None,
    beside: Mapping[Path, bytes] | None = None,
    *,
    form: str = "",
) -> None:
    """Write a result to its file, or to standard output; it and the files beside it, or none.

    A result in a form for spreadsheets, and such a file beside it, is looked through for formulas;
    one in a form for machines that goes to a terminal, for what steers it. Tables are written so.
    """
    content = _without_formulas(content, form)
    files: dict[str | Path, bytes] = dict(beside_spreadsheets(beside or {}).items())
    if output is not None and os.path.realpath(output) in map(os.path.realpath, files):
        raise UsageError(f"{output} is named for two results: give each a file of its own")
    if output is not None:
        files[output] = content
    if files:
        _write(files)
    if output is None:
        try:
            for_machines = form not in ("", "table") and sys.stdout.isatty()
            sys.stdout.buffer.write(_seen(content) if for_machines else content)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(
                f"standard output: {reason_of(error)}; -o FILE writes to a file"
            ) from error


def _seen(content: bytes) -> bytes:
    """What a terminal may be given of a text; anything else is left as it is."""
    try:
        return visible(content.decode()).encode()
    except UnicodeDecodeError:
        return content


def _write(files: Mapping[str | Path, bytes]) -> None:
    from tseval.io.atomic_write import write_together

    write_together(files)


def beside_spreadsheets(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Files, of which those for spreadsheets, by their suffix, are looked through for formulas."""
    return {
        path: _without_formulas(content, path.suffix.lstrip(".").lower())
        for path, content in files.items()
    }


def _without_formulas(content: bytes, form: str) -> bytes:
    """A file in which formulas are texts where that was asked for, and are told of where not."""
    from tseval.io.formulas import guarded

    context = click.get_current_context()
    is_safe, is_quiet = context.meta.get(SAFE_CSV, False), context.params.get("quiet", False)
    return guarded(
        content, form, safe=is_safe, option=SAFE_CSV, warn=lambda text: warn([text], is_quiet)
    )


def leave_if(unmet: Sequence[str]) -> None:
    """Leave with the exit code of requirements that are not met, once the result is written."""
    for line in unmet:
        click.echo(visible(line), err=True)
    if unmet:
        raise click.exceptions.Exit(FAILED)


def form_of(form: str | None, output: Path | None, known: Sequence[str], default: str) -> str:
    """The output's form: as asked for, else by the file's suffix, else the default.

    A suffix that names no form is refused, but for `.txt`, a table, and `.tex` and `.md`.
    """
    suffix = output.suffix.lstrip(".").lower() if output is not None else ""
    chosen = form or {"": default, "txt": "table", "tex": "latex", "md": "markdown"}.get(
        suffix, suffix
    )
    if chosen not in known:
        listed = ", ".join(known)
        raise UsageError(f"'{chosen}' is none of the forms that this result has: {listed}")
    if chosen == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal: give -o FILE.parquet")
    _check_safe_csv(chosen)
    return chosen


def _check_safe_csv(form: str) -> None:
    """Refuse to make texts of formulas where no file for a spreadsheet is written."""
    context = click.get_current_context()
    named = [each.suffix for each in context.params.values() if isinstance(each, Path)]
    if context.meta.get(SAFE_CSV) and not {form, *named} & {"csv", "tsv", ".csv", ".tsv"}:
        raise UsageError(f"{SAFE_CSV} has no meaning with -f {form}: it is for CSV and TSV")


def warn(warnings: Iterable[str], quiet: bool) -> None:
    """Tell warnings on standard error; the quiet hear only those that explain scores of 0."""
    for warning in warnings:
        if not quiet or isinstance(warning, Reason):
            click.echo(f"warning: {visible(warning)}", err=True)

"""Writing results: a file appears whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tseval.errors import OutputError, reason_of


def write_file(path: str | Path, content: bytes) -> None:
    """Write a file beside its place, then move it there; an `OutputError` leaves nothing behind."""
    write_files({path: content})


def write_files(contents: Mapping[str | Path, bytes]) -> None:
    """Write all of these files beside their places, then move them there.

    An `OutputError` before the first is moved leaves what was there. Devices and pipes are written
    to, and of links the files that they point to.
    """
    staged: dict[str | Path, Path] = {}
    try:
        for path, content in contents.items():
            with _named(path):
                target = Path(path)
                if target.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                if target.exists() and not target.is_file():
                    target.write_bytes(content)
                    continue
                target = Path(os.path.realpath(target))
                handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
                staged[path] = Path(name)
                with os.fdopen(handle, "wb") as stream:
                    stream.write(content)
                staged[path].chmod(_mode(target))
        for path, new in staged.items():
            with _named(path):
                new.replace(os.path.realpath(path))
    finally:
        for new in staged.values():
            new.unlink(missing_ok=True)


@contextmanager
def _named(path: str | Path) -> Iterator[None]:
    """Raise what the system says of a file as an error that names it."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: {reason_of(error)}") from error


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those that a new file would get."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

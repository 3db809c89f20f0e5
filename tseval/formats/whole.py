"""Writing results: a file appears whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tseval.errors import OutputError


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file beside its place, then move it there; an `OutputError` leaves nothing behind."""
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # a device or a pipe cannot be replaced
            return
        _replace(target, content)
    except OSError as error:
        raise OutputError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def _replace(target: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those that a new file would get."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

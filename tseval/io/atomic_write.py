"""Writing results: a file appears whole or not at all, and so do several that belong together."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tseval.errors import OutputError, reason_of
from tseval.records import frozen


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file beside its place, then move it there; an `OutputError` leaves nothing behind."""
    write_together({path: content})


def write_together(contents: Mapping[str | Path, bytes]) -> None:
    """Write all of these files, or none: an `OutputError` leaves what was there before.

    All lie beside their places before the first is moved, and files that are replaced are kept
    until the last has been. A single file needs no such care: it is there once it is moved.
    """
    several = len(contents) > 1
    staged: list[_Staged] = []
    moved: list[_Staged] = []
    try:
        for path, content in contents.items():
            with _told(path):
                target = _pointed_to(Path(path))
                if _is_special(target):
                    target.write_bytes(content)  # a device or a pipe cannot be replaced
                else:
                    staged.append(_stage(target, content, keep=several))
        for each in staged:
            with _told(each.target):
                moved += [each] if several else []
                each.new.replace(each.target)
    except BaseException:
        for each in moved:
            each.undo()
        raise
    finally:
        for each in staged:
            each.clear()


@frozen
class _Staged:
    """A file that lies beside its place, and what it will replace, if that is kept."""

    target: Path
    new: Path
    old: Path | None

    def undo(self) -> None:
        """Put back what was there, or nothing."""
        if self.old is not None:
            self.old.replace(self.target)
        elif not self.new.exists():
            self.target.unlink(missing_ok=True)

    def clear(self) -> None:
        """Take away what is left beside the place."""
        for path in (self.new, self.old):
            if path is not None:
                path.unlink(missing_ok=True)


@contextmanager
def _told(path: str | Path) -> Iterator[None]:
    """What the system says of a file as an error that names it."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: {reason_of(error)}") from error


def _pointed_to(path: Path) -> Path:
    """Where a link points, so that the link stays one; another path is itself.

    What is reached through a descriptor of this process stays as it is: it is written into.
    """
    if not path.is_symlink() or _is_descriptor(path):
        return path
    found = Path(os.path.realpath(path))
    if found.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return found


def _is_descriptor(path: Path) -> bool:
    """Whether this is a descriptor by name, such as `/dev/stdout` and `/dev/fd/3`."""
    folder = os.path.realpath(path.parent)
    return folder == "/dev" or folder.startswith(("/proc/", "/dev/fd"))


def _is_special(target: Path) -> bool:
    """Whether this is a device, a pipe or a descriptor; a folder is refused."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return target.exists() and (not target.is_file() or _is_descriptor(target))


def _stage(target: Path, content: bytes, *, keep: bool) -> _Staged:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        new.chmod(_mode(target))
        return _Staged(target, new, _kept(target, new) if keep and target.exists() else None)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _kept(target: Path, new: Path) -> Path:
    """What is there under a second name, or as a copy where a file can have one name alone."""
    old = new.with_name(f"{new.name}.old")
    try:
        os.link(target, old, follow_symlinks=False)
    except OSError:
        try:
            shutil.copy2(target, old, follow_symlinks=False)
        except BaseException:
            old.unlink(missing_ok=True)
            raise
    return old


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those that a new file would get."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

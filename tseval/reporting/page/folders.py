"""A page is mailed: where files lie on somebody's machine is nobody else's affair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath

from tseval.reporting.content import Report


def without_folders(report: Report) -> Report:
    """The report whose files, and what is said of them, go without the folders that they lie in."""
    names = short_paths(row.path for row in report.inputs)
    return replace(
        report,
        inputs=tuple(row._replace(path=names.get(row.path, row.path)) for row in report.inputs),
        warnings=tuple(_with_names(each, names) for each in report.warnings),
        doubts=tuple(_with_names(each, names) for each in report.doubts),
        sections=tuple(
            replace(each, lack=_with_names(each.lack, names)) for each in report.sections
        ),
    )


def short_paths(paths: Iterable[str]) -> dict[str, str]:
    """Each path, where it is absolute by as many of its last parts as tell it from the others."""
    absolute = {path: parts for path in paths if (parts := _parts(path))}
    names = {}
    for path, parts in absolute.items():
        others = [own for other, own in absolute.items() if other != path]
        length = 1
        while any(own[-length:] == parts[-length:] for own in others) and length < len(parts):
            length += 1
        names[path] = "/".join(parts[-length:])
    return names


def _parts(path: str) -> tuple[str, ...]:
    """The parts of an absolute path below its root; nothing for others."""
    for kind in (PurePosixPath, PureWindowsPath):
        found = kind(path)
        if found.is_absolute():
            return found.parts[1:]
    return ()


def _with_names(text: str, names: Mapping[str, str]) -> str:
    for path in sorted(names, key=len, reverse=True):
        text = text.replace(path, names[path])
    return text

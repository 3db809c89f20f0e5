"""What is said of inputs whose columns have other names than the tables give them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tseval.core.wording import listed

if TYPE_CHECKING:
    from tseval.io.origin import InputRecord


def columns_trait(inputs: Iterable[InputRecord]) -> dict[str, str]:
    """The part of a signature that tells what columns were called by the caller's word."""
    return said_trait(each for one in inputs for each in one.columns)


def said_trait(said: Iterable[str]) -> dict[str, str]:
    """The same of what was said, such as `updates.text=says`."""
    told = dict.fromkeys(each.replace("|", "%7C").replace(",", "%2C") for each in said)
    return {"columns": ",".join(told)} if told else {}


def shared_runs(inputs: Iterable[InputRecord]) -> tuple[str, ...]:
    """Warn of several files that hold runs of one name, which count as one."""
    files: dict[str, dict[str, bool]] = {}
    for each in inputs:
        for run in each.runs:
            files.setdefault(run, {})[each.path] = len(each.runs) == 1
    shared = {run: paths for run, paths in files.items() if len(paths) > 1}
    if not shared:
        return ()
    alone = [path for paths in shared.values() for path, is_alone in paths.items() if is_alone]
    cure = f"pass --name {alone[-1]}=NAME" if alone else "use other names in the column run"
    names = f"{', '.join(list(shared)[:3])}{', …' if len(shared) > 3 else ''}"
    which = f"run {names} is" if len(shared) == 1 else f"{len(shared)} runs ({names}) are each"
    return (f"{which} in several files and counted as one run; to keep versions apart, {cure}",)


def told_names(inputs: Iterable[InputRecord]) -> tuple[str, ...]:
    """What was made of common names, said once for files that have the same."""
    files: dict[tuple[str, ...], list[str]] = {}
    for each in inputs:
        if each.understood:
            files.setdefault(each.understood, []).append(Path(each.path).name)
    return tuple(
        f"{listed(list(dict.fromkeys(paths)))}: read {', '.join(names)}; --column says otherwise"
        for names, paths in files.items()
    )

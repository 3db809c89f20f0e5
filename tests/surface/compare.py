"""Run a case of the golden files, and tell how its outcome differs from the recorded one."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

import tseval
from tests import program
from tests.program import ROOT, Outcome

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])", re.IGNORECASE)
SLOT = re.compile(r'"[^"\n]*"|`[^`\n]*`|' + NUMBER.pattern, re.IGNORECASE)
PROSE = {"--help", "measures", "validate"}
"""Commands whose output is words: it counts as messages do."""
WITHIN = 1e-12
"""Values may differ by this share: the same sum, added up in another order."""
GOLDEN = Path(__file__).with_name("golden")
WORLDS = Path(__file__).with_name("worlds.json")
GIVEN = ("run", "call", "base", "stdin", "given")
"""The parts of a case that say what is run."""


def folder(place: Path, world: str | None) -> None:
    """Put the examples, and the files of a world of `worlds.json`, into a folder."""
    files: dict[str, str] = json.loads(WORLDS.read_text(encoding="utf-8"))[world] if world else {}
    for link in ("fixtures", "docs"):
        if not (place / link).exists():
            (place / link).symlink_to(ROOT / link)
    for name, text in files.items():
        (place / name).write_bytes(text.encode())


def outcome(case: dict[str, Any]) -> dict[str, Any]:
    """Run a case in this folder and return what is recorded of it."""
    if "call" in case:
        return called(case["call"])
    before = {path.name for path in Path().iterdir()}
    done = program.tseval(*case["run"], stdin=case.get("stdin", "").encode())
    found: dict[str, Any] = {"code": done.code}
    if "base" in case:
        base = program.tseval(*case["base"])
        return found | {"changed": changed(base, done)}
    is_prose = not PROSE.isdisjoint(case["run"])
    if done.output and not is_prose:
        found["out"] = done.out.splitlines()
    if done.faults:
        found["faults"] = [[fault.code, fault.place] for fault in done.faults]
    if done.error or is_prose:
        found["sentences"] = (done.out * is_prose + done.err).splitlines()
        found["slots"] = [slots(line) for line in done.err.splitlines()]
    for name in sorted({path.name for path in Path().iterdir()} - before):
        found.setdefault("files", {})[name] = written(Path(name))
    return found


def called(call: str) -> dict[str, Any]:
    """Evaluate a public call in Python."""
    try:
        result = eval(call, {"tseval": tseval, "pd": pd})
    except tseval.TsevalError as error:
        return {"error": type(error).__name__, "sentences": str(error).splitlines()}
    found: dict[str, Any] = {}
    frame = result.frame() if hasattr(result, "frame") else result
    if isinstance(frame, pd.DataFrame):
        found["out"] = frame.to_csv(index=False, lineterminator="\n").splitlines()
    for name in ("signature", "warnings"):
        if hasattr(result, name):
            found[name] = getattr(result, name)
    if "warnings" in found:
        found["sentences"] = list(found["warnings"])
        found["warnings"] = [slots(line) for line in found["warnings"]]
    return json.loads(json.dumps(found))  # as it comes back from the file


def slots(line: str) -> str:
    """What stays of a message when its words change: its kind, and what it quotes and counts."""
    kind = re.match(r"\w+(?=:)", line)
    return " ".join([kind[0] if kind else "", *SLOT.findall(line)]).strip()


def written(path: Path) -> list[str]:
    """The lines of a file that a command wrote; of one that is no text, what it holds."""
    if path.is_dir():
        return [f"{each.name}: {line}" for each in sorted(path.iterdir()) for line in written(each)]
    if path.suffix == ".parquet":
        return pd.read_parquet(path).to_csv(index=False, lineterminator="\n").splitlines()
    if path.suffix in (".html", ".svg", ".png", ".pdf"):
        return [f"a {path.suffix[1:]}"]
    return path.read_text(encoding="utf-8").splitlines()


def changed(base: Outcome, done: Outcome) -> dict[str, str]:
    """The values of scores as CSV that differ from those of another command."""
    before, now = rows(base.out), rows(done.out)
    return {
        key: now.get(key, "(none)")
        for key in before | now
        if not same(before.get(key, "(none)"), now.get(key, "(none)"))
    }


def rows(text: str) -> dict[str, str]:
    """Values by run, topic and measure."""
    listed = csv.reader(io.StringIO(text))
    return {"|".join(row[:-1]): row[-1] for row in listed if row}


def same(one: str, other: str) -> bool:
    """Whether two texts are equal, but for the last digits of the numbers in them."""
    if one == other:
        return True
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= WITHIN * max(1, abs(float(a))) for a, b in pairs)


def differences(wanted: Any, found: Any, where: str = "") -> Iterator[str]:
    """Every place in which an outcome is not the recorded one."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in wanted | found:
            yield from differences(wanted.get(key), found.get(key), f"{where}.{key}")
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for at, (one, other) in enumerate(zip(wanted, found, strict=True)):
            yield from differences(one, other, f"{where}[{at}]")
    elif isinstance(wanted, str) and isinstance(found, str):
        if not same(wanted, found):
            yield f"{where}: {wanted!r} became {found!r}"
    elif wanted != found:
        yield f"{where}: {wanted!r} became {found!r}"


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of one golden file."""
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@contextmanager
def inside(place: Path) -> Iterator[None]:
    """Work in a folder."""
    before = Path.cwd()
    os.chdir(place)
    try:
        yield
    finally:
        os.chdir(before)

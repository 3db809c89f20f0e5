"""Write the golden files anew: `python -m tests.surface.record [--sentences]`.

With `--sentences` only the words of messages are written anew, those of the cases that are there.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.surface import compare

SENTENCES = Path(__file__).with_name("sentences.txt")


def key(case: dict[str, Any]) -> str:
    """How a case is called in messages: its command line, or its call."""
    given = f" (world {case['given']})" if "given" in case else ""
    return str(case.get("call") or "tseval " + " ".join(case["run"])) + given


def recorded(case: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A case with what came out, and the sentences apart."""
    with TemporaryDirectory() as name, compare.inside(Path(name)):
        compare.folder(Path(name), case.get("given"))
        found = compare.outcome(case)
    sentences = found.pop("sentences", [])
    return case | found, sentences


def sentences_of(text: str) -> dict[str, list[str]]:
    """The messages of each case, as `sentences.txt` has them."""
    blocks = [block.splitlines() for block in text.split("\n\n$ ") if block.strip()]
    listed: dict[str, list[str]] = {}
    for block in blocks:
        name = [line for line in block if not line.startswith("  > ")]
        said = [line[4:] for line in block if line.startswith("  > ")]
        listed["\n".join(name).removeprefix("$ ")] = said
    return listed


def main(arguments: list[str]) -> None:
    """Write all golden files, or the sentences alone."""
    if "--sentences" in arguments:
        listed = {path.stem: compare.cases(path.stem) for path in compare.GOLDEN.glob("*.jsonl")}
    else:
        from tests.surface.cases import WORLDS, all_cases

        listed = defaultdict(list)
        for name, case in all_cases():
            listed[name].append(case)
        compare.WORLDS.write_text(json.dumps(WORLDS, indent=1) + "\n", encoding="utf-8")
    blocks, known = [], set()
    for name, cases in sorted(listed.items()):
        lines = []
        for case in cases:
            line, sentences = recorded({k: case[k] for k in case if k in compare.GIVEN})
            lines.append(json.dumps(line, ensure_ascii=False))
            if sentences and not set(sentences) <= known:
                known.update(sentences)
                blocks.append("\n".join([f"$ {key(case)}", *(f"  > {s}" for s in sentences)]))
        if "--sentences" not in arguments:
            compare.GOLDEN.mkdir(exist_ok=True)
            path = compare.GOLDEN / f"{name}.jsonl"
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    SENTENCES.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Run the console examples of the documentation again and write what they print into the pages.

    python docs/refresh_examples.py

Examples that elide lines with `...`, or that are not run, are left alone. Read the difference
before you keep it: the tests only see to it that the pages show what the program prints.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.docs.test_examples import PAGES, Block, blocks, commands, copied, lines, run

SAID_TO_PEOPLE = ("warning:", "note:", "error:", "not met:", "cannot be told:", "Usage:")
"""What goes to standard error: an example that shows such a line shows all of them."""


def main() -> None:
    """Refresh every page."""
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            where = copied(Path(folder))
            for block in blocks(page, "console"):
                if "# not run" not in block.text.splitlines():
                    refresh(block, where)


def refresh(block: Block, folder: Path) -> None:
    """Run a block's commands and replace what the page shows."""
    fresh: list[str] = []
    for each in commands(block.text):
        done = run(each.command, folder)
        printed, both = lines(done.out), lines(done.err + done.out)
        warned = any(line.startswith(SAID_TO_PEOPLE) for line in each.shown)
        kept = "..." in each.shown or not each.shown
        fresh += [f"$ {each.command}", *(each.shown if kept else both if warned else printed)]
    text = block.page.read_text(encoding="utf-8")
    new = "\n".join(fresh) + "\n"
    if new != block.text:
        print(f"{block}: refreshed")
        block.page.write_text(text.replace(block.text, new, 1), encoding="utf-8")


if __name__ == "__main__":
    main()

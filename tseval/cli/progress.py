"""A progress bar on standard error, for people at a terminal alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tseval.parallel.sharing import Progress


@contextmanager
def progress(what: str, quiet: bool) -> Iterator[Progress | None]:
    """A function to tell how far the work is; None where nobody watches."""
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

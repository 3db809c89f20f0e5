"""The longest field that readers of CSV take, which Python keeps for the whole process."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

_CHANGING_THE_LIMIT = RLock()


@contextmanager
def long_fields(longest: int) -> Iterator[None]:
    """While this lasts, a reader of CSV takes fields that are so long.

    Python has one limit for the whole process, which is afterwards as it was. One thread at a time
    may change it.
    """
    with _CHANGING_THE_LIMIT:
        before = csv.field_size_limit(longest)
        try:
            yield
        finally:
            csv.field_size_limit(before)

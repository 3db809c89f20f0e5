"""Memory that allocators keep for what may come."""

from __future__ import annotations

import ctypes
import sys


def release_unused() -> None:
    """Give the system back what memory is free.

    Worth a call after large tables were made of larger ones: the peak is what a machine must have.
    numpy's allocator is that of the C library, and only that of Linux can be asked.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)

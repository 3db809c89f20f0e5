"""Between Arrow and numpy by their shared memory.

Arrow's own conversions import pandas to see whether it is needed, which takes longer than scoring a
small run; these do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

PIECE_BYTES = 1 << 18
"""How much is looked at together: it stays in the cache."""


def strings(values: Sequence[str]) -> Any:
    """An Arrow array of these strings."""
    encoded = [value.encode() for value in values]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(each) for each in encoded], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pc.cast(pa.Array.from_buffers(pa.large_string(), len(encoded), buffers), pa.string())


def integers(values: NDArray[np.int64]) -> Any:
    """An Arrow array of these numbers, sharing their memory."""
    content = np.ascontiguousarray(values, np.int64)
    return pa.Array.from_buffers(pa.int64(), len(content), [None, pa.py_buffer(content)])


def numbers(column: Any) -> NDArray[Any]:
    """The values of an Arrow column of numbers without nulls."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    kind = _kind(column.type)
    parts = [
        np.frombuffer(each.buffers()[1] or b"", kind)[each.offset :][: len(each)] for each in chunks
    ]
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, kind), *parts])


def _kind(type_: Any) -> np.dtype[Any]:
    """The numpy kind of an Arrow type of numbers; `to_pandas_dtype` may import pandas."""
    if pa.types.is_floating(type_):
        letter = "f"
    else:
        letter = "u" if pa.types.is_unsigned_integer(type_) else "i"
    return np.dtype(f"{letter}{type_.bit_width // 8}")


def truths(column: Any) -> NDArray[np.bool_]:
    """The values of an Arrow column of booleans without nulls."""
    return numbers(pc.cast(column, pa.uint8())).astype(bool)


def plain_ascii(names: Any) -> bool:
    """Whether no string of an Arrow array is empty or holds blanks, control or other characters.

    This looks at all the bytes at once, which a check string by string takes ten times as long for.
    """
    bounds = np.frombuffer(names.buffers()[1] or b"", np.int32)[names.offset :][: len(names) + 1]
    if not len(names) or (bounds[1:] == bounds[:-1]).any():
        return False
    content = np.frombuffer(names.buffers()[2] or b"", np.uint8)[bounds[0] : bounds[-1]]
    pieces = (content[at : at + PIECE_BYTES] for at in range(0, len(content), PIECE_BYTES))
    return all((p - np.uint8(ord("!")) <= ord("~") - ord("!")).all() for p in pieces)  # wraps

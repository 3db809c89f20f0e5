"""Files of epochs: when posts were created, `post YYYYMMDD epoch` a line, or a plain table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.files.faults import FaultList
from tseval.files.fixed_fields import named_fields, read_lines_or_table
from tseval.files.given import input_of
from tseval.tables import repeated_rows
from tseval.tables.epochs import Epochs
from tseval.tables.schema import EPOCHS

if TYPE_CHECKING:
    from tseval.files.given import Given

EPOCHS_FILE = named_fields(EPOCHS, "post_id day time")


def read_epochs(given: Given, form: str | None = None) -> Epochs:
    """When posts were created. A post may stand twice if it has the same time both times."""
    source = input_of(given, EPOCHS)
    rows = read_lines_or_table(source, EPOCHS_FILE, form)
    day = rows.get("day").astype(np.int64)
    epochs = Epochs(rows.get("post_id"), day, rows.get("time"), rows.origin)
    repeats, originals = repeated_rows(epochs.post_id)
    differ = epochs.time[repeats] != epochs.time[originals]
    faults = FaultList(source)
    for row, first in zip(repeats[differ].tolist(), originals[differ].tolist(), strict=True):
        reason = f'post "{epochs.post_id[row]}" has another time than at {rows.origin.place(first)}'
        faults.add_row(rows.origin, row, reason, "keep one of them", "conflicting-rows")
    faults.check()
    return epochs

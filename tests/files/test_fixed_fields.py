"""Lines of fixed fields: the fast reader takes any blanks, and gives what the careful one does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given

from tests import strategies as st
from tests.toys.sight_lines import MARK
from tests.toys.spotting import SIGHTINGS
from tseval.errors import Fault, InputError
from tseval.families.clusters.files import QRELS
from tseval.families.temporal import files as temporal
from tseval.files import fixed_fields
from tseval.files.fixed_fields import Layout, Span, certain, named_fields, read_lines
from tseval.files.inputs import Input
from tseval.tables import Column, Ids, Kind, Schema

DIVIDERS = (" ", "\t", "  ", "\t\t", " \t", "\v", "\f", " \r")
ENDS = ("\n", "\r\n", " \n", "\t\n", "\n\n", "\n \t\n")
NAMES = ("11", "cunlp", "cunlp-1", "1APSal", "#x", "é", '"q', "x\x01y", "!sightings", "Q0")
NUMBERS = ("1326510000", "1326510000.5", "2.65", "-3", "1e3", "007")
ODD_NUMBERS = ("5", "inf", "-Infinity", "nan", "1e300", "1e400", "x", "2012-01-13", "0,5")
TOY = Layout(
    SIGHTINGS,
    {"topic": Span(0), "item": Span(1), "seen": Span(2)},
    3,
    "where a sighting has 3",
    "a line is: topic item seconds",
    heading=lambda fields: fields[0] == MARK,
)
RUN_LINES = Layout(
    Schema(
        "updates",
        (
            *(each for each in temporal.RUN if each.name not in ("doc", "part")),
            Column("update_id", Kind.ID),
        ),
    ),
    {
        "topic": Span(0),
        "team": Span(1),
        "run": Span(1, 2),
        "update_id": Span(3, 4, differs=True),
        "time": Span(5),
        "confidence": Span(6, made=certain),
    },
    temporal.RUN_FIELDS,
    temporal.RUN_LINES.wanted,
    temporal.RUN_LINES.cure,
    stranger=temporal.RUN_LINES.stranger,
    comments=True,
    mended=True,
)
LAYOUTS = {"run": RUN_LINES, "qrels": named_fields(QRELS, "topic Q0 post_id grade"), "toy": TOY}


@st.composite
def files(draw: st.DrawFn, layout: Layout) -> bytes:
    """A file of such lines, most of them right, with any blanks between and around."""
    figures = {layout.columns[name].at for name in fixed_fields._figures(layout)}
    strange = draw(st.booleans())
    names = st.sampled_from(NAMES if strange else NAMES[:4])
    numbers = st.sampled_from(NUMBERS + ODD_NUMBERS if strange else NUMBERS[:3])
    dividers = st.sampled_from(draw(st.sampled_from([DIVIDERS[:1], DIVIDERS[1:2], DIVIDERS])))
    ends = st.sampled_from(draw(st.sampled_from([ENDS[:1], ENDS])))
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        more = draw(st.sampled_from([0] * 8 + [-1, 1])) if strange else 0
        fields = [draw(numbers if at in figures else names) for at in range(layout.fields + more)]
        before = draw(dividers) if draw(st.integers(0, 9)) == 0 else ""
        divided = "".join(draw(dividers) + each for each in fields)[1:].lstrip()
        lines.append(before + divided + draw(ends))
    content = "".join(lines).encode()
    return content if draw(st.booleans()) else content.rstrip(b"\n")


def read(path: Path, layout: Layout) -> dict[str, Any] | Sequence[Fault]:
    """All that was read, in full; or the faults."""
    try:
        rows = read_lines(Input(path), layout)
    except InputError as error:
        return error.faults
    columns: dict[str, Any] = {
        name: (column.codes.tolist(), column.vocabulary())
        if isinstance(column, Ids)
        else column.tolist()
        for name, column in rows.columns.items()
    }
    return columns | {"lines": rows.origin.line.tolist()}


@pytest.mark.parametrize("name", LAYOUTS)
@given(data=st.data())
def test_the_fast_reader_gives_what_the_careful_one_does(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    layout, path = LAYOUTS[name], tmp_path_factory.mktemp("lines") / "lines.txt"
    path.write_bytes(data.draw(files(layout)))
    with patch("tseval.files.inputs.BLOCK_BYTES", data.draw(st.sampled_from([40, 150, 4096]))):
        found = read(path, layout)
        with patch.object(fixed_fields, "_regular_block", return_value=None):
            assert found == read(path, layout)


@pytest.mark.parametrize("divider", ["\t", " ", "  ", " \t "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\t\n", "\n\n"])
def test_any_blanks_are_read_fast(tmp_path: Path, divider: str, end: str) -> None:
    path = tmp_path / "run.txt"
    fields = ["11", "team", "one", "1326506940-433f", "157", "1326510000", "2.5"]
    path.write_text(divider.join(fields) + end + divider.join([*fields[:4], "158", *fields[5:]]))
    with patch.object(fixed_fields, "_any_block", side_effect=AssertionError("read slowly")):
        rows = read_lines(Input(path), RUN_LINES)
    assert rows.columns["update_id"].to_list() == ["1326506940-433f-157", "1326506940-433f-158"]
    assert rows.columns["run"].to_list() == ["team-one"] * 2
    assert rows.columns["team"].to_list() == ["team"] * 2
    assert rows.origin.line.tolist() == [1, 3 if end == "\n\n" else 2]

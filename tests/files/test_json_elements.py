"""Elements of JSON arrays with the lines on which they begin, and what is no such array."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from tests import program
from tests import strategies as st
from tseval import InputError
from tseval.files.json_array import elements
from tseval.io.faults import FaultList
from tseval.io.inputs import Input

VALUES = st.recursive(
    st.none() | st.integers() | st.text('a\n"\\[]{},é', max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=5,
)


def read(folder: Path, text: str) -> tuple[list[tuple[int, object]], FaultList]:
    path = folder / "list.json"
    path.write_text(text, encoding="utf-8")
    faults = FaultList(Input(path))
    return list(elements(faults.source, faults)), faults


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 0, 2]))
def test_every_element_with_its_line(
    tmp_path_factory: pytest.TempPathFactory, values: list[object], indent: int | None
) -> None:
    text = json.dumps(values, indent=indent)
    found, faults = read(tmp_path_factory.mktemp("list"), text)
    assert [value for _, value in found] == values
    assert not len(faults)
    lines = [line for line, _ in found]
    if indent is None:
        assert lines == [1] * len(values)
    else:
        numbers = [len(json.dumps([each], indent=indent).split("\n")) - 2 for each in values]
        assert lines == [2 + sum(numbers[:at]) for at in range(len(values))]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("[1,\n2", 2, "not JSON: neither a comma nor the end"),
        ("[1,\n2\n3]", 3, "not JSON: neither a comma nor the end"),
        ("[1,\n]", 2, "not JSON: a comma and no object behind it"),
        ("[1]\n2", 2, "not JSON: something behind the array"),
        ("{}\n", 1, "not JSON: no array"),
        ("[1,\n{]", 2, "not JSON: Expecting property name"),
        ('[1,\n{"a": 1, "a": 2}]', 2, 'the key "a" stands twice in one object'),
        ('[1,\n"\\ud800"]', 2, "an escape stands for half a character"),
        ("[1,\n" + "[" * 100_000, 1, "not JSON: "),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, line: int, reason: str) -> None:
    _, faults = read(tmp_path, text)
    with pytest.raises(InputError) as caught:
        faults.check()
    (fault,) = caught.value.faults
    assert fault.line == line
    assert fault.reason.startswith(reason)
    assert fault.cure


def test_an_array_of_lists_has_no_broken_quotes(tmp_path: Path) -> None:
    lists = tmp_path / "lists.json"
    lists.write_text('[["r","c",1],["r","c"]]\n')
    told = program.tseval("score", lists, program.NUGGETS)
    assert told.code == 1
    assert told.codes == [("json-type", None)]
    assert "quotes" not in told.err

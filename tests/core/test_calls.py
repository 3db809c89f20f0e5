"""The calls in Python that are made from what families declare, and their types."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from mypy import api as mypy

import tseval
from tseval.families import calls


def test_the_types_of_calls_are_up_to_date() -> None:
    """`python -m tseval.families.calls` writes them."""
    written = Path(calls.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert written == calls.stubs()  # type: ignore[attr-defined]


def test_a_call_has_a_signature_and_refuses_unknown_parameters() -> None:
    parameters = inspect.signature(tseval.score_values).parameters
    assert list(parameters)[:4] == ["runs", "gold", "measures", "topics"]
    assert parameters["undefined"].default == "skip"
    assert "`tseval values`" in (tseval.score_values.__doc__ or "")
    with pytest.raises(TypeError, match="gold"):
        tseval.score_values("run.tsv", gould="gold.tsv")  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="score_nothing"):
        calls.score_nothing  # type: ignore[attr-defined]  # noqa: B018


def test_type_checkers_refuse_a_parameter_that_a_call_does_not_have(tmp_path: Path) -> None:
    names = list(calls.CALLS)  # type: ignore[attr-defined]
    lines = ["import tseval", *(f"tseval.{name}(anything=1)" for name in names)]
    (file := tmp_path / "wrong.py").write_text("\n".join(lines), encoding="utf-8")
    out, _, code = mypy.run([str(file), "--follow-imports=silent", "--no-error-summary"])
    for at, name in enumerate(names, start=2):
        assert f'wrong.py:{at}: error: Unexpected keyword argument "anything" for "{name}"' in out
    assert code == 1

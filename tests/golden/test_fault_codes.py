"""Each fault code: its case has it, its sentence is the one in the golden file, its cure works."""

from __future__ import annotations

import re

import pytest

from tests import fault_codes
from tests.golden.fault_cases import CASES, SENTENCES, outcome_of, run, sentences_of

pytestmark = pytest.mark.usefixtures("here")

GOLDEN = SENTENCES.read_text("utf-8")
UNPROVOKED = {
    "changed-file",  # another program has to write while tseval reads: tests/files has the case
    "column-type",  # of Parquet and frames: tests/golden/test_faults.py has the case
}


def test_every_code_has_a_case() -> None:
    assert {name.partition(" ")[0] for name in CASES} | UNPROVOKED == fault_codes.CODES
    assert re.findall(r"(?m)^## (.*)", GOLDEN) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_the_cure_as_it_is_printed(name: str) -> None:
    case = CASES[name]
    outcome = outcome_of(case)
    fault = outcome.faults[0]
    assert (fault.code, fault.file, fault.line) == (name.partition(" ")[0], *case.place)
    assert outcome.code == 1
    cure = re.search(case.cure, fault.cure)
    assert cure is not None, fault.cure
    mended = run(case.mend.apply(case.command, cure))
    assert (mended.code, mended.faults) == (0, ()), mended.err
    assert sentences_of(name, outcome) in GOLDEN, (
        "write it anew: python -m tests.golden.fault_cases"
    )

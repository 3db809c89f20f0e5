"""Names that look like known ones are asked about."""

from __future__ import annotations

import pytest

from tests import program

CLUSTERS = str(program.FIXTURES / "clusters.tsv")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("scroe",), "No such command 'scroe'; did you mean score?"),
        (("zzz",), "No such command 'zzz'."),
        (("score", program.SWIFT, program.NUGGETS, "--edition", "darft"), "did you mean draft?"),
        (("clusters", program.SWIFT, CLUSTERS, "-m", "coverge@6h"), "did you mean coverage?"),
        (("score", program.SWIFT, program.NUGGETS, "--matchs", "m"), "--matches"),
    ],
)
def test_a_name_that_is_nearly_known(arguments: tuple[str, ...], said: str) -> None:
    done = program.tseval(*arguments)
    assert (done.code, said in done.err) == (2, True), done.err

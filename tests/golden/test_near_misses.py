"""Names that look like known ones are asked about."""

from __future__ import annotations

import pytest

import tseval
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
        (("score", program.SWIFT, program.NUGGETS, "--matcher", "fuzy"), "did you mean fuzzy?"),
        (
            ("score", program.SWIFT, program.NUGGETS, "--matcher", "fuzzy(treshold=0.5)"),
            "unknown parameter 'treshold'; it accepts",
        ),
        (
            ("score", program.SWIFT, program.NUGGETS, "--matcher", "fuzzy(treshold=0.5)"),
            "did you mean threshold?",
        ),
        (
            ("score", program.SWIFT, program.NUGGETS, "--rule", "rewrd=binary"),
            "did you mean reward?",
        ),
        (
            ("score", program.SWIFT, program.NUGGETS, "--rule", "reward=binry"),
            "did you mean binary?",
        ),
    ],
)
def test_a_name_that_is_nearly_known(arguments: tuple[str, ...], said: str) -> None:
    done = program.tseval(*arguments)
    assert (done.code, said in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"measure": "Rs@6"}, "no measure 'Rs@6' here; there are: R@6h; did you mean R@6h?"),
        ({"measure": "R@6h", "run": "swfit"}, "there are: swift; did you mean swift?"),
        ({"measure": "R@6h", "topic": "flod"}, "did you mean flood?"),
        ({"measure": "zzz"}, "there are: R@6h$"),
    ],
)
def test_a_value_that_is_nearly_known_in_python(asked: dict[str, str], said: str) -> None:
    scores = tseval.score(program.SWIFT, program.NUGGETS, program.MATCHES, measures="R@6h")
    with pytest.raises(tseval.UsageError, match=said):
        scores.value(**asked)

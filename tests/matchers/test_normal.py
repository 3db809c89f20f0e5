"""The normal forms of Unicode: those of Python, and long runs of marks put in order once."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given

from matchers import normal as normals
from matchers import scripts
from matchers.normal import Form, normal
from tests import strategies as st

PIECES = st.text(
    st.one_of(
        st.sampled_from(scripts.marks()),
        st.sampled_from("aiK\u01d6\uac00\u0f40\u30ab\ufdfa\ufc60\u0307\u0316\u0301\u3099\u0344"),
        st.sampled_from("\u0345\u0f73\u0f75\u0f81\uff9e\uff9f"),
    ),
    max_size=12,
)
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


@given(PIECES)
def test_marks_in_order_normalise_to_the_same(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(normals, "LONG", 0)
        patch.setattr(normals, "MANY", 0)
        for form in FORMS:
            assert normal(form, text) == unicodedata.normalize(form, text)


def test_all_that_is_nothing_but_marks_is_known() -> None:
    for form in ("NFD", "NFKD"):
        known = normals._marks(form).run
        for letter in map(chr, range(0x110000)):
            if all(map(unicodedata.combining, unicodedata.normalize(form, letter))):
                assert known.fullmatch(letter), hex(ord(letter))


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0f73", "\u0301\uff9e", "\u0f75\u0301\u0316"])
def test_python_gets_no_long_run_of_marks_out_of_order(
    marks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each mark is taken past those before it that have a higher class: these steps are counted."""
    steps: list[int] = []
    plain = unicodedata.normalize

    def normalize(form: Form, text: str) -> str:
        apart: Form = "NFKD" if "K" in form else "NFD"
        classes = [unicodedata.combining(part) for c in text for part in plain(apart, c)]
        steps.append(sum(one > other > 0 for one, other in pairwise(classes)))
        return plain(form, text)

    normals._marks("NFD"), normals._marks("NFKD")
    monkeypatch.setattr(unicodedata, "normalize", normalize)
    text = "a" + marks * 3000 + "a"
    for form in FORMS:
        steps.clear()
        normal(form, text)
        assert len(steps) == 1
        assert steps[0] <= 1

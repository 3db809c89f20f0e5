"""Odd names, times, texts and amounts, such as real files have them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction

from tests import strategies as st

NAMES = (
    *("1", "01", "001", "1.0", "1e0", "+1", "-1", "0x1", "1_0", "00", "0", "1.50", "1,5"),
    *("nan", "NaN", "NA", "null", "NULL", "None", "inf", "true", "TRUE", "<NA>", "-"),
    *("a", "A", "É", "é", "e\u0301", "ß", "ss", "SS", "İ", "ı", "ﬁ", "Σ", "ς", "σ"),
    *("地震", "🔥", "👩‍👩‍👧", "١", "½", "\u200bz", "z\u200b", "\U0010fffd", "\u202eab"),
    *('"', '"q"', 'q"', "'", "''", "\\", "\\n", "\\t", "a\\", "`", "#", "#1", "a#b", "//"),
    *("x y", "x  y", "x\u00a0y", "x\u3000y", "a,b", "a;b", "a|b", "a:b", "a=b", "{}", "[1]"),
    *("2012-02-22", "1329910380", "6h", "R@6h", "P(x=1)", "all ", "ALL", "Q0", "run", "topic"),
    *("a/b", "..", "%s", "$x", "*", "?", "~", "=1+1", "@x", "&amp;", "<b>", "b\ufeff"),
)
"""Names that a careless reader takes for something else, or for one another."""
PIECES = "aAéÉß01.e+-_#\"'\\,;: 地🔥١"


def names(*, bare: bool = False, plain_file: bool = False) -> st.SearchStrategy[str]:
    """Odd names; `bare` ones have no white space, `plain_file` ones can be a file's name."""
    made = st.text(PIECES, min_size=1, max_size=4)
    return (st.sampled_from(NAMES) | made).filter(lambda name: _fits(name, bare, plain_file))


def _fits(name: str, bare: bool, plain_file: bool) -> bool:
    if not name.strip() or name == "all":
        return False
    if bare and name.split() != [name]:
        return False
    return not plain_file or ("/" not in name and name not in {".", ".."} and "." not in name)


def some_names(
    least: int, most: int, *, bare: bool = False, plain_file: bool = False
) -> st.SearchStrategy[list[str]]:
    """Several odd names that differ."""
    each = names(bare=bare, plain_file=plain_file)
    return st.lists(each, min_size=least, max_size=most, unique=True)


START = 1_400_000_000
DISTANCES = (-86_400, -1, 0, 0, 0, 1, 60, 61, 3600, 86_399, 86_400, 200_000, 40_000_000)
PARTS = (0, 0, 0, 0, 500_000, 250_000, 1, 999_999, 123_456)
"""Microseconds after a full second."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instants(*, whole: bool = False) -> st.SearchStrategy[Fraction]:
    """Few different times, so that ties are common; some have fractions, some lie far apart."""
    parts = st.just(0) if whole else st.sampled_from(PARTS)
    return st.builds(
        lambda distance, micro: START + distance + Fraction(micro, 1_000_000),
        st.sampled_from(DISTANCES) | st.integers(0, 5),
        parts,
    )


@st.composite
def written(draw: st.DrawFn, time: Fraction) -> str:
    """A time as a number or in ISO 8601, in one of the ways that either can be written."""
    if draw(st.booleans()):
        number = f"{int(time)}.{int(time % 1 * 1_000_000):06}"
        short = number.rstrip("0").rstrip(".")
        return draw(st.sampled_from((short, short, number)))
    zone = draw(st.sampled_from((0, 0, 330, -480, 840)))
    moment = EPOCH + timedelta(microseconds=int(time * 1_000_000))
    local = moment.astimezone(timezone(timedelta(minutes=zone)))
    gap = draw(st.sampled_from("T "))
    text = local.isoformat(gap)
    if not zone:
        text = text.removesuffix("+00:00") + draw(st.sampled_from(("", "Z", "+00:00")))
    return text


def times(*, whole: bool = False) -> st.SearchStrategy[str]:
    """Odd times, as they stand in a table."""
    return instants(whole=whole).flatmap(written)


def instant(cell: str) -> Fraction:
    """The exact time that a cell tells."""
    try:
        return Fraction(cell)
    except ValueError:
        moment = datetime.fromisoformat(cell)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return Fraction((aware - EPOCH) // timedelta(microseconds=1), 1_000_000)


def texts(draw: st.DrawFn, most: int = 3) -> str:
    """A text of so many words at most."""
    return " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=most)))


WORDS = ("flood", "Łódź", "12", '"so"', "river,", "#x", "naïve", "½")
AMOUNTS = ("0", "1", "1.0", "2", "0.5", "3e0", "0.1", "0.30000000000000004")
NUMBERS = (*AMOUNTS, "-1", "-0.5", "1e3", "1000", "999.5")

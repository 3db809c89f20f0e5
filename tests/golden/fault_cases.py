"""One case for each fault code: its files, its command, and the change that its cure asks for.

The keys are codes; a second case of a code has words behind it.
`python -m tests.golden.fault_cases` writes `sentences.txt` anew, which holds the sentences.
"""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from tests import program

SENTENCES = Path(__file__).with_name("sentences.txt")


class Edit(NamedTuple):
    """Write something else into a file; groups of the cure's match may stand in it."""

    file: str
    old: str
    new: str
    encoding: str = "utf-8"

    def apply(self, command: str, cure: re.Match[str]) -> str:
        path = Path(self.file)
        before = path.read_bytes()
        after = re.sub(self.old, lambda _: cure.expand(self.new), before.decode(self.encoding))
        assert after.encode() != before
        path.write_bytes(after.encode())
        return command


class Type(NamedTuple):
    """Add what the cure says to the command; `new` where the cure has a placeholder."""

    new: str = r"\g<0>"

    def apply(self, command: str, cure: re.Match[str]) -> str:
        return f"{command} {cure.expand(self.new)}"


class Instead(NamedTuple):
    """Type another command."""

    command: str

    def apply(self, _: str, cure: re.Match[str]) -> str:
        return cure.expand(self.command)


class Write(NamedTuple):
    """Write a file."""

    file: str
    content: str | bytes

    def apply(self, command: str, _: object) -> str:
        write({self.file: self.content})
        return command


class Case(NamedTuple):
    """What is wrong, where, and what mends it."""

    command: str
    files: Mapping[str, str | bytes]
    place: tuple[str, int | None]
    cure: str
    """What the cure says, as a pattern."""
    mend: Edit | Type | Instead | Write
    before: tuple[str | Edit, ...] = ()
    """Commands and edits that come before."""


def write(files: Mapping[str, str | bytes]) -> None:
    """Write files into this folder."""
    for name, content in files.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def run(command: str) -> program.Outcome:
    """Run a command as a shell would; the file `-` is standard input."""
    words = shlex.split(command)
    stdin = Path("-").read_bytes() if Path("-").exists() else b""
    return program.tseval(*words, stdin=stdin)


NOTHING = re.match("", "")


def outcome_of(case: Case) -> program.Outcome:
    """Make the files of a case in this folder, and run its command."""
    shutil.copytree(program.FIXTURES, "fixtures", dirs_exist_ok=True)
    write(case.files)
    for step in case.before:
        if isinstance(step, Edit):
            step.apply("", NOTHING)
        else:
            assert run(step).code == 0, step
    return run(case.command)


def sentences_of(name: str, outcome: program.Outcome) -> str:
    """The part of the golden file that is about a case."""
    return f"## {name}\n$ tseval {CASES[name].command}\n{outcome.err}\n"


HEADER = "topic\tupdate_id\ttime\ttext\n"
FIRST = "flood\tu1\t1699921800\tRiver Osk burst its banks\n"
SECOND = "flood\tu2\t1699921900\tHomes under water\n"
RUN = HEADER + FIRST
DOCUMENTS = ", ".join(f'{{"doc_id": "d{at}", "score": 5}}' for at in range(101))
RANKING = (program.FIXTURES / "changes/terse.jsonl").read_text("utf-8")
RANKING = RANKING.replace('{"doc_id": "d2-1", "score": 4.5}', DOCUMENTS)
GOLD = "fixtures/nuggets.tsv"
SWIFT, THOROUGH = "fixtures/runs/swift.tsv", "fixtures/runs/thorough.tsv"
SCORE = f"score run.tsv {GOLD} -q"
LIVE = '{"topic": "flood", "update_id": "u1", "time": 1699921800, "text": "so"}\n'
LIVE_2 = '{"topic": "flood", "update_id": "u2", "time": 1699921900, "text": "so", "cost": 2}\n'
JUDGED = f"score {SWIFT} {THOROUGH} {GOLD} --judged judged.tsv -m R -q"
SAMPLE = f"sample {SWIFT} {THOROUGH} {GOLD} -o judged.tsv"
INCIDENTS = "fixtures/incidents/labels.json --ontology fixtures/incidents/types.json -q"
POST = "1317000000-0123456789abcdef0123456789abcdef"
VALUES = "topic\tattribute\ttime\tvalue\nflood\tlocations\t1699921800\t40.7,-74\n"
CLUSTERS = '{"flood": {"clusters": [["sw-flood-1"], ["sw-flood-2"]]}}'
UTF16_NAME = "flood\tu2\t1699921900\tWasser in der Stra\xdfe\n"


def replaced(old: str, new: str, content: str = RUN + SECOND) -> dict[str, str]:
    """A run with something else in it."""
    assert old in content
    return {"run.tsv": content.replace(old, new)}


CASES: dict[str, Case] = {
    "unreadable-file": Case(SCORE, {}, ("run.tsv", None), "", Write("run.tsv", RUN)),
    "damaged-file": Case(
        f"score run.tsv.gz {GOLD} -q",
        {"run.tsv.gz": gzip.compress(RUN.encode())[:40]},
        ("run.tsv.gz", None),
        "download the file again",
        Write("run.tsv.gz", gzip.compress(RUN.encode())),
    ),
    "empty-file": Case(
        SCORE,
        {"run.tsv": ""},
        ("run.tsv", None),
        "a header line that names (topic) (update_id) (time) (text)",
        Edit("run.tsv", "^", r"\1\t\2\t\3\t\4\n"),
    ),
    "no-rows": Case(
        f"score {SWIFT} gold.tsv -q",
        {"gold.tsv": "topic\tnugget_id\ttime\ttext\n"},
        ("gold.tsv", None),
        "without nuggets",
        Edit("gold.tsv", r"\Z", "flood\tn1\t1699923600\tRiver Osk burst its banks\n"),
    ),
    "too-large": Case(
        "changes run.jsonl fixtures/changes/qrels.tsv --topics fixtures/changes/topics.jsonl "
        "--days fixtures/changes/days.txt -q",
        {"run.jsonl": RANKING},
        ("run.jsonl", 2),
        "list the first 100",
        Edit("run.jsonl", ', {"doc_id": "d100", "score": 5}', ""),
    ),
    "encoding": Case(
        SCORE,
        {"run.tsv": (RUN + UTF16_NAME).encode("latin-1")},
        ("run.tsv", 3),
        "in the encoding UTF-8",
        Edit("run.tsv", "\xdf", "\xdf", "latin-1"),
    ),
    "line-ends": Case(
        SCORE,
        {"run.tsv": RUN.replace("\n", "\r")},
        ("run.tsv", 1),
        "Unix line ends",
        Edit("run.tsv", "\r", "\n"),
    ),
    "unknown-format": Case(
        SCORE,
        {"run.tsv": "some words\n" + FIRST},
        ("run.tsv", 1),
        "TSV or CSV with a header line naming (topic) (update_id) (time) (text)",
        Edit("run.tsv", "some words", r"\1\t\2\t\3\t\4"),
    ),
    "wrong-file": Case(
        f"score {SWIFT} {GOLD} -q --matches decided.tsv",
        {
            "decided.tsv": "topic\tupdate_id\tnugget_id\tverdict\n"
            "flood\tsw-flood-1\tflood-n1\taccept\n"
        },
        ("decided.tsv", None),
        "--corrections",
        Instead(rf"score {SWIFT} {GOLD} -q \g<0> decided.tsv"),
    ),
    "swapped-inputs": Case(
        "filter truth.txt run.txt -q",
        {
            "truth.txt": f"NIST-TREC a {POST} e 1000 2 1\n",
            "run.txt": f"t s {POST} e 5\n",
        },
        ("truth.txt", None),
        "the runs, then the truth",
        Instead("filter run.txt truth.txt -q"),
    ),
    "swapped-inputs of updates": Case(
        f"score {GOLD} {SWIFT} -q",
        {},
        (GOLD, None),
        "the order is UPDATES... NUGGETS",
        Instead(f"score {SWIFT} {GOLD} -q"),
    ),
    "unrelated-inputs": Case(
        f"score run.tsv {GOLD} -q --matches matches.tsv",
        {
            "run.tsv": RUN,
            "matches.tsv": "run\ttopic\tupdate_id\tnugget_id\nold\tflood\tu1\tflood-n1\n",
        },
        ("matches.tsv", 2),
        "leave the column `run` out of the matches",
        Edit("matches.tsv", "run\t|old\t", ""),
    ),
    "other-state": Case(
        f"score --follow {GOLD} --state state -q",
        {"-": LIVE},
        ("-", None),
        "--continued",
        Type(),
        (f"score --follow {GOLD} --state state -q", Edit("-", "u1", "u2")),
    ),
    "field-count": Case(
        SCORE,
        replaced("Homes under", "Homes\tunder"),
        ("run.tsv", 3),
        "replace tabs inside the text by spaces",
        Edit("run.tsv", "Homes\t", "Homes "),
    ),
    "csv-syntax": Case(
        f"score run.csv {GOLD} -q",
        {"run.csv": 'topic,update_id,time,text\nflood,u1,1699921800,"The "Osk" rises"\n'},
        ("run.csv", 2),
        '(""$)',
        Edit("run.csv", '"Osk"', r"\1Osk\1"),
    ),
    "json-syntax": Case(
        f"score run.jsonl {GOLD} -q",
        {"run.jsonl": LIVE.replace('"flood"', "")},
        ("run.jsonl", 1),
        "one JSON object a line",
        Edit("run.jsonl", ": ,", ': "flood",'),
    ),
    "toml-syntax": Case(
        f"{SCORE} --columns columns.toml",
        {"run.tsv": RUN.replace("text", "said"), "columns.toml": "text said\n"},
        ("columns.toml", None),
        'write (text = )"fact"',
        Edit("columns.toml", "text said", r'\1"said"'),
    ),
    "xml-syntax": Case(
        f"score {SWIFT} {GOLD} -q --topics topics.xml",
        {
            "topics.xml": "<event><id>flood</id><start>1699920000</start>\n"
            "<end>1700006400</end></events>\n"
        },
        ("topics.xml", 2),
        "close every element that opens",
        Edit("topics.xml", "</events>", "</event>"),
    ),
    "json-type": Case(
        f"score run.jsonl {GOLD} -q",
        {"run.jsonl": LIVE.replace('"flood"', '["flood"]')},
        ("run.jsonl", 1),
        "give a string",
        Edit("run.jsonl", r"\[(.*?)\]", '"flood"'),
    ),
    "record-format": Case(
        f"incidents fixtures/incidents/keen.txt labels.json {INCIDENTS.partition(' ')[2]}",
        {
            "labels.json": '[{"eventID": "flood", "postID": "f1", "postPriority": "Low",'
            ' "postCategories": null}]'
        },
        ("labels.json", None),
        r'"postCategories": (\[)…(\])',
        Edit("labels.json", "null", r"\1\2"),
    ),
    "missing-key": Case(
        f"score run.jsonl {GOLD} -q",
        {"run.jsonl": LIVE.replace("update_id", "key")},
        ("run.jsonl", 1),
        "(--column update_id=)KEY",
        Type(r"\1key"),
    ),
    "duplicate-key": Case(
        f"score run.jsonl {GOLD} -q",
        {"run.jsonl": LIVE.replace("}", ', "time": 5}')},
        ("run.jsonl", 1),
        "remove the other",
        Edit("run.jsonl", ', "time": 5', ""),
    ),
    "missing-column": Case(
        SCORE,
        replaced("time", "sent"),
        ("run.tsv", 1),
        "(--column time=)NAME",
        Type(r"\1sent"),
    ),
    "unknown-column": Case(
        f"score run.tsv {GOLD} -q --column text=sad",
        replaced("text", "said"),
        ("run.tsv", None),
        "--column text=said",
        Instead(rf"{SCORE} \g<0>"),
    ),
    "duplicate-column": Case(
        SCORE,
        replaced("text\n", "text\ttext\n").copy()
        | {"run.tsv": RUN.replace("\n", "\tlast\n").replace("last", "text")},
        ("run.tsv", 1),
        "name each column once",
        Edit("run.tsv", "\ttext\n", "\tmore\n"),
    ),
    "ambiguous-column": Case(
        SCORE,
        {"run.tsv": "event\tevent_id\tupdate_id\ttime\ttext\nflood\tflood\tu1\t1699921800\tso\n"},
        ("run.tsv", 1),
        r"--column topic=\w+",
        Type(),
    ),
    "late-column": Case(
        f"score --follow {GOLD} -q",
        {"-": LIVE + LIVE_2},
        ("-", 2),
        "give the first update a cost too",
        Edit("-", '"so"}', '"so", "cost": 1}'),
    ),
    "late-column skipped": Case(
        f"score --follow {GOLD} -q",
        {"-": LIVE + LIVE_2},
        ("-", 2),
        "--on-bad-line skip",
        Type(),
    ),
    "empty-value": Case(
        SCORE,
        replaced("u2", ""),
        ("run.tsv", 3),
        "give every row its update_id",
        Edit("run.tsv", "\t\t", "\tu2\t"),
    ),
    "number-format": Case(
        SCORE,
        {"run.tsv": "topic\tupdate_id\ttime\ttext\tcost\nflood\tu1\t1699921800\tso\t1,5\n"},
        ("run.tsv", 2),
        r"write ([\d.]+),",
        Edit("run.tsv", "1,5", r"\1"),
    ),
    "number-range": Case(
        SCORE,
        {"run.tsv": "topic\tupdate_id\ttime\ttext\tcost\nflood\tu1\t1699921800\tso\t-1\n"},
        ("run.tsv", 2),
        "a number that is not negative",
        Edit("run.tsv", "-1", "1"),
    ),
    "time-format": Case(
        SCORE,
        replaced("1699921900", "soon"),
        ("run.tsv", 3),
        r"such as (\d+),",
        Edit("run.tsv", "soon", r"\1"),
    ),
    "time-format in ISO": Case(
        SCORE,
        replaced("1699921900", "14 November"),
        ("run.tsv", 3),
        r"ISO 8601, such as (\S+)$",
        Edit("run.tsv", "14 November", r"\1"),
    ),
    "time-format in a known format": Case(
        SCORE,
        replaced("1699921900", "14.11.2023 00:31"),
        ("run.tsv", 3),
        r'--time-format "%d\.%m\.%Y %H:%M"',
        Type(),
    ),
    "time-unit": Case(
        SCORE,
        replaced("1699921900", "1699921900000"),
        ("run.tsv", 3),
        "divide these times by 1,000:",
        Edit("run.tsv", "1699921900000", "1699921900"),
    ),
    "clock": Case(
        f"{SCORE} --clock relative",
        {"run.tsv": RUN},
        ("run.tsv", 2),
        "leave the option out",
        Instead(SCORE),
    ),
    "time-range of a clock": Case(
        "score run.tsv gold.tsv -q",
        {
            "run.tsv": RUN.replace("1699921800", "60"),
            "gold.tsv": "topic\tnugget_id\ttime\ttext\nflood\tn1\t30\tRiver Osk burst its banks\n",
        },
        ("run.tsv", 2),
        "--clock relative",
        Type(),
    ),
    "time-range": Case(
        SCORE,
        replaced("1699921900", "20231114"),
        ("run.tsv", 3),
        "a date with its hyphens",
        Edit("run.tsv", "20231114", "2023-11-14"),
    ),
    "time-order": Case(
        f"score {SWIFT} {GOLD} -q --topics topics.tsv",
        {"topics.tsv": "topic\tstart\tend\nflood\t1700006400\t1699920000\n"},
        ("topics.tsv", 2),
        "swap start and end",
        Edit("topics.tsv", "start\tend", "end\tstart"),
    ),
    "missing-time": Case(
        "import clusters clusters.json -o clusters.tsv",
        {
            "clusters.json": CLUSTERS.replace("sw-flood-1", "931234567890123456").replace(
                "sw-flood-2", "931234567890123457"
            )
        },
        ("clusters.json", None),
        "--times snowflake",
        Type(),
    ),
    "date-format": Case(
        "crisisfacts fixtures/crisisfacts/collapsed.jsonl fixtures/crisisfacts/labels.tsv "
        "--requests requests.tsv -q",
        {"requests.tsv": "request\tevent\tday\nOsk-001-r1\tFlood\t2.3.2026\n"},
        ("requests.tsv", 2),
        r"write a day as (\S+)$",
        Edit("requests.tsv", r"2\.3\.2026", r"\1"),
    ),
    "location-format": Case(
        "values run.tsv gold.tsv -q",
        {"run.tsv": VALUES.replace(",", " "), "gold.tsv": VALUES},
        ("run.tsv", 2),
        r"such as (.*)$",
        Edit("run.tsv", "40.7 -74", r"\1"),
    ),
    "unknown-label": Case(
        "values run.tsv gold.tsv -q",
        {"run.tsv": VALUES.replace("locations", "places"), "gold.tsv": VALUES},
        ("run.tsv", 2),
        r"locations",
        Edit("run.tsv", "places", r"\g<0>"),
    ),
    "id-format": Case(
        f"score run.jsonl {GOLD} -q",
        {"run.jsonl": LIVE.replace("u1", "u\\t1")},
        ("run.jsonl", 1),
        "remove it",
        Edit("run.jsonl", r"\\t", ""),
    ),
    "reserved-name": Case(
        f"score {SWIFT} gold.tsv -q",
        {"gold.tsv": "topic\tnugget_id\ttime\ttext\nall\tn1\t1699923600\tso\n"},
        ("gold.tsv", 2),
        "give the topic another name",
        Edit("gold.tsv", "all", "flood"),
    ),
    "duplicate-id": Case(
        SCORE,
        replaced("u2", "u1"),
        ("run.tsv", 3),
        "remove one of them, or rename it",
        Edit("run.tsv", "u1\t1699921900", "u2\t1699921900"),
    ),
    "unknown-id": Case(
        f"score run.tsv {GOLD} -q --matches matches.tsv",
        {
            "run.tsv": RUN,
            "matches.tsv": "topic\tupdate_id\tnugget_id\nflood\tu1\tflood-n9\n",
        },
        ("matches.tsv", 2),
        "remove the match",
        Edit("matches.tsv", "flood\tu1\tflood-n9\n", ""),
    ),
    "ambiguous-id": Case(
        "score run.tsv gold.tsv -q",
        {
            "run.tsv": HEADER + "TS13.1\ta\t1699921800\tit rains\nTS14.1\tb\t1699921900\tso\n",
            "gold.tsv": "topic\tnugget_id\ttime\ttext\n1\tn\t1699921800\tit rains\n",
        },
        ("run.tsv", 3),
        "give the nuggets the names with their prefixes",
        Edit("gold.tsv", "1\tn", "TS13.1\tn"),
    ),
    "several-runs": Case(
        "timelines run.jsonl fixtures/timelines/gold.jsonl -q",
        {"run.jsonl": '[["2024-03-01", ["a ."]]]\n[["2024-03-02", ["b ."]]]\n'},
        ("run.jsonl", 2),
        "--rule protocol=PROTOCOL-1",
        Type(),
    ),
    "conflicting-rows": Case(
        f"score {SWIFT} {GOLD} -q --corrections decided.tsv",
        {
            "decided.tsv": "topic\tupdate_id\tnugget_id\tverdict\n"
            "flood\tsw-flood-1\tflood-n1\taccept\nflood\tsw-flood-1\tflood-n1\treject\n"
        },
        ("decided.tsv", 3),
        "keep one of the two",
        Edit("decided.tsv", "flood\tsw-flood-1\tflood-n1\treject\n", ""),
    ),
    "changed-rows": Case(
        JUDGED,
        {},
        ("judged.tsv", 2),
        "as `tseval sample` wrote it",
        Edit("judged.tsv", r"0\.500000", "1.000000"),
        (
            SAMPLE,
            Edit("judged.tsv", "(?m)^\t", "yes\t"),
            Edit("judged.tsv", r"1\.0{6}", "0.500000"),
        ),
    ),
    "missing-verdict": Case(
        JUDGED,
        {},
        ("judged.tsv", None),
        "write (accept) or reject into the column verdict",
        Edit("judged.tsv", "(?m)^\t", r"\1\t"),
        (SAMPLE,),
    ),
    "lost-verdict": Case(
        f"match run.tsv {GOLD} --matcher fuzzy --review again.csv -o found.tsv --quiet",
        {
            "run.tsv": RUN,
            "again.csv": "topic,update_id,nugget_id,verdict\nflood,u9,flood-n1,accept\n",
        },
        ("again.csv", 2),
        "--overwrite",
        Type(),
    ),
    "cyclic-types": Case(
        "incidents fixtures/incidents/keen.txt fixtures/incidents/labels.json "
        "--ontology types.json -q",
        {"types.json": '[{"ID": "a", "Parent": "b"}, {"ID": "b", "Parent": "a"}]'},
        ("types.json", None),
        "mend its parents",
        Edit("types.json", ', "Parent": "b"', ""),
    ),
}

if __name__ == "__main__":
    parts = []
    for each, case in CASES.items():
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            parts.append(sentences_of(each, outcome_of(case)))
    SENTENCES.write_text("".join(parts))

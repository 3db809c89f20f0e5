"""An engineer's folder as it is, from odd names and signs to a failing and a passing pipeline."""

from __future__ import annotations

import json
from pathlib import Path

from tests import program

SAID = (
    ("1", "Sel 🌊", "2026-03-01T09:00:00+03:00", "İstanbul'da köprü kapandı"),
    ("2", "Sel 🌊", "2026-03-01T10:30:00+03:00", "İki kişi boğuldu 🚑"),
    ("3", "洪水", "2026-03-01T15:00:00+08:00", "大桥已经关闭"),
)
LOG = "".join(
    json.dumps(
        dict(zip(("id", "event", "timestamp", "says"), each, strict=True)), ensure_ascii=False
    )
    + "\n"
    for each in SAID
)
FACTS = """Olay;No;bekannt;fact;weight
Sel 🌊;s1;2026-03-01T05:30Z;"İSTANBUL'DA KÖPRÜ kapandı; trafik durdu";2
Sel 🌊;s2;2026-03-01T07:00Z;iki kişi boğuldu;3
洪水;h1;2026-03-01T06:50Z;大桥关闭;1
洪水;h2;2026-03-01T08:00Z;三人失踪;1
"""
MAPPING = """topic = "event"

[updates]
text = "says"

[nuggets]
topic = "Olay"
nugget_id = "No"
time = "bekannt"
"""


def test_from_their_files_to_a_pipeline(tmp_path: Path) -> None:
    log, late = tmp_path / "agent v2.jsonl", tmp_path / "agent.v1.jsonl"
    log.write_bytes(b"\xef\xbb\xbf" + LOG.replace("\n", "\r\n").encode())
    late.write_bytes(LOG.splitlines()[0].encode())
    facts, mapping = tmp_path / "facts.csv", tmp_path / "mapping.toml"
    facts.write_bytes(b"\xef\xbb\xbf" + FACTS.replace("\n", "\r\n").encode())
    mapping.write_text(MAPPING)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    lost = program.tseval("score", log, late, facts)
    assert lost.code == 1
    assert "says what it is called" in lost.err

    scored = ("score", log, late, facts, "--columns", mapping, "-m", "R", "-f", "csv")
    done = program.tseval(*scored, "--require", "R>=0.5")
    assert done.code == 3
    assert done.out.splitlines() == [
        "run,topic,measure,value",
        "agent v2,all,R,0.75",
        "agent.v1,all,R,0.2",
    ]
    assert done.err.splitlines()[-1] == "not met: R>=0.5: run agent.v1: R is 0.2"
    told = [line for line in done.err.splitlines() if "otherwise" in line]
    assert len(told) == 2

    good = program.tseval(*scored, "--require", "agent v2.R>=0.5", "--name", f"{late}=old")
    assert (good.code, good.out.splitlines()[-1]) == (0, "old,all,R,0.2")
    assert {path: path.read_bytes() for path in before} == before

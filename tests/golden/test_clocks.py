"""Times in other forms: formats, zones, parts of seconds, seconds from the topic's start."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests import program
from tseval.errors import InputError, UsageError

START = 1_770_696_000  # 2026-02-10T04:00Z
SAID = ("The river Osk burst its banks in Tarrin", "More than 400 homes are under water")
ALL = ("R", "R@1h", "Rs", "T", "P")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, item: str, *times: object, more: str = "") -> str:
    """A table of CSV with one row of the topic `flood` for each time."""
    rows = (f'flood,{item[0]}{at},"{time}",{SAID[at]}' for at, time in enumerate(times))
    Path(name).write_text("\n".join([f"topic,{item},time,text", *rows, more]).strip() + "\n")
    return name


def gold(*times: object) -> str:
    return write("gold.csv", "nugget_id", *(times or ("2026-02-10T03:00Z", "2026-02-10T04:30Z")))


def run(*times: object, name: str = "run.csv") -> str:
    return write(name, "update_id", *times)


def score(*arguments: object, command: str = "score") -> dict[str, float]:
    """The scores of all topics, by measure."""
    done = program.tseval(command, *arguments, "-f", "csv")
    assert done.code == 0, done.err
    rows = [line.split(",") for line in done.out.splitlines()[1:]]
    return {row[2]: float(row[3]) for row in rows if row[1] == "all"}


ISO = ("2026-02-10T04:00Z", "2026-02-10T17:30Z")
WRITTEN = {
    "%d.%m.%Y %H:%M": ("10.02.2026 04:00", "10.02.2026 17:30"),
    "%m/%d/%Y %I:%M %p": ("02/10/2026 04:00 AM", "02/13/2026 05:30 PM"),
    "%Y/%m/%d %H:%M:%S": ("2026/02/10 04:00:00", "2026/02/10 17:30:00"),
    "%d %b %Y %H:%M": ("10 Feb 2026 04:00", "10 Feb 2026 17:30"),
    "%a %b %d %H:%M:%S %Y": ("Tue Feb 10 04:00:00 2026", "Tue Feb 10 17:30:00 2026"),
    "%a, %d %b %Y %H:%M:%S %z": (
        "Tue, 10 Feb 2026 05:00:00 +0100",
        "Tue, 10 Feb 2026 18:30:00 +0100",
    ),
    "%d/%b/%Y:%H:%M:%S %z": ("10/Feb/2026:04:00:00 +0000", "10/Feb/2026:17:30:00 +0000"),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_a_format_is_named_and_what_is_printed_can_be_typed(form: str) -> None:
    done = program.tseval("score", run(*WRITTEN[form]), gold())
    assert (done.code, done.codes) == (1, [("time-format", 2), ("time-format", 3)])
    (typed,) = set(re.findall(r'--time-format "([^"]+)"', done.err))
    assert typed == form
    again = score("run.csv", "gold.csv", "-m", " ".join(ALL), "--time-format", typed)
    late = "2026-02-13T17:30Z" if form.startswith("%m") else ISO[1]
    assert again == score(run(ISO[0], late), "gold.csv", "-m", " ".join(ALL))


@pytest.mark.parametrize(
    ("form", "times"),
    [
        ("%Y%m%d", ("20260210", "20260211")),
        ("%Y%m%d%H%M", ("202602100400", "202602101730")),
        ("%Y%m%d%H%M%S", ("20260210040000", "20260210173000")),
    ],
)
def test_a_date_of_digits_alone_is_refused_and_read_by_its_format(
    form: str, times: tuple[str, str]
) -> None:
    done = program.tseval("score", run(*times), gold())
    assert (done.code, done.codes) == (1, [("time-range", 2), ("time-range", 3)])
    (typed,) = set(re.findall(r'--time-format "([^"]+)"', done.err))
    assert typed == form
    dates = [datetime.strptime(time, form).isoformat() for time in times]
    again = score("run.csv", "gold.csv", "-m", " ".join(ALL), "--time-format", typed)
    assert again == score(run(*dates), "gold.csv", "-m", " ".join(ALL))


def test_where_the_day_could_be_the_month_both_formats_are_named() -> None:
    run("02/03/2026 04:00", "02/03/2026 05:00")
    done = program.tseval("init", "folder", "--from", "run.csv")
    assert (done.code, done.codes) == (1, [("time-format", 2), ("time-format", 3)])
    typed = list(dict.fromkeys(re.findall(r'--time-format "([^"]+)"', done.err)))
    assert typed == ["%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M"]
    for form, early in zip(typed, ("2026-03-02T04:00Z", "2026-02-03T04:00Z"), strict=True):
        gold(early)
        assert score("run.csv", "gold.csv", "-m", "T", "--time-format", form)["T"] == 0
    assert (
        program.tseval("init", "folder", "--from", "run.csv", "--time-format", typed[0]).code == 0
    )
    mapping = tomllib.loads(Path("folder/mapping.toml").read_text())
    assert {each["time_format"] for each in mapping.values()} == {typed[0]}


def test_init_writes_the_format_that_all_rows_have() -> None:
    run(*WRITTEN["%d.%m.%Y %H:%M"])
    Path("run.csv").write_text(Path("run.csv").read_text().replace("time", "sent at"))
    done = program.tseval("init", "folder", "--from", "run.csv")
    assert (done.code, done.err) == (0, "")
    mapping = tomllib.loads(Path("folder/mapping.toml").read_text())
    form = "%d.%m.%Y %H:%M"
    assert mapping["updates"] == {"time": "sent at", "time_format": form}
    own = ("run.csv", "folder/gold.csv", "--columns", "folder/mapping.toml")
    assert score(*own, "-m", "T")["T"] == 0
    assert f"updates.time_format={form}" in program.tseval("score", *own).out
    assert "no fault" in program.tseval("validate", *own).out


def test_an_input_may_have_a_format_of_its_own() -> None:
    run("10|02|2026", "11|02|2026")
    gold("10/02/26", "02/11/26")
    Path("mapping.toml").write_text(
        '[updates]\ntime_format = "%d|%m|%Y"\n[nuggets]\ntime_format = "%m/%d/%y"\n'
    )
    done = program.tseval("score", "run.csv", "gold.csv", "--columns", "mapping.toml", "-m", "R")
    assert done.code == 0, done.err
    gold("1770681600", "2026-02-11")  # what is a number or ISO 8601 stays so
    assert score("run.csv", "gold.csv", "--time-format", "%d|%m|%Y", "-m", "T")["T"] == 0


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--time-zone", "Europe/Berln"), "did you mean Europe/Berlin?"),
        (("--time-format", "%d.%Q"), "bad directive"),
        (("--time-format", "%d.%m.%Y %Z"), "%z"),
        (("--time-format", "%d.%m.%Y %H:%m"), "%M the minute"),
        (("--clock", "relative", "--time-format", "%H"), "--clock relative reads numbers"),
        (("--clock", "relative", "--time-zone", "+01:00"), "--clock relative reads numbers"),
        (("--at", "1770696000000"), "in milliseconds, not in seconds"),
    ],
)
def test_an_option_that_means_nothing_is_refused(option: tuple[str, ...], said: str) -> None:
    done = program.tseval("score", run(*ISO), gold(), *option)
    assert done.code == 2
    assert said in done.err


# Zones


def test_times_without_a_zone_beside_unix_seconds_are_warned_about() -> None:
    Path("run.csv").write_text("topic,update_id,time,text\nfire,u1,1762934400,Fire here\n")
    Path("gold.csv").write_text("topic,nugget_id,time,text\nfire,n1,2025-11-12 09:00,Fire here\n")
    done = program.tseval("score", "run.csv", "gold.csv", "-m", "T")
    assert "gold.csv: times without a zone are read as UTC" in done.err
    assert "--time-zone +01:00 may make them agree" in done.err


def test_times_without_a_zone_beside_others_are_warned_about_once() -> None:
    run("2026-02-10T12:00", "2026-02-10T13:00")
    done = program.tseval("score", "run.csv", gold("2026-02-10T03:00Z", "2026-02-10T04:00Z"))
    (told,) = [line for line in done.err.splitlines() if "zone" in line]
    assert "run.csv" in told
    assert "gold.csv" in told
    assert len(told) <= len("warning: ") + 160
    (typed,) = re.findall(r"--time-zone (\S+)", told)
    assert typed == "+09:00"
    for zone in (typed, "Asia/Tokyo"):
        done = program.tseval("score", "run.csv", "gold.csv", "-m", "T", "--time-zone", zone)
        assert "zone" not in done.err
        assert score("run.csv", "gold.csv", "-m", "T", "--time-zone", zone)["T"] == 0
    assert program.tseval("validate", "run.csv", "gold.csv").out.count("--time-zone +09:00") == 1
    gold("2026-02-10T12:00+09:00", "2026-02-10T13:00")  # in one file
    done = program.tseval("score", "run.csv", "gold.csv", "--in-blocks", "1", "-m", "T")
    assert done.code == 2
    assert "--time-zone +09:00" in program.tseval("score", "run.csv", "gold.csv").err
    gold("2026-02-10T12:00", "2026-02-10T13:00")
    assert "zone" not in program.tseval("score", "run.csv", "gold.csv").err
    run("2026-02-10T12:00Z", "2026-02-10T13:00")  # among others, which shows no offset
    gold("2026-02-10T12:00Z", "2026-02-10T13:00Z")
    assert "; set it with --time-zone" in program.tseval("score", "run.csv", "gold.csv").err


def test_a_stream_tells_of_times_without_a_zone() -> None:
    line = {"topic": "flood", "update_id": "u0", "time": "2026-02-10T12:00+09:00", "text": "Osk"}
    facts = gold("2026-02-10T12:00")
    done = program.tseval("score", "--follow", facts, stdin=json.dumps(line).encode())
    warnings = json.loads(done.out.splitlines()[-1])["warnings"]
    assert len([each for each in warnings if "--time-zone +09:00" in each]) == 1


@pytest.mark.parametrize(
    ("local", "utc"),
    [
        ("2026-07-01T12:00", "2026-07-01T10:00Z"),
        ("2026-01-01T12:00", "2026-01-01T11:00Z"),
        ("2026-10-25T02:30", "2026-10-25T00:30Z"),  # twice on the clocks: the first
        ("2026-03-29T02:30", "2026-03-29T01:30Z"),  # never on the clocks: by the offset before
    ],
)
def test_local_times(local: str, utc: str) -> None:
    for made in (str, pd.Timestamp):
        frames = [
            pd.DataFrame({"topic": "t", f"{item}_id": "1", "time": [time], "text": SAID[0]})
            for item, time in (("update", made(local)), ("nugget", utc))
        ]
        found = tseval.score(*frames, measures="T", time_zone="Europe/Berlin")
        assert found.value("T") == 0


# Parts of seconds


@pytest.mark.parametrize("number_of", [10**3, 10**6, 10**9])
def test_parts_of_seconds_are_refused(number_of: int) -> None:
    run(START * number_of, (START + 60) * number_of)
    for command in (
        ("score", "run.csv", gold()),
        ("score", run(ISO[0], name="good.csv"), gold(START * number_of)),
    ):
        done = program.tseval(*command)
        assert (done.code, {code for code, _ in done.codes}) == (1, {"time-unit"}), done.err
    assert program.tseval("validate", "run.csv").code == 1


@pytest.mark.parametrize(
    ("form", "times"),
    [
        ("milliseconds", (START * 10**3, (START + 5400) * 10**3)),
        ("microseconds", (START * 10**6, (START + 5400) * 10**6)),
        ("nanoseconds", (START * 10**9, (START + 5400) * 10**9)),
        ("days", (f"{START / 86400 + 25569}", f"{(START + 5400) / 86400 + 25569}")),
        ("%Y%m%d%H%M", ("202602100400", "202602100530")),
        ("%d.%m.%Y, %H:%M:%S", ("10.02.2026, 04:00:00", "10.02.2026, 05:30:00")),
    ],
)
def test_times_in_other_units_are_read_by_the_name_of_their_format(
    form: str, times: tuple[object, object]
) -> None:
    done = program.tseval("score", run(*times), gold(START))
    assert done.code == 1
    assert f"--time-format {form}" in done.err.replace('"', "")
    assert program.tseval("init", "folder", "--from", "run.csv").code == 0
    mapping = tomllib.loads(Path("folder/mapping.toml").read_text())
    assert mapping["updates"]["time_format"] == form
    mapped = ("run.csv", "gold.csv", "-m", "T updates")
    told = score(*mapped, "--time-format", form)
    assert told == score(*mapped, "--column", f"updates:time_format={form}")
    assert told == score(run(START, START + 5400), *mapped[1:])


# Seconds from the topic's start


def both(make: Callable[[int], str]) -> None:
    """Files by either clock: `rel.NAME` and `abs.NAME`."""
    for clock, start in (("rel", 0), ("abs", START)):
        for part in make(start).split("=== ")[1:]:
            name, _, text = part.partition("\n")
            Path(f"{clock}.{name}").write_text(text)


def tables(start: int) -> str:
    head = "topic\t{}\ttime\ttext\n"
    updates = "".join(f"t\tu{at}\t{start + 1200 * at - 60}\tsaid {at}\n" for at in range(30))
    nuggets = "".join(f"t\tn{at}\t{start + 3600 * at + 100}\tsaid\n" for at in range(6))
    clusters = "".join(f"t\tc{at // 3}\tu{at}\t{start + 1000 * at + 10}\n" for at in range(30))
    values = "".join(f"t\tdeaths\t{start + 700 * at + 10}\t{at}\n" for at in range(9))
    return (
        f"=== run.tsv\n{head.format('update_id')}{updates}"
        f"=== gold.tsv\n{head.format('nugget_id')}{nuggets}"
        f"=== clusters.tsv\ntopic\tcluster_id\tpost_id\ttime\n{clusters}"
        f"=== values.tsv\ntopic\tattribute\ttime\tvalue\n{values}"
        f"=== topics.tsv\ntopic\tstart\nt\t{start}\n"
        f"=== labels.jsonl\n"
        + json.dumps(
            {
                "qid": "t",
                "time": start + 7200,
                "nuggets": [{"text": "a", "importance": "vital", "assignment": "support"}],
            }
        )
    )


MATCHES = "topic\tupdate_id\tnugget_id\n" + "".join(f"t\tu{4 * at + 3}\tn{at}\n" for at in range(6))


@pytest.mark.parametrize("more", [(), ("-j", "2"), ("--in-blocks", "7")])
def test_the_same_scores_by_either_clock(more: tuple[str, ...]) -> None:
    both(tables)
    Path("matches.tsv").write_text(MATCHES)
    asked = ("--matches", "matches.tsv", "-m", "R R@6h Rs T P", *more)
    dated = score("abs.run.tsv", "abs.gold.tsv", "--topics", "abs.topics.tsv", *asked)
    relative = ("rel.run.tsv", "rel.gold.tsv", "--clock", "relative")
    assert score(*relative, *asked) == dated
    assert score(*relative, *asked, "--topics", "rel.topics.tsv") == dated
    asked = ("--matches", "matches.tsv", "-m", "R@6h R@21600", *more)
    assert set(score(*relative, *asked).values()) == {dated["R@6h"]}
    assert 0 < dated["R@6h"] < 1
    done = program.tseval("score", *relative, *asked)
    assert "updates.clock=relative,nuggets.clock=relative" in done.out
    assert "1 update before the start of the topic" in done.err


def test_a_stream_by_its_own_clock_and_in_its_own_format() -> None:
    both(tables)
    Path("matches.tsv").write_text(MATCHES)
    frame = pd.read_csv("rel.run.tsv", sep="\t")
    asked = ("--matches", "matches.tsv", "-m", "R@21600 T")
    whole = score("rel.run.tsv", "rel.gold.tsv", "--clock", "relative", *asked)
    for option, times, facts in (
        (("--clock", "relative"), frame["time"], "rel.gold.tsv"),
        (
            ("--time-format", "%d.%m.%Y %H:%M:%S", "--time-zone", "Asia/Tokyo"),
            pd.to_datetime(frame["time"] + START + 32400, unit="s").dt.strftime(
                "%d.%m.%Y %H:%M:%S"
            ),
            "abs.gold.tsv",
        ),
    ):
        lines = frame.assign(time=times).to_json(orient="records", lines=True).encode()
        more = (
            asked
            if option[0] == "--clock"
            else (*asked[:-1], "R@6h T", "--topics", "abs.topics.tsv")
        )
        done = program.tseval("score", "--follow", facts, *more, *option, stdin=lines)
        assert done.code == 0, done.err
        last = json.loads(done.out.splitlines()[-1])["records"]
        found = [each["value"] for each in last if each["topic"] == "all"]
        assert found == list(whole.values())
        assert "updates." in json.loads(done.out.splitlines()[0])["signature"]


def test_other_families_by_either_clock() -> None:
    both(tables)
    pairs = {
        "clusters": ("run.tsv", "clusters.tsv", "coverage@6h latency"),
        "values": ("values.tsv", "values.tsv", "VT(attribute=deaths)"),
        "responses": ("labels.jsonl", "", "strict_vital@3h"),
    }
    for command, (runs, facts, measures) in pairs.items():
        files = {
            clock: [f"{clock}.{name}" for name in (runs, facts) if name] for clock in ("rel", "abs")
        }
        topics = () if command == "clusters" else ("--topics", "abs.topics.tsv")
        relative = score(*files["rel"], "--clock", "relative", "-m", measures, command=command)
        if command == "clusters":  # no option tells when a topic of clusters starts
            measures = measures.replace("@6h", f"@{START + 21600}")
        dated = score(*files["abs"], *topics, "-m", measures, command=command)
        assert list(relative.values()) == list(dated.values()), command


def test_the_fault_names_the_clock_and_one_clock_is_for_all_inputs() -> None:
    both(tables)
    done = program.tseval("score", "rel.run.tsv", "rel.gold.tsv")
    assert (done.code, done.codes[0]) == (1, ("time-range", 2))
    assert "--clock relative" in done.err
    run(*ISO)
    for files in (
        ("rel.run.tsv", "abs.gold.tsv"),
        ("run.csv", "rel.gold.tsv"),
        ("rel.run.tsv", "rel.gold.tsv", "--topics", "abs.topics.tsv"),
    ):
        done = program.tseval("score", *files, "--clock", "relative")
        assert (done.code, {code for code, _ in done.codes}) == (1, {"clock"})
    Path("topics.tsv").write_text("topic\tstart\nt\t60\n")
    done = program.tseval(
        "score", "rel.run.tsv", "rel.gold.tsv", "--topics", "topics.tsv", "--clock", "relative"
    )
    assert (done.code, done.codes) == (1, [("clock", 2)])
    done = program.tseval(
        "score", "rel.run.tsv", "rel.gold.tsv", "--clock", "relative", "--at", "2026-02-10"
    )
    assert done.code == 2
    done = program.tseval("timelines", "rel.run.tsv", "rel.gold.tsv", "--clock", "relative")
    assert done.code == 2
    with pytest.raises(UsageError):
        tseval.score("rel.run.tsv", "rel.gold.tsv", clock="absolute")
    with pytest.raises(TypeError):
        tseval.score("rel.run.tsv", "rel.gold.tsv", clcok="relative")  # type: ignore[call-arg]


def test_a_folder_may_begin_with_a_log_by_its_own_clock() -> None:
    both(tables)
    assert program.tseval("init", "folder", "--from", "rel.run.tsv").codes[0] == ("time-range", 2)
    assert (
        program.tseval("init", "folder", "--from", "rel.run.tsv", "--clock", "relative").code == 0
    )
    files = ("rel.run.tsv", "folder/gold.csv", "--columns", "folder/mapping.toml")
    assert score(*files, "-m", "R")["R"] == 1


def test_a_report_on_scores_reads_the_inputs_by_the_clock_that_they_record() -> None:
    both(tables)
    Path("matches.tsv").write_text(MATCHES)
    files = ("rel.run.tsv", "rel.gold.tsv", "--matches", "matches.tsv", "--clock", "relative")
    assert program.tseval("score", *files, "-o", "scores.json").code == 0
    done = program.tseval("report", "scores.json", "-o", "page.html")
    assert done.code == 0, done.err
    assert "1970" not in Path("page.html").read_text()


def test_responses_tell_wrong_times() -> None:
    for time, code in (("10.02.2026 04:00", "time-format"), (START * 1000, "time-unit")):
        nugget = {"text": "a", "importance": "vital", "assignment": "support", "time": time}
        Path("labels.jsonl").write_text(json.dumps({"qid": "t", "nuggets": [nugget]}))
        done = program.tseval("responses", "labels.jsonl")
        assert (done.code, done.codes) == (1, [(code, 1)]), done.err


def test_python_takes_the_same_words() -> None:
    both(tables)
    found = tseval.score("rel.run.tsv", "rel.gold.tsv", measures="R@21600", clock="relative")
    assert "clock=relative" in found.signature
    assert (
        "clock=relative"
        in tseval.score("rel.run.tsv", "rel.gold.tsv", columns={"clock": "relative"}).signature
    )
    times = tseval.curve("rel.run.tsv", "rel.gold.tsv", measures="R", clock="relative")
    assert times["hours"].min() == pytest.approx(-60 / 3600)
    with pytest.raises(InputError):
        tseval.score("rel.run.tsv", "rel.gold.tsv")

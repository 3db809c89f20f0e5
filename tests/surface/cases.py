"""The cases of the golden files: commands over the examples, by edition, rule, form and view."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.program import tseval
from tests.surface.compare import folder, inside
from tseval.core import registry

Case = tuple[str, dict[str, Any]]

RUNS = "fixtures/runs/swift.tsv fixtures/runs/thorough.tsv"
GOLD = "fixtures/nuggets.tsv"
MATCHES = "--matches fixtures/matches.tsv --topics fixtures/topics.tsv"
INCIDENTS = (
    "fixtures/incidents/keen.txt fixtures/incidents/shy.tsv fixtures/incidents/labels.json "
    "--ontology fixtures/incidents/types.json --epochs fixtures/incidents/epochs.txt"
)
FILTER = (
    "fixtures/filter/steady.tsv fixtures/filter/improving.tsv fixtures/filter/fading.tsv "
    "fixtures/filter/truth.tsv --batch 1d"
)
CHANGES = (
    "fixtures/changes/terse.jsonl fixtures/changes/chatty.jsonl fixtures/changes/qrels.tsv "
    "--topics fixtures/changes/topics.jsonl --days fixtures/changes/days.txt "
    "--documents fixtures/changes/documents.tsv"
)
RESPONSES = "fixtures/responses/quick.jsonl fixtures/responses/patient.jsonl"
TIMELINES = "fixtures/timelines/swift.jsonl fixtures/timelines/thorough.txt "
TIMELINES += "fixtures/timelines/gold.jsonl"
FACTS = "fixtures/crisisfacts/collapsed.jsonl fixtures/crisisfacts/labels.tsv"
ITEMS = "fixtures/crisisfacts/items.jsonl fixtures/crisisfacts/facts.json"

WORLDS: dict[str, dict[str, str]] = {}
"""Files of cases by a short name: many cases share them."""

VALUES_GIVEN = {
    "gold.tsv": (
        "topic\tattribute\ttime\tvalue\n"
        "quake\tdeaths\t1700000000\t10\nquake\tdeaths\t1700014400\t30\n"
        "quake\tlocations\t1700003600\t0, 0\nquake\tdeaths\t1700036000\t40\n"
    ),
    "me.txt": (
        "quake me r1 NULL NULL 1700003600 0.9 deaths 10\n"
        "quake me r1 doc-1 3 1700021600 1 deaths 24\n"
        "quake me r1 doc-1 3 1700010800 1 locations 0,  90\n"
    ),
    "you.txt": "quake you r1 NULL NULL 1700007200 0.9 deaths 12\n",
}
PUSH_DAYS = {"mb2015": 20150720, "rts2016": 20160802, "rts2017": 20170729}
PUSH_STARTS = {"mb2015": 1437350400, "rts2016": 1470096000, "rts2017": 1501286400}


def pushes(edition: str) -> dict[str, str]:
    """A small world of pushed posts in the days of an edition: three posts a cluster, two days."""
    start, day = PUSH_STARTS[edition], PUSH_DAYS[edition]
    posts = [(f"9{n:02}", start + 5400 * n, day + (5400 * n) // 86400) for n in range(1, 25)]
    grade = ("-1", "3", "4") if edition != "rts2017" else ("-2", "1", "2")
    clusters = {str(c): {"tweets": [p for p, _, _ in posts[c::4]]} for c in range(3)}
    members = ", ".join(
        f'"{name}": {{"description": "", "tweets": {each["tweets"]}}}'.replace("'", '"')
        for name, each in clusters.items()
    )
    pushed = "".join(
        f"MB1 {post} {time + 60 * n} {run}\n"
        for run, step in (("one", 1), ("two", 3))
        for n, (post, time, _) in enumerate(posts)
        if n % step == 0
    )
    labels = {"rts2016": ("2", "1", "-1"), "rts2017": ("1", "2", "0")}.get(edition, ())
    given = {
        "clusters.json": f'{{"MB1": {{"clusters": {{{members}}}}}}}\n',
        "qrels.txt": "".join(f"MB1 Q0 {p} {grade[n % 3]}\n" for n, (p, _, _) in enumerate(posts)),
        "epochs.txt": "".join(f"{post} {date} {time}\n" for post, time, date in posts),
        "one.txt": "".join(f"{line}\n" for line in pushed.splitlines() if line.endswith("one")),
        "two.txt": "".join(f"{line}\n" for line in pushed.splitlines() if line.endswith("two")),
    }
    if labels:
        given["live.txt"] = "".join(
            f"MB1 {post} {time} {labels[n % 3]}\n"
            for n, (post, time, _) in enumerate(posts)
            if n % 2
        )
    return given


def push_line(edition: str) -> str:
    """The command over that world."""
    line = "clusters one.txt two.txt clusters.json --qrels qrels.txt --epochs epochs.txt"
    return line + (" --live live.txt" if edition != "mb2015" else "") + f" --edition {edition}"


def editions() -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Each family's name, edition, command line and files: what rules and measures are tried on."""
    for edition in ("draft", "ts", "ts2013", "ts2014", "ts2015"):
        yield "temporal", edition, f"score {RUNS} {GOLD} {MATCHES} --edition {edition}", {}
    yield "values", "guidelines", "values me.txt you.txt gold.tsv", VALUES_GIVEN
    yield "clusters", "proposal", f"clusters {RUNS} fixtures/clusters.tsv", {}
    for edition in PUSH_DAYS:
        yield "clusters", edition, push_line(edition), pushes(edition)
    for each in registry.family("incidents").editions:
        yield "incidents", each.name, f"incidents {INCIDENTS} --edition {each.name}", {}
    for each in registry.family("filtering").editions:
        yield "filtering", each.name, f"filter {FILTER} --edition {each.name}", {}
    yield "changes", "changes2026", f"changes {CHANGES}", {}
    for each in registry.family("responses").editions:
        yield "responses", each.name, f"responses {RESPONSES} --edition {each.name}", {}
    for each in registry.family("timelines").editions:
        yield "timelines", each.name, f"timelines {TIMELINES} --edition {each.name}", {}
    yield "crisisfacts", "crisisfacts2023", f"crisisfacts {FACTS}", {}
    items = f"crisisfacts {ITEMS} --edition crisisfacts2022"
    yield "crisisfacts", "crisisfacts2022", items, {}


def case(line: str, given: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """A case of a command line."""
    return {"run": line.split()} | ({"given": world(given)} if given else {}) | more


def world(given: dict[str, str]) -> str:
    """The name of these files."""
    for known, files in WORLDS.items():
        if files == given:
            return known
    name = f"{len(WORLDS) + 1:03}"
    WORLDS[name] = given
    return name


FULLY = {
    *("draft", "ts2014", "guidelines", "proposal", "rts2016", "note", "2021", "kenter2015"),
    *("kba2013", "changes2026", "graded", "nuggetizer", "tilse", "chronos"),
    *("crisisfacts2023", "crisisfacts2022"),
}
"""The editions whose views and rules are tried one by one; those of a family read the same code."""
FORMS = ("table", "trec", "csv", "json")
VIEWS = {
    "temporal": ("--explain nuggets", "--explain updates", "--jitter 30m", "--format trec-ts"),
    "clusters": ("--explain",),
    "incidents": ("--explain alerts", "--explain types"),
    "filtering": tuple(f"--show {v}" for v in ("ranking", "teams", "tests", "fits", "stability")),
    "changes": ("--explain sets", "--explain questions", "--explain days"),
    "responses": ("--explain sentences", "--explain labels"),
    "timelines": tuple(f"--explain {v}" for v in ("partners", "ties", "lengths", "lags")),
    "crisisfacts": ("--explain requests", "--explain table", "--explain facts", "--explain items"),
}


def measures(family: str, line: str, given: dict[str, str]) -> list[str]:
    """The measures that can be taken with these inputs."""
    with TemporaryDirectory() as place, inside(Path(place)):
        folder(Path(place), None)
        for name, text in given.items():
            Path(name).write_bytes(text.encode())
        names = list(registry.definitions(family))
        return [name for name in names if not tseval(*line.split(), "-m", name).code]


def of_families() -> Iterator[Case]:
    """Each edition in words and numbers, its rules one by one, the forms and views of each."""
    begun = set()
    for family, edition, line, given in editions():
        yield family, case(f"{line} -q -f csv", given)
        yield family, case(f"{line} -q -f csv --on-missing skip --quiet", given)
        if family not in begun:
            for form in FORMS:
                yield family, case(f"{line} -f {form}", given)
            yield family, case(f"{line} -q -o scores.parquet --quiet", given)
            yield family, case(f"{line} --at 6h -f csv", given)
            if family != "values":
                yield family, case(f"curve {line.partition(' ')[2]} -f csv", given)
                yield family, case(f"curve {line.partition(' ')[2]} --batch 12h -f csv", given)
        begun.add(family)
        for view in VIEWS.get(family, ()) if edition in FULLY else ():
            yield family, case(f"{line} {view}", given)
            yield family, case(f"{line} {view} -o view.csv --quiet", given)
        if edition not in FULLY:
            continue
        rules = next(e for e in registry.family(family).editions if e.name == edition).rules
        names = " ".join(measures(family, line, given))
        base = [*f"{line} -q -f csv --quiet -m".split(), names]
        yield f"{family}-rules", case("", given, run=base)
        for rule in rules.each():
            for value in rule.values:
                if value != rule.value:
                    changed = [*base, "--rule", f"{rule.name}={value}"]
                    yield f"{family}-rules", case("", given, run=changed, base=base)


MATCHERS = ("fuzzy", "exact", "grams", "learned")
OTHERS = (
    *(f"match {RUNS} {GOLD} --matcher {name} -f csv" for name in MATCHERS),
    *(f"score {RUNS} {GOLD} --matcher {name} -f csv" for name in MATCHERS),
    f"match {RUNS} {GOLD}",
    f"score {RUNS} {GOLD}",
    f"match {RUNS} {GOLD} --review review.csv",
    f"calibrate fixtures/runs/thorough.tsv {GOLD} fixtures/matches.tsv",
    f"sample {RUNS} {GOLD} --pairs 90 --depth 3 -o to_judge.tsv",
    f"sweep {RUNS} {GOLD} --matches fixtures/matches.tsv",
    f"score {RUNS} {GOLD} {MATCHES} --in-blocks 3 -f csv",
    f"score {RUNS} {GOLD} {MATCHES} -j 2 -f csv",
    f"score {RUNS} {GOLD} {MATCHES} --require R>=.5",
    f"score {RUNS} {GOLD} {MATCHES} --require R>=.99",
    f"compare {RUNS} --gold {GOLD} {MATCHES}",
    f"compare {RUNS} --gold {GOLD} {MATCHES} -m R -f csv",
    f"compare {RUNS} --gold {GOLD} {MATCHES} -m R -f json",
    f"compare {RUNS} --gold {GOLD} {MATCHES} -m R -f latex",
    f"compare {RUNS} --gold {GOLD} {MATCHES} --lead",
    f"compare {RUNS} --gold {GOLD} {MATCHES} -m R --leave-out run",
    f"compare {RUNS} --gold {GOLD} {MATCHES} -m R --against-matcher fuzzy",
    f"curve {RUNS} {GOLD} {MATCHES} -o curve.html",
    f"curve {RUNS} {GOLD} {MATCHES} -o curve.svg",
    f"curve {RUNS} {GOLD} {MATCHES} -m R --topic flood -f csv",
    "import changes-run fixtures/changes/terse.jsonl -o run.tsv",
    "import changes-qrels fixtures/changes/qrels.tsv -o qrels.tsv",
    "import sample fixtures/runs/swift.tsv --size 1 -o sample.tsv",
    "import sample fixtures/runs/swift.tsv --size 1 --rule per=topic -o sample.tsv",
    "import timelines fixtures/timelines/swift.jsonl -o timelines.tsv",
    f"validate {RUNS} {GOLD} fixtures/matches.tsv fixtures/clusters.tsv",
    "validate fixtures/incidents/keen.txt fixtures/incidents/labels.json",
    "validate fixtures/responses/quick.jsonl fixtures/timelines/gold.jsonl",
    "measures",
    "measures R",
    "measures tNDCG",
    "measures F_pra",
    "init mine",
    "battles fixtures/battles.tsv -q",
    "battles fixtures/battles.tsv --intervals",
    *(
        f"battles fixtures/battles.tsv --explain {v}"
        for v in ("pairs", "cycles", "order", "judges")
    ),
    "--help",
    "--version",
    "nonsense",
    "score",
    f"score {RUNS} {GOLD} {MATCHES} -m nonsense",
    f"score {RUNS} {GOLD} {MATCHES} --rule nonsense=1",
    f"score {RUNS} {GOLD} {MATCHES} --edition ts2016",
    f"score {RUNS} {GOLD} {MATCHES} -m R@yesterday",
    f"score missing.tsv {GOLD}",
)
HEADER = "topic\tupdate_id\ttime\ttext\n"
ROW = "flood\tu1\t1699921800\tRiver Osk burst its banks\n"
FAULTS = {
    "time": HEADER + "flood\tu1\tsoon\tx\n",
    "fields": HEADER + "flood\tu1\t1699921800\n",
    "column": "topic\tupdate_id\ttext\nflood\tu1\tx\n",
    "twice": HEADER + ROW + ROW,
    "empty id": HEADER + "flood\t\t1699921800\tx\n",
    "nothing": "",
    "cost": HEADER.replace("text", "text\tcost") + "flood\tu1\t1699921800\tx\t-1\n",
    "number": HEADER.replace("text", "text\tconfidence") + "flood\tu1\t1699921800\tx\tnan\n",
    "no table": "hello\nworld\n",
    "topic": HEADER + ROW.replace("flood", "flod"),
}
CALLS = (
    f"tseval.score('{RUNS.split()[0]}', '{GOLD}', matches='fixtures/matches.tsv')",
    f"tseval.score({{'a': pd.read_csv('{RUNS.split()[0]}', sep='\\t')}}, "
    f"pd.read_csv('{GOLD}', sep='\\t'), matcher='exact', measures=['R', 'P@6h'], at=['12h'])",
    "tseval.score_clusters('fixtures/runs/swift.tsv', 'fixtures/clusters.tsv')",
    "tseval.score_incidents('fixtures/incidents/keen.txt', 'fixtures/incidents/labels.json', "
    "ontology='fixtures/incidents/types.json')",
    "tseval.score_filtering('fixtures/filter/steady.tsv', 'fixtures/filter/truth.tsv', batch='1d')",
    "tseval.score_changes('fixtures/changes/terse.jsonl', 'fixtures/changes/qrels.tsv', "
    "topics='fixtures/changes/topics.jsonl')",
    "tseval.score_responses('fixtures/responses/quick.jsonl')",
    "tseval.score_timelines('fixtures/timelines/swift.jsonl', 'fixtures/timelines/gold.jsonl')",
    "tseval.score_crisisfacts('fixtures/crisisfacts/collapsed.jsonl', "
    "'fixtures/crisisfacts/labels.tsv')",
    "tseval.score_battles('fixtures/battles.tsv', measures=['wins', 'BT@2023-11-15'])",
    f"tseval.curve('{RUNS.split()[0]}', '{GOLD}', matches='fixtures/matches.tsv')",
    f"tseval.match('{RUNS.split()[0]}', '{GOLD}', matcher='exact')",
    f"tseval.explain('{RUNS.split()[0]}', '{GOLD}', matches='fixtures/matches.tsv')",
    f"tseval.sample('{RUNS.split()[1]}', '{GOLD}', pairs=90)",
    "tseval.sample_posts('fixtures/runs/swift.tsv', size=1)",
    "tseval.sample_posts('fixtures/runs/swift.tsv', size=1, rules={'per': 'topic'})",
)


def all_cases() -> Iterator[Case]:
    """Every case, with the golden file that it stands in."""
    yield from of_families()
    for line in OTHERS:
        yield "commands", case(line)
    for content in FAULTS.values():
        line = f"score run.tsv {GOLD} --matches fixtures/matches.tsv"
        yield "faults", case(line, {"run.tsv": content})
    yield "faults", case(f"score - {GOLD} --matcher exact -f csv", stdin=HEADER + ROW)
    for call in CALLS:
        yield "python", {"call": call}

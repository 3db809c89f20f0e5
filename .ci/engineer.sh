#!/usr/bin/env bash
# Usage: [TRANSCRIPT=FILE] .ci/engineer.sh TSEVAL FOLDER
#
# What an engineer with an agent does, with the program TSEVAL and nothing else, in the empty
# FOLDER: from logs and facts as they are to a pipeline that fails and one that passes. No file is
# edited. The logs have odd names of columns, zones, a byte order mark, CRLF, semicolons, emoji,
# Turkish and Chinese. The ugly ones lack ids and events, hold objects, milliseconds, dates such as
# 10.02.2026 04:00 and decimal commas. TRANSCRIPT gets every command with what it printed.
set -euo pipefail
tseval=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2" && cd "$2"
PATH=$(dirname "$tseval"):$PATH

fail() {
    echo "engineer.sh: $1" >&2
    exit 1
}
# Runs a command, which has to end with this exit code.
ends_with() {
    local wanted=$1 code=0
    shift
    "$@" >out.txt 2>err.txt || code=$?
    { echo "\$ $*" && cat out.txt err.txt && echo "[exit code $code]"; } >>"${TRANSCRIPT:-/dev/null}"
    [[ $code -eq $wanted ]] || { cat out.txt err.txt >&2 && fail "$* ended with $code, not $wanted"; }
}

mkdir logs
{
    printf '\xef\xbb\xbf'
    printf '%s\r\n' \
        '{"id": "1", "event": "Sel 🌊", "timestamp": "2026-03-01T09:00:00+03:00", "says": "İstanbul'\''da köprü kapandı"}' \
        '{"id": "2", "event": "Sel 🌊", "timestamp": "2026-03-01T10:30:00+03:00", "says": "İki kişi boğuldu 🚑"}' \
        '{"id": "3", "event": "洪水", "timestamp": "2026-03-01T15:00:00+08:00", "says": "大桥已经关闭"}'
} >'logs/agent v2.jsonl'
printf '%s' '{"id": "1", "event": "Sel 🌊", "timestamp": "2026-03-01T09:00:00+03:00", "says": "İstanbul'\''da köprü kapandı"}' \
    >logs/agent.v1.jsonl
{
    printf '\xef\xbb\xbf'
    printf '%s\r\n' \
        'Olay;No;bekannt;fact;weight' \
        'Sel 🌊;s1;2026-03-01T05:30Z;"İSTANBUL'\''DA KÖPRÜ kapandı; trafik durdu";2' \
        'Sel 🌊;s2;2026-03-01T07:00Z;iki kişi boğuldu;3' \
        '洪水;h1;2026-03-01T06:50Z;大桥关闭;1' \
        '洪水;h2;2026-03-01T08:00Z;三人失踪;1'
} >facts.csv
before=$(cat logs/* facts.csv | cksum)

# As they are, nothing says which column is which; a folder is made from them.
ends_with 1 tseval score logs/* facts.csv
grep -q 'says what it is called' err.txt || fail 'no cure for the names of columns'
ends_with 0 tseval init work --from 'logs/agent v2.jsonl' --from logs/agent.v1.jsonl --gold facts.csv
ends_with 0 tseval validate logs/* facts.csv --columns work/mapping.toml

# It fails, with a line that says why; and passes where less is asked for.
ends_with 3 sh work/score.sh -f csv
grep -qx 'agent v2,all,R,0.75' out.txt || fail 'another score than 0.75'
grep -qx 'not met: R>=0.5: run agent.v1: R is 0.2' err.txt || fail 'no line says why it failed'
ends_with 0 env REQUIRE='agent v2.R>=0.5' sh work/score.sh -q -f json -o scores.json --quiet

# What is compared, shown and followed live is what was scored.
ends_with 0 tseval compare scores.json -m R --require 'agent v2.R-agent.v1.R>=0.1' --quiet
ends_with 3 tseval compare scores.json -m R --require 'agent.v1.R-agent v2.R>=0' --quiet
ends_with 0 tseval report scores.json -o report.html --quiet
ends_with 0 tseval follow facts.csv --columns work/mapping.toml -m R <'logs/agent v2.jsonl'
tail -n 1 out.txt | grep -q '"value": 0.75' || fail 'another score than 0.75 of the live stream'

# Ugly files: two versions of one agent in nested JSON with zones, about one event that only the
# option names, and facts as a German spreadsheet exports them: without ids and zones.
mkdir -p ugly/v1 ugly/v2
printf '%s\n' \
    '{"at": "2026-02-10T05:10:00+01:00", "level": "info", "output": {"parts": [{"text": "Feuer im Lagerhaus"}, {"text": "am Hafen"}]}}' \
    '{"at": "2026-02-10T06:05:00+01:00", "level": "info", "output": {"parts": [{"text": "Zwei Feuerwehrleute verletzt"}]}}' \
    >ugly/v2/agent.jsonl
sed '$d' ugly/v2/agent.jsonl >ugly/v1/agent.jsonl
printf '\xef\xbb\xbf%s\r\n%s\r\n%s\r\n' \
    'Zeitpunkt;Fakt;Gewicht' \
    '10.02.2026 04:00;Feuer in einem Lagerhaus am Hafen;1,5' \
    '10.02.2026 04:50;Zwei Feuerwehrleute sind verletzt;2,5' >ugly/fakten.csv
before+=$(cat ugly/*.csv ugly/v?/* | cksum)
ends_with 1 tseval init hafen --from ugly/v1/agent.jsonl --from ugly/v2/agent.jsonl --gold ugly/fakten.csv
grep -q -- '--topic NAME' err.txt || fail 'no option is named that decides'
ends_with 0 tseval init hafen --from ugly/v1/agent.jsonl --from ugly/v2/agent.jsonl \
    --gold ugly/fakten.csv --topic Hafenbrand --column nuggets:importance=Gewicht
grep -q 'fakten.csv: times without a zone are read as UTC' out.txt || fail 'no word on zones'
ends_with 3 sh hafen/score.sh -f csv
grep -qx 'v2/agent,all,R,1.0' out.txt || fail 'another score than 1 of v2'
grep -qx 'not met: R>=0.5: run v1/agent: R is 0.375' err.txt || fail 'no line says why it failed'
ends_with 0 env REQUIRE='v2/agent.R-v1/agent.R>=0.5' sh hafen/score.sh -q -o hafen.json --quiet
ends_with 3 tseval compare hafen.json -m R --require 'v1/agent.R-v2/agent.R>=0' --quiet

# From the log to verdicts, and from verdicts to how good the matcher is.
ends_with 0 tseval match ugly/v2/agent.jsonl ugly/fakten.csv --columns hafen/mapping.toml \
    --review review.csv --quiet
sed -i -E '2,$ s/^,yes/accept,yes/; 2,$ s/^,no/reject,no/' review.csv
ends_with 0 tseval calibrate ugly/v2/agent.jsonl ugly/fakten.csv review.csv \
    --columns hafen/mapping.toml --save matcher.json --quiet
ends_with 0 tseval score ugly/v2/agent.jsonl ugly/fakten.csv --columns hafen/mapping.toml \
    --matcher matcher.json --corrections review.csv -m R --quiet

# A log without ids in a table with decimal commas, and one of milliseconds, each in two commands.
printf '%s\n' 'Datum;Vorfall;Meldung;confidence' \
    '10.02.2026 04:10;Hafenbrand;"Feuer im Lagerhaus;' 'am Hafen";0,75' \
    '10.02.2026 05:05;Hafenbrand;Zwei Feuerwehrleute verletzt;0,5' >ugly/bericht.csv
printf '%s\n' \
    '{"ts": 1770696600000, "event": {"name": "Hafenbrand"}, "message": {"role": "agent", "content": ["Feuer im Lagerhaus am Hafen"]}}' \
    '{"ts": 1770699900000, "event": {"name": "Hafenbrand"}, "message": {"role": "agent", "content": ["Zwei Feuerwehrleute", "verletzt"]}}' \
    >ugly/milli.jsonl
before+=$(cat ugly/bericht.csv ugly/milli.jsonl | cksum)
for log in bericht.csv milli.jsonl; do
    ends_with 0 tseval init "$log.d" --from "ugly/$log" --gold ugly/fakten.csv
    ends_with 3 env REQUIRE='R>1' sh "$log.d/score.sh" -f csv
    grep -qx "${log%.*},all,R,1.0" out.txt || fail "another score than 1 of $log"
    ends_with 0 tseval validate "ugly/$log" ugly/fakten.csv --columns "$log.d/mapping.toml"
done

# The example needs no file at all, and nothing is overwritten.
ends_with 0 tseval init example
ends_with 0 sh example/score.sh
ends_with 3 env REQUIRE='R>=0.9' sh example/score.sh
ends_with 1 tseval init example
after=$(cat logs/* facts.csv | cksum)$(cat ugly/fakten.csv ugly/v?/* | cksum)
after+=$(cat ugly/bericht.csv ugly/milli.jsonl | cksum)
[[ $after == "$before" ]] || fail 'a file of the engineer was changed'

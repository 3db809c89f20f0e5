#!/usr/bin/env bash
# Usage: .ci/engineer.sh TSEVAL FOLDER
#
# What an engineer with an agent does, with the program TSEVAL and nothing else, in the empty
# FOLDER: from logs and facts as they are to a pipeline that fails and one that passes. No file is
# edited. The logs have odd names of columns, zones, a byte order mark, CRLF, semicolons, emoji,
# Turkish and Chinese.
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
grep -qx 'not met: R>=0.5: agent.v1.R is 0.2' err.txt || fail 'no line says why it failed'
ends_with 0 env REQUIRE='agent v2.R>=0.5' sh work/score.sh -q -f json -o scores.json --quiet

# What is compared, shown and followed live is what was scored.
cd work
ends_with 0 tseval compare scores.json -m R --require 'agent v2.R-agent.v1.R>=0.1' --quiet
ends_with 3 tseval compare scores.json -m R --require 'agent.v1.R-agent v2.R>=0' --quiet
ends_with 0 tseval report scores.json -o report.html --quiet
cd ..
ends_with 0 tseval follow facts.csv --columns work/mapping.toml -m R <'logs/agent v2.jsonl'
tail -n 1 out.txt | grep -q '"value": 0.75' || fail 'another score than 0.75 of the live stream'

# The example needs no file at all, and nothing is overwritten.
ends_with 0 tseval init example
ends_with 0 sh example/score.sh
ends_with 3 env REQUIRE='R>=0.9' sh example/score.sh
ends_with 1 tseval init example
[[ $(cat logs/* facts.csv | cksum) == "$before" ]] || fail 'a file of the engineer was changed'

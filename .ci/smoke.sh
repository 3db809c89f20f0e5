#!/usr/bin/env bash
# Usage: .ci/smoke.sh PYTHON DIRECTORY
#
# Builds the source archive and the wheel from a copy without leftovers, puts both into
# DIRECTORY, and tries the wheel in an empty environment and from another directory: what only
# works inside the checkout fails here.
set -euo pipefail
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What git knows or would add; all but the usual leftovers where there is no git.
cd "$root"
mkdir "$scratch/copy" "$scratch/elsewhere"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done |
        tar --null -T - -cf -
else
    tar --exclude=.venv --exclude=__pycache__ --exclude=build --exclude=dist -cf - .
fi | tar -xf - -C "$scratch/copy"

rm -f "$out"/tseval-*
"$python" -m build --outdir "$out" "$scratch/copy" >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    exit 1
}

"$python" -m venv "$scratch/empty"
"$scratch/empty/bin/python" -m pip install --quiet --disable-pip-version-check "$out"/tseval-*.whl
cp -R "$scratch/copy/fixtures" "$scratch/elsewhere/fixtures"
cd "$scratch/elsewhere"
"$scratch/empty/bin/tseval" --help >/dev/null
"$scratch/empty/bin/python" -m tseval measures >/dev/null
"$scratch/empty/bin/tseval" score fixtures/runs/*.tsv fixtures/nuggets.tsv \
    --matches fixtures/matches.tsv --topics fixtures/topics.tsv --format trec
"$scratch/empty/bin/tseval" score fixtures/runs/*.tsv fixtures/nuggets.tsv \
    --matches fixtures/matches.tsv -q -o scores.json --quiet
"$scratch/empty/bin/tseval" report scores.json -o report.html --quiet
"$root/.ci/engineer.sh" "$scratch/empty/bin/tseval" "$scratch/engineer"
echo "the wheel works: $(basename "$out"/tseval-*.whl)"

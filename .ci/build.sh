#!/usr/bin/env bash
# Usage: .ci/build.sh PYTHON DIRECTORY
#
# Builds the source archive and the wheel from a copy without leftovers, and puts both into
# DIRECTORY. All times in them are that of the last commit, so the same commit gives the same bytes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/places.sh"

# What git knows or would add; all but the usual leftovers where there is no git.
cd "$root"
mkdir "$scratch/copy"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
    export SOURCE_DATE_EPOCH
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

#!/usr/bin/env bash
# Usage: .ci/smoke.sh PYTHON DIRECTORY
#
# Builds the source archive and the wheel into DIRECTORY, and tries the wheel in an empty environment
# and from another directory: what only works inside the checkout fails here. Beside them comes
# the bill of materials, of what was installed with the wheel.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/places.sh"

"$root/.ci/build.sh" "$python" "$out"
mkdir "$scratch/elsewhere"
# Only what is imported is compiled then: to install takes a third of the time.
"$python" -m venv --without-pip "$scratch/empty"
"$python" -m pip --python "$scratch/empty/bin/python" install --quiet --disable-pip-version-check \
    --no-compile "$out"/tseval-*.whl
wheel=$(basename "$out"/tseval-*.whl)
"$scratch/empty/bin/python" "$root/.ci/bill.py" "$out/$wheel" >"$out/${wheel%%-py3*}.cdx.json"
cp -R "$root/fixtures" "$scratch/elsewhere/fixtures"
cd "$scratch/elsewhere"
"$scratch/empty/bin/tseval" --help >/dev/null
"$scratch/empty/bin/python" -m tseval measures >/dev/null
"$scratch/empty/bin/tseval" score fixtures/runs/*.tsv fixtures/nuggets.tsv \
    --matches fixtures/matches.tsv --topics fixtures/topics.tsv --format trec
"$scratch/empty/bin/tseval" score fixtures/runs/*.tsv fixtures/nuggets.tsv \
    --matches fixtures/matches.tsv -q -o scores.json --quiet
"$scratch/empty/bin/tseval" report scores.json -o report.html --quiet
"$root/.ci/engineer.sh" "$scratch/empty/bin/tseval" "$scratch/engineer"
echo "the wheel works: $wheel"

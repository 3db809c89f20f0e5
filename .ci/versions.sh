#!/usr/bin/env bash
# Usage: .ci/versions.sh UV [NAME...]
#
# Runs the tests that are not slow on every Python from 3.11 to 3.14, and on 3.11 with the lowest
# versions that pyproject.toml allows (the NAME `lowest`). Each has an environment of its own in
# build/versions, with the extras assess, dask, excel and report; sentence models are left to `make test`. A Python
# that is neither here nor to be fetched is named at the end, and is no failure.
set -euo pipefail
uv=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
names=("$@")
[[ ${#names[@]} -gt 0 ]] || names=(3.11 3.12 3.13 3.14 lowest)
tools=('pytest>=8.3' 'pytest-xdist>=3.6' 'hypothesis>=6.110' 'statsmodels>=0.14' 'openpyxl>=3.1')
absent=() failed=()

# A Python of this version: of the path, of pyenv, or one that uv has or can fetch.
find_python() {
    local candidate
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        if [[ $("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) == "$1" ]]
        then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    "$uv" python install --quiet "$1" 2>/dev/null && "$uv" python find --no-project "$1" 2>/dev/null
}

for name in "${names[@]}"; do
    version=$name resolution=highest
    [[ $name != lowest ]] || { version=3.11 resolution=lowest-direct; }
    if ! python=$(find_python "$version"); then
        absent+=("$name")
        continue
    fi
    place=build/versions/$name
    echo "== $name: $("$python" --version)"
    "$uv" venv --quiet --no-project --clear --python "$python" "$place"
    "$uv" pip compile --quiet --python "$place/bin/python" --resolution "$resolution" \
        --extra assess --extra dask --extra excel --extra report --output-file "$place/requirements.txt" pyproject.toml >/dev/null
    "$uv" pip install --quiet --python "$place/bin/python" --requirement "$place/requirements.txt" \
        "${tools[@]}"
    # Its own metadata name the extras; what is tested is this checkout.
    "$uv" pip install --quiet --python "$place/bin/python" --no-deps --editable .
    PYTHONPATH=$PWD "$place/bin/python" -m pytest -q -n 2 -p no:cacheprovider \
        -m 'not slow and not engine and not browser and not conformance' tests || failed+=("$name")
done
[[ ${#absent[@]} -eq 0 ]] || echo "not tried, since there is no such Python here: ${absent[*]}"
[[ ${#failed[@]} -eq 0 ]] || { echo "failed: ${failed[*]}" && exit 1; }

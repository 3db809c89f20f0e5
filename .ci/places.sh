# Sourced with PYTHON DIRECTORY: `python`, the `root` of the checkout and the directory `out` by their
# whole paths, and `scratch`, an empty directory that goes at the end.
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

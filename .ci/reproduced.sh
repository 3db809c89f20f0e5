#!/usr/bin/env bash
# Usage: .ci/reproduced.sh PYTHON DIRECTORY
#
# Builds again, with other rights of new files and in another time zone, and fails unless the wheel
# and the source archive are byte for byte those in DIRECTORY.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(umask 077 && TZ=Pacific/Auckland "$(dirname "${BASH_SOURCE[0]}")/build.sh" "$1" "$scratch")
for file in "$scratch"/*; do
    cmp "$file" "$2/$(basename "$file")" || {
        echo "two builds of $(basename "$file") differ" >&2
        exit 1
    }
done
(cd "$scratch" && sha256sum ./*)

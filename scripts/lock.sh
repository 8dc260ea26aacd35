#!/bin/sh
# Install into a new environment and pin what was chosen: `scripts/lock.sh PYTHON`.
set -eu
cd "$(dirname "$0")/.."
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
"$1" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
"$venv/bin/python" -m pip freeze --exclude-editable --disable-pip-version-check >"$venv/frozen"
{
    echo "# The exact versions that the tests passed with; made by \`make lock\`."
    cat "$venv/frozen"
} >constraints.txt

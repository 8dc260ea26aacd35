#!/bin/sh
# Runs reproduce.py with tabulate 0.9.0 and records what it really prints, as crash.log and as the
# issue in issue.json. The program lives at /srv/app meanwhile, so that the recorded paths are those
# of a server and not of whoever ran this. Usage: ./record.sh (needs write access to /srv)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
app=/srv/app
if [ -e "$app" ]; then echo "$app exists already: move it away first" >&2; exit 1; fi
trap 'rm -rf "$app"' EXIT
mkdir -p "$app"
cp "$here/reproduce.py" "$app/"
"${PYTHON:-python3.11}" -m venv "$app/.venv"
"$app/.venv/bin/python" -m pip install -q --no-binary tabulate --require-hashes \
    -r "$here/requirements.txt"
cd "$app"
if .venv/bin/python reproduce.py 2>"$here/crash.log"; then
    echo "reproduce.py did not crash" >&2
    exit 1
fi
cd "$here"
"$app/.venv/bin/python" - <<'PYTHON'
import json
from pathlib import Path


def fenced(name: str, language: str) -> str:
    return f"```{language}\n{Path(name).read_text(encoding='utf-8').rstrip()}\n```"


body = Path("report.md").read_text(encoding="utf-8")
body = body.replace("{program}", fenced("reproduce.py", "python"))
body = body.replace("{log}", fenced("crash.log", "pytb"))
issue = {
    "title": "TypeError: NoneType takes no arguments for a None cell with maxcolwidths",
    "body": body.rstrip() + "\n",
}
Path("issue.json").write_text(json.dumps(issue, indent=2) + "\n", encoding="utf-8")
PYTHON

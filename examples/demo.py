"""The main job on a real crash, with the shipped stand-in for GitHub.

`demo.py fetch` fetches the released sources, `demo.py run` investigates, `demo.py approve` posts.
Between them, the state of the stand-in and of ResolveFlow lies in `.cache/demo`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "tabulate-none-cell"
SOURCES = ROOT / ".cache" / "sources" / "tabulate-0.9.0.tar.gz"
BIN = Path(sys.executable).parent
# Tokens of the stand-in's world: worth nothing anywhere else.
READER, MAINTAINER = "demo-reader-token", "demo-maintainer-token"


def fetch_sources() -> Path:
    """Fetch the released sources with pip, once; pip checks their pinned hash."""
    if SOURCES.exists() and sha256(SOURCES.read_bytes()).hexdigest() in pinned():
        return SOURCES
    say("Fetching the sources of tabulate 0.9.0 (once)…")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--disable-pip-version-check"]
    command += ["--no-binary", "tabulate", "--dest", str(SOURCES.parent)]
    fetched = subprocess.run([*command, "-r", str(EXAMPLE / "requirements.txt")], check=False)
    if fetched.returncode or not SOURCES.exists():
        sys.exit("pip could not fetch the sources; is a package index reachable?")
    return SOURCES


def pinned() -> str:
    """The file that names the hash."""
    return (EXAMPLE / "requirements.txt").read_text(encoding="utf-8")


def seed(folder: Path) -> Path:
    """Write the stand-in's world: one repository with one issue, a reader and a maintainer."""
    issue = json.loads((EXAMPLE / "issue.json").read_text(encoding="utf-8"))
    repository = {
        "owner": "example",
        "name": "tabulate",
        "rights": {"maintainer": "write"},
        "labels": ["bug"],
        "issues": [{"number": 1, "user": "reporter", **issue}],
    }
    users = [
        {"login": "reader", "tokens": [{"value": READER, "access": "read"}]},
        {"login": "maintainer", "tokens": [{"value": MAINTAINER}]},
    ]
    path = folder / "seed.json"
    path.write_text(json.dumps({"users": users, "repositories": [repository]}), encoding="utf-8")
    return path


@contextmanager
def github(folder: Path, *options: str) -> Iterator[str]:
    """Run the stand-in on its kept state; gives its address."""
    command = [sys.executable, "-m", "resolveflow.testing.github_standin"]
    command += ["--state", str(folder / "github"), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            first = server.stdout.readline() if server.stdout else ""
            if not first:
                sys.exit("the stand-in did not start")
            yield json.loads(first)["url"]
        finally:
            server.terminate()


def environment(folder: Path, url: str) -> dict[str, str]:
    """Point ResolveFlow at the stand-in, whatever else is configured here."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("RESOLVEFLOW_")}
    return {
        **own,
        "RESOLVEFLOW_HOME": str(folder / "home"),
        "RESOLVEFLOW_GITHUB_API_URL": url,
        "RESOLVEFLOW_GITHUB_WEB_URL": url,
        "RESOLVEFLOW_GITHUB_TOKEN": READER,
    }


def resolveflow(*arguments: str, env: dict[str, str]) -> int:
    """Run the command as a person would."""
    say(f"\n$ resolveflow {' '.join(arguments)}")
    return subprocess.run([BIN / "resolveflow", *arguments], env=env, check=False).returncode


def waiting(env: dict[str, str]) -> dict[str, str] | None:
    """The case that waits for an approval."""
    command = [BIN / "resolveflow", "inbox", "--json"]
    listed = subprocess.run(command, env=env, capture_output=True, check=True).stdout
    cases = [case for case in json.loads(listed)["cases"] if case["status"] == "awaiting_approval"]
    return cases[-1] if cases else None


def run(folder: Path) -> int:
    """Start afresh: put the crash on the stand-in as an issue and investigate it."""
    sources = fetch_sources()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with github(folder, "--seed", str(seed(folder))) as url:
        env = environment(folder, url)
        issue = f"{url}/example/tabulate/issues/1"
        code = resolveflow("run", issue, "--repo", str(sources.relative_to(ROOT)), env=env)
    if code == 0:
        say("  In this demo the stand-in has to be started again, too: make approve")
    return code


def approve(folder: Path) -> int:
    """Restart the stand-in on the same state, approve what waits, and read it back."""
    if not (folder / "home").exists():
        sys.exit("Nothing waits: start with `make run`.")
    with github(folder) as url:
        env = environment(folder, url)
        case = waiting(env)
        if case is None:
            sys.exit("Nothing waits any more: `make run` starts afresh.")
        env["RESOLVEFLOW_APPROVER_TOKEN"] = MAINTAINER
        decision = ("approve", case["id"], "--digest", case["digest"], "--yes")
        code = resolveflow("show", case["id"], env=env) or resolveflow(*decision, env=env)
        say("\nThe issue as read back from the stand-in:")
        issue = f"{url}/repos/example/tabulate/issues/1"
        for comment in read(f"{issue}/comments"):
            say(f"\n{comment['user']['login']} commented:\n\n{comment['body']}")
        labels = ", ".join(label["name"] for label in read(issue)["labels"])
        say(f"\nlabels: {labels or 'none'}")
    return code


def read(url: str) -> Any:  # noqa: ANN401 - whatever JSON is there
    """Read from the stand-in."""
    with build_opener(ProxyHandler({})).open(url) as answer:  # loopback needs no proxy
        return json.load(answer)


def say(text: str) -> None:
    """Print at once, in order with what the commands print."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Do one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["fetch", "run", "approve"])
    parser.add_argument("--state", type=Path, default=ROOT / ".cache" / "demo")
    options = parser.parse_args()
    folder = options.state.resolve()
    os.chdir(ROOT)
    if options.part == "run":
        return run(folder)
    if options.part == "approve":
        return approve(folder)
    fetch_sources()
    return 0


if __name__ == "__main__":
    sys.exit(main())

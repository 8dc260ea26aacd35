"""The main job on a real crash, with the shipped stand-in for GitHub: `demo.py run | approve`.

Everything it needs lies in `.cache/demo`: the stand-in's state, and ResolveFlow's own.
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
from urllib.request import ProxyHandler, build_opener

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "tabulate-none-cell"
CACHE = ROOT / ".cache"
DEMO = CACHE / "demo"
SOURCES = CACHE / "sources" / "tabulate-0.9.0.tar.gz"
BIN = Path(sys.executable).parent
# Tokens of the stand-in's world: worth nothing anywhere else.
READER, MAINTAINER = "demo-reader-token", "demo-maintainer-token"


def fetch_sources() -> Path:
    """Fetch the released sources with pip, once; pip checks their pinned hash."""
    if SOURCES.exists() and sha256(SOURCES.read_bytes()).hexdigest() in pinned():
        return SOURCES
    say("Fetching the sources of tabulate 0.9.0 (once)…")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--no-binary", "tabulate", "--dest", str(SOURCES.parent)]
    fetched = subprocess.run([*command, "-r", str(EXAMPLE / "requirements.txt")], check=False)
    if fetched.returncode or not SOURCES.exists():
        sys.exit("pip could not fetch the sources; is a package index reachable?")
    return SOURCES


def pinned() -> str:
    """The file that names the hash."""
    return (EXAMPLE / "requirements.txt").read_text(encoding="utf-8")


def seed() -> Path:
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
    path = DEMO / "seed.json"
    path.write_text(json.dumps({"users": users, "repositories": [repository]}), encoding="utf-8")
    return path


@contextmanager
def github(*options: str) -> Iterator[str]:
    """Run the stand-in on its kept state; gives its address."""
    command = [sys.executable, "-m", "resolveflow.testing.github_standin"]
    command += ["--state", str(DEMO / "github"), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            first = server.stdout.readline() if server.stdout else ""
            if not first:
                sys.exit("the stand-in did not start")
            yield json.loads(first)["url"]
        finally:
            server.terminate()


def environment(url: str) -> dict[str, str]:
    """Point ResolveFlow at the stand-in, whatever else is configured here."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("RESOLVEFLOW_")}
    return {
        **own,
        "RESOLVEFLOW_HOME": str(DEMO / "home"),
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


def run() -> int:
    """Start afresh: put the crash on the stand-in as an issue and investigate it."""
    sources = fetch_sources()
    shutil.rmtree(DEMO, ignore_errors=True)
    DEMO.mkdir(parents=True)
    with github("--seed", str(seed())) as url:
        env = environment(url)
        issue = f"{url}/example/tabulate/issues/1"
        code = resolveflow("run", issue, "--repo", str(sources.relative_to(ROOT)), env=env)
        if code == 0 and waiting(env):
            say("\nNothing was posted. `make approve` posts exactly this, as the maintainer.")
    return code


def approve() -> int:
    """Restart the stand-in on the same state, approve what waits, and read it back."""
    if not (DEMO / "home").exists():
        sys.exit("Nothing waits: start with `make run`.")
    with github() as url:
        env = environment(url)
        case = waiting(env)
        if case is None:
            sys.exit("Nothing waits any more: `make run` starts afresh.")
        env["RESOLVEFLOW_APPROVER_TOKEN"] = MAINTAINER
        decision = ("approve", case["id"], "--digest", case["digest"], "--yes")
        code = resolveflow("show", case["id"], env=env) or resolveflow(*decision, env=env)
        say("\nThe issue's comments, as read back from the stand-in:")
        for comment in read(f"{url}/repos/example/tabulate/issues/1/comments"):
            say(f"\n{comment['user']['login']}:\n{comment['body']}")
    return code


def read(url: str) -> list[dict[str, object]]:
    """Read from the stand-in."""
    with build_opener(ProxyHandler({})).open(url) as answer:  # loopback needs no proxy
        return json.load(answer)


def say(text: str) -> None:
    """Print at once, in order with what the commands print."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Run one of the two halves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=["run", "approve"])
    os.chdir(ROOT)
    return run() if parser.parse_args().half == "run" else approve()


if __name__ == "__main__":
    sys.exit(main())

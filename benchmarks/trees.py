"""The source trees that the benchmarks read: git repositories that lack nothing."""

import asyncio
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from measuring import CACHE, run, say

from resolveflow.backends.repository_open import RepositoryOpener

_REQUIREMENTS = Path(__file__).with_name("requirements-django.txt")


def django() -> Path:
    """Django's released sources, which pip fetches once and checks by their hash."""
    tree = CACHE / "trees" / "django"
    if not (tree / ".git").exists():
        unpacked = CACHE / "unpacked"
        shutil.rmtree(unpacked, ignore_errors=True)
        with tarfile.open(_fetched()) as tar:
            tar.extractall(unpacked, filter="data")
        _replace(tree)
        next(unpacked.iterdir()).rename(tree)
        as_repository(tree)
    return tree


def _fetched() -> Path:
    say("Fetching the sources of django 5.2.19 (once)…")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--disable-pip-version-check", "--no-binary", "django", "--dest", str(CACHE)]
    if subprocess.run([*command, "-r", str(_REQUIREMENTS)], check=False).returncode:
        sys.exit(
            "pip could not fetch the sources of django 5.2.19: is a package index reachable? "
            "Other trees can be measured without one: --repo NAME=GIT_DIRECTORY"
        )
    return next(CACHE.glob("django-*.tar.gz"))


def complete(name: str, source: str) -> Path:
    """What a git directory holds at HEAD, as a repository of its own that lacks no blob."""
    tree = CACHE / "trees" / name
    if not (tree / ".git").exists():
        say(f"Copying {source} (once)…")
        _replace(tree)
        asyncio.run(_copied(source, tree))
        as_repository(tree)
    return tree


async def _copied(source: str, tree: Path) -> None:
    repository = await RepositoryOpener(CACHE / "home")(source)
    paths: dict[str, list[str]] = {}
    for entry in await repository.entries():
        if entry.kind == "file":
            paths.setdefault(entry.blob, []).append(entry.path)
    async for blob, data in repository.blobs(paths):
        for path in paths[blob]:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(data)


def as_repository(tree: Path) -> None:
    """Commit everything in a folder."""
    run("git", "init", "--quiet", folder=tree)
    run("git", "add", "--all", "--force", folder=tree)
    commit(tree)
    run("git", "repack", "-a", "-d", "--quiet", folder=tree)


def commit(tree: Path) -> None:
    """Commit all changes of tracked files."""
    author = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")
    run("git", *author, "commit", "--quiet", "--all", "--message", "a change", folder=tree)


def _replace(tree: Path) -> None:
    """Make room for a tree, or for what is left of one."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.parent.mkdir(parents=True, exist_ok=True)

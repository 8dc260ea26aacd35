"""Real git repositories for tests, made without any configuration of the machine."""

import os
import shutil
import subprocess
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.defpath,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Rita",
    "GIT_AUTHOR_EMAIL": "rita@example.org",
    "GIT_COMMITTER_NAME": "Rita",
    "GIT_COMMITTER_EMAIL": "rita@example.org",
}


def git(directory: Path, *arguments: str, day: int = 1) -> str:
    """Run git; `day` of January 2026 is the date of what it commits."""
    date = f"2026-01-{day:02}T12:00:00Z"
    done = subprocess.run(
        [shutil.which("git") or "git", "-c", "init.defaultBranch=main", *arguments],
        cwd=directory,
        env={**ENVIRONMENT, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def write(directory: Path, files: dict[str, bytes], link: tuple[str, bytes] | None = None) -> None:
    for name, data in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if link is not None:
        (directory / link[0]).symlink_to(os.fsdecode(link[1]))


def commit(directory: Path, files: dict[str, bytes], *, day: int = 1, tag: str = "") -> str:
    """Commit everything there after writing `files`; gives the commit's id."""
    if not (directory / ".git").exists():
        directory.mkdir(parents=True, exist_ok=True)
        git(directory, "init", "--quiet")
    write(directory, files)
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--allow-empty", "-m", f"day {day}", day=day)
    if tag:
        git(directory, "tag", tag)
    return git(directory, "rev-parse", "HEAD")

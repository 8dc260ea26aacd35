"""Running git on repositories that nobody vouches for.

Nothing of a repository's own configuration is in force while its objects are read: git runs in an
empty git directory of ours and borrows only the object store (`GIT_OBJECT_DIRECTORY`), so that no
file-system monitor, filter, textconv, ssh command or promisor remote of a hostile repository can
start anything. Names (HEAD, branches, tags) are resolved in the repository itself with every
protocol switched off.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from resolveflow.domain.errors import MissingProgram, RepositoryError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_OUTPUT = 256 * 1024 * 1024
_SECONDS = 600.0
_NAMES_SECONDS = 60.0
_CHUNK = 64 * 1024
_LAST_SECOND = 253_402_300_799  # of the year 9999, the last that a datetime can hold
_SAFE = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.sshCommand=false"),
    *("-c", "credential.helper="),
    *("-c", "protocol.allow=never"),
    *("-c", "safe.directory=*"),
)


class GitFailed(Exception):
    """Git ended with an error; the text is the last line it said."""


@dataclass(frozen=True)
class Git:
    """The git program, run with an environment of ours only."""

    program: str
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        """What every git process sees: no user or system configuration, no prompts."""
        return {
            "PATH": os.pathsep.join((str(Path(self.program).parent), os.defpath)),
            "HOME": str(self.home),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "",
        }

    def command(self, *arguments: str) -> list[str]:
        """The command line that runs git with `arguments` and nothing of a repository's wishes."""
        return [self.program, "--no-pager", *_SAFE, *arguments]

    async def run(
        self,
        *arguments: str,
        environment: Mapping[str, str],
        seconds: float = _SECONDS,
        max_output: int = MAX_OUTPUT,
    ) -> bytes:
        """What git prints.

        Raises:
            GitFailed: it ended with an error, did not end within `seconds`, or printed more than
                `max_output` bytes.
        """
        process = await asyncio.create_subprocess_exec(
            *self.command(*arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(seconds):
                out, err = await asyncio.gather(
                    _read(process, process.stdout, max_output),
                    _read(process, process.stderr, max_output),
                )
                await process.wait()
        except TimeoutError:
            raise GitFailed(f"git did not end within {seconds:.0f} s") from None
        finally:
            await _end(process)
        if max(len(out), len(err)) > max_output:
            raise GitFailed(f"git printed more than {max_output:,} bytes")
        if process.returncode != 0:
            raise GitFailed(_last_line(err))
        return out

    async def names(self, directory: Path, *arguments: str) -> str:
        """What a command that resolves names prints in the repository at `directory`.

        Raises:
            GitFailed: git ended with an error.
        """
        environment = {**self.environment, "GIT_CEILING_DIRECTORIES": str(directory.parent)}
        out = await self.run(
            *("-C", str(directory), *arguments), environment=environment, seconds=_NAMES_SECONDS
        )
        return out.decode("utf-8", "surrogateescape").rstrip("\n")

    def online(self, protocols: str) -> dict[str, str]:
        """The environment for cloning over `protocols` (separated by colons) and no others."""
        from urllib.request import getproxies  # costs more to import than reading a map does

        proxies = {f"{scheme}_proxy": url for scheme, url in getproxies().items()}
        return {**proxies, **self.environment, "GIT_ALLOW_PROTOCOL": protocols}


def moment(seconds: float) -> datetime:
    """The time that git means by `seconds`; what no datetime can hold becomes the nearest one."""
    return datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC)


def find_git(home: Path) -> Git:
    """The git program.

    Raises:
        MissingProgram: git is not installed.
    """
    program = shutil.which("git")
    if program is None:
        raise MissingProgram("git is needed to read a repository: install git and try again.")
    return Git(program=program, home=home)


@dataclass(frozen=True)
class ObjectStore:
    """The objects of one repository, read from an empty git directory of ours."""

    git: Git
    location: str
    environment: Mapping[str, str]
    shallow: bool
    max_output: int = MAX_OUTPUT

    async def run(self, *arguments: str) -> bytes:
        """What git prints about the objects.

        Raises:
            RepositoryError: git refused; most often because an object is missing.
        """
        try:
            return await self.git.run(
                *arguments, environment=self.environment, max_output=self.max_output
            )
        except GitFailed as error:
            raise RepositoryError(
                f"git cannot read {self.location}: {error}; if it is a partial clone, fetch the "
                "rest with git."
            ) from None


async def open_objects(git: Git, directory: Path, *, location: str) -> ObjectStore:
    """The object store of the repository at `directory`: a work tree, or a git directory.

    Raises:
        RepositoryError: there is no repository there.
    """
    try:
        found = await git.names(
            directory,
            *("rev-parse", "--path-format=absolute", "--show-object-format"),
            *("--git-path", "objects", "--git-path", "shallow"),
        )
    except GitFailed as error:
        raise RepositoryError(f"{location} is no git repository: {error}.") from None
    object_format, objects, shallow = found.split("\n")[:3]
    is_shallow = await asyncio.to_thread(Path(shallow).is_file)
    environment = {
        **git.environment,
        "GIT_DIR": str(await asyncio.to_thread(_empty_git_directory, git.home, object_format)),
        "GIT_OBJECT_DIRECTORY": objects,
    }
    if is_shallow:
        environment["GIT_SHALLOW_FILE"] = shallow
    return ObjectStore(git, location, environment, is_shallow)


def _empty_git_directory(home: Path, object_format: str) -> Path:
    directory = home / f"empty-{object_format}.git"
    version = 0 if object_format == "sha1" else 1
    config = f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n"
    if version:
        config += f"[extensions]\n\tobjectformat = {object_format}\n"
    for name in ("refs", "objects"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    _write(directory / "config", config)
    _write(directory / "HEAD", "ref: refs/heads/none\n")
    return directory


def _write(path: Path, text: str) -> None:
    if path.is_file() and path.read_text() == text:
        return
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.replace(path)


async def _read(
    process: asyncio.subprocess.Process, stream: asyncio.StreamReader | None, limit: int
) -> bytes:
    """All that comes; what prints more than `limit` (a tree without end) is killed, and cut."""
    assert stream is not None  # noqa: S101 - both are pipes
    data = bytearray()
    while chunk := await stream.read(_CHUNK):
        if len(data) <= limit:
            data += chunk
        else:
            _kill(process)
    return bytes(data)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        _kill(process)
    await process.communicate()  # it is gone only when its pipes have been read to their ends


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)


def _last_line(err: bytes) -> str:
    lines = err.decode("utf-8", "replace").strip().splitlines()
    told = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines or ["failed"]
    return told[0].removeprefix("fatal: ").removeprefix("error: ").rstrip(".")[:300]

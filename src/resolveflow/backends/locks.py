"""Locks on files: the kernel drops them when their process dies, however it dies."""

import asyncio
import fcntl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TextIO

from resolveflow.domain.errors import CaseBusy

POLL_SECONDS = 0.05


@contextmanager
def file_lock(path: Path, *, busy: str) -> Iterator[None]:
    """Hold an exclusive lock, or refuse at once.

    Raises:
        CaseBusy: another process holds it; `busy` is the message.
    """
    with _opened(path) as file:
        if not _taken(file):
            raise CaseBusy(busy)
        yield


@asynccontextmanager
async def waiting_lock(path: Path) -> AsyncIterator[None]:
    """Hold an exclusive lock, after waiting for whoever holds it."""
    with _opened(path) as file:
        while not _taken(file):  # noqa: ASYNC110 - a file lock has no event to wait for
            await asyncio.sleep(POLL_SECONDS)
        yield


def _opened(path: Path) -> TextIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("w")


def _taken(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

"""Clones of URLs: only https (http on loopback), made once, refreshed when needed."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.domain.errors import RepositoryError, RepositoryUnavailable
from tests.git_trees import commit, git


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


class Remote:
    """A repository that is served over plain HTTP, as a host without git would."""

    def __init__(self, root: Path) -> None:
        self.work, self.root = root / "work", root
        commit(self.work, {"a.py": b"one\n"}, day=1, tag="v1.0")
        git(root, "clone", "--quiet", "--bare", str(self.work), "served.git")
        git(root / "served.git", "update-server-info")
        handler = partial(_Quiet, directory=str(root))
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/served.git"

    def push(self, day: int) -> str:
        pushed = commit(self.work, {"a.py": b"day %d\n" % day}, day=day)
        git(self.work, "push", "--quiet", str(self.root / "served.git"), "HEAD:main")
        git(self.root / "served.git", "update-server-info")
        return pushed

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[Remote]:
    served = Remote(tmp_path)
    yield served
    served.close()


@pytest.fixture
def opener(tmp_path: Path) -> RepositoryOpener:
    return RepositoryOpener(tmp_path / "home")


async def test_a_clone_is_made_once_and_needs_no_network_again(
    opener: RepositoryOpener, remote: Remote
) -> None:
    tree = await opener(remote.url, version="1.0")
    assert (tree.ref.location, tree.ref.kind) == (remote.url, "git")
    remote.close()
    again = await opener(remote.url, version="1.0")
    assert again.ref == tree.ref
    assert await again.read("a.py") == b"one\n"


async def test_a_missing_commit_is_fetched(opener: RepositoryOpener, remote: Remote) -> None:
    await opener(remote.url)
    pushed = remote.push(2)
    tree = await opener(remote.url, commit=pushed)
    assert await tree.read("a.py") == b"day 2\n"
    with pytest.raises(RepositoryError, match="has no commit"):
        await opener(remote.url, commit="f" * 40)


async def test_the_newest_state_is_asked_for_again(
    opener: RepositoryOpener, remote: Remote
) -> None:
    await opener(remote.url)
    pushed = remote.push(2)
    assert (await opener(remote.url)).ref.commit == pushed
    later = datetime.now(UTC) + timedelta(days=1)
    pushed = remote.push(3)
    assert (await opener(remote.url, date=later)).ref.commit == pushed


async def test_several_at_once_clone_once(opener: RepositoryOpener, remote: Remote) -> None:
    trees = await asyncio.gather(*[opener(remote.url, version="1.0") for _ in range(4)])
    assert len({tree.ref.commit for tree in trees}) == 1


async def test_an_interrupted_clone_is_not_trusted(
    opener: RepositoryOpener, remote: Remote, tmp_path: Path
) -> None:
    await opener(remote.url)
    (mirror,) = (tmp_path / "home" / "mirrors").glob("*.git")
    (mirror / "HEAD").unlink()
    left = mirror.with_name(f"{mirror.name}.x-")
    left.mkdir()
    assert await (await opener(remote.url)).read("a.py") == b"one\n"
    assert not left.exists()


async def test_a_killed_fetch_does_not_block_the_mirror(
    opener: RepositoryOpener, remote: Remote, tmp_path: Path
) -> None:
    await opener(remote.url)
    (mirror,) = (tmp_path / "home" / "mirrors").glob("*.git")
    for name in ("packed-refs.lock", "HEAD.lock", "refs/heads/main.lock"):
        (mirror / name).parent.mkdir(parents=True, exist_ok=True)
        (mirror / name).touch()
    pushed = remote.push(2)
    assert (await opener(remote.url, commit=pushed)).ref.commit == pushed


async def test_a_default_branch_that_is_gone_is_cloned_again(
    opener: RepositoryOpener, remote: Remote
) -> None:
    await opener(remote.url)
    served = remote.root / "served.git"
    git(served, "branch", "-m", "main", "trunk")
    git(served, "update-server-info")
    assert await (await opener(remote.url)).read("a.py") == b"one\n"


async def test_two_processes_share_one_clone(remote: Remote, tmp_path: Path) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path\n"
        "from resolveflow.backends.repository_open import RepositoryOpener\n"
        "opener = RepositoryOpener(Path(sys.argv[1]))\n"
        "print(asyncio.run(opener(sys.argv[2], version='1.0')).ref.commit)\n"
    )
    command = (sys.executable, "-c", script, str(tmp_path / "home"), remote.url)
    processes = [
        await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        for _ in range(2)
    ]
    printed = [(await process.communicate())[0] for process in processes]
    assert printed == [git(remote.work, "rev-parse", "v1.0").encode() + b"\n"] * 2
    left = await asyncio.to_thread(lambda: sorted((tmp_path / "home" / "mirrors").glob("*.git*")))
    assert len(left) == 1


async def test_a_cancelled_clone_leaves_nothing(opener: RepositoryOpener, tmp_path: Path) -> None:
    connected = asyncio.Event()

    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(stall, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x.git"
        task = asyncio.create_task(opener(url))
        await connected.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    left = await asyncio.to_thread(lambda: list((tmp_path / "home" / "mirrors").glob("*.git*")))
    assert left == []


async def test_a_date_without_a_zone_is_in_utc(opener: RepositoryOpener, remote: Remote) -> None:
    await opener(remote.url)
    pinned = await opener(remote.url, date=datetime(2026, 1, 1, 13))
    assert pinned.ref.reason == "the default branch's last commit at 2026-01-01 13:00 UTC"


async def test_a_host_that_does_not_answer_is_named(
    opener: RepositoryOpener, remote: Remote
) -> None:
    remote.close()
    with pytest.raises(RepositoryUnavailable, match="could not be cloned") as raised:
        await opener(remote.url)
    assert raised.value.exit_code == 3


async def test_a_host_that_says_no_is_not_one_that_is_away(
    opener: RepositoryOpener, remote: Remote
) -> None:
    with pytest.raises(RepositoryError, match="not found"):
        await opener(remote.url.replace("served", "other"))


async def test_without_its_host_the_mirror_is_read_as_it_was_and_says_so(
    opener: RepositoryOpener, remote: Remote
) -> None:
    last = await opener(remote.url)
    gone = remote.push(2)
    remote.close()
    tree = await opener(remote.url)
    assert tree.ref.commit == last.ref.commit
    assert "Later commits: the mirror was last updated at 20" in tree.ref.gaps[0]
    later = datetime.now(UTC) + timedelta(days=1)
    assert "does not answer" in (await opener(remote.url, date=later)).ref.gaps[0]
    assert (await opener(remote.url, commit=last.ref.commit)).ref.gaps == ()
    assert await (await opener(remote.url, commit="main")).read("a.py") == b"one\n"
    with pytest.raises(RepositoryUnavailable):
        await opener(remote.url, commit=gone)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/x.git",
        "ftp://example.org/x.git",
        "file:///etc",
        "ssh://git@example.org/x",
        "git@example.org:x/y.git",
        "ext::sh -c id",
        "https://user:secret@example.org/x.git",
        "https://",
        "https://exa mple.org/x",
        "https://[::1/x",
    ],
)
async def test_other_urls_are_refused_without_a_connection(
    opener: RepositoryOpener, url: str
) -> None:
    with pytest.raises(RepositoryError) as raised:
        await opener(url)
    assert "secret" not in str(raised.value)

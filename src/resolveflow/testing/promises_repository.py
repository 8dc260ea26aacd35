"""What every Repository keeps, whatever holds its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resolveflow.codebase.git_objects import blob_id, path_key
from resolveflow.domain.errors import RepositoryError

if TYPE_CHECKING:
    from resolveflow.ports import Repository

FILES: dict[str, bytes] = {
    "README.md": b"# A tree\n",
    "a.txt": b"small\n",
    "A.txt": b"capital\n",
    "empty": b"",
    "src/app.py": b"def main():\r\n    return 'caf\xc3\xa9'\r\n",
    "src/binary.bin": bytes(range(256)) * 64,
    "src/large.txt": b"0123456789abcdef" * 65536,
    "src/no-newline.py": b"last = 1",
    "src/same.txt": b"small\n",
    "na\udcefve.txt": b"a name that is not UTF-8\n",
    "with space\tand tab.txt": b"odd\n",
}
LINKS: dict[str, bytes] = {"loop": b"loop", "outside": b"../../etc/passwd", "src/up": b".."}


class RepositoryPromises:
    """Subclass it with a `repository` fixture that holds FILES and LINKS."""

    async def test_lists_every_path_once_in_order(self, repository: Repository) -> None:
        """`entries` are complete and sorted by the bytes of their paths."""
        entries = await repository.entries()
        assert {entry.path for entry in entries} == {*FILES, *LINKS}
        assert list(entries) == sorted(entries, key=path_key)
        assert len(entries) == len(FILES) + len(LINKS)

    async def test_names_content_as_git_does(self, repository: Repository) -> None:
        """`blob` and `size` tell the content."""
        entries = {entry.path: entry for entry in await repository.entries()}
        for path, data in {**FILES, **LINKS}.items():
            assert (entries[path].blob, entries[path].size) == (blob_id(data), len(data))
            assert entries[path].kind == ("symlink" if path in LINKS else "file")

    async def test_reads_the_exact_bytes(self, repository: Repository) -> None:
        """`read` gives what was stored: no line ending, encoding or link is changed."""
        for path, data in {**FILES, **LINKS}.items():
            assert await repository.read(path) == data

    @pytest.mark.parametrize(
        "path",
        ["missing", "../a.txt", "/etc/passwd", "src", "src/", "./a.txt", "", "a.txt\0", "-p", ":a"],
    )
    async def test_refuses_what_is_no_file(self, repository: Repository, path: str) -> None:
        """Only paths of the tree are read, by their exact names."""
        with pytest.raises(RepositoryError):
            await repository.read(path)

    async def test_streams_blobs_and_leaves_out_the_missing(self, repository: Repository) -> None:
        """`blobs` keeps the order asked for and skips what is not there."""
        wanted = [blob_id(FILES["src/large.txt"]), "0" * 40, blob_id(b""), blob_id(b"small\n")]
        found = [item async for item in repository.blobs(wanted)]
        assert [blob for blob, _ in found] == [wanted[0], *wanted[2:]]
        assert all(blob_id(data) == blob for blob, data in found)

    async def test_streams_nothing_for_nothing(self, repository: Repository) -> None:
        """No ids, no contents."""
        assert [item async for item in repository.blobs(())] == []

    async def test_may_be_left_half_read(self, repository: Repository) -> None:
        """A reader that stops early leaves nothing behind that breaks the next one."""
        every = [entry.blob for entry in await repository.entries()]
        async for _ in repository.blobs(every):
            break
        assert await repository.read("a.txt") == FILES["a.txt"]

    async def test_history_ends_at_the_limit(self, repository: Repository) -> None:
        """`history` is newest first and no longer than asked."""
        commits = await repository.history(3)
        assert len(commits) <= 3
        assert list(commits) == sorted(commits, key=lambda commit: commit.time, reverse=True)
        assert len(await repository.history(1)) <= 1

    async def test_blames_only_lines_that_exist(self, repository: Repository) -> None:
        """`blame` refuses files and lines that the tree does not have."""
        await repository.blame("src/app.py", 1, 2)
        for path, start, end in (
            ("src/app.py", 1, 9),
            ("src/app.py", 0, 1),
            ("src/app.py", 2, 1),
            ("missing", 1, 1),
        ):
            with pytest.raises(RepositoryError):
                await repository.blame(path, start, end)

    async def test_says_where_and_why(self, repository: Repository) -> None:
        """`ref` names the place, the commit and the reason."""
        ref = repository.ref
        assert ref.location
        assert ref.commit
        assert ref.reason

"""Directories and archives: what is refused, and what is only listed."""

import bz2
import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from resolveflow.backends.repository_directory import open_directory
from resolveflow.backends.repository_open import RepositoryOpener
from resolveflow.backends.repository_sdist import open_sdist
from resolveflow.domain.errors import RepositoryError
from tests.git_trees import commit, write


@pytest.fixture
def opener(tmp_path: Path) -> RepositoryOpener:
    return RepositoryOpener(tmp_path / "home")


@pytest.mark.parametrize(
    "place",
    [
        *("", "  ", "nowhere", "a\0b", "a\nb", "caf\udce9", "~nobody-here/x"),
        *("/dev/null", "/dev/zero", "x" * 300, "x/" * 3000),
    ],
)
async def test_no_repository(opener: RepositoryOpener, place: str) -> None:
    with pytest.raises(RepositoryError) as raised:
        await opener(place)
    assert "\n" not in str(raised.value)


async def test_a_directory_lists_what_is_no_file(opener: RepositoryOpener, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    write(tree, {"a.py": b"1", ".git-not/x": b"2", ".hg/store": b"3"})
    os.mkfifo(tree / "pipe")
    (tree / "loop").symlink_to(tree)
    (tree / "out").symlink_to("/etc")
    (tree / "dangling").symlink_to("nowhere")
    opened = await opener(str(tree))
    kinds = {entry.path: entry.kind for entry in await opened.entries()}
    assert kinds == {
        ".git-not/x": "file",
        "a.py": "file",
        "dangling": "symlink",
        "loop": "symlink",
        "out": "symlink",
        "pipe": "unreadable",
    }
    assert await opened.read("out") == b"/etc"
    with pytest.raises(RepositoryError):
        await opened.read("out/passwd")
    with pytest.raises(RepositoryError, match="no file"):
        await opened.read("pipe")


async def test_a_directory_that_changes_meanwhile(opener: RepositoryOpener, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    write(tree, {"a.py": b"1", "sub/b.py": b"2", "c.py": b"3"})
    opened = await opener(str(tree))
    ids = {entry.path: entry.blob for entry in await opened.entries()}
    (tree / "a.py").write_bytes(b"changed")
    (tree / "c.py").unlink()
    secret = tmp_path / "secret"
    write(secret, {"b.py": b"2"})
    (tree / "sub" / "b.py").unlink()
    (tree / "sub").rmdir()
    (tree / "sub").symlink_to(secret)
    for name in ("a.py", "sub/b.py", "c.py"):
        with pytest.raises(RepositoryError, match="changed"):
            await opened.read(name)
    assert [item async for item in opened.blobs(ids.values())] == []
    assert (await opener(str(tree))).ref.commit != opened.ref.commit


async def test_a_location_is_resolved(opener: RepositoryOpener, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a.py": b"1", "sub/b.py": b"2"})
    (tmp_path / "way").symlink_to(tmp_path / "tree")
    for place in ("tree/", "tree/sub/..", "way", "way/sub/../."):
        assert (await opener(f"{tmp_path}/{place}")).ref.location == str(tmp_path / "tree")
    (tmp_path / "odd").symlink_to(tmp_path / "a\nb")
    write(tmp_path / "a\nb", {"a.py": b"1"})
    with pytest.raises(RepositoryError, match="rename it"):
        await opener(str(tmp_path / "odd"))


async def test_names_that_are_odd(opener: RepositoryOpener, tmp_path: Path) -> None:
    names = ["README", "a\nb.py", "caf\udce9.py", "gödel.py", "readme"]
    write(tmp_path / "tree", {name: name.encode("utf-8", "surrogateescape") for name in names})
    archive = _tar(
        tmp_path / "odd.tar.gz",
        *(_member(f"p/{name}", name.encode("utf-8", "surrogateescape")) for name in names),
        _member("p/zlink", kind=tarfile.SYMTYPE, link="caf\udce9.py"),
    )
    for place in (tmp_path / "tree", archive):
        opened = await opener(str(place))
        assert [it.path for it in await opened.entries() if it.kind == "file"] == names
        for name in names:
            assert await opened.read(name) == name.encode("utf-8", "surrogateescape")
    assert await opened.read("zlink") == b"caf\xe9.py"


async def test_a_huge_file_is_listed_and_not_read(opener: RepositoryOpener, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a.py": b"1"})
    with (tmp_path / "tree" / "huge.py").open("wb") as huge:
        huge.truncate(10**12)
    opened = await opener(str(tmp_path / "tree"))
    assert [entry.size for entry in await opened.entries()] == [1, 10**12]
    with pytest.raises(RepositoryError, match="larger than 536,870,912 bytes"):
        await opened.read("huge.py")
    ids = [entry.blob for entry in await opened.entries()]
    assert [data async for _, data in opened.blobs(ids)] == [b"1"]


async def test_a_directory_that_is_too_much(tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a.py": b"123", "b.py": b"456"})
    with pytest.raises(RepositoryError, match="more than 1 files"):
        await open_directory(tmp_path / "tree", max_files=1)
    with pytest.raises(RepositoryError, match="more than 5 bytes"):
        await open_directory(tmp_path / "tree", max_bytes=5)
    assert len(await (await open_directory(tmp_path / "tree", max_bytes=6)).entries()) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_what_may_not_be_read_is_listed(opener: RepositoryOpener, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    write(tree, {"a.py": b"1", "b.py": b"2", "sub/c.py": b"3"})
    (tree / "b.py").chmod(0)
    (tree / "sub").chmod(0o100)
    try:
        entries = await (await opener(str(tree))).entries()
        found = {entry.path: entry.kind for entry in entries}
        assert found == {"a.py": "file", "b.py": "unreadable", "sub": "unreadable"}
        with pytest.raises(RepositoryError, match="cannot be read: Permission denied"):
            await opener(str(tree / "sub"))
    finally:
        (tree / "sub").chmod(0o700)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder below which folders nest deeper than Python may recurse; removed step by step."""
    root = tmp_path / "tree"
    folders = [root / ("d/" * n) for n in range(1201)]
    for folder in folders:
        folder.mkdir()
    (folders[-1] / "a.py").write_bytes(b"1")
    yield root
    (folders[-1] / "a.py").unlink()
    for folder in reversed(folders):
        folder.rmdir()


async def test_a_directory_that_is_very_deep(opener: RepositoryOpener, deep: Path) -> None:
    opened = await opener(str(deep))
    (entry,) = await opened.entries()
    assert entry.path.count("/") == 1200
    assert await opened.read(entry.path) == b"1"


async def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    commit(tmp_path / "project", {"a.py": b"1"})
    (tmp_path / "file").write_bytes(b"")
    opener = RepositoryOpener(tmp_path / "file" / "home")
    for place in (str(tmp_path / "project"), "https://example.org/x.git"):
        with pytest.raises(RepositoryError, match="cannot be opened: Not a directory"):
            await opener(place)


async def test_a_directory_without_files(opener: RepositoryOpener, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    with pytest.raises(RepositoryError, match="holds no file"):
        await opener(str(tmp_path / "bare"))


async def test_a_directory_has_no_commits(opener: RepositoryOpener, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a.py": b"1"})
    opened = await opener(str(tmp_path / "tree"), version="1.0")
    same = await opener(str(tmp_path / "tree"), commit=opened.ref.commit)
    assert same.ref == opened.ref
    with pytest.raises(RepositoryError, match="leave the commit out"):
        await opener(str(tmp_path / "tree"), commit="f" * 40)


def _tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for member, data in members:
            archive.addfile(member, io.BytesIO(data))
    return path


def _member(
    name: str, data: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    info.size = len(data) if kind == tarfile.REGTYPE else 0
    return info, data


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../evil", "a\\b", "x/" * 3000])
async def test_an_archive_with_a_hostile_path(
    opener: RepositoryOpener, tmp_path: Path, name: str
) -> None:
    archive = _tar(tmp_path / "evil.tar.gz", _member("ok.py"), _member(name))
    with pytest.raises(RepositoryError, match=r"refused|no sdist"):
        await opener(str(archive))


async def test_an_archive_of_folders_alone(opener: RepositoryOpener, tmp_path: Path) -> None:
    archive = _tar(tmp_path / "x.tar.gz", _member("p/", kind=tarfile.DIRTYPE))
    with pytest.raises(RepositoryError, match="holds no file"):
        await opener(str(archive))


async def test_links_in_an_archive_are_never_followed(
    opener: RepositoryOpener, tmp_path: Path
) -> None:
    archive = _tar(
        tmp_path / "links.tar.gz",
        _member("p/a.py", b"1"),
        _member("p/out", kind=tarfile.SYMTYPE, link="/etc/passwd"),
        _member("p/hard", kind=tarfile.LNKTYPE, link="p/a.py"),
        _member("p/wild", kind=tarfile.LNKTYPE, link="/etc/passwd"),
        _member("p/pipe", kind=tarfile.FIFOTYPE),
        _member("p/dir", kind=tarfile.DIRTYPE),
    )
    opened = await opener(str(archive))
    content = {entry.path: await opened.read(entry.path) for entry in await opened.entries()}
    assert content == {"a.py": b"1", "out": b"/etc/passwd", "hard": b"1", "wild": b""}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["p/q/a.py", "p/q/b.py"], ["q/a.py", "q/b.py"]),
        (["p/a.py", "q/b.py"], ["p/a.py", "q/b.py"]),
        (["p/a.py", "b.py"], ["b.py", "p/a.py"]),
        (["./p/a.py", "p//b.py", "p/c/../d.py"], ["a.py", "b.py", "d.py"]),
        (["a.py"], ["a.py"]),
    ],
)
async def test_one_top_folder_is_taken_off(
    opener: RepositoryOpener, tmp_path: Path, names: list[str], found: list[str]
) -> None:
    archive = _tar(tmp_path / "x.tar.gz", *(_member(name) for name in names))
    assert [it.path for it in await (await opener(str(archive))).entries()] == found


async def test_a_member_without_a_name(opener: RepositoryOpener, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a", b"1")
    made = (tmp_path / "x.zip").read_bytes()
    start = made.index(b"PK\1\2")
    nameless = made[: start + 28] + b"\0\0" + made[start + 30 : start + 46] + made[start + 47 :]
    end = nameless.index(b"PK\5\6")
    size = (end - start).to_bytes(4, "little")
    (tmp_path / "x.zip").write_bytes(nameless[: end + 12] + size + nameless[end + 16 :])
    with pytest.raises(RepositoryError, match="no sdist that can be read"):
        await opener(str(tmp_path / "x.zip"))


async def test_bombs_are_refused_before_they_unfold(tmp_path: Path) -> None:
    large = _tar(tmp_path / "large.tar.gz", _member("a", b"\0" * 2_000_000))
    many = _tar(tmp_path / "many.tar.gz", *(_member(f"f{n}") for n in range(60)))
    folders = _tar(
        tmp_path / "folders.tar.gz", *(_member("d/", kind=tarfile.DIRTYPE) for _ in range(60))
    )
    header = tmp_path / "header.tar.gz"
    header.write_bytes(gzip.compress(_endless_header() + b"\0" * 20_000_000))
    twins = _tar(tmp_path / "twins.tar.gz", *(_member("a", b"\0" * 400_000) for _ in range(3)))
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"\0" * 2_000_000)
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as archive:
        for n in range(60):
            archive.writestr(f"{n}/", b"")
    zips = (tmp_path / "large.zip", tmp_path / "many.zip")
    for bomb in (large, many, folders, header, twins, *zips):
        with pytest.raises(RepositoryError, match="refused"):
            await open_sdist(bomb, max_bytes=1_000_000, max_members=50)


def _endless_header() -> bytes:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 8_000_000_000
    return info.tobuf(tarfile.USTAR_FORMAT)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 broken",
        b"\x1f\x8b broken",
        bz2.compress(b"no tar inside"),
        gzip.compress(b"no tar inside" * 100),
        b"plain text, no archive" * 100,
    ],
)
async def test_what_is_no_archive(opener: RepositoryOpener, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.tar.gz").write_bytes(data)
    with pytest.raises(RepositoryError, match=r"no sdist|holds no file"):
        await opener(str(tmp_path / "x.tar.gz"))


async def test_an_unusual_compression_is_refused(opener: RepositoryOpener, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("d/", b"")
        archive.writestr("a.py", b"1")
    with pytest.raises(RepositoryError, match="unusual compression"):
        await opener(str(tmp_path / "x.zip"))


async def test_a_tree_of_too_many_files(tmp_path: Path) -> None:
    write(tmp_path / "tree", {f"{n}.py": b"x" for n in range(5)})
    with pytest.raises(RepositoryError, match="give a part"):
        await open_directory(tmp_path / "tree", max_files=4)
    assert len(await (await open_directory(tmp_path / "tree", max_files=5)).entries()) == 5

"""Git repositories that are not whole, not usual, or not at rest."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.child import CART, CART_NAMES, CRASH, done, localized, mapped, refused, skipped, suspects
from tests.git_trees import commit, git

OTHER = b"def other_thing():\n    pass\n"
MISSING = "missing from the repository"


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A repository of two commits that gives parts of itself away."""
    origin = tmp_path / "origin"
    commit(origin, {"shop/cart.py": b"old = 1\n"}, tag="v1")
    commit(origin, {"shop/cart.py": CART, "shop/other.py": OTHER}, day=2)
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    return origin


def cloned(origin: Path, *options: str) -> Path:
    place = origin.parent / "clone"
    git(origin.parent, "clone", "--quiet", *options, f"file://{origin}", str(place))
    return place


def test_missing_blobs_are_said_and_read_once_they_are_there(home: Path, origin: Path) -> None:
    clone = cloned(origin, "--no-checkout", "--filter=blob:none")
    assert done("map", clone).out == f"0 source files, 0 definitions; left out: 2 {MISSING}\n"
    assert skipped(clone) == {"shop/cart.py": MISSING, "shop/other.py": MISSING}
    found = localized(clone, CRASH)
    assert found["suspects"][0]["path"] == "shop/cart.py"  # by the frames' path alone
    assert found["suspects"][0]["symbols"] == []
    assert f"Ranked by their path alone, as {MISSING}: 2 of them." in found["not_examined"]
    git(clone, "cat-file", "-p", "HEAD:shop/cart.py")
    assert mapped(clone) == {"shop/cart.py": CART_NAMES}
    assert done("map", clone).out.startswith("1 source files, 3 definitions; left out: 1 missing")
    assert skipped(clone) == {"shop/other.py": MISSING}
    found = localized(clone, CRASH)
    assert found["suspects"][0]["path"] == "shop/cart.py"
    assert found["suspects"][0]["symbols"] != []
    git(clone, "checkout", "--quiet", "main")
    assert skipped(clone) == {}
    assert done("map", clone).out.startswith("2 source files, 4 definitions\n")
    assert suspects(clone)[0] == "shop/cart.py"


def test_missing_folders_are_said(home: Path, origin: Path) -> None:
    clone = cloned(origin, "--no-checkout", "--filter=tree:0")
    (clone.parent / "crash.log").write_text(CRASH)
    for arguments in (("map", clone), ("localize", clone.parent / "crash.log", "--repo", clone)):
        said = refused(*arguments)
        assert "not a tree object" in said
        assert "partial clone, fetch the rest" in said


def test_a_shallow_clone_has_its_last_commit(home: Path, origin: Path) -> None:
    clone = cloned(origin, "--depth", "1")
    assert mapped(clone)["shop/cart.py"] == CART_NAMES
    assert suspects(clone)[0] == "shop/cart.py"
    for name in ("v1", git(origin, "rev-parse", "HEAD~1"), "HEAD~1"):
        assert "git fetch --unshallow" in refused("map", clone, "--commit", name)
    git(clone, "fetch", "--quiet", "--unshallow", "--tags")
    assert mapped(clone, "--commit", "v1") == {}
    assert skipped(clone, "--commit", "v1") == {}


def test_a_sparse_checkout_is_read_whole(home: Path, origin: Path) -> None:
    commit(origin, {"other/x.py": b"def far_away(): pass\n"}, day=3)
    git(origin, "sparse-checkout", "set", "other")
    assert not (origin / "shop").exists()
    assert mapped(origin)["shop/cart.py"] == CART_NAMES
    assert suspects(origin)[0] == "shop/cart.py"


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda git_directory: None, "has no commit yet: nothing can be read."),
        (lambda git_directory: (git_directory / "HEAD").write_text("junk"), "no git repository"),
        (lambda git_directory: (git_directory / "HEAD").unlink(), "no git repository"),
        (
            lambda git_directory: (git_directory / "refs/heads/main").write_text("f" * 40),
            "is at ffffffffffff, which is missing there",
        ),
    ],
    ids=["unborn", "no head", "lost head", "lost commit"],
)
def test_a_repository_without_a_commit_is_one_sentence(
    home: Path, tmp_path: Path, harm, said: str
) -> None:
    git(tmp_path, "init", "--quiet", "work")
    harm(tmp_path / "work" / ".git")
    (tmp_path / "crash.log").write_text(CRASH)
    assert said in refused("map", tmp_path / "work")
    assert said in refused("localize", tmp_path / "crash.log", "--repo", tmp_path / "work")


def test_a_commit_of_nothing(home: Path, tmp_path: Path) -> None:
    commit(tmp_path / "work", {})
    assert done("map", tmp_path / "work").out == "0 source files, 0 definitions\n"
    assert suspects(tmp_path / "work") == []


def test_worktrees_whose_repository_is_gone(home: Path, origin: Path) -> None:
    git(origin, "worktree", "add", "--quiet", "../tree")
    origin.rename(origin.with_name("moved"))
    assert "is no git repository" in refused("map", origin.parent / "tree")


def places(origin: Path) -> Iterator[Path]:
    """The same tree wherever a tree can be."""
    base = origin.parent
    yield origin
    git(origin, "worktree", "add", "--quiet", "--detach", "../worktree")
    yield base / "worktree"
    git(base, "clone", "--quiet", "--bare", str(origin), "bare")
    yield base / "bare"
    git(base / "bare", "gc", "--quiet", "--prune=now")  # packs objects and references
    assert (base / "bare" / "packed-refs").is_file()
    yield base / "bare"
    git(base, "clone", "--quiet", "--shared", "--no-checkout", str(origin), "borrowing")
    yield base / "borrowing"
    git(base, "init", "--quiet", "--object-format=sha256", "long")
    git(origin, "checkout-index", "--all", f"--prefix={base}/long/")
    yield commit_in(base / "long")
    git(origin, "checkout-index", "--all", f"--prefix={base}/plain/")
    yield base / "plain"
    git(origin, "archive", "--prefix=top/", f"--output={base}/tree.tar.gz", "HEAD")
    yield base / "tree.tar.gz"


def commit_in(place: Path) -> Path:
    commit(place, {})
    return place


def test_every_place_gives_the_same_bytes_with_every_hash_seed(
    home: Path, origin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Path(__file__).parents[2] / "src/resolveflow/codebase"
    files = {f"code/{path.name}": path.read_bytes() for path in package.glob("*.py")}
    commit(origin, files, day=3)
    seen = set()
    for seed, place in enumerate(places(origin)):
        for fresh in range(2):  # once with what the last place left behind, once without
            monkeypatch.setenv("PYTHONHASHSEED", str(10 * seed + fresh))
            monkeypatch.setenv("RESOLVEFLOW_HOME", str(home.with_name(f"home{seed * fresh}")))
            seen.add(done("map", place, "--tokens", 2000).out)
    assert len(seen) == 1
    assert " source files, " in seen.pop()


def test_entries_that_git_would_not_write(home: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")

    def stored(kind: str, data: bytes) -> str:
        command = ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"]
        done = subprocess.run(command, cwd=tmp_path, input=data, capture_output=True, check=True)
        return done.stdout.decode().strip()

    first, second = stored("blob", CART), stored("blob", OTHER)
    wild = [
        *(("shop/cart.py", first), ("shop/cart.py", second), ("b.py", second), ("a.py", second)),
        *(("../out.py", second), ("/etc/x.py", second), (".git", second), ("C.py", second)),
    ]
    entries = (b"100644 %s\0%s" % (path.encode(), bytes.fromhex(blob)) for path, blob in wild)
    tree = stored("tree", b"".join(entries))
    git(tmp_path, "update-ref", "refs/heads/main", git(tmp_path, "commit-tree", tree, "-m", "x"))
    shown = mapped(tmp_path)
    assert list(shown).count("shop/cart.py") == 1
    assert shown["shop/cart.py"] == CART_NAMES
    assert set(shown) == {path for path, _ in wild} - {".git"}
    assert suspects(tmp_path)[0] == "shop/cart.py"


def test_folders_nested_five_thousand_times(home: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    script = [b"commit refs/heads/main\ncommitter R <r@example.org> 1700000000 +0000\ndata 1\nx\n"]
    script.append(b"M 100644 inline shop/cart.py\ndata %d\n%s\n" % (len(CART), CART))
    script += [
        b"M 100644 inline %sa.py\ndata %d\n%s\n" % (b"d/" * depth, len(OTHER), OTHER)
        for depth in (*range(1, 5_000, 49), 5_000)
    ]
    command = ["git", "fast-import", "--quiet"]
    subprocess.run(command, cwd=tmp_path, input=b"".join(script), check=True)
    assert mapped(tmp_path)["shop/cart.py"] == CART_NAMES
    left_out = skipped(tmp_path)
    assert left_out[f"{'d/' * 2010}a.py"] == "nested too deep"
    assert left_out[f"{'d/' * 5000}a.py"] == "unreadable"
    assert suspects(tmp_path)[0] == "shop/cart.py"


RESTLESS = """
import subprocess, sys, pathlib
place = pathlib.Path(sys.argv[1])
def git(*arguments):
    subprocess.run(["git", "-c", "user.name=r", "-c", "user.email=r@example.org", "-c",
        "gc.auto=0", *arguments], cwd=place, check=True, capture_output=True)
turn = 0
while True:
    turn += 1
    (place / "shop" / "other.py").write_text(f"def other_thing(): return {turn}\\n" * (turn % 50))
    git("add", "--all")
    git("commit", "--quiet", "--amend", "-m", str(turn))
    if turn % 3 == 0:
        git("reflog", "expire", "--expire=now", "--all")
        git("gc", "--quiet", "--prune=now")
    if turn == 1:
        print("ready", flush=True)
"""


@contextmanager
def restless(place: Path) -> Iterator[None]:
    """Someone who rewrites the only commit, throws the old one away and repacks, without end."""
    command = [sys.executable, "-c", RESTLESS, str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield
            assert process.poll() is None
        finally:
            process.kill()


def test_a_repository_that_is_written_to_meanwhile(
    home: Path, origin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (origin.parent / "crash.log").write_text(CRASH)
    with restless(origin):
        for turn in range(4):
            monkeypatch.setenv("RESOLVEFLOW_HOME", str(home / str(turn % 3)))
            ended = asyncio.run(both(origin))
            for code, out, err in ended:
                if code == 0:
                    assert b"cart.py" in out, out
                else:  # the commit that was pinned is thrown away before it was read
                    assert code == 2
                    assert err.count(b"\n") == 1
                    assert err.startswith(b"error: ")
    assert mapped(origin)["shop/cart.py"] == CART_NAMES


async def both(place: Path) -> list[tuple[int, bytes, bytes]]:
    """A map and a localization at once."""
    program = str(Path(sys.executable).parent / "resolveflow")
    commands = (
        (program, "map", str(place)),
        (program, "localize", str(place.parent / "crash.log"), "--repo", str(place)),
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = [await asyncio.create_subprocess_exec(*command, **pipes) for command in commands]
    said = [await one.communicate() for one in started]
    return [(one.returncode or 0, *both) for one, both in zip(started, said, strict=True)]

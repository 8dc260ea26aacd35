"""Plain directories with what is no file, too much of it, or changes while it is read."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.child import (
    CART,
    CART_NAMES,
    CRASH,
    done,
    end,
    mapped,
    refused,
    run,
    skipped,
    start,
    suspects,
)
from tests.git_trees import write

NAMED = b"def name_%d(): pass\n"


@pytest.fixture
def tree(tmp_path: Path, home: Path) -> Path:
    write(tmp_path / "tree", {"shop/cart.py": CART})
    return tmp_path / "tree"


def test_what_is_no_file_is_listed(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tree / "pipe.py")
    monkeypatch.chdir(tree)  # a socket's whole path may only be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.py")
        (tree / "zero.py").symlink_to("/dev/zero")
        (tree / "loop").symlink_to(tree)
        (tree / "up").symlink_to("..")
        assert mapped(tree) == {"shop/cart.py": CART_NAMES}
        assert skipped(tree) == {
            **dict.fromkeys(("pipe.py", "socket.py"), "unreadable"),
            **dict.fromkeys(("zero.py", "loop", "up"), "symlink"),
        }
        assert suspects(tree)[0] == "shop/cart.py"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_listed(tree: Path) -> None:
    write(tree, {"secret.py": CART, "closed/a.py": CART})
    (tree / "secret.py").chmod(0)
    (tree / "closed").chmod(0o100)
    try:
        assert mapped(tree) == {"shop/cart.py": CART_NAMES}
        assert skipped(tree) == {"closed": "unreadable", "secret.py": "unreadable"}
        assert "cannot be read: Permission denied" in refused("map", tree / "closed")
    finally:
        (tree / "closed").chmod(0o700)


def test_a_file_as_large_as_a_disk(tree: Path) -> None:
    with (tree / "huge.py").open("wb") as huge:
        huge.truncate(4 * 10**12)
    assert skipped(tree) == {"huge.py": "too large"}
    assert suspects(tree)[0] == "shop/cart.py"


@pytest.fixture
def deep(tree: Path) -> Iterator[Path]:
    """Five thousand folders, each in the one before, each with a file."""
    folder = os.open(tree, os.O_RDONLY)
    for depth in range(5_000):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        file = os.open("a.py", os.O_CREAT | os.O_WRONLY, dir_fd=inner)
        os.write(file, NAMED % depth)
        os.close(file)
        os.close(folder)
        folder = inner
    os.close(folder)
    yield tree
    top = tree / "d"
    while (top / "d").exists():  # what removes whole trees recurses too deeply
        (top / "d").rename(tree / "next")
        (top / "a.py").unlink()
        top.rmdir()
        (tree / "next").rename(top)


def test_folders_nested_five_thousand_times(deep: Path) -> None:
    assert mapped(deep)["shop/cart.py"] == CART_NAMES
    left_out = skipped(deep)
    assert left_out[f"{'d/' * 1500}a.py"] == "nested too deep"
    unreadable = [path for path, why in left_out.items() if why == "unreadable"]
    assert any(path.endswith("/d") for path in unreadable)  # where the system itself gives up
    assert suspects(deep)[0] == "shop/cart.py"


def test_a_hundred_thousand_files_in_one_folder(tree: Path) -> None:
    (tree / "many").mkdir()
    for number in range(100_000):
        (tree / "many" / f"f{number}.py").write_bytes(NAMED % (number % 1_000))
    done("map", tree)
    assert done("map", tree).out.startswith("100,001 source files, 100,003 definitions\n")


@pytest.mark.parametrize("place", ["", "tree/none", "tree/shop/cart.py/x", "tree/empty", "/proc/1"])
def test_no_tree_is_one_sentence(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tree / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crash.log").write_text(CRASH)
    if place.startswith("/"):
        ended = end(start("map", place))  # a folder without end or meaning, but with files
        assert ended.code in {0, 2}
        return
    assert refused("map", place)
    assert refused("localize", "crash.log", "--repo", place)


CHANGING = """
import pathlib, shutil, sys
place = pathlib.Path(sys.argv[1])
turn = 0
while True:
    turn += 1
    for number in range(40):
        folder = place / "changing" / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "a.py").write_text(f"def name_{turn}(): pass\\n" * (turn % 90))
    with (place / "log.py").open("a") as log:
        log.write("x = 1\\n" * 1000)
    if turn == 1:
        print("ready", flush=True)
"""


def test_a_directory_that_changes_while_it_is_read(tree: Path, tmp_path: Path) -> None:
    report = tmp_path / "crash.log"
    report.write_text(CRASH)
    command = [sys.executable, "-c", CHANGING, str(tree)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            for _ in range(3):
                assert mapped(tree)["shop/cart.py"] == CART_NAMES
                found = run("localize", report, "--repo", tree)
                if found.code == 0:
                    assert "shop/cart.py" in found.out
                else:
                    assert (found.code, found.err.count("\n")) == (2, 1)
                    assert "is no longer what was read" in found.err
            assert process.poll() is None
        finally:
            process.kill()


def test_a_directory_that_is_removed_while_it_is_read(tree: Path) -> None:
    for turn in range(6):
        gone = tree.with_name(f"gone{turn}")
        write(gone, {f"a/{number}.py": NAMED % number for number in range(2_000)})
        write(gone, {"shop/cart.py": CART})
        reader = start("map", gone, "--list-skipped", "--json")
        for _ in range(turn * 50_000):
            pass  # let it come a little further each time
        shutil.rmtree(gone)
        ended = end(reader)
        assert ended.code in {0, 2}
        if ended.code == 0:
            reasons = {one["reason"] for one in ended.json["skipped"]}
            assert reasons <= {"missing from the repository", "unreadable"}
        else:
            assert ended.err.count("\n") == 1

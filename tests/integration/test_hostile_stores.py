"""The code index's store: damaged, old, full, read-only, or used by many who are killed."""

import hashlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from resolveflow.backends.code_store import FORMAT, CodeStore
from tests.child import CART, CRASH, done, end, localized, mapped, start
from tests.git_trees import commit, git

FILES = {
    "shop/cart.py": CART,
    **{
        f"shop/part{number}.py": b"".join(
            b"def name_%d_%d(value):\n    return parse_price(value)\n\n\n" % (number, line)
            for line in range(40)
        )
        for number in range(60)
    },
}
ENOUGH = 16 * 1024  # bytes that git's own files take


@pytest.fixture
def tree(tmp_path: Path, home: Path) -> Path:
    commit(tmp_path / "tree", FILES)
    return tmp_path / "tree"


@dataclass(frozen=True)
class Known:
    """A tree, a home whose store knows it, and what was answered."""

    tree: Path
    home: Path
    answers: tuple[object, ...]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Known:
    place = tmp_path_factory.mktemp("once")
    commit(place / "tree", FILES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RESOLVEFLOW_HOME", str(place / "home"))
        return Known(place / "tree", place / "home", answers(place / "tree"))


@pytest.fixture
def known(once: Known, home: Path) -> Known:
    shutil.copytree(once.home, home)
    return Known(once.tree, home, once.answers)


def answers(tree: Path) -> tuple[object, ...]:
    """A text that is kept whole, what is made of the kept tree, and what of kept terms."""
    return done("map", tree).out, mapped(tree), localized(tree, CRASH)


def stores(home: Path) -> list[Path]:
    return sorted((home / "indexes").glob("*.db"))


def cut(path: Path, share: float) -> None:
    os.truncate(path, int(path.stat().st_size * share))


def scribbled(path: Path, seed: int) -> None:
    """Random bytes at random places, the header apart."""
    numbers = random.Random(seed)  # noqa: S311 - the same damage in every run
    with path.open("r+b") as file:
        for _ in range(40):
            file.seek(numbers.randrange(100, path.stat().st_size))
            file.write(numbers.randbytes(numbers.randrange(1, 200)))


def executed(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    database.executescript(statement)
    database.close()


HARMS: dict[str, Callable[[Path], None]] = {
    "empty": lambda path: os.truncate(path, 0),
    "one page": lambda path: os.truncate(path, 4096),
    "half": lambda path: cut(path, 0.5),
    "nearly whole": lambda path: cut(path, 0.97),
    "odd length": lambda path: os.truncate(path, path.stat().st_size - 1),
    "no database": lambda path: path.write_bytes(b"no database at all" * 1000),
    "random bytes": lambda path: path.write_bytes(hashlib.shake_128(b"1").digest(50_000)),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    **{f"scribbled {seed}": lambda path, seed=seed: scribbled(path, seed) for seed in range(4)},
    "older": lambda path: executed(path, f"PRAGMA user_version = {FORMAT - 1}"),
    "newer": lambda path: executed(path, f"PRAGMA user_version = {FORMAT + 1}"),
    "no tables": lambda path: executed(path, "DROP TABLE pack; DROP TABLE tree"),
    "other columns": lambda path: executed(path, "ALTER TABLE tree RENAME COLUMN data TO found"),
    "changed row": lambda path: executed(path, "UPDATE pack SET data = zeroblob(500)"),
    "changed tree": lambda path: executed(path, "UPDATE tree SET data = substr(data, 2)"),
    "text for bytes": lambda path: executed(path, "UPDATE tree SET data = 'text', crc = 'x'"),
    "no text": lambda path: executed(path, "UPDATE tree SET data = CAST(x'ff' AS TEXT)"),
    "odd types": lambda path: executed(
        path, "UPDATE answer SET crc = 'x', data = 5; UPDATE tree_use SET used = 'never'"
    ),
    "a journal": lambda path: path.with_name(f"{path.name}-journal").write_bytes(b"x" * 9000),
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_or_old_store_is_made_anew(known: Known, harm: str) -> None:
    (store,) = stores(known.home)
    HARMS[harm](store)
    assert answers(known.tree) == known.answers
    assert stores(known.home) == [store]
    assert sqlite3.connect(store).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert CodeStore(store).tree(git(known.tree, "rev-parse", "HEAD")) is not None


def kept(store: Path) -> int:
    database = sqlite3.connect(store)
    try:
        return int(database.execute("SELECT count(*) FROM tree").fetchone()[0])
    finally:
        database.close()


def test_a_store_that_is_no_file(known: Known) -> None:
    (store,) = stores(known.home)
    store.unlink()
    store.mkdir()
    assert answers(known.tree) == known.answers
    store.rmdir()
    store.symlink_to("/dev/full")
    assert answers(known.tree) == known.answers


def test_indexes_that_cannot_be_kept(known: Known) -> None:
    (store,) = stores(known.home)
    store.unlink()
    store.parent.rmdir()
    store.parent.write_bytes(b"a file where the folder should be")
    assert answers(known.tree) == known.answers


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_indexes_that_may_not_be_written(known: Known) -> None:
    (store,) = stores(known.home)
    commit(known.tree, {"shop/new.py": b"def added_later(): pass\n"}, day=2)
    expected = answers(known.tree)
    store.chmod(0o400)
    store.parent.chmod(0o500)
    try:
        assert answers(known.tree) == expected
    finally:
        store.parent.chmod(0o700)
        git(known.tree, "reset", "--quiet", "--hard", "HEAD~1")


@pytest.mark.parametrize("most", [ENOUGH, 64 * 1024, 256 * 1024])
def test_a_disk_that_is_full(
    tree: Path, home: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    with monkeypatch.context() as unmeasured:  # coverage would write under the same limit
        unmeasured.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
        text = done("map", tree, preexec_fn=full).out
        assert done("map", tree, preexec_fn=full).out == text
    assert done("map", tree).out == text
    assert all(path.stat().st_size <= most or kept(path) == 1 for path in stores(home))


def test_processes_that_are_killed_at_any_moment_leave_a_good_store(tree: Path, home: Path) -> None:
    numbers = random.Random(7)  # noqa: S311 - as above
    expected = done("map", tree).out
    for store in stores(home):
        store.unlink()
    longest = 1.5
    for _ in range(5):
        started = [start("map", tree) for _ in range(4)]
        time.sleep(numbers.uniform(0.1, longest))
        for one in started[1:]:
            one.send_signal(signal.SIGKILL)
        for one in started[1:]:
            with one:
                one.communicate()
        assert end(started[0]).out == expected
        if numbers.random() < 0.5:
            for store in stores(home):
                store.unlink()
    assert done("map", tree).out == expected
    (store,) = stores(home)
    assert sqlite3.connect(store).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_six_processes_at_once_give_the_same_bytes(tree: Path, home: Path) -> None:
    for damaged in (False, True):
        if damaged:
            scribbled(stores(home)[0], seed=5)
        started = [start("map", tree) for _ in range(6)]
        ended = [end(one) for one in started]
        assert [(one.code, one.err) for one in ended] == [(0, "")] * 6
        assert len({one.out for one in ended}) == 1
    assert len(stores(home)) == 1


def test_many_commits_stay_within_bounds(tree: Path, home: Path) -> None:
    done("map", tree)
    (store,) = stores(home)
    once = store.stat().st_size
    for day in range(2, 11):
        commit(tree, {"shop/cart.py": CART + b"\n# %d\n" % day}, day=day)
        done("map", tree)
    assert kept(store) == 8
    assert store.stat().st_size < 10 * once

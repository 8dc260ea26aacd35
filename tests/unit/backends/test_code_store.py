import os
import sqlite3
from pathlib import Path

import pytest

from resolveflow.backends import code_store
from resolveflow.backends.code_store import FILES, CodeStore, store_path


def joined(packs, trees):
    return b"+".join(packs) + b"|" + b"+".join(sorted(trees))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "indexes" / "a.db"


def test_what_was_added_is_there_for_the_next_process(path):
    CodeStore(path).add_pack("facts", b"one")
    CodeStore(path).add_pack("facts", b"two")
    CodeStore(path).add_tree("c1", b"tree")
    CodeStore(path).add_answer("c1", "q", "text \udcff\n")
    store = CodeStore(path)
    assert store.packs("facts") == [b"one", b"two"]
    assert store.tree("c1") == b"tree"
    assert store.answer("c1", "q") == "text \udcff\n"
    assert (store.tree("c2"), store.answer("c1", "r")) == (None, None)


def test_the_trees_used_last_are_kept(path):
    store = CodeStore(path)
    for number in range(code_store.MOST_TREES + 2):
        store.add_tree(f"c{number}", b"t")
    assert [store.tree(f"c{number}") for number in range(3)] == [None, None, b"t"]


def test_answers_are_few(path):
    store = CodeStore(path)
    for number in range(code_store.MOST_ANSWERS + 3):
        store.add_answer("c", str(number), "x")
    assert [store.answer("c", str(number)) for number in (0, 2, 3)] == [None, None, "x"]


def test_many_packs_are_merged_into_what_the_trees_need(path):
    store = CodeStore(path)
    for number in range(code_store.MOST_PACKS + 1):
        store.add_pack("facts", b"%d" % number)
    store.add_tree("c1", b"tree")
    store.tidy("facts", joined)
    assert store.packs("facts") == [b"+".join(b"%d" % n for n in range(25)) + b"|tree"]


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(b"no database at all" * 100),
        lambda path: path.write_bytes(path.read_bytes()[:5_000]),
        lambda path: _execute(path, "UPDATE pack SET data = x'00'"),
        lambda path: _execute(path, "PRAGMA user_version = 99"),
    ],
    ids=["garbage", "cut", "changed row", "another format"],
)
def test_a_store_that_cannot_be_trusted_is_made_anew(path, harm):
    store = CodeStore(path)
    store.add_pack("facts", b"one" * 5_000)
    harm(path)
    assert CodeStore(path).packs("facts") == []
    store.add_pack("facts", b"two")
    assert CodeStore(path).packs("facts") == [b"two"]


def _execute(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path):
    blocked = tmp_path / "indexes"
    blocked.write_text("a file")
    store = CodeStore(blocked / "a.db")
    store.add_pack("facts", b"one")
    store.add_tree("c", b"t")
    assert (store.packs("facts"), store.tree("c")) == ([], None)


def test_stores_used_long_ago_make_room_for_others(path):
    for name in ("old", "new"):
        CodeStore(path.with_name(f"{name}.db")).add_pack("facts", os.urandom(50_000))
    os.utime(path.with_name("old.db"), (1, 1))
    CodeStore(path, most_bytes=150_000).add_tree("c", os.urandom(20_000))
    assert sorted(one.name for one in path.parent.iterdir()) == ["a.db", "new.db"]
    CodeStore(path, most_bytes=1).add_tree("c", b"t")
    assert [one.name for one in path.parent.iterdir()] == ["a.db"]


def test_worktrees_share_the_store_of_their_repository(tmp_path):
    (tmp_path / "work" / ".git" / "worktrees" / "other").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    link = tmp_path / "work" / ".git" / "worktrees" / "other"
    (tmp_path / "other" / ".git").write_text(f"gitdir: {link}\n")
    home = tmp_path / "home"
    work = store_path(home, str(tmp_path / "work"))
    assert store_path(home, str(tmp_path / "other")) == work
    assert store_path(home, str(tmp_path / "else")) != work
    assert store_path(home, "https://example.org/a/b") != work
    assert work.parent == home / "indexes"


def test_what_is_kept_with_a_tree_outlives_maps_and_goes_with_it(path):
    store = CodeStore(path)
    store.add_tree("c0", b"t")
    store.add_answer("c0", FILES, "its files")
    for number in range(code_store.MOST_ANSWERS + 1):
        store.add_answer("c0", f"map {number}", "m")
    assert store.answer("c0", "map 0") is None
    assert store.answer("c0", FILES) == "its files"
    for number in range(1, code_store.MOST_TREES + 1):
        store.add_tree(f"c{number}", b"t")
    assert store.answer("c0", FILES) is None


def test_asking_about_a_tree_is_using_it(path):
    store = CodeStore(path)
    for number in range(code_store.MOST_TREES):
        store.add_tree(f"c{number}", b"t")
    store.add_answer("c0", FILES, "its files")
    _execute(path, "UPDATE tree_use SET used = used - 7200")
    assert store.answer("c0", FILES) == "its files"
    store.add_tree("new", b"t")
    assert store.tree("c0") == b"t"

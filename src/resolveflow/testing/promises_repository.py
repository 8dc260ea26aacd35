"""What every source tree promises; each promise is given a repository that holds TREE and LINK."""

from resolveflow.domain.errors import RepositoryError
from resolveflow.ports import Repository

TREE: dict[str, bytes] = {
    "README.md": b"hello\n",
    "pkg/core.py": b"def go():\n    return 1\n",
    "pkg/empty.py": b"",
    "pkg/gödel.txt": b"caf\xe9\r\n",
}
LINK = ("pkg/link.md", b"../README.md")


async def refuses(attempt: object) -> str:
    """Await something that has to fail, and return the one line that says why."""
    try:
        await attempt  # type: ignore[misc]
    except RepositoryError as error:
        if "\n" in str(error):
            raise AssertionError("an error has to be one line") from error
        return str(error)
    raise AssertionError("RepositoryError was not raised")


async def lists_every_path_sorted(repository: Repository) -> None:
    """Entries are complete, sorted, and say kind and size."""
    entries = await repository.entries()
    assert [entry.path for entry in entries] == sorted([*TREE, LINK[0]])
    sizes = {entry.path: (entry.kind, entry.size) for entry in entries}
    assert sizes["pkg/core.py"] == ("file", len(TREE["pkg/core.py"]))
    assert sizes[LINK[0]] == ("symlink", len(LINK[1]))


async def reads_the_exact_bytes(repository: Repository) -> None:
    """Content is never decoded or converted, and a link is its target, never followed."""
    for path, data in (*TREE.items(), LINK):
        assert await repository.read(path) == data


async def refuses_what_is_not_in_the_tree(repository: Repository) -> None:
    """Nothing outside the listed paths can be named."""
    for path in (
        "nowhere.py",
        "",
        ".",
        "..",
        "../x",
        "/etc/passwd",
        "pkg",
        "pkg/../README.md",
        "a\0b",
    ):
        assert await refuses(repository.read(path))


async def gives_blobs_in_the_order_asked(repository: Repository) -> None:
    """Blobs come by id and in order; unknown ids are left out."""
    ids = {entry.path: entry.blob for entry in await repository.entries()}
    wanted = [ids["pkg/core.py"], "0" * 40, ids["README.md"]]
    found = [item async for item in repository.blobs(wanted)]
    assert found == [
        (ids["pkg/core.py"], TREE["pkg/core.py"]),
        (ids["README.md"], TREE["README.md"]),
    ]
    assert [item async for item in repository.blobs(())] == []


async def blames_only_lines_that_exist(repository: Repository) -> None:
    """Blame is empty or names commits, and refuses lines that are not there."""
    for commit in await repository.blame("pkg/core.py", 1, 2):
        assert commit.paths == ("pkg/core.py",)
    for start, end in ((0, 1), (2, 1), (1, 99)):
        await refuses(repository.blame("pkg/core.py", start, end))
    await refuses(repository.blame("nowhere.py", 1, 1))


async def bounds_its_history(repository: Repository) -> None:
    """History is newest first and no longer than asked."""
    commits = await repository.history(1)
    assert len(commits) <= 1
    for none in (0, -1):
        assert not await repository.history(none)
    times = [commit.time for commit in await repository.history(100)]
    assert times == sorted(times, reverse=True)


async def says_what_it_is(repository: Repository) -> None:
    """The reference names place, kind, commit and reason."""
    ref = repository.ref
    assert ref.location
    assert ref.reason
    assert (ref.kind == "git") != ref.commit.startswith("sha256:")


PROMISES = (
    lists_every_path_sorted,
    reads_the_exact_bytes,
    refuses_what_is_not_in_the_tree,
    gives_blobs_in_the_order_asked,
    blames_only_lines_that_exist,
    bounds_its_history,
    says_what_it_is,
)

"""The structural promises, each proven able to fail by a planted violation."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from resolveflow import ports
from resolveflow.domain import errors
from tests import architecture

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "resolveflow"
PYPROJECT = ROOT / "pyproject.toml"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package in which a test may plant something."""
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(PACKAGE, tmp_path / "src" / "resolveflow", ignore=ignored)


def plant(package: Path, path: str, code: str) -> None:
    """Append code to a module, which is made if there is none."""
    module = package / path
    module.parent.mkdir(exist_ok=True)
    before = module.read_text(encoding="utf-8") if module.exists() else ""
    module.write_text(f"{before}\n{code}\n", encoding="utf-8")


@pytest.mark.parametrize("check", architecture.CHECKS, ids=lambda check: check.__name__)
def test_the_tree_keeps_the_promise(check):
    assert check(PACKAGE) == []


PLANTED = {
    "a process in a step": (
        "external_imports",
        "steps/classify.py",
        "import subprocess",
    ),
    "a socket in intake": ("external_imports", "intake/kinds.py", "from socket import socket"),
    "an HTTP client in a step": ("external_imports", "steps/fetch.py", "import urllib.request"),
    "a client library in the service": ("external_imports", "service.py", "import httpx"),
    "a concrete path in the code rooms": (
        "external_imports",
        "codebase/files.py",
        "from pathlib import Path",
    ),
    "a model library in domain": ("external_imports", "domain/ai.py", "import pydantic_ai"),
    "a dynamic import": (
        "external_imports",
        "explore/plugin.py",
        "def f():\n    from importlib import import_module",
    ),
    "an open in a step": ("effects", "steps/classify.py", "def f(p):\n    return open(p).read()"),
    "a file read by a path": ("effects", "service.py", "def f(p):\n    return p.read_text()"),
    "a file written by a path": ("effects", "explore/x.py", "def f(p):\n    p.write_bytes(b'')"),
    "a process through asyncio": (
        "effects",
        "explore/x.py",
        "import asyncio\nasync def f():\n    await asyncio.create_subprocess_exec('ls')",
    ),
    "a connection through asyncio": (
        "effects",
        "graph.py",
        "import asyncio\nasync def f():\n    await asyncio.open_connection('h', 1)",
    ),
    "an import by name": ("effects", "intake/x.py", "__import__('o' + 's')"),
    "an eval": ("effects", "domain/x.py", "eval('1')"),
    "a second function that takes the writer": (
        "second_holders",
        "steps/draft_proposal.py",
        "async def f(action, *, open_writer):\n    async with open_writer(None):\n        pass",
    ),
    "a second function that takes the vault": (
        "second_holders",
        "service.py",
        "async def f(vault):\n    return await vault.token(1)",
    ),
    "a renamed writer, by its annotation": (
        "second_holders",
        "explore/x.py",
        "from resolveflow import ports\nasync def f(w: ports.GitHubWriter): ...",
    ),
    "a door that takes the writer's type": (
        "second_holders",
        "entrypoints/cli/x.py",
        "from resolveflow.ports import OpenWriter as O",
    ),
    "a second caller of the write": (
        "second_callers",
        "steps/independent_review.py",
        "async def f(x):\n    await x.post_comment(1, 'hi')",
    ),
    "a second label writer": (
        "second_callers",
        "entrypoints/cli/x.py",
        "async def f(x):\n    add = x.add_labels\n    await add(1, [])",
    ),
    "a second caller of execute": (
        "second_callers",
        "entrypoints/cli/x.py",
        "from resolveflow.steps import execute",
    ),
    "a step that calls execute": (
        "second_callers",
        "steps/x.py",
        "from resolveflow.steps.execute import execute as e",
    ),
    "an import of the writer": (
        "writer_loads",
        "bootstrap.py",
        "def f():\n    from resolveflow.backends import github_writer",
    ),
    "an import of the writer by a backend": (
        "writer_loads",
        "backends/x.py",
        "from resolveflow.backends.github_writer import open_writer",
    ),
    "the writer by name": (
        "writer_loads",
        "bootstrap.py",
        "NAME = 'resolveflow.backends.github_writer:open_writer'",
    ),
    "its entry points from a door": (
        "writer_loads",
        "entrypoints/cli/x.py",
        "from importlib import metadata\nmetadata.entry_points(group='resolveflow.github_writers')",
    ),
    "a write verb on the reader": (
        "reader_verbs",
        "backends/github_reader.py",
        "async def f(client):\n    await client.post('/x')",
    ),
    "a reader on a transport that writes": (
        "readers_that_could_write",
        "backends/github_reader.py",
        "def f(url):\n    return open_client(BearerTransport(None, url), url, timeout=1)",
    ),
    "a write method in the reader's request": (
        "reader_verbs",
        "backends/github_reader.py",
        "async def f(client):\n    await client.request('PATCH', '/x')",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_violation_is_caught(name, copy):
    check, path, code = PLANTED[name]
    plant(copy, path, code)

    found = getattr(architecture, check)(copy)

    assert any(line.startswith(f"{path}:") for line in found), found


def test_every_check_has_a_planted_violation():
    assert {check.__name__ for check in architecture.CHECKS} == {row[0] for row in PLANTED.values()}


def lint_imports(package: Path) -> tuple[int, str]:
    """Run the import contracts of pyproject.toml on a copy of the package."""
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache", PYPROJECT],
        cwd=package.parent,  # comes before the installed package on the path
        env={"PYTHONUTF8": "1"},  # no more: the copy's lines are nobody's coverage
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr


def test_import_contracts_catch_what_is_planted(copy):
    plant(copy, "domain/planted.py", "from resolveflow import ports")
    plant(copy, "entrypoints/planted.py", "from resolveflow.backends import github_writer")
    plant(copy, "steps/planted.py", "import langgraph.graph")
    plant(copy, "entrypoints/tools/planted.py", "from resolveflow.entrypoints.cli import app")

    code, output = lint_imports(copy)

    assert code == 1
    assert "resolveflow.domain.planted -> resolveflow.ports" in output
    assert "resolveflow.entrypoints.planted -> resolveflow.backends.github_writer" in output
    assert "resolveflow.steps.planted -> langgraph" in output
    assert "resolveflow.entrypoints.tools.planted -> resolveflow.entrypoints.cli" in output


def test_a_new_room_fails_until_it_is_placed(copy):
    plant(copy, "attic/__init__.py", "")

    code, output = lint_imports(copy)

    assert code == 1
    assert "- resolveflow.attic" in output


def test_the_drawn_error_tree_is_the_error_tree():
    drawn = re.findall(r"(?m)^((?:[│ ]   )*[├└]── |)(\w+)", errors.__doc__ or "")
    drawn_parents: dict[str, str] = {}
    path: list[str] = []
    for prefix, name in drawn:
        if not hasattr(errors, name):
            continue
        path = [*path[: len(prefix) // 4], name]
        drawn_parents[name] = path[-2] if len(path) > 1 else "Exception"

    real = {
        name: cls.__bases__[0].__name__
        for name, cls in vars(errors).items()
        if isinstance(cls, type) and cls.__module__ == errors.__name__
    }

    assert drawn_parents == real


def test_exit_codes_are_a_contract():
    assert errors.ResolveFlowError.exit_code == 1
    assert errors.BadInput.exit_code == 2
    assert errors.Unavailable.exit_code == 3
    assert errors.Refused.exit_code == 1


def test_the_ports_are_pinned():
    protocols = {
        name
        for name, value in vars(ports).items()
        if getattr(value, "_is_protocol", False) and value.__module__ == ports.__name__
    }

    assert protocols == {
        "CaseStore",
        "CodeIndex",
        "Explorer",
        "GitHubReader",
        "GitHubWriter",
        "KnowledgeStore",
        "Model",
        "OpenRepository",
        "Repository",
        "TokenVault",
    }

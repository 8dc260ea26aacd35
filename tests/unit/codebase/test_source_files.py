import pytest

from resolveflow.codebase.source_files import importance, is_source


@pytest.mark.parametrize(
    "path",
    ["a.py", "src/app/mod.rs", "lib/testing/client.py", "lib/contest.js", "docs.py", "x/latest.go"],
)
def test_source(path: str) -> None:
    assert is_source(path)


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "Makefile",
        "tests/test_a.py",
        "src/a.test.js",
        "src/test/java/A.java",
        "A/ATests.cs",
        "testing/a.py",
        "docs/conf.py",
        "node_modules/a/index.js",
        "lib/a.min.js",
        "conftest.py",
        "examples/a.py",
    ],
)
def test_no_source_of_a_cause(path: str) -> None:
    assert not is_source(path)


@pytest.mark.parametrize("path", ["scripts/a.js", "types/index.d.ts", "setup.py", "gulpfile.js"])
def test_tooling_and_declarations_matter_less(path: str) -> None:
    assert importance(path) < importance("src/scripting.js") == 1

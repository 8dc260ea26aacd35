import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.codebase.frames import MOST_AMBIGUOUS, PathIndex
from resolveflow.domain.crash import Frame

TREE = PathIndex(
    [
        "app.js",
        "src/requests/sessions.py",
        "src/requests/__init__.py",
        "src/requests/adapters.py",
        "core/src/main/java/com/acme/io/Reader.java",
        "core/src/main/java/com/acme/net/Reader.java",
        "cli/src/main/kotlin/com/acme/cli/Runner.kt",
        "lib/linter/linter.js",
        "lib/index.js",
        "packages/layout/src/text/wrap.ts",
        "src/app/parser.rs",
        "src/app/mod.rs",
        "tests/test_sessions.py",
        "web/lib/my_app/accounts/user.ex",
        "lib/src/router.dart",
        "lib/main.dart",
        "cmd/root.go",
        "deep/a/option.rs",
        "src/option.rs",
    ]
)


@pytest.mark.parametrize(
    ("frame", "paths"),
    [
        (Frame(file="src/requests/sessions.py"), ["src/requests/sessions.py"]),
        (Frame(file="/home/me/requests/src/requests/sessions.py"), ["src/requests/sessions.py"]),
        (
            Frame(file="/usr/lib/python3.9/site-packages/requests/sessions.py"),
            ["src/requests/sessions.py"],
        ),
        (
            Frame(file=r"C:\Python39\Lib\site-packages\requests\sessions.pyc"),
            ["src/requests/sessions.py"],
        ),
        (Frame(file="/usr/lib/python3/dist-packages/other/sessions.py"), []),
        (Frame(file="/usr/lib/python3.8/json/adapters.py"), []),
        (Frame(file="sessions.py"), ["src/requests/sessions.py"]),
        (Frame(file="/srv/elsewhere/sessions.py"), []),
        (Frame(file="/srv/elsewhere/app.js"), ["app.js"]),
        (
            Frame(file="Reader.java", module="com.acme.net.Reader$Inner", function="read"),
            ["core/src/main/java/com/acme/net/Reader.java"],
        ),
        (
            Frame(file="Reader.java", function="com.acme.io.Reader.read"),
            ["core/src/main/java/com/acme/io/Reader.java"],
        ),
        (
            Frame(file="Reader.java"),
            [
                "core/src/main/java/com/acme/io/Reader.java",
                "core/src/main/java/com/acme/net/Reader.java",
            ],
        ),
        (Frame(file="Reader.java", function="java.io.Reader.read"), []),
        (
            Frame(function="com.acme.cli.RunnerKt.main"),
            ["cli/src/main/kotlin/com/acme/cli/Runner.kt"],
        ),
        (Frame(file="/w/node_modules/eslint/lib/linter/linter.js"), ["lib/linter/linter.js"]),
        (Frame(file="/w/node_modules/.pnpm/x@1/node_modules/lib/index.js"), ["lib/index.js"]),
        (Frame(file="/w/node_modules/other/index.js"), []),
        (
            Frame(file="webpack:///./packages/layout/src/text/wrap.ts?a1b2"),
            ["packages/layout/src/text/wrap.ts"],
        ),
        (
            Frame(file="/w/node_modules/@acme/layout/lib/text/wrap.js"),
            ["packages/layout/src/text/wrap.ts"],
        ),
        (Frame(file="/w/node_modules/@acme/pdf/lib/wrap.js"), []),
        (Frame(file="/w/dist/text/wrap.js"), ["packages/layout/src/text/wrap.ts"]),
        (Frame(file="http://localhost:9876/base/lib/linter/linter.js"), ["lib/linter/linter.js"]),
        (
            Frame(file="/root/.cargo/registry/src/github.com-1ecc/clap-2.33.0/src/app/parser.rs"),
            ["src/app/parser.rs"],
        ),
        (Frame(function="clap::app::parser::Parser::next"), ["src/app/parser.rs"]),
        (Frame(file="/rustc/abc/library/core/src/option.rs"), []),
        (Frame(function="MyApp.Accounts.User.changeset"), ["web/lib/my_app/accounts/user.ex"]),
        (Frame(file="package:acme/src/router.dart"), ["lib/src/router.dart"]),
        (Frame(file="package:acme/main.dart"), ["lib/main.dart"]),
        (Frame(file="/go/pkg/mod/github.com/acme/tool@v1.2.3/cmd/root.go"), ["cmd/root.go"]),
        (Frame(file="<frozen importlib>", function="exec_module"), []),
        (Frame(file="node:internal/timers"), []),
        (Frame(function="linter"), []),
        (Frame(), []),
    ],
)
def test_a_frame_resolves_to_the_files_it_may_be_in(frame: Frame, paths: list[str]) -> None:
    assert TREE.resolve(frame) == tuple(paths)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see `src/requests/sessions.py:12`,", ["src/requests/sessions.py"]),
        ("In sessions.py and app.js.", ["src/requests/sessions.py", "app.js"]),
        ("https://github.com/o/r/blob/v1/lib/linter/linter.js#L10", ["lib/linter/linter.js"]),
        ("require('lib/linter/linter')", ["lib/linter/linter.js"]),
        ("requests.sessions.Session.get fails", ["src/requests/sessions.py"]),
        ("tests/test_sessions.py::TestGet::test_one", ["tests/test_sessions.py"]),
        ("clap::app::parser panics", ["src/app/parser.rs"]),
        ("e.g. v1.2.3, etc. and some/where/else.py", []),
        ("sessions linter parser", []),
    ],
)
def test_a_text_names_files(text: str, paths: list[str]) -> None:
    assert TREE.named_in(text) == tuple(paths)


def test_what_means_too_many_files_means_none() -> None:
    index = PathIndex(f"pkg{i}/__init__.py" for i in range(MOST_AMBIGUOUS + 1))
    assert index.resolve(Frame(file="__init__.py")) == ()
    assert index.resolve(Frame(file="/x/pkg3/__init__.py")) == ("pkg3/__init__.py",)


@pytest.mark.parametrize(
    "text",
    [
        "a/" * 950 + "x" * 39,
        "a" * 1939,
        "a.b/" * 500,
        "../" * 600,
        ":" * 2000,
        "x:" * 1000,
        "C:\\" * 600,
        "\u202e\u0000\ud800" * 600,
        " ".join(f"d{i}/__init__.py" for i in range(200)),
    ],
)
def test_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    index = PathIndex(f"pkg{i}/a/__init__.py" for i in range(2000))
    started = time.process_time()
    index.named_in(text * 4)
    index.resolve(Frame(file=text, function=text))
    # Backtracking takes minutes on these; the bound is loose so that a slow machine passes.
    assert time.process_time() - started < 5


@given(st.text(max_size=400), st.text(max_size=100))
def test_any_text_only_yields_paths_of_the_tree(text: str, name: str) -> None:
    paths = {"a/b.py", "b.py", "a/__init__.py"}
    index = PathIndex(paths)
    assert set(index.named_in(text)) <= paths
    assert set(index.resolve(Frame(file=text, function=name, module=name))) <= paths


@given(st.lists(st.from_regex(re.compile(r"[a-z]{1,3}", re.ASCII), fullmatch=True), min_size=2))
def test_a_path_of_the_tree_resolves_to_itself(parts: list[str]) -> None:
    path = "/".join(parts) + ".py"
    assert PathIndex([path, "other/thing.py"]).resolve(Frame(file=path)) == (path,)

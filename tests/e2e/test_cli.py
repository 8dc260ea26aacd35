"""The command line as scripts and people use it, on real backends and the stand-in for GitHub."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from resolveflow.entrypoints.cli import main
from tests.git_trees import commit

PROGRAM = Path(sys.executable).parent / "resolveflow"
SOURCE = """\
def load(text):
    parts = text.split("=")
    return parts[0], parse(parts[1])


def parse(value):
    return int(value)
"""
CRASH = """\
Our settings stop loading with shop 1.0 on Python 3.11 as soon as a value is empty.

```
Traceback (most recent call last):
  File "/srv/app/main.py", line 3, in <module>
    settings.load("limit=")
  File "/srv/app/.venv/lib/python3.11/site-packages/shop/settings.py", line 3, in load
    return parts[0], parse(parts[1])
  File "/srv/app/.venv/lib/python3.11/site-packages/shop/settings.py", line 7, in parse
    return int(value)
ValueError: invalid literal for int() with base 10: ''
```
"""
COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
ISSUES = [
    {"number": 1, "title": "ValueError for an empty value", "body": CRASH, "user": "ann"},
    {
        "number": 2,
        "title": "CI is red",
        "body": f"The tests fail since commit {COMMIT}.",
        "user": "ann",
    },
    {
        "number": 3,
        "title": "Security vulnerability: settings are evaluated as code",
        "body": "A crafted settings file allows remote code execution.",
        "user": "ann",
    },
    {"number": 4, "title": "Which licence is it?", "user": "ann"},
]
WORLD = {
    "users": [
        {"login": "mona", "tokens": [{"value": "mona-token"}]},
        {"login": "reader", "tokens": [{"value": "reader-token", "access": "read"}]},
        {"login": "tim", "tokens": [{"value": "tim-token"}]},
    ],
    "repositories": [
        {
            "owner": "o",
            "name": "r",
            "rights": {"mona": "write"},
            "issues": ISSUES,
            "commits": {COMMIT: {"check_runs": [{"name": "tests", "conclusion": "failure"}]}},
        }
    ],
    "faults": [
        {"kind": "timeout", "method": "GET", "path": "*/issues/9", "times": 9},
        {"kind": "secondary_limit", "method": "GET", "path": "*/issues/4", "retry_after": "1"},
    ],
}


@dataclass
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


Command = Callable[..., Done]


@pytest.fixture
def github(tmp_path: Path) -> Iterator[str]:
    """The stand-in in a process of its own; gives its address."""
    seed = tmp_path / "seed.json"
    seed.write_text(json.dumps(WORLD))
    command = [sys.executable, "-m", "resolveflow.testing.github_standin"]
    command += ["--state", tmp_path / "github", "--seed", seed]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        yield json.loads(server.stdout.readline())["url"]
        server.terminate()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree in which the crash resolves."""
    package = tmp_path / "tree" / "shop"
    package.mkdir(parents=True)
    (package / "settings.py").write_text(SOURCE)
    return package.parent


@pytest.fixture
def cli(
    github: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run a command in this process, as the installed program would."""
    for name, value in environment(github, tmp_path).items():
        monkeypatch.setenv(name, value)

    def command(*arguments: str) -> Done:
        capsys.readouterr()
        try:
            main(arguments)
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        return Done(code, *capsys.readouterr())

    return command


def environment(github: str, tmp_path: Path) -> dict[str, str]:
    return {
        "RESOLVEFLOW_HOME": str(tmp_path / "home"),
        "RESOLVEFLOW_GITHUB_API_URL": github,
        "RESOLVEFLOW_GITHUB_WEB_URL": github,
        "RESOLVEFLOW_GITHUB_TOKEN": "reader-token",
        "RESOLVEFLOW_GITHUB_SETTLE": "0.2",
        "RESOLVEFLOW_GITHUB_MAX_WAIT": "1",
    }


def state(tmp_path: Path) -> list[str]:
    """The comments on issue 1, and every write that was asked for."""
    world = json.loads((tmp_path / "github" / "state.json").read_text())
    return [comment["body"] for comment in world["repositories"][0]["issues"][0]["comments"]]


def one_error(done: Done) -> str:
    """The one line that says what is wrong."""
    progress = ("  ✓ ", "  … ")
    lines = [line for line in done.err.splitlines() if not line.startswith(progress)]
    assert len(lines) == 1, done.err
    assert lines[0].startswith("error: ")
    assert "Traceback" not in done.err
    assert done.out == ""
    return lines[0]


def test_from_report_to_one_comment(cli, github, tree, tmp_path, monkeypatch):
    ran = cli("run", f"{github}/o/r/issues/1", "--repo", str(tree), "--json")

    assert ran.code == 0, ran.err
    case = ran.json
    assert case["status"] == "awaiting_approval"
    assert case["target"] == "o/r#1"
    assert case["triage"]["route"] == "ai_investigation"
    assert case["diagnosis"]["affected_files"][0]["path"] == "shop/settings.py"
    assert case["review"]["outcome"] == "approve"
    assert [line.split()[1] for line in ran.err.splitlines()] == [
        "fetch_evidence",
        "normalize_evidence",
        "classify",
        "generate_diagnosis",
        "verify_diagnosis",
        "independent_review",
        "draft_proposal",
    ]
    assert state(tmp_path) == []

    listed = cli("inbox", "--json").json["cases"]
    assert [(it["id"], it["digest"]) for it in listed] == [
        (case["id"], case["proposed_action"]["digest"])
    ]
    assert case["id"][:12] in cli("inbox").out
    shown = cli("show", case["id"][:6])
    assert case["proposed_action"]["digest"] in shown.out
    assert "shop/settings.py:" in shown.out
    assert cli("show", case["id"], "--report").out.startswith("# ")
    assert cli("show", case["id"], "--json").json == case

    decision = ("approve", case["id"], "--digest", case["proposed_action"]["digest"], "--yes")
    assert "RESOLVEFLOW_APPROVER_TOKEN" in one_error(cli(*decision))
    monkeypatch.setenv("RESOLVEFLOW_APPROVER_TOKEN", "mona-token")
    wrong = cli("approve", case["id"], "--digest", "0" * 64, "--yes")
    assert wrong.code == 1
    assert "digest" in one_error(wrong)
    assert state(tmp_path) == []

    posted = cli(*decision, "--json")
    assert posted.code == 0, posted.err
    assert posted.json["status"] == "posted"
    assert posted.json["resolution"]["approver"]["login"] == "mona"
    assert state(tmp_path) == [case["proposed_action"]["comment"]]
    assert cli("inbox").out == "Nothing waits.\n"

    again = cli(*decision)
    assert again.code == 1
    one_error(again)
    assert len(state(tmp_path)) == 1


UNUSABLE = {
    "no repository": (("--repo", "/nowhere/repository"), {}, 2, "does not exist"),
    "no such commit": (("--repo", "{git}", "--commit", "nonesuch"), {}, 2, "no commit 'nonesuch'"),
    "no connection": (("--repo", "https://127.0.0.1:1/o/r"), {}, 3, "could not be cloned"),
    "a model without a key": (
        (),
        {"RESOLVEFLOW_MODEL": "openai:gpt-4o-mini"},
        2,
        "RESOLVEFLOW_MODEL_API_KEY or OPENAI_API_KEY",
    ),
    "no such provider": ((), {"RESOLVEFLOW_MODEL": "nope:x"}, 2, "'nope' is no known provider"),
    "no such model": (
        (),
        {"RESOLVEFLOW_MODEL": "openai:gpt-4o-mini", "RESOLVEFLOW_REVIEW_MODEL": "x"},
        2,
        "write provider:name",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_cannot_be_used_leaves_no_case(name, cli, tmp_path, monkeypatch):
    options, variables, code, says = UNUSABLE[name]
    commit(tmp_path / "git", {"a.py": b"one\n"}, day=1)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    log = tmp_path / "crash.log"
    log.write_text(CRASH)

    done = cli("run", str(log), *[it.replace("{git}", str(tmp_path / "git")) for it in options])

    assert done.code == code
    assert says in one_error(done)
    assert "✓" not in done.err
    for variable in variables:
        monkeypatch.delenv(variable)
    assert cli("inbox").out == "Nothing waits.\n"


def test_a_repository_that_a_trace_is_not_of_is_told(cli, tmp_path):
    commit(tmp_path / "git", {"other.py": b"one\n"}, day=1)
    log = tmp_path / "crash.log"
    log.write_text(CRASH)

    ran = cli("run", str(log), "--repo", str(tmp_path / "git"))

    assert "none of its stack trace's files is in" in ran.out
    assert "is that the right repository?" in cli("inbox").out


def test_without_github_an_issue_to_answer_is_told_with_the_way_round(
    cli, github, tree, tmp_path, monkeypatch
):
    log = tmp_path / "crash.log"
    log.write_text(CRASH)
    monkeypatch.setenv("RESOLVEFLOW_GITHUB_API_URL", "http://127.0.0.1:1")

    ran = cli("run", str(log), "--repo", str(tree), "--issue", "o/r#1")

    assert ran.code == 3
    assert "without --issue the report is investigated all the same" in one_error(ran)
    (case,) = cli("inbox", "--json").json["cases"]
    assert f"`resolveflow resume {case['id']}` goes on" in ran.err
    assert (case["status"], case["target"]) == ("failed", "o/r#1")
    listed = cli("inbox").out
    assert "o/r#1" in listed
    assert "could not be read" in listed


def test_one_issue_gets_one_comment_of_a_kind(cli, github, tmp_path, monkeypatch):
    first, second = [cli("run", f"{github}/o/r/issues/2", "--json").json for _ in range(2)]
    monkeypatch.setenv("RESOLVEFLOW_APPROVER_TOKEN", "mona-token")

    def approve(case):
        digest = case["proposed_action"]["digest"]
        return cli("approve", case["id"], "--digest", digest, "--yes")

    assert approve(first).code == 0
    refused = approve(second)
    assert refused.code == 1
    assert f"case {first['id']} has already been posted for o/r#2" in one_error(refused)
    assert cli("reject", second["id"], "--reason", "a duplicate").code == 0


def test_without_the_right_to_label_the_comment_stands(cli, github, tmp_path, monkeypatch):
    case = cli("run", f"{github}/o/r/issues/2", "--json").json
    assert case["triage"]["route"] == "deterministic"
    assert "tests" in case["proposed_action"]["comment"]
    monkeypatch.setenv("RESOLVEFLOW_APPROVER_TOKEN", "tim-token")

    done = cli("approve", case["id"], "--digest", case["proposed_action"]["digest"], "--yes")

    assert done.code == 0
    assert "partial: " in done.out
    assert "Must have admin rights to Repository." in done.out


def test_high_impact_is_for_a_person(cli, github):
    case = cli("run", f"{github}/o/r/issues/3", "--json").json

    assert case["status"] == "human_review"
    assert case["proposed_action"] is None
    refused = cli("approve", case["id"], "--digest", "0" * 64, "--yes")
    assert refused.code == 1
    one_error(refused)
    assert "Nothing is proposed" in cli("show", case["id"]).out


def test_reject_and_resume(cli, github, tmp_path):
    case = cli("run", f"{github}/o/r/issues/2", "--json").json

    again = cli("resume", case["id"], "--json")
    assert again.json["status"] == "awaiting_approval"
    rejected = cli("reject", case["id"], "--reason", "a known failure", "--json")
    assert rejected.json["status"] == "rejected"
    assert cli("resume", case["id"]).code == 1
    assert "a known failure" in cli("show", case["id"]).out
    assert state(tmp_path) == []


def test_a_file_is_answered_where_it_is_told(cli, github, tree, tmp_path):
    log = tmp_path / "crash.log"
    log.write_text(CRASH)

    alone = cli("run", str(log), "--repo", str(tree), "--json").json
    assert (alone["status"], alone["target"]) == ("human_review", None)
    assert alone["diagnosis"]["affected_files"][0]["path"] == "shop/settings.py"

    told = cli("run", str(log), "--repo", str(tree), "--issue", "o/r#1", "--json").json
    assert (told["status"], told["target"]) == ("awaiting_approval", "o/r#1")


BAD = {
    "not a link": (("run", "https://evil.example/o/r/issues/1"), 2),
    "a pull request": (("run", "{github}/o/r/pull/1"), 2),
    "a discussion": (("run", "{github}/o/r/discussions/1"), 2),
    "a missing issue": (("run", "{github}/o/r/issues/99"), 1),
    "a missing file": (("run", "/nowhere/crash.log"), 2),
    "a folder": (("run", "/"), 2),
    "an empty name": (("run", ""), 2),
    "a name with a NUL": (("run", "a\0b"), 2),
    "a surrogate": (("run", "\udcff"), 2),
    "a wrong target": (("run", "{github}/o/r/issues/1", "--issue", "nonsense"), 2),
    "a repository that is none": (
        ("run", "{github}/o/r/issues/1", "--repo", "/nowhere/repository"),
        2,
    ),
    "an unknown case": (("show", "ffff"), 2),
    "an unknown case to approve": (("approve", "ffff", "--digest", "0", "--yes"), 2),
    "an unknown case to reject": (("reject", "ffff", "--reason", "x"), 2),
    "an unknown case to resume": (("resume", "ffff"), 2),
    "a yes to nothing in particular": (("approve", "ffff", "--yes"), 2),
    "no terminal to ask in": (("approve", "ffff"), 2),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line(name, cli, github):
    arguments, code = BAD[name]

    done = cli(*(argument.replace("{github}", github) for argument in arguments))

    one_error(done)
    assert done.code == code


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "empty"), (b" \n", "empty"), (b"\0\1\2" * 99, "binary")]
)
def test_a_file_that_is_no_report(content, says, cli, tmp_path):
    file = tmp_path / "report"
    file.write_bytes(content)

    done = cli("run", str(file))

    assert done.code == 2
    assert says in one_error(done)


def test_a_setting_that_cannot_be_used(cli, monkeypatch):
    monkeypatch.setenv("RESOLVEFLOW_GITHUB_MAX_WAIT", "soon")

    done = cli("inbox")

    assert done.code == 2
    assert "RESOLVEFLOW_GITHUB_MAX_WAIT" in one_error(done)


def test_an_unwritable_home(cli, monkeypatch, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("RESOLVEFLOW_HOME", str(file / "home"))

    done = cli("inbox")

    assert done.code in (2, 3)
    one_error(done)


def test_doctor(cli, monkeypatch):
    done = cli("doctor", "--json")
    assert done.code == 0, done.out
    found = {finding["name"]: finding for finding in done.json["findings"]}
    assert "reader" in found["github"]["detail"]
    assert found["model"]["ok"] is None

    monkeypatch.delenv("RESOLVEFLOW_GITHUB_TOKEN")
    monkeypatch.setenv("RESOLVEFLOW_EXPLORER", "nonesuch")
    done = cli("doctor")
    assert done.code == 1
    assert "no token" in done.out
    assert "✗ explorer" in done.out
    assert "nonesuch" in done.out


def at_terminal(*arguments: str, answer: bytes) -> tuple[int, str]:
    """Run the program in a terminal; give `answer` to its question, if it asks."""
    parent, child = pty.openpty()
    process = subprocess.Popen([PROGRAM, *arguments], stdin=child, stdout=child, stderr=child)
    os.close(child)
    text = b""
    with suppress(OSError):  # how Linux says that the other end is closed
        while chunk := os.read(parent, 4096):
            text += chunk
            if answer and b"as yourself?" in text:
                os.write(parent, answer)
                answer = b""
    os.close(parent)
    return process.wait(60), text.decode()


def test_approving_in_a_terminal_shows_the_bytes_and_asks(cli, github, monkeypatch):
    case = cli("run", f"{github}/o/r/issues/2", "--json").json
    monkeypatch.setenv("RESOLVEFLOW_APPROVER_TOKEN", "mona-token")

    code, text = at_terminal("approve", case["id"], answer=b"n\n")
    assert code == 1
    assert case["proposed_action"]["digest"] in text
    assert case["proposed_action"]["comment"].splitlines()[0] in text
    assert "Traceback" not in text
    assert cli("show", case["id"], "--json").json["status"] == "awaiting_approval"

    code, text = at_terminal("approve", case["id"], "--digest", "0" * 64, answer=b"y\n")
    assert code == 1
    assert "another digest" in text

    code, text = at_terminal("approve", case["id"], answer=b"y\n")
    assert code == 0
    assert cli("show", case["id"], "--json").json["status"] == "posted"


def test_a_terminal_asks_nothing_where_nothing_is_proposed(cli, github):
    case = cli("run", f"{github}/o/r/issues/3", "--json").json

    code, text = at_terminal("approve", case["id"], answer=b"y\n")

    assert code == 1
    assert "nothing can be approved" in text


def test_a_wait_for_github_is_said(cli, github):
    done = cli("run", f"{github}/o/r/issues/4", "--json")

    assert done.code == 0, done.err
    assert "waiting 1 s" in done.err
    assert json.loads(done.out)["id"]


def test_a_report_from_standard_input(cli, tree, tmp_path):
    command = [PROGRAM, "run", "-", "--repo", tree, "--json"]

    ran = subprocess.run(command, input=CRASH, capture_output=True, text=True, check=True)

    assert json.loads(ran.stdout)["triage"]["kind"] == "crash"


def test_the_version(cli):
    assert cli("--version").out.startswith("resolveflow ")


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [PROGRAM, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_request(log: Path, path: str) -> None:
    """Return when the stand-in has been asked for `path`."""
    deadline = time.monotonic() + 60
    while not log.exists() or path not in log.read_text():
        assert time.monotonic() < deadline, "the program asked for nothing"
        time.sleep(0.05)


def test_an_interrupt_loses_nothing(cli, github, tmp_path):
    with start("run", f"{github}/o/r/issues/9") as process:
        wait_for_request(tmp_path / "github" / "requests.jsonl", "/issues/9")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "Interrupted" in err
    assert "Traceback" not in err
    assert [case["status"] for case in cli("inbox", "--json").json["cases"]] == ["running"]


def test_a_reader_that_goes_away(cli):
    with start("inbox", "--json") as process:
        process.stdout.close()
        err = process.stderr.read()
        process.wait(60)

    assert "Traceback" not in err

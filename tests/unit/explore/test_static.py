from collections.abc import Sequence

import pytest

from resolveflow.domain.crash import Crash, Frame
from resolveflow.domain.diagnosis import Citation, Diagnosis
from resolveflow.domain.exploration import Budget, Exploration, Passage, Suspect, Symbol
from resolveflow.domain.report import IssueEvidence
from resolveflow.explore.account import LEAST_CONFIDENCE, RECORD, confidence
from resolveflow.explore.citations import check_citations
from resolveflow.explore.conclusion import CodeSupport, ExplorationReport
from resolveflow.explore.report_reading import parse
from resolveflow.explore.static import MOST_SUSPECTS, StaticExplorer
from resolveflow.explore.word_account import LEAST_SCORE
from resolveflow.testing.memory_repository import MemoryRepository
from tests.unit.explore.trees import (
    BASKET_JS,
    CELLS,
    CELLS_TRACE,
    FIX,
    FORMATS,
    IMPORT,
    JAVA,
    JAVASCRIPT,
    PYTHON,
    READER_JAVA,
    cells_crash,
    number_of,
    report,
    suspect,
    tree,
)

# What tells nothing of the cause is quoted by no citation.
INFORMATION = ("The last commits that touched", "Touched ", "Calls of something named")
CELLS_SUSPECT = suspect("pkg/cells.py", 0.9, Symbol(name="wrap_cells", start_line=11, end_line=16))


async def explore(
    repository: MemoryRepository,
    evidence: IssueEvidence,
    suspects: Sequence[Suspect] = (),
    passages: Sequence[Passage] = (),
) -> tuple[ExplorationReport, Exploration]:
    exploration = await StaticExplorer().explore(evidence, passages, repository, suspects, Budget())
    found = parse(exploration.report)
    await assert_that_every_quote_holds(found, repository)
    return found, exploration


async def assert_that_every_quote_holds(
    found: ExplorationReport, repository: MemoryRepository
) -> None:
    supports = [support for finding in found.findings for support in finding.supports]
    citations = [
        Citation(kind="code", quote="\n".join(one.lines), **_place(one))
        for one in supports
        if isinstance(one, CodeSupport)
    ]
    diagnosis = Diagnosis(
        root_cause="x", severity="low", complexity="low", risk="low", citations=tuple(citations)
    )
    checked = await check_citations(diagnosis, repository, (), None, report="")
    assert [citation.reason for citation in checked.citations if not citation.ok] == []
    for finding in found.findings:
        assert bool(finding.supports) != finding.claim.startswith(INFORMATION)


def _place(support: CodeSupport) -> dict[str, object]:
    return support.model_dump(include={"path", "start_line", "end_line"})


async def test_a_python_crash_is_told_by_its_frame_its_caller_and_what_its_line_calls() -> None:
    lines = CELLS.count("\n")
    repository = tree(PYTHON, commits=(FIX, IMPORT), blamed={"pkg/cells.py": [IMPORT] * lines})
    evidence = report(
        repository, list(PYTHON), title="Crash", body=CELLS_TRACE, crashes=[cells_crash()]
    )
    found, exploration = await explore(repository, evidence, [CELLS_SUSPECT])
    line = number_of(CELLS, "caster(cell)[:width]")
    call = number_of(CELLS, "yield")
    assert found.root_cause == (
        f"`TypeError: NoneType takes no arguments` is raised at pkg/cells.py:{line} in "
        f"`wrap_cells`, called from `lines` (line {call}). "
        "The line is `wrapped.append(caster(cell)[:width])`."
    )
    assert (found.severity, found.complexity, found.risk) == ("medium", "low", "medium")
    [place] = found.affected_files
    assert (place.path, place.symbol) == ("pkg/cells.py", "wrap_cells")
    assert place.start_line == number_of(CELLS, "def wrap_cells")
    claims = [finding.claim for finding in found.findings]
    assert "the report prints the same line" in claims[0]
    assert f"`caster` of that line gets its value at pkg/cells.py:{line - 1}." in claims
    assert f"`cell` of that line gets its value at pkg/cells.py:{line - 2}." in claims
    assert claims[-1] == (
        f"The last commits that touched pkg/cells.py:{line} in `wrap_cells`, which are no cause by "
        f"themselves:\nline {line}: bbbbbbbbbbbb of 2025-01-02: Import the table"
    )
    assert found.next_steps[1] == (
        "Read what the last commit there changed, bbbbbbbbbbbb of 2025-01-02: Import the table"
    )
    assert exploration.read == ("pkg/cells.py",)
    assert "Nothing was run" in found.not_examined[0]


async def test_the_line_of_a_called_function_that_speaks_of_the_failure_is_told() -> None:
    kind = "def _kind(x):\n    if x is None:\n        return type(None)\n\n\n"
    files = {"a.py": f"{kind}def go(x):\n    return _kind(x)(x)\n"}
    repository = tree(files)
    crash = Crash(
        type="TypeError",
        message="NoneType takes no arguments",
        frames=(Frame(function="go", file="a.py", line=7),),
    )
    found, _ = await explore(repository, report(repository, list(files), crashes=[crash]))
    assert found.root_cause is not None
    assert found.root_cause.endswith(
        "`_kind`, which it calls (a.py:1-3), has at line 3 `return type(None)`."
    )


async def test_a_method_of_another_object_is_not_taken_for_one_of_the_same_name() -> None:
    files = {
        "a.js": "function go(stack) {\n  return stack.execute(known(1));\n}\n",
        "b.js": "function execute() {\n  return brokenThing();\n}\nfunction known() {\n}\n",
    }
    crash = Crash(
        type="Error", message="broken thing", frames=(Frame(function="go", file="a.js", line=2),)
    )
    repository = tree(files)
    evidence = report(repository, list(files), crashes=[crash])
    suspects = [suspect("b.js", 0.1)]
    found, _ = await explore(repository, evidence, suspects)
    assert not [one for one in found.findings if "The line calls" in one.claim]
    files["a.js"] += "const { known } = require('./b');\n"
    repository = tree(files)
    found, _ = await explore(repository, evidence, suspects)
    [called] = [one.claim for one in found.findings if "The line calls" in one.claim]
    assert called == "The line calls `known`, defined at b.js:4-5."


async def test_a_line_that_refuses_a_value_shares_the_blame_with_its_caller() -> None:
    files = {
        "a.py": "def check_it(value):\n    raise ValueError(value)\n",
        "b.py": "from a import check_it\n\ndef caller():\n    check_it([one for one in some])\n",
    }
    frames = (
        Frame(function="check_it", file="a.py", line=2),
        Frame(function="caller", file="b.py", line=4),
    )
    repository = tree(files)
    crash = Crash(type="ValueError", message="x", frames=frames)
    found, _ = await explore(repository, report(repository, list(files), crashes=[crash]))
    assert found.root_cause is not None
    assert found.root_cause.endswith("so the cause may as well be at b.py:4 in `caller`.")
    assert [place.path for place in found.affected_files] == ["a.py", "b.py"]


async def test_a_comprehension_is_not_the_caller_of_its_own_line() -> None:
    files = {"a.py": "def caller(some):\n    return [one.missing for one in some]\n"}
    frames = tuple(Frame(function=name, file="a.py", line=2) for name in ("<listcomp>", "caller"))
    body = "    return [one.missing for one in some]"
    repository = tree(files)
    crash = Crash(type="AttributeError", message="missing", frames=frames)
    found, _ = await explore(
        repository, report(repository, list(files), body=body, crashes=[crash])
    )
    assert found.root_cause is not None
    assert "called from" not in found.root_cause


async def test_a_java_crash_names_its_method() -> None:
    repository = tree(JAVA)
    line = number_of(READER_JAVA, "throw new")
    crash = Crash(
        type="java.io.IOException",
        message="line is longer than the limit of 80",
        frames=(
            Frame(function="org.example.io.LineReader.readLine", file="LineReader.java", line=line),
            Frame(function="com.acme.Main.main", file="Main.java", line=4),
        ),
    )
    evidence = report(repository, list(JAVA), title="Reading fails", crashes=[crash])
    found, _ = await explore(repository, evidence)
    assert found.root_cause is not None
    assert f"LineReader.java:{line} in `readLine`. The line is `throw new" in found.root_cause


async def test_a_failure_below_the_tree_is_said_to_be_below() -> None:
    repository = tree(JAVASCRIPT)
    line = number_of(BASKET_JS, "price.amount")
    crash = Crash(
        type="TypeError",
        message="Cannot read properties of undefined",
        frames=(
            Frame(function="Array.reduce", file="node:internal/array.js", line=9),
            Frame(function="Basket.total", file="/app/src/basket.js", line=line),
        ),
    )
    found, _ = await explore(repository, report(repository, list(JAVASCRIPT), crashes=[crash]))
    assert found.root_cause is not None
    assert "is raised in `Array.reduce` (array.js:9), outside what could be" in found.root_cause
    assert "`price` of that line gets its value at" in found.findings[1].claim


async def test_a_trace_of_another_version_establishes_nothing_and_says_what_it_shows() -> None:
    repository = tree(PYTHON)
    crash = Crash(
        type="TypeError",
        message="no",
        frames=(Frame(function="wrap_cells", file="/app/pkg/cells.py", line=400),),
    )
    found, _ = await explore(repository, report(repository, list(PYTHON), crashes=[crash]))
    assert found.root_cause is None
    assert "the trace names this function, at another line" in found.findings[0].claim
    assert found.missing_info[-1] == (
        "The version that the trace is of: its line 400 of pkg/cells.py is another one here"
    )


async def test_words_that_are_in_one_place_stand_in_for_a_trace_of_another_version() -> None:
    repository = tree(PYTHON)
    frame = Frame(function="wrap_cells", file="/app/pkg/cells.py", line=400)
    crash = Crash(type="E", message="there is no table format", frames=(frame,))
    evidence = report(repository, list(PYTHON), crashes=[crash])
    found, _ = await explore(repository, evidence, [suspect("pkg/formats.py", 0.2)])
    assert found.root_cause is not None
    assert "comes from pkg/formats.py" in found.root_cause


async def test_the_repository_is_not_doubted_where_the_words_fit_it() -> None:
    repository = tree(PYTHON)
    crash = Crash(type="E", message="x", frames=(Frame(function="go", file="/o/x.py", line=1),))
    evidence = report(repository, list(PYTHON), title="wrap_cells fails", crashes=[crash])
    found, _ = await explore(repository, evidence, [suspect("pkg/cells.py", 0.2)])
    assert found.root_cause is not None
    assert found.missing_info[-1].endswith("the frame's file is not in this tree")


async def test_a_relocated_line_is_told_as_such_and_a_stack_without_its_headline() -> None:
    repository = tree(PYTHON)
    line, call = number_of(CELLS, "caster(cell)[:width]"), number_of(CELLS, "yield")
    frames = (
        Frame(function="wrap_cells", file="/app/pkg/cells.py", line=3),
        Frame(function="lines", file="/app/pkg/cells.py", line=7),
    )
    body = """  File "/app/pkg/cells.py", line 7, in lines
    yield " ".join(wrap_cells(row, widths))
  File "/app/pkg/cells.py", line 3, in wrap_cells
    wrapped.append(caster(cell)[:width])"""
    crash = Crash(type="unknown", message="", frames=frames)
    evidence = report(repository, list(PYTHON), body=body, crashes=[crash])
    found, _ = await explore(repository, evidence)
    assert found.root_cause == (
        f"A trace without headline ends at pkg/cells.py:{line} in `wrap_cells`, called from `lines`"
        f" (line {call}). The line is `wrapped.append(caster(cell)[:width])`. "
        f"Line 3 of the report is line {line} in this tree."
    )
    assert found.findings[0].claim.endswith(f"Line 3 of the report is line {line} in this tree.")
    assert found.findings[1].claim.endswith(f"Line 7 of the report is line {call} in this tree.")


async def test_names_that_one_line_binds_are_told_together() -> None:
    files = {"a.py": "def add(rows):\n    for left, right in rows:\n        sink(left + right)\n"}
    repository = tree(files)
    crash = Crash(
        type="TypeError",
        message="no",
        frames=(Frame(function="add", file="/app/a.py", line=3),),
    )
    found, _ = await explore(repository, report(repository, list(files), crashes=[crash]))
    claims = [finding.claim for finding in found.findings]
    assert "`left` and `right` of that line get their values at a.py:2." in claims


async def test_a_bare_line_number_is_said_to_be_one() -> None:
    repository = tree(JAVASCRIPT)
    line = number_of(BASKET_JS, "price.amount")
    crash = Crash(type="E", message="", frames=(Frame(file="/app/src/basket.js", line=line),))
    found, _ = await explore(repository, report(repository, list(JAVASCRIPT), crashes=[crash]))
    assert found.root_cause is not None
    assert "Nothing else in the report confirms" in found.root_cause


async def test_callers_in_other_files_are_told_with_their_path() -> None:
    files = {
        "a.py": "def inner(value):\n    raise KeyError(value)\n",
        "b.py": "inner(other_name)\n",
    }
    repository = tree(files)
    crash = Crash(
        type="KeyError",
        message="x",
        frames=(
            Frame(function="inner", file="a.py", line=2),
            Frame(function="<module>", file="b.py", line=1),
        ),
    )
    evidence = report(repository, list(files), body="    inner(other_name)\n", crashes=[crash])
    found, _ = await explore(repository, evidence)
    assert found.root_cause is not None
    assert "called from module level (b.py line 1)" in found.root_cause


async def test_who_calls_the_failing_function_is_told_beside_what_the_trace_shows() -> None:
    other = {"pkg/cli.py": "from cells import wrap_cells\n\nprint(wrap_cells([], []))\n"}
    repository = tree(PYTHON | other)
    evidence = report(
        repository, [*PYTHON, *other], body=CELLS_TRACE, crashes=[cells_crash()], named=[*other]
    )
    found, _ = await explore(repository, evidence)
    claims = [one.claim for one in found.findings]
    assert claims[-1] == (
        "Calls of something named `wrap_cells` in the files that were read:\n"
        "pkg/cli.py:3: `print(wrap_cells([], []))`"
    )
    assert "Callers of `wrap_cells` outside the 2 files that were read" in found.not_examined


async def test_a_mere_lead_has_no_function_whose_callers_matter() -> None:
    repository = tree(PYTHON)
    evidence = report(repository, list(PYTHON), title="The width of cells is lost in the output")
    found, _ = await explore(repository, evidence, [CELLS_SUSPECT])
    assert found.root_cause is not None
    assert not any("allers of" in line for line in found.not_examined)


async def test_a_quoted_message_leads_to_the_line_that_makes_it() -> None:
    repository = tree(PYTHON)
    evidence = report(
        repository,
        list(PYTHON),
        title="Markdown output is refused",
        body="It says \"there is no table format 'github', see the manual\".",
    )
    suspects = [suspect("pkg/cells.py", 0.4), suspect("pkg/formats.py", 0.39)]
    found, _ = await explore(repository, evidence, suspects)
    line = number_of(FORMATS, "raise UnknownFormat")
    assert found.root_cause is not None
    assert f"comes from pkg/formats.py:{line} in `render_table`" in found.root_cause
    called = number_of(FORMATS, "class UnknownFormat")
    assert found.findings[1].claim == (
        f"The line calls `UnknownFormat`, defined at pkg/formats.py:{called}-{called + 1}."
    )
    assert "What leads there is not shown" in found.root_cause
    assert found.severity == "low"


async def test_a_name_in_the_title_leads_to_its_definition() -> None:
    repository = tree(PYTHON)
    evidence = report(repository, list(PYTHON), title="wrap_cells loses the last word")
    found, _ = await explore(repository, evidence, [suspect("pkg/cells.py", 0.4)])
    assert found.root_cause is not None
    assert found.root_cause.startswith("The report is about `wrap_cells`, which is defined at")
    assert "What fails in it is not shown" in found.root_cause


async def test_a_name_in_the_body_alone_is_a_finding_but_no_cause() -> None:
    repository = tree(PYTHON)
    evidence = report(repository, list(PYTHON), title="Words are lost", body="see `wrap_cells`")
    suspects = [suspect("pkg/cells.py", 0.4), suspect("pkg/formats.py", 0.39)]
    found, _ = await explore(repository, evidence, suspects)
    assert found.root_cause is None
    assert "The report names “wrap_cells”" in found.findings[0].claim


async def test_a_file_that_clearly_leads_is_pointed_to_without_claiming_more() -> None:
    repository = tree(PYTHON)
    evidence = report(repository, list(PYTHON), title="The width of cells is lost in the output")
    suspects = [CELLS_SUSPECT, suspect("pkg/formats.py", 0.2)]
    found, _ = await explore(repository, evidence, suspects)
    assert found.root_cause is not None
    assert "more than to any other file (its words are rare)" in found.root_cause
    assert "none is shown to fail" in found.root_cause
    (support,) = found.findings[0].supports
    quoted = "\n".join(support.lines)
    assert "cells" in quoted.lower() or "width" in quoted.lower()


async def test_a_line_without_a_word_of_the_report_is_never_cited() -> None:
    repository = tree(PYTHON)
    evidence = report(repository, list(PYTHON), title="Prices are gone after checkout")
    found, _ = await explore(repository, evidence, [CELLS_SUSPECT])
    assert found.root_cause is None


async def test_a_clear_lead_does_not_outweigh_a_trace_that_fits_nothing_here() -> None:
    repository = tree(PYTHON)
    frame = Frame(function="checkout", file="/opt/x/pkg/cells.py", line=400)
    crash = Crash(type="ValueError", message="card declined in cells width", frames=(frame,))
    evidence = report(repository, list(PYTHON), title="width of cells", crashes=[crash])
    found, _ = await explore(repository, evidence, [CELLS_SUSPECT])
    assert found.root_cause is None


@pytest.mark.parametrize(
    ("first", "second"), [(0.6, 0.41), (0.9, 0.9), (LEAST_SCORE - 0.01, 0.1), (0.1, 0.0)]
)
async def test_a_file_that_does_not_lead_clearly_establishes_nothing(
    first: float, second: float
) -> None:
    repository = tree(PYTHON)
    evidence = report(repository, list(PYTHON), title="The width of cells is lost in the output")
    suspects = [suspect("pkg/cells.py", first), suspect("pkg/formats.py", second)]
    found, _ = await explore(repository, evidence, suspects)
    assert found.root_cause is None
    assert found.findings == ()
    clear = [suspect("pkg/cells.py", LEAST_SCORE), suspect("pkg/formats.py", 0.0)]
    found, _ = await explore(repository, evidence, clear)
    assert found.root_cause is not None


def test_few_cases_prove_little_and_what_is_wrong_as_often_as_right_nothing() -> None:
    assert confidence("message") == pytest.approx(10 / 11)
    assert confidence("placed") == pytest.approx(3 / 4)
    assert [ground for ground in RECORD if confidence(ground) < LEAST_CONFIDENCE] == ["moved"]


@pytest.mark.parametrize(
    "suspects",
    [
        (),
        (suspect("pkg/cells.py", 0.9),),
        (suspect("pkg/gone.py", 0.9),),
        (suspect("empty.py", 0.9),),
    ],
)
async def test_without_frames_names_or_a_clear_lead_it_abstains(
    suspects: tuple[Suspect, ...],
) -> None:
    repository = tree(PYTHON | {"empty.py": "\n"})
    evidence = report(repository, list(PYTHON), title="It does not work")
    found, _ = await explore(repository, evidence, suspects)
    assert found.root_cause is None
    assert (found.complexity, found.risk) == (None, None)
    assert found.affected_files == ()
    assert any("A stack trace, an exact error message" in line for line in found.missing_info)
    assert bool(found.next_steps) == bool(suspects)


@pytest.mark.parametrize(
    ("files", "lacks"),
    [
        (
            ["/o/x.py"],
            "A stack trace of this project: the frame's file is not in this tree: "
            "is it the right repository?",
        ),
        (
            ["/o/x.py", "/o/y.py"],
            "A stack trace of this project: none of the 2 frames' files is in this tree: "
            "is it the right repository?",
        ),
        (
            ["/o/pkg/cells.py", "/o/y.py"],
            "A stack trace of this version: none of the 2 frames fits a line of this tree",
        ),
    ],
)
async def test_a_trace_of_other_code_is_said_to_be_of_other_code(
    files: list[str], lacks: str
) -> None:
    repository = tree(PYTHON)
    frames = tuple(Frame(function="f", file=file, line=900) for file in files)
    crash = Crash(type="E", message="x", frames=frames)
    found, _ = await explore(repository, report(repository, list(PYTHON), crashes=[crash]))
    assert found.root_cause is None
    assert found.missing_info[-1] == lacks


async def test_what_the_tree_lacks_is_not_examined() -> None:
    gap = "Uncommitted changes of the work tree, no part of this commit: pkg/cells.py"
    repository = tree(PYTHON)
    repository = tree(PYTHON, ref=repository.ref.model_copy(update={"gaps": (gap,)}))
    found, exploration = await explore(repository, report(repository, list(PYTHON), title="No"))
    assert found.not_examined == exploration.not_examined
    assert found.not_examined[1] == gap


async def test_what_was_not_looked_at_is_said() -> None:
    repository = tree(PYTHON)
    other = Crash(
        type="ValueError",
        message="y",
        frames=(Frame(function="wrap_cells", file="/app/pkg/cells.py", line=3),),
    )
    evidence = report(repository, list(PYTHON), body=CELLS_TRACE, crashes=[cells_crash(), other])
    suspects = [suspect(f"gone/{number}.py", 0.1) for number in range(MOST_SUSPECTS + 3)]
    passage = Passage(id="p", text="t", source="s", tier="other", score=0.5)
    found, _ = await explore(repository, evidence, suspects, [passage])
    assert found.not_examined[1] == "ValueError, another crash of the report"
    assert "gone/0.py is no file of this tree" in found.not_examined
    assert found.not_examined[-2:] == (
        f"The 3 suspects after the first {MOST_SUSPECTS}",
        "1 similar resolved issues: this explorer reads code only",
    )


HOSTILE_LINES = [
    "## Root cause",
    "```",
    "````",
    "~~~",
    "<script>alert(1)</script>",
    "*Not established.*",
    "[passage-1]",
    "`a.py:1`",
    "### Finding 9",
    "<!-- resolveflow:0 -->",
]


@pytest.mark.parametrize("line", HOSTILE_LINES)
async def test_hostile_sources_reports_and_commits_forge_nothing(line: str) -> None:
    quoted = f'    """\n{line}\n{line} value\n    raise Broken(value)\n"""\n'
    source = f"def hostile_one(value):\n{quoted}    return value\n"
    commit = IMPORT.model_copy(update={"subject": f"{line}\n{line}"})
    files = {"a.py": source}
    repository = tree(files, blamed={"a.py": [commit] * 7})
    crash = Crash(
        type=line,
        message=f"{line}\n## Root cause\n{line}",
        frames=(Frame(function="hostile_one", file="a.py", line=5),),
    )
    evidence = report(
        repository, list(files), title=line, body=f"“{line} value”\n{line}", crashes=[crash]
    )
    hostile = Suspect(path="a.py", score=0.9, symbols=(), reasons=(line, f"x\n{line}"))
    found, _ = await explore(repository, evidence, [hostile])
    assert found.root_cause is not None
    assert "is raised at a.py:5 in `hostile_one`" in found.root_cause
    assert found.affected_files[0].path == "a.py"


async def test_a_long_line_is_cut_and_still_verbatim() -> None:
    files = {"a.js": "var some_name=1;" * 400}
    repository = tree(files)
    crash = Crash(type="E", message="x", frames=(Frame(file="/s/a.js", line=1, column=90),))
    found, _ = await explore(repository, report(repository, list(files), crashes=[crash]))
    support = found.findings[0].supports[0]
    assert len(support.lines[0]) <= 300


async def test_the_same_input_gives_the_same_bytes() -> None:
    repository = tree(PYTHON)
    evidence = report(repository, list(PYTHON), body=CELLS_TRACE, crashes=[cells_crash()])
    _, one = await explore(repository, evidence, [CELLS_SUSPECT])
    _, two = await explore(repository, evidence, [CELLS_SUSPECT])
    assert one.report == two.report

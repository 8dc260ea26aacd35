import pytest

from resolveflow.domain.crash import Crash, Frame
from resolveflow.domain.exploration import Budget
from resolveflow.domain.report import IssueEvidence
from resolveflow.explore.sources import Sources
from resolveflow.explore.trail import Trail, follow, plain_name
from resolveflow.testing.memory_repository import MemoryRepository
from tests.unit.explore.trees import (
    BASKET_JS,
    CELLS,
    CELLS_TRACE,
    JAVA,
    JAVASCRIPT,
    PYTHON,
    READER_JAVA,
    cells_crash,
    number_of,
    report,
    tree,
)


async def trails(files: dict[str, str], body: str, *crashes: Crash) -> tuple[Trail, ...]:
    repository = tree(files)
    evidence = report(repository, list(files), body=body, crashes=crashes)
    return await follow(evidence, Sources(repository, Budget()))


def crash(*frames: Frame) -> Crash:
    return Crash(type="Error", message="it broke", frames=frames)


async def test_lines_that_the_report_prints_are_shown() -> None:
    [trail] = await trails(PYTHON, CELLS_TRACE, cells_crash())
    assert [(step.line, step.grade) for step in trail.steps] == [
        (number_of(CELLS, "caster(cell)[:width]"), "shown"),
        (number_of(CELLS, "yield"), "shown"),
    ]
    assert trail.steps[0].function is not None
    assert trail.steps[0].function.name == "wrap_cells"
    assert trail.below is None
    assert trail.unclear == ()


async def test_lines_are_also_found_in_quoted_comments_and_replies() -> None:
    quoted = "\n".join(f"> {line}" for line in CELLS_TRACE.splitlines())
    [trail] = await trails(PYTHON, quoted, cells_crash())
    assert trail.steps[0].grade == "shown"


async def test_without_the_printed_line_the_function_names_the_frame() -> None:
    [trail] = await trails(PYTHON, "it broke", cells_crash())
    assert [step.grade for step in trail.steps] == ["named", "named"]


async def test_a_printed_line_is_followed_to_where_it_is_now() -> None:
    line = number_of(CELLS, "caster(cell)[:width]")
    moved = Frame(function="wrap_cells", file="/app/pkg/cells.py", line=line - 8)
    body = f"""Traceback (most recent call last):
  File "/app/pkg/cells.py", line {line - 8}, in wrap_cells
    wrapped.append(caster(cell)[:width])
"""
    [trail] = await trails(PYTHON, body, crash(moved))
    assert [(step.line, step.grade) for step in trail.steps] == [(line, "shown")]


async def test_a_printed_line_that_is_nowhere_contradicts_the_number() -> None:
    line = number_of(CELLS, "caster(cell)[:width]")
    body = f"""
    >   File "/app/pkg/cells.py", line {line}, in wrap_cells
    >     return [cell.text for cell in row]
    > TypeError: it broke
    """
    named = Frame(function="wrap_cells", file="/app/pkg/cells.py", line=line)
    [trail] = await trails(PYTHON, body, crash(named))
    start = number_of(CELLS, "def wrap_cells")
    assert [(step.line, step.grade) for step in trail.steps] == [(start, "moved")]
    nameless = Frame(function="<listcomp>", file="/app/pkg/cells.py", line=line)
    assert await trails(PYTHON, body, crash(nameless)) == ()


async def test_a_line_that_an_arrow_points_to_is_shown() -> None:
    line = number_of(CELLS, "caster(cell)[:width]")
    body = f"""pkg/cells.py in <lambda>(row)
     {line - 1}         caster = _caster(cell)
---> {line}         wrapped.append(caster(cell)[:width])
     {line + 1}     return wrapped
"""
    [trail] = await trails(PYTHON, body, crash(Frame(file="pkg/cells.py", line=line)))
    assert [(step.line, step.grade) for step in trail.steps] == [(line, "shown")]


async def test_a_headline_below_a_frame_is_not_its_line() -> None:
    line = number_of(CELLS, "caster(cell)[:width]")
    body = f"""  File "/app/pkg/cells.py", line {line}, in wrap_cells
TypeError: it broke
"""
    frame = Frame(function="wrap_cells", file="/app/pkg/cells.py", line=line)
    [trail] = await trails(PYTHON, body, crash(frame))
    assert [(step.line, step.grade) for step in trail.steps] == [(line, "named")]


async def test_java_and_javascript_frames_are_named_by_class_and_method() -> None:
    line = number_of(READER_JAVA, "throw new")
    java = Frame(function="org.example.io.LineReader.readLine", file="LineReader.java", line=line)
    [trail] = await trails(JAVA, "", crash(java))
    assert [step.grade for step in trail.steps] == ["named"]
    line = number_of(BASKET_JS, "priceOf(item, currency)")
    script = Frame(function="Basket.total [as sum]", file="/app/src/basket.js", line=line)
    [trail] = await trails(JAVASCRIPT, "", crash(script))
    assert [step.grade for step in trail.steps] == ["named"]


async def test_a_frame_of_another_version_leads_to_the_function_only() -> None:
    moved = Frame(function="wrap_cells", file="/app/pkg/cells.py", line=3)
    [trail] = await trails(PYTHON, "", crash(moved))
    [step] = trail.steps
    assert step.grade == "moved"
    assert step.line == number_of(CELLS, "def wrap_cells")


async def test_a_line_that_only_exists_is_placed() -> None:
    line = number_of(BASKET_JS, "price.amount")
    frame = Frame(function="<anonymous>", file="/app/src/basket.js", line=line)
    [trail] = await trails(JAVASCRIPT, "", crash(frame))
    assert trail.steps[0].grade == "placed"


@pytest.mark.parametrize(
    "frame",
    [
        Frame(function="gone", file="/app/pkg/cells.py", line=10),
        Frame(function="gone", file="/app/pkg/cells.py", line=9999),
        Frame(function=None, file="/app/pkg/cells.py", line=3),
        Frame(function=None, file="/app/pkg/cells.py"),
    ],
)
async def test_a_frame_that_the_tree_contradicts_is_no_step(frame: Frame) -> None:
    assert await trails(PYTHON, "", crash(frame)) == ()


async def test_a_frame_that_may_be_in_two_files_stays_unclear() -> None:
    files = {"a/cells.py": CELLS, "b/cells.py": CELLS, "b/other.py": "def go():\n    wrap()\n"}
    frames = (
        Frame(function="wrap_cells", file="cells.py", line=number_of(CELLS, "wrapped.append")),
        Frame(function="go", file="b/other.py", line=2),
    )
    [trail] = await trails(files, "", crash(*frames))
    assert [step.source.path for step in trail.steps] == ["b/other.py"]
    assert trail.unclear == (
        f"the frame cells.py:{frames[0].line} may be in any of a/cells.py, b/cells.py",
    )
    assert trail.below == frames[0]


async def test_the_better_attested_crash_comes_first() -> None:
    weak = crash(Frame(function="wrap_cells", file="/app/pkg/cells.py", line=1))
    found = await trails(PYTHON, CELLS_TRACE, weak, cells_crash())
    assert [trail.crash.type for trail in found] == ["TypeError", "Error"]


async def test_no_crash_no_trail() -> None:
    repository = MemoryRepository({})
    evidence = IssueEvidence(source="x", target=None, title="", body="", content_hash="")
    assert await follow(evidence, Sources(repository, Budget())) == ()


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (None, None),
        ("", None),
        ("<module>", None),
        ("<anonymous>", None),
        ("pkg.Class.method", "method"),
        ("Object.f [as g]", "f"),
        ("new Basket", "Basket"),
        ("lambda$run$0", "run"),
        ("crate::io::read", "read"),
        ("$scope.$apply", "$apply"),
        ("f()", "f"),
        ("f(self, *args)", "f"),
        ("ns::f(int, char const*)", "f"),
        ("main.(*Reader).Read", "Read"),
        ("clap::Validator::check::{{closure}}::{{closure}}", "check"),
        ("f::{closure#0}", "f"),
    ],
)
def test_plain_names(function: str | None, name: str | None) -> None:
    assert plain_name(function) == name

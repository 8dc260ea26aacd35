import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.domain.errors import InvalidPattern
from resolveflow.explore.globs import path_filter

PATHS = ("a.py", "src/b.py", "src/x/c.py", "src/x/test_d.py", "src/e.ts", "web/f.js", "web/g.jsx")


@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [
        ("", PATHS),
        ("/", PATHS),
        ("**", PATHS),
        ("*.py", PATHS[:4]),
        ("/*.py", PATHS[:1]),
        ("src/*.py", PATHS[1:2]),
        ("./src/*.py", PATHS[1:2]),
        ("src/**/*.py", PATHS[1:4]),
        ("**/x/**", PATHS[2:4]),
        ("src/**", PATHS[1:5]),
        ("src/**/x/c.py", PATHS[2:3]),
        ("src", PATHS[1:5]),
        ("src/x/", PATHS[2:4]),
        ("*.{js,jsx}", PATHS[5:]),
        ("{src,web}/[ef].*", PATHS[4:6]),
        ("{src,web", ()),
        ("SRC/*", ()),
        ("src/?.py", PATHS[1:2]),
    ],
)
def test_a_pattern_chooses_as_gitignore_does(pattern, chosen):
    assert tuple(filter(path_filter(pattern), PATHS)) == chosen


@pytest.mark.parametrize("pattern", ["*a" * 9, "{a,b}" * 6, "{" + "," * 40 + "}"])
def test_a_pattern_with_too_many_choices_is_refused(pattern):
    with pytest.raises(InvalidPattern, match="more than"):
        path_filter(pattern)


@given(st.text(alphabet="*?[]{},/a.!-", max_size=30))
def test_any_pattern_is_answered(pattern):
    try:
        chosen = path_filter(pattern)
    except InvalidPattern:
        return
    for path in PATHS:
        chosen(path)


def test_a_hostile_pattern_costs_little():
    chosen = path_filter("*a*a*a*a*a*a*a*b")

    assert not chosen("a" * 4_000)


def test_many_double_stars_on_a_deep_path_cost_little():
    assert not path_filter("**/**/**/**/x")("a/" * 2_000 + "b")

import time

import pytest

from resolveflow.codebase.languages import LANGUAGES
from resolveflow.codebase.spans import Span, spans_of
from tests.unit.codebase.span_samples import SAMPLES


def test_every_language_has_a_sample():
    assert {sample.language for sample in SAMPLES.values()} == set(LANGUAGES) - {"other"}


@pytest.mark.parametrize("name", SAMPLES)
def test_spans_of(name):
    sample = SAMPLES[name]
    assert spans_of(sample.text.encode(), sample.language) == sample.expected(sample.fast)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_prefix_of_a_text_has_spans_inside_it(name):
    lines = SAMPLES[name].text.encode().splitlines(keepends=True)
    for count in range(len(lines) + 1):
        for span in spans_of(b"".join(lines[:count]), SAMPLES[name].language):
            assert 1 <= span.start_line <= span.end_line <= count


def test_an_unknown_language_has_none():
    assert spans_of(b"def f():\n    pass\n", "other") == ()


def test_a_text_without_a_line_end():
    assert spans_of(b"def f(): pass", "python") == (Span("f", "function", 1, 1),)


def test_what_is_left_open_ends_by_indentation():
    text = b"void f(int a) {\n    if (a) {\n}\n\nvoid g() {\n    return;\n}\n"
    assert [(span.name, span.end_line) for span in spans_of(text, "c")] == [("f", 3), ("g", 7)]


def test_tabs_and_spaces_are_columns_of_eight():
    text = b"class A:\n\tdef f(self):\n\t    a()\n        b()\n\ndef g(): pass\n"
    assert [(span.name, span.end_line) for span in spans_of(text, "python")] == [
        ("A", 4),
        ("f", 3),
        ("g", 6),
    ]


HOSTILE = (  # one unit of each, repeated
    "(", "{", "[", ")", "}", '"', "'", "`", "/*", "//\n", "<<A\n", "=/[", "'\\", "$a$", "=", ";",
    "function f", "\nfunction f(", "\ndef f(", "\n def f\n  class A", "\nfn f\nwhere", "a\n ",
    "\ndef f\nrescue", "`${", "R\"(", "[[", '"""', "\n=a", "<script", "\ncreate table a",
)  # fmt: skip


@pytest.mark.parametrize("language", sorted({sample.language for sample in SAMPLES.values()}))
def test_no_text_takes_long(language):
    for unit in HOSTILE:
        text = (unit * (40_000 // len(unit))).encode()
        started = time.process_time()
        spans_of(text, language)
        assert time.process_time() - started < 5, unit  # a quadratic one takes minutes


def test_one_line_of_5_mb():
    text = b"function f(a){if(a){return{b:'}'}}}" * (5_000_000 // 35)
    assert spans_of(text, "javascript") == (Span("f", "function", 1, 1),)


def test_deep_nesting_on_many_lines():
    depth = 20_000
    text = b"".join(b"class A {\n" for _ in range(depth)) + b"}\n" * depth
    found = spans_of(text, "java")
    assert len(found) == depth
    assert (found[0].end_line, found[-1].end_line) == (2 * depth, depth + 1)

import asyncio
from collections.abc import AsyncIterator

import pytest

from resolveflow.backends.span_grammars import GRAMMARS
from resolveflow.backends.span_parser import parse
from resolveflow.backends.spans_tree_sitter import SpanFinder
from resolveflow.codebase.languages import LARGEST
from resolveflow.codebase.spans import Span, spans_of
from tests.unit.codebase.span_samples import SAMPLES

PARSED = [name for name, sample in SAMPLES.items() if sample.language != "perl"]
FLAW = b"a<" * 50_000  # takes Java's parser a minute of one step that nothing can interrupt


@pytest.fixture
async def finder() -> AsyncIterator[SpanFinder]:
    async with SpanFinder() as finder:
        yield finder


@pytest.mark.parametrize("name", PARSED)
async def test_precise_spans(name: str, finder: SpanFinder):
    sample = SAMPLES[name]
    expected = sample.expected(sample.precise)
    assert await finder.precise_spans(sample.text.encode(), sample.language) == expected


def test_every_grammar_is_installed_and_its_query_fits():
    assert {dialect: parse(b"", dialect) for dialect in GRAMMARS} == {
        dialect: [] for dialect in GRAMMARS
    }


@pytest.mark.parametrize("language", ["perl", "other"])
async def test_without_a_grammar_the_fast_tier_answers(language: str, finder: SpanFinder):
    text = b"sub f {\n}\n"
    assert await finder.precise_spans(text, language) is None
    assert await finder.find_spans(text, language) == spans_of(text, language)


async def test_what_is_no_syntax_is_passed_over(finder: SpanFinder):
    text = b"def f():\n    return 1\n\n$$$ (\n\ndef g():\n    pass\n"
    found = await finder.find_spans(text, "python")
    assert Span("f", "function", 1, 2) in found


async def test_a_text_that_is_too_large_is_left_to_the_fast_tier(finder: SpanFinder):
    text = b"def f():\n    pass\n" + b"#" * LARGEST
    assert await finder.precise_spans(text, "python") is None
    assert await finder.find_spans(text, "python") == (Span("f", "function", 1, 2),)


async def test_a_text_that_takes_too_long_is_given_up_and_the_next_one_is_read(finder: SpanFinder):
    assert await finder.precise_spans(FLAW, "java") is None
    assert await finder.precise_spans(b"class A {\n}\n", "java") == (Span("A", "class", 1, 2),)


async def test_a_cancelled_question_leaves_no_answer_behind(finder: SpanFinder):
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await finder.precise_spans(FLAW, "java")
    assert await finder.precise_spans(b"class A {\n}\n", "java") == (Span("A", "class", 1, 2),)


async def test_questions_at_the_same_time_get_their_own_answers(finder: SpanFinder):
    texts = [b"\n" * count + b"def f(): pass\n" for count in range(20)]
    answers = await asyncio.gather(*(finder.precise_spans(text, "python") for text in texts))
    lines = [spans[0].start_line for spans in answers if spans]
    assert lines == list(range(1, 21))


async def test_bytes_that_are_no_utf_8(finder: SpanFinder):
    text = b"def caf\xe9(): pass\ndef g(): pass\n"
    assert Span("g", "function", 2, 2) in await finder.find_spans(text, "python")

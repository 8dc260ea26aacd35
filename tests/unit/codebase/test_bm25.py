import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.codebase.bm25 import Bm25

DOCUMENTS = [{"cat": 3, "dog": 1}, {"dog": 1}, {"bird": 2, "dog": 1}]


def test_a_document_with_the_rare_term_comes_first() -> None:
    scores = Bm25.of(DOCUMENTS).scores({"cat": 1.0, "dog": 1.0})
    assert scores.argmax() == 0
    assert scores[1] > 0


def test_scores_are_lucenes() -> None:
    # idf = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)); tf = 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 3 / (8/3)))
    scores = Bm25.of(DOCUMENTS).scores({"bird": 2.0})
    assert scores == pytest.approx([0.0, 0.0, 2 * 0.980829 * 5 / (2 + 1.5 * 1.09375)], rel=1e-5)


def test_contributions_add_up_to_the_score() -> None:
    index = Bm25.of(DOCUMENTS)
    query = {"cat": 1.0, "dog": 2.0, "fish": 1.0}
    added = index.contributions(query, 0)
    assert list(added) == ["cat", "dog"]
    assert sum(added.values()) == pytest.approx(float(index.scores(query)[0]))


def test_a_rare_term_is_rarer() -> None:
    index = Bm25.of(DOCUMENTS)
    assert index.rarity("cat") > index.rarity("dog") > 0
    assert index.rarity("fish") == 0


@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), max_size=4)))
def test_only_documents_with_a_term_score(documents: list[dict[str, int]]) -> None:
    scores = Bm25.of(documents).scores({"a": 1.0, "z": 1.0})
    assert [score > 0 for score in scores] == ["a" in document for document in documents]

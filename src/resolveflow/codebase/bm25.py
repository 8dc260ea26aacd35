"""BM25 over bags of terms, with postings in numpy arrays."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

K1 = 1.5
B = 0.75
_PART = 1 << 21  # postings
_REMEMBERED = 100_000  # terms


class Bm25:
    """Scores documents against a weighted query, with Lucene's inverse document frequency.

    Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.

    Postings come in order of term, then of document: `terms` are hashes, `documents` positions
    below `size`. Two terms are taken for one with the chance of 32 bits.
    """

    def __init__(
        self,
        terms: NDArray[np.uint32],
        documents: NDArray[np.integer],
        counts: NDArray[np.generic],
        *,
        size: int,
    ) -> None:
        self.size = size
        self._documents = documents
        self._weights = _saturated(documents, counts, size)
        begins = np.flatnonzero(np.concatenate(([True], terms[1:] != terms[:-1]))[: len(terms)])
        self._terms = terms[begins]
        self._starts = np.concatenate((begins, [len(terms)]))
        frequency = np.diff(self._starts)
        self._idf = np.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
        self._row = lru_cache(_REMEMBERED)(self._find)

    @classmethod
    def of(cls, documents: Iterable[Mapping[str, float]]) -> Self:
        """Count each document's terms."""
        hashes: list[int] = []
        counts: list[float] = []
        sizes: list[int] = []
        for document in documents:
            hashes.extend([hash_term(term) for term in document])
            counts.extend(document.values())
            sizes.append(len(document))
        terms = np.array(hashes, np.uint32)
        order = np.argsort(terms, kind="stable")
        in_document = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        return cls(
            terms[order], in_document[order], np.array(counts, np.float32)[order], size=len(sizes)
        )

    def scores(self, query: Mapping[str, float]) -> Scores:
        """One score for each document, in their order."""
        scores = np.zeros(self.size)
        for term, weight in query.items():
            documents, contributions = self._postings(term)
            scores[documents] += weight * contributions
        return scores

    def rarity(self, term: str) -> float:
        """The term's inverse document frequency, 0 where no document has it."""
        row = self._row(term)
        return 0.0 if row is None else float(self._idf[row])

    def contributions(self, query: Mapping[str, float], document: int) -> dict[str, float]:
        """What each term of the query adds to one document's score, the most first."""
        added: dict[str, float] = {}
        for term, weight in query.items():
            documents, contributions = self._postings(term)
            at = int(np.searchsorted(documents, document))
            if at < len(documents) and documents[at] == document:
                added[term] = weight * float(contributions[at])
        return dict(sorted(added.items(), key=lambda item: (-item[1], item[0])))

    def _postings(self, term: str) -> tuple[NDArray[np.integer], Scores]:
        row = self._row(term)
        if row is None:
            return self._documents[:0], np.zeros(0)
        part = slice(self._starts[row], self._starts[row + 1])
        return self._documents[part], self._idf[row] * self._weights[part]

    def _find(self, term: str) -> int | None:
        wanted = np.uint32(hash_term(term))
        row = int(np.searchsorted(self._terms, wanted))
        return row if row < len(self._terms) and self._terms[row] == wanted else None


def _saturated(
    documents: NDArray[np.integer], counts: NDArray[np.generic], size: int
) -> NDArray[np.float32]:
    """What each posting adds before its term's rarity, a few at a time: there may be millions."""
    parts = [slice(at, at + _PART) for at in range(0, len(documents), _PART)]
    lengths = np.zeros(size)
    for part in parts:
        lengths += np.bincount(documents[part], weights=counts[part], minlength=size)
    mean = max(float(lengths.mean()) if size else 0.0, 1e-9)
    norm = (K1 * (1 - B + B * lengths / mean)).astype(np.float32)
    weights = np.empty(len(documents), np.float32)
    for part in parts:
        found = counts[part].astype(np.float32)
        weights[part] = found * np.float32(K1 + 1) / (found + norm[documents[part]])
    return weights


def hash_term(term: str) -> int:
    """The 32 bits that stand for a term."""
    return crc32(term.encode("utf-8", "surrogatepass"))

"""BM25 over bags of terms, with postings in numpy arrays."""

from collections.abc import Iterable, Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

K1 = 1.5
B = 0.75


class Bm25:
    """Scores documents against a weighted query, with Lucene's inverse document frequency.

    Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.

    Postings come in order of term, then of document: `terms` are the numbers that `ids` gives,
    `documents` positions below `size`.
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        terms: NDArray[np.integer],
        documents: NDArray[np.integer],
        counts: NDArray[np.generic],
        *,
        size: int,
    ) -> None:
        self._ids = ids
        self.size = size
        found = counts.astype(np.float32)
        lengths = np.bincount(documents, weights=found, minlength=size)
        mean = max(float(lengths.mean()) if size else 0.0, 1e-9)
        norm = (1 - B + B * lengths / mean).astype(np.float32)
        self._documents = documents.astype(np.int32)
        self._weights = found * (K1 + 1) / (found + K1 * norm[documents])
        self._starts = np.searchsorted(terms, np.arange(len(ids) + 1))
        frequency = np.diff(self._starts)
        self._idf = np.log(1 + (size - frequency + 0.5) / (frequency + 0.5))

    @classmethod
    def of(cls, documents: Iterable[Mapping[str, float]]) -> Self:
        """Count each document's terms."""
        ids: dict[str, int] = {}
        numbers: list[int] = []
        counts: list[float] = []
        sizes: list[int] = []
        for document in documents:
            numbers.extend([ids.setdefault(term, len(ids)) for term in document])
            counts.extend(document.values())
            sizes.append(len(document))
        terms = np.array(numbers, np.int32)
        order = np.argsort(terms, kind="stable")
        in_document = np.repeat(np.arange(len(sizes)), sizes)
        return cls(
            ids,
            terms[order],
            in_document[order],
            np.array(counts, np.float32)[order],
            size=len(sizes),
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
        at = self._ids.get(term)
        if at is None or self._starts[at] == self._starts[at + 1]:
            return 0.0
        return float(self._idf[at])

    def contributions(self, query: Mapping[str, float], document: int) -> dict[str, float]:
        """What each term of the query adds to one document's score, the most first."""
        added: dict[str, float] = {}
        for term, weight in query.items():
            documents, contributions = self._postings(term)
            at = int(np.searchsorted(documents, document))
            if at < len(documents) and documents[at] == document:
                added[term] = weight * float(contributions[at])
        return dict(sorted(added.items(), key=lambda item: (-item[1], item[0])))

    def _postings(self, term: str) -> tuple[NDArray[np.int32], Scores]:
        at = self._ids.get(term)
        if at is None:
            return self._documents[:0], np.zeros(0)
        part = slice(self._starts[at], self._starts[at + 1])
        return self._documents[part], self._idf[at] * self._weights[part]

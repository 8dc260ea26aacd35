"""BM25 over bags of terms, with postings in numpy arrays."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

K1 = 1.5
B = 0.75


class Bm25:
    """Scores documents against a weighted query, with Lucene's inverse document frequency.

    Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
    """

    def __init__(self, documents: Iterable[Mapping[str, float]]) -> None:
        self._ids: dict[str, int] = {}
        term_ids: list[int] = []
        counts: list[float] = []
        sizes: list[int] = []
        for document in documents:
            ids = self._ids
            term_ids.extend([ids.setdefault(term, len(ids)) for term in document])
            counts.extend(document.values())
            sizes.append(len(document))
        self.size = len(sizes)
        self._index(
            np.array(term_ids, dtype=np.int32),
            np.repeat(np.arange(self.size, dtype=np.int32), sizes),
            np.array(counts, dtype=np.float32),
        )

    def _index(
        self, terms: NDArray[np.int32], documents: NDArray[np.int32], counts: NDArray[np.float32]
    ) -> None:
        lengths = np.bincount(documents, weights=counts, minlength=self.size)
        norm = 1 - B + B * lengths / max(float(lengths.mean()) if self.size else 0.0, 1e-9)
        order = np.argsort(terms, kind="stable")
        self._documents = documents[order]
        found = counts[order]
        self._weights = found * (K1 + 1) / (found + K1 * norm[self._documents])
        self._starts = np.searchsorted(terms[order], np.arange(len(self._ids) + 1))
        frequency = np.diff(self._starts)
        self._idf = np.log(1 + (self.size - frequency + 0.5) / (frequency + 0.5))

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
        return 0.0 if at is None else float(self._idf[at])

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

"""BM25 over a tree's files, its regions and their names, from the terms of its sources.

A tree may have tens of millions of postings: each is one number, sorted where it lies.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from resolveflow.codebase.bm25 import Bm25, hash_term
from resolveflow.codebase.columns import row_numbers
from resolveflow.codebase.source_terms import SourceTerms, count_terms

PATH_WEIGHT = 4  # how much more a term of the path counts than one of the content

_POSTING, _HALF = np.dtype("<u8"), np.dtype("<u4")
_LOW, _HIGH = slice(0, None, 2), slice(1, None, 2)  # where a posting's halves lie
_COUNT_BITS = 4
_NAMES = 1 << 16  # split at a time


def files_and_regions(
    sources: SourceTerms, path_terms: Sequence[Mapping[str, int]]
) -> tuple[Bm25, Bm25]:
    """BM25 over the files, their paths' terms with their content's, and over the regions.

    A posting has the term in its upper half, the region and four bits of count in its lower. A term
    of a path is one of the file's first region that is counted 0 times.
    """
    postings = _sorted(sources, _in_paths(sources, path_terms))
    terms, regions = postings.view(_HALF)[_HIGH].copy(), postings.view(_HALF)[_LOW].copy()
    del postings
    counts = (regions & (1 << _COUNT_BITS) - 1).astype(np.uint8)
    regions >>= _COUNT_BITS
    of_region = row_numbers(sources.region_starts).astype(np.int32)
    of_files = _by_file(terms, of_region[regions], counts, len(path_terms))
    held = counts > 0
    in_regions = Bm25(terms[held], regions[held].view(np.int32), counts[held], size=len(of_region))
    return of_files, in_regions


def region_names(sources: SourceTerms) -> Bm25:
    """BM25 over the names of the regions."""
    size = len(sources.first_lines)
    terms, regions = [np.zeros(0, np.uint32)], [np.zeros(0, np.int32)]
    for first in range(0, size, _NAMES):
        names = [sources.name(at).encode() for at in range(first, min(first + _NAMES, size))]
        begins = np.cumsum([0, *(len(name) + 1 for name in names)])[:-1]
        starts, found, _ = count_terms(b"\n".join((*names, b"")), begins)
        terms.append(found)
        regions.append(row_numbers(starts).astype(np.int32) + first)
    joined = np.concatenate(terms)
    order = np.argsort(joined, kind="stable")
    in_order = np.concatenate(regions)[order]
    return Bm25(joined[order], in_order, np.ones(len(order), np.uint8), size=size)


def _sorted(sources: SourceTerms, in_paths: NDArray[np.uint32]) -> NDArray[np.uint64]:
    size = len(sources.terms)
    postings = np.empty(size + len(in_paths), _POSTING)
    halves = postings.view(_HALF)
    terms, regions = halves[_HIGH], halves[_LOW]
    terms[:size] = sources.terms
    terms[size:] = in_paths[:, 0]
    regions[:size] = row_numbers(sources.term_starts)
    regions[size:] = in_paths[:, 1]
    regions <<= _COUNT_BITS
    regions[:size] |= sources.counts
    postings.sort()
    return postings


def _in_paths(sources: SourceTerms, path_terms: Sequence[Mapping[str, int]]) -> NDArray[np.uint32]:
    pairs = [
        (hash_term(term), int(sources.region_starts[file]))
        for file, counted in enumerate(path_terms)
        for term, count in counted.items()
        for _ in range(count)
    ]
    return np.array(pairs, np.uint32).reshape(-1, 2)


def _by_file(
    terms: NDArray[np.uint32],
    files: NDArray[np.int32],
    counts: NDArray[np.uint8],
    size: int,
) -> Bm25:
    another = (terms[1:] != terms[:-1]) | (files[1:] != files[:-1])
    begins = np.flatnonzero(np.concatenate(([True], another))[: len(files)])
    weighed = np.where(counts > 0, counts, np.uint8(PATH_WEIGHT))
    summed = np.add.reduceat(weighed, begins, dtype=np.int32) if len(begins) else weighed
    return Bm25(terms[begins], files[begins], summed, size=size)

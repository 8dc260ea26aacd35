import re
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.codebase import references
from resolveflow.codebase.identifiers import hash_name, hash_names
from resolveflow.codebase.references import MOST, count_identifiers

_PLAIN = re.compile(rb"[A-Za-z0-9_$\x80-\xff]+")


def counted(texts: list[bytes]) -> list[dict[int, int]]:
    found = count_identifiers(texts)
    return [
        dict(zip(found.names[a:b].tolist(), found.counts[a:b].tolist(), strict=True))
        for a, b in zip(found.starts[:-1].tolist(), found.starts[1:].tolist(), strict=True)
    ]


def plainly(text: bytes) -> dict[int, int]:
    words = [w for w in _PLAIN.findall(text) if 3 <= len(w) <= 100 and not w[:1].isdigit()]
    counts = Counter(words)
    hashes = hash_names(list(counts)).tolist()
    return {h: min(n, MOST) for h, n in zip(hashes, counts.values(), strict=True)}


@given(st.lists(st.text("ab_$1é .\n(", max_size=200).map(str.encode), max_size=6))
def test_counts_what_plain_counting_counts(texts):
    assert counted(texts) == [plainly(text) for text in texts]


def test_no_text_and_empty_texts():
    assert counted([]) == []
    assert counted([b"", b""]) == [{}, {}]


def test_texts_larger_than_a_chunk_are_counted_apart(tmp_path):
    texts = [b"alpha " * 100, b"x" * references._CHUNK, b"beta alpha", b"gamma " * 300]
    assert counted(texts) == [plainly(text) for text in texts]


def test_names_differ_by_any_of_their_first_and_last_letters():
    names = [b"name", b"namf", b"Name", b"a" * 30, b"a" * 31, b"a" * 29 + b"b", b"b" + b"a" * 29]
    long = [b"x" * at + b"y" + b"x" * (31 - at) for at in range(32)]
    assert len(np.unique(hash_names([*names, *long]))) == len(names) + len(long)


def test_hashes_do_not_depend_on_the_neighbours():
    alone = [int(hash_names([name])[0]) for name in (b"abc", b"a_long_name_of_many_letters")]
    assert hash_names([b"abc", b"a_long_name_of_many_letters"]).tolist() == alone
    assert len(hash_names([])) == 0


@given(st.lists(st.text("aB_$1é", min_size=1, max_size=60).map(str.encode), max_size=9))
def test_one_name_hashes_as_it_does_among_others(names: list[bytes]) -> None:
    assert [hash_name(name) for name in names] == hash_names(names).tolist()

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.codebase.bm25 import hash_term
from resolveflow.codebase.code_facts import key_of
from resolveflow.codebase.git_objects import blob_id
from resolveflow.codebase.source_terms import (
    MOST,
    SourceTerms,
    join_terms,
    keep_terms,
    read_terms,
    take_terms,
)
from resolveflow.codebase.text import terms

FILES = {
    "a.py": "def parse_line(text):\n    return textSplit(text)\n" * 6,
    "b.ts": "export class LineParser {\n  parse(text: string) {\n  }\n}\n",
    "c.py": "",
    "d.py": "x = 'straße' + 3D_VIEW + 0x1f + $jq + 1_000",
}


def read(files: dict[str, str]) -> SourceTerms:
    contents = {path: text.encode() for path, text in files.items()}
    keys = [key_of(path, blob_id(data)) for path, data in contents.items()]
    return read_terms(keys, list(contents.values()))


def hashed(text: str) -> dict[int, int]:
    return {hash_term(term): min(count, MOST) for term, count in terms(text).items()}


def counted(found: SourceTerms) -> list[list[tuple[str, int, int, dict[int, int]]]]:
    """Every file's regions, with all that is known of them."""
    return [
        [
            (
                found.name(region),
                int(found.first_lines[region]),
                int(found.last_lines[region]),
                {
                    int(found.terms[at]): int(found.counts[at])
                    for at in range(found.term_starts[region], found.term_starts[region + 1])
                },
            )
            for region in range(found.region_starts[file], found.region_starts[file + 1])
        ]
        for file in range(len(found.keys))
    ]


def test_regions_hold_the_terms_of_their_lines():
    (first, second), (whole,), (empty,), (odd,) = counted(read(FILES))
    assert first == ("parse_line", 1, 8, hashed("\n".join(FILES["a.py"].split("\n")[:8])))
    assert second[:3] == ("parse_line", 9, 12)
    assert whole == ("LineParser, parse", 1, 4, hashed(FILES["b.ts"]))
    assert empty == ("", 1, 1, {})
    assert odd == ("", 1, 1, hashed(FILES["d.py"]))


@given(
    st.lists(
        st.text(st.sampled_from("aB_$1 .\n(é\t"), max_size=80)
        | st.text(st.sampled_from("ab"), min_size=28, max_size=90),
        max_size=6,
    )
)
def test_terms_are_those_of_the_text(texts: list[str]):
    found = read({f"{number}.py": text for number, text in enumerate(texts)})
    for text, regions in zip(texts, counted(found), strict=True):
        lines = text.split("\n")
        for _, first, last, held in regions:
            assert held == hashed("\n".join(lines[first - 1 : last]))


def test_a_count_ends():
    ((_, _, _, held),) = counted(read({"a.py": "word " * 1_000}))[0]
    assert held == {hash_term("word"): MOST}


def test_joined_files_are_the_same_as_files_read_at_once():
    parts = [read({path: text}) for path, text in FILES.items()]
    assert counted(join_terms(parts)) == counted(read(FILES))
    assert counted(join_terms([])) == []


def test_files_are_taken_in_any_order_and_kept_once():
    whole = read(FILES)
    taken = take_terms(whole, np.array([1, 0, 1]))
    assert counted(taken) == [counted(whole)[number] for number in (1, 0, 1)]
    kept = keep_terms(join_terms([whole, whole]), {whole.keys[1]})
    assert counted(kept) == [counted(whole)[1]]

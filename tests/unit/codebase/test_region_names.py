import pytest

from resolveflow.codebase.region_names import with_names
from resolveflow.domain.exploration import Localization, Suspect, Symbol

TEXT = """import os

def first(a):
    return a

class Second:
    def third(self):
        return 1

    def fourth(self):
        one = 1
        two = 2
        return one + two
"""


@pytest.mark.parametrize(
    ("start", "end", "name"),
    [
        (1, 5, "first"),
        (1, 8, "first, Second, third"),
        (1, 13, "first, Second, third, …"),
        (11, 13, "fourth"),
        (1, 2, "as it was"),
    ],
)
def test_a_region_is_named_after_what_it_holds(start, end, name):
    symbol = Symbol(name="as it was", start_line=start, end_line=end)
    found = Localization(suspects=(Suspect(path="a.py", score=1, symbols=(symbol,)),))
    (named,) = with_names(found, {"a.py": TEXT}).suspects[0].symbols
    assert named == symbol.model_copy(update={"name": name})


def test_a_file_without_text_is_left_alone():
    symbol = Symbol(name="as it was", start_line=1, end_line=2)
    found = Localization(suspects=(Suspect(path="a.py", score=1, symbols=(symbol,)),))
    assert with_names(found, {}) == found

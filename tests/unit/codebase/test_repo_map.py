import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from resolveflow.codebase.map_picture import picture_html, picture_svg
from resolveflow.codebase.repo_map import CHARACTERS, Mapper, render
from tests.unit.codebase.code_trees import SHOP, tree_of


def test_the_map_shows_the_most_used_first_with_lines_and_signatures():
    text = render(Mapper(tree_of(SHOP | {"web/forms.py": "place_order()\n"})).map(tokens=600))
    assert text.startswith("5 source files, 6 definitions; left out: 1 minified\n")
    assert "\nshop/money.py\n    1 def round_price(price)\n" in text
    assert text.index("shop/money.py") < text.index("shop/orders.py")
    assert "\n    3 class ShoppingCart\n    4     def total_price(self)\n" in text
    assert "  web (2) → shop 2\n" in text


def test_a_report_draws_what_it_names_to_the_top():
    mapper = Mapper(tree_of(SHOP))
    for report in ("show_order crashes", "see web/views.py:3", "it is in web.views"):
        assert mapper.map(tokens=600, report=report).files[0].path == "web/views.py"
    assert mapper.map(tokens=600).files[0].path == "shop/money.py"


def test_what_holds_a_definition_is_shown_with_it():
    files = {
        "a.py": "class Outer:\n    class Inner:\n"
        "        def important_thing(self):\n            pass\n",
        "b.py": "important_thing()\n",
    }
    (file,) = Mapper(tree_of(files)).map(tokens=200).files
    assert [one.name for one in file.definitions] == ["Outer", "Inner", "important_thing"]
    assert [one.kind for one in file.definitions] == ["class", "class", "function"]


@pytest.mark.parametrize("tokens", [100, 150, 333, 1000, 5000])
def test_the_budget_is_kept(tokens):
    files = {
        f"m{n % 7}/f{n}.py": f"def function_{n}(a, b):\n    function_{n // 2}()\n"
        for n in range(400)
    }
    text = render(Mapper(tree_of(files)).map(tokens=tokens))
    assert len(text) <= tokens * CHARACTERS
    assert len(text) > 0.5 * tokens * CHARACTERS


def test_every_package_is_shown():
    files = {"a/package.json": "{}", "b/package.json": "{}"}
    files |= {f"a/{n}.js": f"export function a_thing_{n}() {{\n}}\n" for n in range(200)}
    files |= {f"a/use{n}.js": f"a_thing_{n}()\n" * 20 for n in range(200)}
    files |= {"b/x.js": "export function lonely_b() {\n}\n", "b/y.js": ""}
    shown = Mapper(tree_of(files)).map(tokens=400)
    assert any(file.path.startswith("b/") for file in shown.files)


def test_an_empty_tree_has_a_map():
    assert render(Mapper(tree_of({})).map()) == "0 source files, 0 definitions\n"


PROGRAM = """
import sys
from resolveflow.codebase.repo_map import Mapper, render
from tests.unit.codebase.code_trees import SHOP, tree_of
files = {f"p{n % 9}/f{n}.py": f"def some_name_{n % 40}(): some_name_{n % 17}()" for n in range(300)}
sys.stdout.write(render(Mapper(tree_of(files | SHOP)).map(tokens=900, report="some_name_3")))
"""


def test_the_map_does_not_depend_on_the_seed_of_hashes():
    maps = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(maps) == 1
    assert len(maps.pop()) > 1000


def test_pictures_are_well_formed_and_hold_every_module():
    files = SHOP | {f'we<b>"&/{n}.py': "round_price()\n" for n in "abc"}
    files |= {f"a\x01b/{n}.py": "" for n in "abc"} | {"web/forms.py": ""}
    shown = Mapper(tree_of(files)).map()
    svg = ElementTree.fromstring(picture_svg(shown, "a < b"))  # noqa: S314 - our own
    told = " ".join(svg.itertext())
    assert all(name in told for name in ("shop", "web", 'we<b>"&', "a < b"))
    page = picture_html(shown, "a < b")
    assert "<h1>a &lt; b</h1>" in page
    assert "round_price" in page


def test_a_picture_of_nothing():
    ElementTree.fromstring(picture_svg(Mapper(tree_of({})).map(), "none"))  # noqa: S314 - our own
    page = picture_html(Mapper(tree_of({"a.py": ""})).map(), "one")
    assert "1 files" in page
    assert page.count("<tr>") == 2  # the headings alone


def test_a_name_with_line_ends_stays_on_its_line():
    forged = "a\n    1 def forged(): pass\r.py"
    text = render(Mapper(tree_of({forged: "def real_name(): pass\n"})).map())
    assert "\na⟨U+000A⟩    1 def forged(): pass⟨U+000D⟩.py\n" in text


def test_very_many_definitions_with_nothing_around_them():
    wall = "".join(f"    def name_{number}(): pass\n" for number in range(30_000))
    (file,) = Mapper(tree_of({"a.py": wall})).map(tokens=500).files
    assert [one.line for one in file.definitions] == list(range(1, 11))

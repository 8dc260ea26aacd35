from resolveflow.codebase.modules import MOST, find_modules
from tests.unit.codebase.code_trees import SHOP, tree_of


def test_directories_are_modules_and_say_whose_names_they_use():
    found = find_modules(tree_of(SHOP | {"web/forms.py": "place_order()\n"}))
    assert not found.packages
    by_name = {module.name: module for module in found.modules}
    assert set(by_name) == {"shop", "web"}
    assert (by_name["shop"].files, by_name["shop"].definitions) == (3, 5)
    assert by_name["web"].uses == {"shop": 2}
    assert by_name["shop"].uses == {}


def test_packages_are_modules_where_there_are_several():
    files = {
        "packages/a/package.json": "{}",
        "packages/a/src/one.js": "export function one_thing() {\n}\n",
        "packages/a/src/two.js": "",
        "packages/b/package.json": "{}",
        "packages/b/one.js": "one_thing()\n",
        "packages/b/two.js": "",
        "tests/fixtures/c/package.json": "{}",
        "tests/fixtures/c/x.js": "",
        "tests/fixtures/c/y.js": "",
        "scripts/a.js": "",
        "scripts/b.js": "",
        "package.json": "{}",
    }
    found = find_modules(tree_of(files))
    assert found.packages
    names = [module.name for module in found.modules]
    assert names == ["", "packages/a", "packages/b", "scripts", "tests"]
    assert found.modules[2].uses == {"packages/a": 1}


def test_names_that_two_modules_define_make_no_edge():
    files = {
        "a/x.py": "def shared_name(): pass\n",
        "b/x.py": "def shared_name(): pass\n",
        "c/x.py": "shared_name()\n",
    }
    assert all(not module.uses for module in find_modules(tree_of(files)).modules)


def test_there_are_never_too_many():
    files = {f"d{number:03}/e/{name}.py": "" for number in range(40) for name in "abc"}
    found = find_modules(tree_of(files))
    assert 1 < len(found.modules) <= MOST
    assert sum(module.files for module in found.modules) == len(files)


def test_an_empty_tree_and_a_flat_one():
    assert find_modules(tree_of({})).modules == ()
    (only,) = find_modules(tree_of({"a.py": ""})).modules
    assert (only.name, only.files) == ("", 1)


def test_source_does_not_use_what_tests_define_but_tests_do():
    files = {
        "shop/a.py": "import_module('x')\n",
        "shop/b.py": "",
        "tests/test_a.py": "def import_module(name): pass\ndef helper_of_tests(): pass\n",
        "tests/test_b.py": "",
        "e2e/test_c.py": "helper_of_tests()\n",
        "e2e/test_d.py": "",
    }
    by_name = {module.name: module.uses for module in find_modules(tree_of(files)).modules}
    assert by_name == {"shop": {}, "tests": {}, "e2e": {"tests": 1}}


def test_tests_stay_one_module():
    files = {f"tests/part{number}/test_{name}.py": "" for number in range(9) for name in "abc"}
    files |= {f"shop/{part}/{name}.py": "" for part in ("cart", "stock") for name in "abc"}
    names = [module.name for module in find_modules(tree_of(files)).modules]
    assert names == ["shop/cart", "shop/stock", "tests"]

import pytest

from resolveflow.explore import functions as module
from resolveflow.explore.functions import enclosing, functions
from tests.unit.explore.trees import BASKET_JS, CELLS, PRICES_JS, READER_JAVA, number_of


def spans(path: str, text: str) -> dict[str, tuple[int, int]]:
    found = functions(path, text.split("\n"))
    return {symbol.name: (symbol.start_line, symbol.end_line) for symbol in found}


def test_python_is_read_with_dedented_strings_from_the_line_of_the_name() -> None:
    text = 'def a():\n    x = """\nnot the end\n"""\n    return x\n\n@dec\nasync def b(): pass\n'
    assert spans("m.py", text) == {"a": (1, 5), "b": (8, 8)}


@pytest.mark.parametrize("text", ["def f(x):\n    print x\n\ny = 1\n", "def f(x):\n  '\0'\n\ny\n"])
def test_python_of_another_version_is_read_by_its_indents(text: str) -> None:
    assert spans("m.py", text) == {"f": (1, 2)}


def test_ruby_definitions_end_with_their_end() -> None:
    text = "class Basket\n  def total(x)\n    x\n  end\nend\ny = 1\n"
    assert spans("m.rb", text) == {"Basket": (1, 5), "total": (2, 4)}


def test_an_unfinished_definition_ends_with_the_file() -> None:
    assert spans("m.rb", "def f\n  1") == {"f": (1, 2)}


def test_java_methods_with_annotations_and_generics() -> None:
    found = spans("A.java", READER_JAVA)
    assert found["LineReader"] == (3, 14)
    assert found["readLine"] == (7, 13)
    assert found.keys() == {"LineReader", "readLine"}


def test_javascript_classes_methods_and_assigned_functions() -> None:
    found = spans("basket.js", BASKET_JS)
    assert found == {"Basket": (4, 15), "constructor": (5, 7), "total": (9, 14)}
    assert spans("prices.js", PRICES_JS) == {"priceOf": (1, 6)}


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (
            "m.go",
            "func (r *Reader) Read(p []byte) (int, error) {\n\treturn 0, nil\n}",
            {"Read": (1, 3)},
        ),
        (
            "m.rs",
            "impl<T> Foo for Bar<T> {\n  pub fn go(&self) -> u8 {\n    1\n  }\n}",
            {"go": (2, 4)},
        ),
        ("m.c", "static int\nmain_loop(int a)\n{\n  if (a) { b(); }\n}\n", {"main_loop": (2, 5)}),
        ("m.ts", "const f = async (a: string) => {\n  return a;\n};", {"f": (1, 3)}),
        ("m.kt", "fun Foo.bar(x: Int): Int {\n  return x\n}", {"bar": (1, 3)}),
        ("m.kt", "fun <T> first(x: T): T {\n  when (x) {\n  }\n}", {"first": (1, 4)}),
        (
            "m.rs",
            "fn find() {\n  if let Some(x) = y() {\n  }\n  match Some(x) {\n  }\n}",
            {"find": (1, 6)},
        ),
        ("m.js", "items.map((x) => {\n  return x;\n});\nvar t = x(1); {\n}", {}),
        (
            "m.js",
            "// function a() {\n/* { */ const s = '{' + \"}\" + `{${1}`;\nfunction b() {\n}",
            {"b": (3, 4)},
        ),
    ],
)
def test_blocks_of_other_languages(path: str, text: str, found: dict[str, tuple[int, int]]) -> None:
    assert {name: span for name, span in spans(path, text).items() if name != "Bar"} == found


def test_the_innermost_definition_encloses_a_line() -> None:
    found = functions("cells.py", CELLS.split("\n"))
    inner = enclosing(found, number_of(CELLS, "for row in self.rows"))
    assert inner is not None
    assert inner.name == "lines"
    assert enclosing(found, 2) is None


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.js", '"\\"' * 100_000),
        ("a.js", "/*" * 100_000),
        ("a.js", "'" * 100_001),
        ("a.js", "`" * 100_001),
        ("a.js", "{" * 100_000),
        ("a.js", "}" * 100_000),
        ("a.js", "a(" * 100_000 + "{"),
        ("a.py", "(" * 100_000),
        ("a.py", "-" * 100_000 + "1"),
    ],
)
def test_hostile_text_ends_and_defines_nothing_much(path: str, line: str) -> None:
    assert len(functions(path, [line])) <= 1


def test_a_generated_text_is_not_read() -> None:
    text = "def f(): pass" + " " * module.LARGEST_TEXT
    assert functions("a.py", [text]) == ()

import time

import pytest

from resolveflow.codebase.definitions import LONGEST_SIGNATURE, find_definitions
from resolveflow.codebase.languages import LANGUAGES

SAMPLES = {
    "python": (
        "LIMIT = 3\nclass A(B):\n    async def go(self,\n        x=1,\n    ) -> int:\n"
        "        return x\n\n\n# def no(\nother = 4\n",
        [(1, "LIMIT"), (2, "A"), (3, "go")],
    ),
    "javascript": (
        "export default class A {\n  static async run(x) {\n    if (x) {\n    }\n  }\n}\n"
        "const f = async (a) => {\n}\nmodule.exports.g = function (x) {}\n"
        "B.prototype.h = function () {}\n"
        "describe('no', () => {\n  it(`no`, function () {\n  })\n})\nfoo(a, function (b) {\n})\n"
        "load(\n  a,\n).then((b) => {\n})\n",
        [(1, "A"), (2, "run"), (7, "f"), (9, "g"), (10, "h")],
    ),
    "typescript": (
        "export interface I<T> {\n}\nexport type T = string\ndeclare namespace N {\n}\n"
        "export abstract class A {\n  private get x(): number {\n    return 1\n  }\n"
        "  protected cb(f: () => void): void {\n  }\n}\nexport const LIMIT: number = 3\n",
        [(1, "I"), (3, "T"), (4, "N"), (6, "A"), (7, "x"), (10, "cb"), (13, "LIMIT")],
    ),
    "component": (
        "<script setup>\nfunction go() {\n}\n</script>\n",
        [(2, "go")],
    ),
    "java": (
        "@Entity\npublic final class A extends B {\n    private static List<String> f(int x)\n"
        "        throws E {\n        return g(x);\n    }\n    A(int x) {\n    }\n"
        "    public A() {\n    }\n}\n",
        [(2, "A"), (3, "f"), (7, "A"), (9, "A")],
    ),
    "kotlin": (
        "data class A(val x: Int)\nfun <T : Any> List<T>.second(): T =\n    this[1]\nobject O\n"
        "const val X = 1\ntypealias F = () -> Unit\n",
        [(1, "A"), (2, "second"), (4, "O"), (5, "X"), (6, "F")],
    ),
    "go": (
        "type A struct {\n}\nfunc (a *A) Run(x int) error {\n}\nfunc main() {\n}\nvar X = 1\n",
        [(1, "A"), (3, "Run"), (5, "main"), (7, "X")],
    ),
    "rust": (
        "pub(crate) struct A<T> {\n}\nimpl<T> fmt::Display for A<T> {\n"
        "    pub async fn f(&self) {\n"
        "    }\n}\nmacro_rules! m {\n}\npub const X: u8 = 1;\n",
        [(1, "A"), (3, "A"), (4, "f"), (7, "m"), (9, "X")],
    ),
    "c": (
        "#define SQUARE(x) ((x) * (x))\nstruct point {\n};\nstatic int add(int a,\n"
        "               int b)\n{\n    return call(a, b);\n}\nint\nmain(int argc)\n{\n}\n"
        "std::string A::name() const\n{\n}\nA::A(int x) :\n    x_(x) {\n}\nint declared(int);\n",
        [(1, "SQUARE"), (2, "point"), (4, "add"), (10, "main"), (13, "name"), (16, "A")],
    ),
    "csharp": (
        "namespace A.B\n{\n    public sealed class C : D\n    {\n        public int Length => 1;\n"
        "        protected override async Task<int> RunAsync(int x)\n        {\n        }\n"
        "        public C(int x)\n        {\n        }\n        delegate bool Handler(int x);\n",
        [(1, "B"), (3, "C"), (5, "Length"), (6, "RunAsync"), (9, "C"), (12, "Handler")],
    ),
    "ruby": (
        "module A\n  class B::C < D\n    def self.run!(x)\n    end\n    private def ok?\n    end\n",
        [(1, "A"), (2, "C"), (3, "run!"), (5, "ok?")],
    ),
    "php": (
        "<?php\nabstract class A\n{\n    public static function run(int $x)\n    {\n",
        [(2, "A"), (4, "run")],
    ),
    "swift": (
        "public final class A: B {\n    override func run(x: Int) {\n}\nextension A {\n}\n",
        [(1, "A"), (2, "run"), (4, "A")],
    ),
    "scala": (
        "sealed trait A\ncase class B(x: Int)\n  private def f(x: Int): Int =\nobject O\n",
        [(1, "A"), (2, "B"), (3, "f"), (4, "O")],
    ),
    "lua": (
        "local function f(x)\nend\nfunction M.sub:g()\nend\nM.h = function()\nend\n",
        [(1, "f"), (3, "g"), (5, "h")],
    ),
    "dart": (
        "class A extends B {\n  Future<int> run(int x) async {\n  }\n}\nenum E { a }\n",
        [(1, "A"), (2, "run"), (5, "E")],
    ),
    "elixir": (
        "defmodule A.B do\n  def run!(x) do\n  end\n  defp ok?(x), do: x\n",
        [(1, "B"), (2, "run!"), (4, "ok?")],
    ),
    "shell": ("build() {\n}\nfunction clean-all {\n}\n", [(1, "build"), (3, "clean-all")]),
    "sql": (
        "CREATE TABLE IF NOT EXISTS app.users (\n);\ncreate or replace function f() as $$\n",
        [(1, "users"), (3, "f")],
    ),
    "perl": ("package A::B;\nsub run {\n}\n", [(1, "B"), (2, "run")]),
}


def found(text: str, language: str) -> list[tuple[int, str]]:
    rows = find_definitions([text.encode()], [language])
    return [(int(line), name(rows, row)) for row, line in enumerate(rows.lines)]


def name(rows, row: int) -> str:
    begin = int(rows.ends[row - 1]) if row else 0
    begin += int(rows.name_at[row])
    return rows.signatures[begin : begin + int(rows.name_length[row])].decode()


def test_every_language_has_a_sample():
    assert set(SAMPLES) == set(LANGUAGES) - {"other"}


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_definitions_of(language):
    text, expected = SAMPLES[language]
    assert found(text, language) == expected


def test_texts_keep_their_own_rows():
    texts = [b"def a(): pass", b"", b"fn b() {", b"def c(): pass\ndef d(): pass\n"]
    rows = find_definitions(texts, ["python", "python", "other", "python"])
    assert rows.starts.tolist() == [0, 1, 1, 1, 3]
    assert [name(rows, row) for row in range(3)] == ["a", "c", "d"]


def test_nothing_gives_empty_columns():
    rows = find_definitions([], [])
    assert (rows.starts.tolist(), len(rows.lines), rows.signatures) == ([0], 0, b"")


def test_a_signature_over_lines_is_shown_on_one():
    rows = find_definitions([b"def f(\n    a,\n    b=(1, 2),\n) -> int:\n    pass\n"], ["python"])
    assert rows.signatures == b"def f(a, b=(1, 2)) -> int:"


def test_a_long_signature_is_cut():
    rows = find_definitions([b"def f(" + b"a" * 5_000 + b"): pass"], ["python"])
    assert len(rows.signatures) == LONGEST_SIGNATURE


HOSTILE = (
    " " * 200_000,
    "a " * 100_000,
    "a::" * 70_000,
    "template <" * 20_000,
    "(" * 200_000,
    "public static " * 15_000 + "x",
    "export const a: " * 12_000,
    "impl<" * 40_000,
    "\n".join(["x" * 50] * 4_000),
    "a(b," * 50_000,
    "\n  a(\n   b" * 20_000,
    "const a = ((" * 15_000,
    "a: (b) " * 30_000,
    "async get " * 20_000,
    "A(" * 100_000,
)


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_no_text_takes_long(language):
    for text in HOSTILE:
        started = time.process_time()
        find_definitions([text.encode()], [language])
        assert time.process_time() - started < 10, text[:20]  # a quadratic one takes minutes


def test_brackets_without_end_are_no_signature():
    found = find_definitions([b"def f(a,\n" * 20], ["python"])
    assert found.signatures.startswith(b"def f(a," * 13)

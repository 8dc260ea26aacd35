"""Crashes in every family of formats, and around them what mail, logs and JSON add."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolveflow.domain.crash import Crash
from resolveflow.intake.crashes import MAX_CRASHES, parse_crashes
from resolveflow.intake.formats.mangled import readable
from resolveflow.intake.formats.stack import MAX_FRAMES

PYTHON = """Traceback (most recent call last):
  File "/srv/app/main.py", line 10, in main
    run()
  File "/srv/app/jobs.py", line 4, in run
    return queue[0]
           ~~~~~^^^
IndexError: list index out of range
"""


def places(crash: Crash) -> list[tuple[str | None, str | None, int | None]]:
    return [(frame.function, frame.file, frame.line) for frame in crash.frames]


def only(text: str) -> Crash:
    (crash,) = parse_crashes(text)
    return crash


def test_python_frames_are_innermost_first() -> None:
    crash = only(PYTHON)

    assert (crash.type, crash.message) == ("IndexError", "list index out of range")
    assert crash.language == "python"
    assert places(crash) == [("run", "/srv/app/jobs.py", 4), ("main", "/srv/app/main.py", 10)]


@pytest.mark.parametrize(
    "dressed",
    [
        "I see this:\n\n```pytb\n" + PYTHON + "```\nany idea?",
        "\n".join(f"> > {line}" for line in PYTHON.splitlines()),
        "\n".join(f"Jan  2 03:04:05 host app[12]: {line}" for line in PYTHON.splitlines()),
        "\n".join(f"2024-01-02T03:04:05.678Z {line}" for line in PYTHON.splitlines()),
        "\n".join(f"web-1  | {line}" for line in PYTHON.splitlines()),
        "\n".join(f"    {line}" for line in PYTHON.splitlines()),
        json.dumps({"level": "error", "stack": PYTHON}),
        PYTHON.replace("\n", "\r\n"),
        "\x1b[31m" + PYTHON.replace("\n", "\x1b[0m\n\x1b[31m"),
    ],
    ids=["fence", "quoted", "syslog", "stamped", "compose", "indented", "json", "crlf", "colours"],
)
def test_a_traceback_is_found_in_whatever_is_around_it(dressed: str) -> None:
    crash = only(dressed)

    assert crash.type == "IndexError"
    assert places(crash)[0] == ("run", "/srv/app/jobs.py", 4)


def test_a_python_chain_begins_with_its_root_cause() -> None:
    text = (
        PYTHON
        + "\nThe above exception was the direct cause of the following exception:\n\n"
        + PYTHON.replace("IndexError: list index", "app.JobError: no job")
    )

    assert [crash.type for crash in parse_crashes(text)] == ["IndexError", "app.JobError"]


def test_the_parts_of_an_exception_group_come_before_it() -> None:
    text = """  + Exception Group Traceback (most recent call last):
  |   File "a.py", line 9, in main
  |     raise group
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "a.py", line 3, in one
    |     raise ValueError(1)
    | ValueError: 1
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "a.py", line 5, in two
    |     raise KeyError(2)
    | KeyError: 2
    +------------------------------------
"""

    types = [crash.type for crash in parse_crashes(text)]

    assert types == ["ValueError", "KeyError", "ExceptionGroup"]


def test_a_notebooks_arrow_gives_the_line() -> None:
    text = """---------------------------------------------------------------------------
ZeroDivisionError                         Traceback (most recent call last)
~/work/rates.py in rate(a, b)
     10 def rate(a, b):
     11     # per item
---> 12     return a / b
     13

ZeroDivisionError: division by zero
"""

    crash = only(text)

    assert crash.type == "ZeroDivisionError"
    assert places(crash) == [("rate", "~/work/rates.py", 12)]


def test_frames_without_a_header_or_an_error_are_kept() -> None:
    crash = only('  File "a.py", line 3, in f\n    g()\n')

    assert crash.type == "unknown"
    assert places(crash) == [("f", "a.py", 3)]


def test_a_traceback_may_have_lost_its_frames() -> None:
    crash = only("Traceback (most recent call last):\n  ...\nValueError: no\n")

    assert (crash.type, crash.frames) == ("ValueError", ())


def test_a_log_level_is_no_exception() -> None:
    text = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nWARNING: low disk\n'

    assert only(text).type == "unknown"


@pytest.mark.parametrize(
    ("text", "kind", "innermost"),
    [
        (
            "TypeError: x is undefined\n    at async load (/app/src/load.js:10:5)\n"
            "    at /app/src/index.js:3:1\n",
            "TypeError",
            ("load", "/app/src/load.js", 10),
        ),
        (
            "Uncaught ReferenceError: y is not defined\n"
            "run@https://example.org/a.js:7:3\n@https://example.org/b.js:1:1\n",
            "ReferenceError",
            ("run", "https://example.org/a.js", 7),
        ),
        (
            "Error: boom\n  at f (eval at g (http://localhost/a.js:21:17), <anonymous>:1:30)\n",
            "Error",
            ("f", "http://localhost/a.js", 21),
        ),
        (
            "Error [ERR_X]: no\n    at new Parser [as p] (C:\\app\\p.js:1:2)\n    at m (native)\n",
            "Error",
            ("Parser", "C:\\app\\p.js", 1),
        ),
        (
            "Warning: odd\n    in Button (at App.js:12)\n    in App (at index.js:4)\n",
            "unknown",
            ("Button", "App.js", 12),
        ),
    ],
    ids=["v8", "gecko", "eval", "windows", "components"],
)
def test_javascript(text: str, kind: str, innermost: tuple[str, str, int]) -> None:
    crash = only(text)

    assert (crash.language, crash.type) == ("javascript", kind)
    assert places(crash)[0] == innermost


def test_javascript_causes_come_before_what_they_caused() -> None:
    text = """Error: cannot start
    at start (/app/a.js:1:1)
  [cause]: TypeError: no port
      at port (/app/b.js:2:2)
"""

    assert [crash.type for crash in parse_crashes(text)] == ["TypeError", "Error"]


@pytest.mark.parametrize(
    "prose",
    [
        "See https://example.org/a.js:10:2 for the place",
        "https://example.org/app.js:10\n",
        "we met at 10:30 at the office",
        "mail me@example.org:25",
        "#1 Foo (bar)\n#2 Bar (baz)\n",
        "- fixes #0 and #1\n",
        "WARNING: the log says ERROR: no\n",
    ],
)
def test_prose_is_no_crash(prose: str) -> None:
    assert parse_crashes(prose) == ()


def test_javas_last_cause_comes_first() -> None:
    text = """Exception in thread "main" org.example.AppException: cannot start
	at org.example.App.start(App.java:20)
	at java.base/java.lang.Thread.run(Thread.java:833)
Caused by: java.lang.NullPointerException: name is null
	at org.example.Names.trim(Names.kt:7)
	at org.example.App.start(App.java:18)
	... 1 more
"""

    root, outer = parse_crashes(text)

    assert (root.type, root.message) == ("java.lang.NullPointerException", "name is null")
    assert places(root)[0] == ("org.example.Names.trim", "Names.kt", 7)
    assert outer.type == "org.example.AppException"
    assert [frame.in_app for frame in outer.frames] == [True, False]


def test_android_logcat() -> None:
    text = """01-02 03:04:05.678 123 456 E AndroidRuntime: FATAL EXCEPTION: main
01-02 03:04:05.678 123 456 E AndroidRuntime: java.lang.IllegalStateException: gone
01-02 03:04:05.678 123 456 E AndroidRuntime: 	at org.example.Main.onCreate(Main.java:5)
"""

    assert only(text).type == "java.lang.IllegalStateException"


def test_an_anr_has_a_type_too() -> None:
    text = '"main" prio=5 tid=1 Blocked\n  at org.example.Main.wait(Main.java:5)\n'

    assert only(text).type == "ANR"


def test_dotnets_inner_exception_comes_first() -> None:
    text = """Unhandled exception. App.LoadException: bad ---> System.IO.IOException: no disk
   at App.Disk.Read(String path) in C:\\src\\Disk.cs:line 12
   --- End of inner exception stack trace ---
   at App.Loader.Load() in C:\\src\\Loader.cs:line 40
   at System.Threading.Tasks.Task.Execute()
"""

    inner, outer = parse_crashes(text)

    assert (inner.type, places(inner)) == (
        "System.IO.IOException",
        [("App.Disk.Read", "C:\\src\\Disk.cs", 12)],
    )
    assert outer.type == "App.LoadException"
    assert [frame.in_app for frame in outer.frames] == [True, False]


def test_a_german_dotnet_stack() -> None:
    text = "System.Exception: kaputt\n   bei App.A.B(Int32 x) in C:\\a.cs:Zeile 3\n"

    assert places(only(text)) == [("App.A.B", "C:\\a.cs", 3)]


def test_go_panics_blame_the_first_goroutine_below_the_panic() -> None:
    text = """panic: assignment to entry in nil map [recovered]

goroutine 7 [running]:
main.handle.func1()
	/src/app/main.go:30 +0x1d
panic({0x4a, 0x5b})
	/usr/local/go/src/runtime/panic.go:770 +0x132
github.com/example/app/store.(*Store).Put(0xc000, {0x1, 0x2})
	/src/app/store/store.go:12 +0x45
created by net/http.(*Server).Serve in goroutine 1
	/usr/local/go/src/net/http/server.go:3086 +0x5cb

goroutine 8 [select]:
main.idle()
	/src/app/idle.go:3 +0x1
"""

    crash = only(text)

    assert (crash.type, crash.message) == ("panic", "assignment to entry in nil map")
    own = [frame.function for frame in crash.frames if frame.in_app]
    assert own == ["github.com/example/app/store.(*Store).Put"]


def test_a_go_data_race() -> None:
    text = """WARNING: DATA RACE
Write at 0x00c0 by goroutine 7:
  main.add()
      /src/app/add.go:9 +0x3c
"""

    crash = only(text)

    assert (crash.type, places(crash)) == ("data race", [("main.add", "/src/app/add.go", 9)])


def test_old_and_new_rust_panics() -> None:
    old = "thread 'main' panicked at 'no value\nat all', src/a.rs:4:9\nnote: run with\n"
    new = """thread 'main' (12) panicked at src/b.rs:7:5:
index out of bounds
stack backtrace:
   0: core::panicking::panic_fmt
             at /rustc/abc/library/core/src/panicking.rs:72:14
   1: app::pick::h0123456789abcdef
             at ./src/b.rs:7:5
"""

    first, second = only(old), only(new)

    assert (first.type, places(first)) == ("panic", [(None, "src/a.rs", 4)])
    assert second.message == "index out of bounds"
    assert [f.function for f in second.frames if f.in_app] == ["app::pick"]


def test_ruby_php_lua_dart_elixir() -> None:
    ruby = (
        "/app/lib/a.rb:5:in `block in run': nil has no name (NoMethodError)\n"
        "\tfrom /app/b.rb:2:in 'main'\n"
    )
    php = """PHP Fatal error:  Uncaught TypeError: must be int in /app/src/A.php:12
Stack trace:
#0 /app/src/B.php(30): App\\A->set('x')
#1 {main}
  thrown in /app/src/A.php on line 12
"""
    lua = (
        "lua: a.lua:3: boom\nstack traceback:\n"
        "\t[C]: in function 'error'\n\ta.lua:3: in function 'f'\n"
    )
    dart = (
        "Unhandled exception:\nStateError: no element\n"
        "#0      List.first (dart:core/list.dart:1:2)\n"
        "#1      pick (package:app/pick.dart:8:3)\n"
    )
    elixir = "** (KeyError) key :a not found\n    (app 0.1.0) lib/app/a.ex:9: App.A.get/1\n"

    found = {text: only(text) for text in (ruby, php, lua, dart, elixir)}

    assert found[ruby].type == "NoMethodError"
    assert places(found[ruby])[0] == ("run", "/app/lib/a.rb", 5)
    assert found[php].type == "TypeError"
    assert places(found[php]) == [
        ("App\\A->set", "/app/src/A.php", 12),
        (None, "/app/src/B.php", 30),
    ]
    assert (found[lua].message, places(found[lua])) == ("boom", [("f", "a.lua", 3)])
    assert places(found[dart])[1] == ("pick", "package:app/pick.dart", 8)
    assert (found[elixir].type, places(found[elixir])) == (
        "KeyError",
        [("App.A.get/1", "lib/app/a.ex", 9)],
    )


@pytest.mark.parametrize(
    ("text", "kind", "innermost"),
    [
        (
            "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x5\n"
            "    #0 0x5 in Box<int>::get(int) const src/box.cc:12:3\n"
            "freed by thread T0 here:\n    #0 0x6 in free (/usr/bin/app+0x6)\n",
            "heap-use-after-free",
            ("Box<int>::get", "src/box.cc", 12),
        ),
        (
            "src/a.c:3:7: runtime error: signed integer overflow\n",
            "runtime error",
            (None, "src/a.c", 3),
        ),
        (
            "Program received signal SIGSEGV, Segmentation fault.\n"
            "#0  0x0000 in parse (s=0x0) at src/parse.c:41\n#1  main () at src/main.c:9\n",
            "SIGSEGV",
            ("parse", "src/parse.c", 41),
        ),
        (
            "* thread #1, stop reason = EXC_BAD_ACCESS\n"
            "  * frame #0: 0x00000001 app`draw(view=0x0) at draw.m:5:2\n"
            "    frame #1: 0x00000002 app`main at main.m:9:1\n",
            "unknown",
            ("draw", "draw.m", 5),
        ),
        (
            "F0102 03:04:05.678901 12345 store.cc:88] Check failed: size > 0 \n"
            "    @     0x55d0 app::Store::Load()\n",
            "Check failed",
            (None, "store.cc", 88),
        ),
        (
            "app: src/a.c:17: int f(void): Assertion `x > 0' failed.\n",
            "assertion failed",
            ("int f(void)", "src/a.c", 17),
        ),
        (
            "BUG: KASAN: slab-out-of-bounds in probe+0x1/0x2\nCall trace:\n"
            "[<ffffffc0002>] probe+0x104/0x1d8 drivers/base/p.c:79\n",
            "KASAN",
            ("probe", "drivers/base/p.c", 79),
        ),
        (
            "00 000000c1`f9cff420 00007ff7`4f2ea780     App!Grid::Draw+0xc2 [C:\\g.cpp @ 10] \n"
            "01 000000c1`f9cff4d0 00007ff7`4f2ec8e9     App!Grid::Show+0xa8 [C:\\g.cpp @ 7] \n",
            "unknown",
            ("Grid::Draw", "C:\\g.cpp", 10),
        ),
    ],
    ids=["asan", "ubsan", "gdb", "lldb", "glog", "assert", "kernel", "windbg"],
)
def test_native(text: str, kind: str, innermost: tuple[str | None, str, int]) -> None:
    crash = only(text)

    assert (crash.language, crash.type) == ("native", kind)
    assert places(crash)[0] == innermost


def test_apple_text_reports_the_crashed_thread() -> None:
    text = """Incident Identifier: 1
Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
Exception Codes: KERN_INVALID_ADDRESS at 0x0

Thread 0:
0   libsystem_kernel.dylib          0x3618e3ec 0x3617c000 + 74732 (kevent + 24)

Thread 1 Crashed:
0   libobjc.A.dylib                 0x35099c5d 0x35095000 + 19549 (objc_msgSend + 25)
1   Notes                           0x0000f6d9 0x8000 + 30425 (-[Editor save:] + 101)
2   Notes                           0x0000f6e0 main + 20 (main.m:14)
"""

    crash = only(text)

    assert (crash.type, crash.language) == ("EXC_BAD_ACCESS (SIGSEGV)", "apple")
    assert [frame.in_app for frame in crash.frames] == [False, True, False]
    assert places(crash)[1:] == [("-[Editor save:]", None, None), ("main", "main.m", 14)]


def test_apple_json_reports() -> None:
    frames = [
        {"symbol": "save", "imageIndex": 0, "sourceFile": "E.swift", "sourceLine": 3},
        {"symbol": "x", "imageIndex": 9},
    ]
    report = {
        "exception": {"type": "EXC_CRASH", "signal": "SIGABRT"},
        "usedImages": [{"name": "Notes"}],
        "threads": [{"frames": []}, {"triggered": True, "frames": frames}],
    }
    ips = json.dumps({"app_name": "Notes"}) + "\n" + json.dumps(report, indent=1)
    kscrash = json.dumps(
        {
            "binary_images": [],
            "crash": {
                "error": {"signal": {"name": "SIGSEGV"}},
                "threads": [
                    {
                        "crashed": True,
                        "backtrace": {"contents": [{"symbol_name": "f", "object_name": "App"}]},
                    }
                ],
            },
        }
    )

    assert places(only(ips)) == [("save", "E.swift", 3), ("x", None, None)]
    assert (only(kscrash).type, places(only(kscrash))) == ("SIGSEGV", [("f", None, None)])
    assert parse_crashes('{"usedImages": ' + "[" * 50_000) == ()


def test_several_crashes_are_found_in_order_and_each_once() -> None:
    other = PYTHON.replace("IndexError", "KeyError")

    assert [c.type for c in parse_crashes(other + "\n\n" + PYTHON + "\n\n" + other)] == [
        "KeyError",
        "IndexError",
    ]


def test_the_fingerprint_outlives_lines_addresses_and_recursion() -> None:
    moved = PYTHON.replace("line 4", "line 44").replace("/srv/", "/opt/")
    deeper = PYTHON.replace(
        '  File "/srv/app/jobs.py"', '  File "/srv/app/main.py", line 10, in main\n' * 3
        + '  File "/srv/app/jobs.py"', 1,
    )  # fmt: skip
    elsewhere = PYTHON.replace("in run", "in walk")

    assert only(PYTHON).fingerprint == only(moved).fingerprint == only(deeper).fingerprint
    assert only(PYTHON).fingerprint != only(elsewhere).fingerprint


def test_what_a_failing_service_repeats_is_capped() -> None:
    many = "\n\n".join(PYTHON.replace("IndexError", f"E{n}Error") for n in range(300))
    deep = PYTHON.replace(
        '  File "/srv/app/main.py"', '  File "/srv/app/main.py", line 9, in f\n' * 2_000
        + '  File "/srv/app/main.py"', 1,
    )  # fmt: skip

    assert len(parse_crashes(many)) == MAX_CRASHES
    assert len(only(deep).frames) == MAX_FRAMES
    assert only(deep).frames[0].function == "run"


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN2ui10FlingCurveC2ERKN3gfx9Vector2dFE", "ui::FlingCurve::FlingCurve"),
        ("__ZN4base6ThreadD0Ev", "base::Thread::~Thread"),
        ("_ZNK3foo3barIiNS_3bazEE3runEv", "foo::bar::run"),
        ("_ZN4core9panicking5panic17h0123456789abcdefE", "core::panicking::panic"),
        ("_Z4mainv", "main"),
        ("_Z", "_Z"),
        ("plain", "plain"),
    ],
)
def test_linker_names(symbol: str, name: str) -> None:
    assert readable(symbol) == name


SHARDS = st.sampled_from(
    ["Traceback (most recent call last):", 'File "', '", line ', "at ", "(", ")", ":1:2", "#0 ",
     "0x12 in ", ".java:", "panic: ", "goroutine 1 [running]:", "panicked at '", "', ", "a@http://",
     "ERROR: AddressSanitizer: ", "Caused by: ", "Error: ", "| ", "> ", "\n", "\t", " ", "_ZN1a",
     "[<ffff>] ", ":in `", "9" * 30, "{", "Exception Type: ", "12  a  0x12345678 b + 1", "\ud800"]
)  # fmt: skip


@given(st.lists(st.one_of(SHARDS, st.text(max_size=8)), max_size=40).map("".join))
def test_no_text_raises(text: str) -> None:
    for crash in parse_crashes(text):
        assert crash.fingerprint
        assert len(crash.frames) <= MAX_FRAMES

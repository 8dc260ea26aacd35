"""The lines on which native tools print one frame."""

import re

from resolveflow.domain.crash import Frame
from resolveflow.intake.formats.mangled import readable
from resolveflow.intake.formats.stack import frame_of

Numbered = tuple[int, Frame]  # the frame's number, -1 where frames have none

_NUMBERED = re.compile(r"\s*(?:\* )?(?:frame )?#(\d+)(?:\.\d+)?:? +(?:(0x[0-9a-fA-F]+) *)?(.*)")
_POSITION = re.compile(r"(\S+?)(?::(\d{1,9}))?(?::(\d{1,9}))?$")
_LLDB = re.compile(r"([\w.+ -]{1,80})`(.*)")
_PLACE = re.compile(r"(.*?)[ (]((?:[A-Za-z]:)?[^\s():]*[^\s():/]):(\d+)(?::(\d+))?\)?$")
_TRAILER = re.compile(
    r" (?:<[^<>]{0,80}>+\+0x[0-9a-f]+|<<application>>\+0x[0-9a-f]+|\(BuildId: \w+\))$"
)
_MODULE = re.compile(r"(.*?) ?\(([^()\s]+)\+0x[0-9a-fA-F]+\)$")
_BARE_MODULE = re.compile(r"\(?((?:[\w.+-]+/)*[\w+-]+\.(?:so|dll|exe|dylib|pkg|gate)[\w.]*)\)?$")
_GLOG = re.compile(r" {2,12}@ +0x[0-9a-f]+ +(\S.*)")
_WINDOWS = re.compile(r"\t(\S.{0,900}?) \[0x[0-9A-Fa-f]+\+\d+\](?: \((.+?):(\d+)\))?$")
_KERNEL = re.compile(
    r"(?:\[<[0-9a-f ]*(?:inline)?[ 0-9a-f]*>\]| {1,3}\??) ?\??\s?([\w.]+)"
    r"(?:\+0x[0-9a-f]+/0x[0-9a-f]+)?(?: \[\w+\])?(?: (\S+?):(\d+))?(?: \[inline\])?$"
)
_WINDBG = re.compile(
    r"(?:([0-9a-f]{2,3}) )?(?:[0-9a-f`]{8,17} +){2}"
    r"(?:: (?:[0-9a-f`]{8,17} ){3,4}: )?"
    r"([\w.]+)!(.{1,900}?)(?:\+0x[0-9a-f]+)?(?: \[(.+?) @ (\d+)\])? ?$"
)
_APPLE = re.compile(
    r"(\d{1,4}) {1,4}(\S(?:.{0,60}?\S)?)[ \t]{1,60}0x[0-9a-fA-F]{8,16} (.{1,900}?) \+ \d+(.*)"
)
_GLIBC = re.compile(r"\s*(\S+?)\(([^()].*|)\+0x[0-9a-f]+\) ?\[0x[0-9a-f]+\]$")
_UNKNOWN_NAMES = {"", "<unknown>", "<unknown module>", "??", "<unavailable>", "0x0", "(<unknown"}
_SUFFIX = re.compile(r"::h[0-9a-f]{16}$|\$[0-9a-f]{32}(?:\.cfi)?$")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")


def parse_frame(line: str) -> Numbered | None:
    """Read a frame from a line of a sanitizer, gdb, lldb, glog, the kernel, WinDbg, macOS."""
    if "#" in line and (match := _NUMBERED.match(line)):
        return _numbered(int(match[1][:6]), match[3].strip(), address=match[2])
    first = line[:1]
    if first == " " and (match := _GLOG.match(line)):
        return -1, _frame(match[1])
    if first == "\t" and (match := _WINDOWS.match(line)):
        return -1, _frame(match[1], match[2], match[3])
    if first.isdigit() or first in "abcdef":
        return apple_frame(line) or _windbg(line)
    if line.startswith("[<") and (match := _KERNEL.match(line)):
        return -1, _frame(match[1], match[2], match[3])
    if line.endswith("]") and (match := _GLIBC.match(line)):
        return -1, _frame(match[2], module=match[1])
    return None


def _numbered(number: int, rest: str, *, address: str | None) -> Numbered | None:
    rest = _TRAILER.sub("", rest)
    if lldb := _LLDB.match(rest):
        return number, _in_module(lldb[2], lldb[1])
    said_in = rest.startswith("in ")
    rest = rest.removeprefix("in ")
    if gdb := _gdb(rest):
        return number, gdb
    if address is None and not said_in:
        # Without an address only gdb's `f (a=1)` is a frame; `#1 something (else)` is prose.
        call, _, arguments = rest.partition(" (")
        is_call = arguments == ")" or ("=" in arguments and arguments.endswith(")"))
        return (number, _frame(call)) if is_call else None
    return number, _placed(rest)


def _gdb(rest: str) -> Frame | None:
    """Read `function (arguments) at file:line` or `function () from library`."""
    for mark in (") at ", ") from "):
        call, found, place = rest.rpartition(mark)
        if found and (position := _POSITION.match(place)):
            return _frame(call.partition(" (")[0], *position.groups())
    return None


def _placed(rest: str) -> Frame:
    """Read `function(arguments) file:line:column`, or a module where the file should be."""
    if module := _MODULE.match(rest):
        return _frame(module[1], module=module[2])
    if module := _BARE_MODULE.match(rest):
        return _frame("", module=module[1])
    if place := _PLACE.match(rest):
        return _frame(place[1], place[2], place[3], place[4])
    return _frame(rest)


def _in_module(rest: str, module: str) -> Frame:
    name, _, place = rest.partition(" at ")
    file, _, position = place.partition(":")
    line, _, column = position.partition(":")
    return _frame(
        name, file, line if line.isdigit() else None, column if column.isdigit() else None, module
    )


def apple_frame(line: str) -> Numbered | None:
    """Read a line of a macOS or iOS stack; the symbol may stand behind the offset."""
    match = _APPLE.match(line)
    if match is None:
        return None
    number, module, symbol, rest = match.groups()
    place = _PLACE.search(rest)
    if symbol.startswith("0x") and rest.startswith(" ("):
        symbol = rest[2:].rpartition(" + ")[0] or rest[2:].rstrip(")")
    file, at = (place[2], place[3]) if place else (None, None)
    return int(number), _frame(symbol, file, at, module=module)


def _windbg(line: str) -> Numbered | None:
    match = _WINDBG.match(line)
    if match is None:
        return None
    number, module, function, file, at = match.groups()
    return int(number, 16) if number else -1, _frame(function, file, at, module=module)


def _frame(
    function: str | None,
    file: str | None = None,
    line: str | None = None,
    column: str | None = None,
    module: str | None = None,
) -> Frame:
    return frame_of("native", _name(function or ""), file, line, column, module)


def _name(function: str) -> str | None:
    """Cut a function's parameters and offsets, and decode a linker's name."""
    function = _SUFFIX.sub("", function.strip().removesuffix(" const").strip())
    if function in _UNKNOWN_NAMES or function.startswith(("(<", "0x")):
        return None
    if function.startswith(("_Z", "__Z")):
        return readable(function.split("+")[0].split(" ")[0])
    if function.startswith(("-[", "+[")):
        return function
    return _OFFSET.sub("", _without_parameters(function)) or None


def _without_parameters(function: str) -> str:
    """Cut at the parenthesis that opens the parameters, not at `(anonymous namespace)`."""
    at = function.find("(")
    while at >= 0:
        kept = function.startswith(("(anonymous", "(lambda", "()("), at) or function[:at].endswith(
            "operator"
        )
        if not kept and (at > 0 or not function.endswith("]")) and not _qualifier(function, at):
            return function[:at].rstrip()
        at = function.find("(", at + 1)
    return function


def _qualifier(function: str, at: int) -> bool:
    # Objective-C names a category in parentheses: `-[NSObject(NSObject) f:]`.
    close = function.find(")", at)
    return close >= 0 and function.startswith("::", close + 1)

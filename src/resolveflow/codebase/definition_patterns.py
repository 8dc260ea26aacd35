"""What a definition looks like in each language: patterns that read one line each.

A pattern begins at a line's end (finding `\\n` is what a regex engine does fastest), its first
group is the line's indentation and its last matched group the name. Every repetition is bounded or
of one class of characters, so that a match takes time linear in the length of the line.
"""

import re

_INDENT = rb"\n([ \t]*+)"
_WORD = rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+"
_NAME = rb"(" + _WORD + rb")"
_QUOTABLE = rb"(?:" + _NAME + rb"|`([^`\n]{1,100})`)"
_REST = rb"[^\n]*"
_ANNOTATIONS = rb"(?:@[\w.]++(?:\([^)\n]{0,120}\))?[ \t]++){0,4}"
_OPEN = rb"[ \t]*+(?:<[^>\n]{1,120}>)?\("


def _words(words: str) -> bytes:
    return rb"(?:" + b"|".join(words.encode().split()) + rb")"


def _keyword(modifiers: str, keywords: str, name: bytes = _NAME) -> bytes:
    """`modifiers` in any number, one of `keywords`, the name."""
    before = rb"(?:" + _words(modifiers) + rb"[ \t]+){0,6}" if modifiers else b""
    return before + _words(keywords) + rb"[ \t]+" + name


def _lines(*forms: bytes, rest: bytes = _REST) -> "re.Pattern[bytes]":
    return re.compile(_INDENT + rb"(?:" + rb"|".join(forms) + rb")" + rest)


_NOT_CALLED = (
    rb"(?!(?:if|for|while|switch|catch|return|else|new|throw|case|await|yield|delete|typeof|sizeof"
    rb"|do|goto|using|lock|foreach|when|with|assert|try|in|is|not|and|or|elif)\b)"
)
# `Type<A> *name(…` without a semicolon: how C and its heirs define functions.
_TYPED = (
    rb"(?:\[\[[^]\n]{1,80}\]\][ \t]*+)?+(?=[^\s()=;{}\"']++[ \t])"
    + _NOT_CALLED
    + rb"(?:[\w$\x80-\xff@~<?][^\s()=;{}\"']{0,80}+[ \t]{1,8}+){1,8}[*&]{0,3}+"
    + rb"(?:[\w$]{1,60}+(?:<[^>\n]{0,60}>)?::){0,4}"
    + rb"(~?[A-Za-z_$][\w$]*+|operator(?:\(\)|[^\s(]{1,4}))"
)
_TYPED_FUNCTION = _TYPED + _OPEN + rb"(?=[^;\n]*(?:\n[ \t]*[{:(\w]|$|\{))[^;\n]*(?:\{[^\n]*)?(?=\n)"
_ARROW_BODY = _TYPED + _OPEN + rb"[^;\n)]*+\)[^;\n]*=>"
_CONSTRUCTOR = (
    rb"(?:(?:public|private|protected)[ \t]++)?+([A-Z][\w$]*+)"
    rb"\((?:[^;\n]*\{(?=[ \t]*\n)|[^();\n]*(?=\n))"
)

CALLABLE = (  # of JavaScript and its heirs
    rb"(?:async\b[ \t]*+)?(?:function\b|class\b|[\w$]++[ \t]*+=>"
    rb"|(?:<[^>\n]{1,80}>)?\((?:(?:[^()\n]|\([^()\n]*+\))*+\)[^()\n]*=>|(?=\n)))"
)
_MEMBER_CALLABLE = (
    rb"(?:async\b[ \t]*+)?(?:function\b|(?:\([^\n]*|[\w$]++[ \t]*+)=>(?:[ \t]*\{)?(?=\n))"
)
_ASSIGNED = rb"[ \t]*+(?::[^=\n]{1,120})?=[ \t]*+"
_ON_ONE_LINE = rb"[^(){}\n]*\)[^(){};=\n]*\{[^\n]*\}[,;]?(?=\n)"
_OVER_LINES = rb"(?=\n(?:\1[ \t]++[^\n]*\n){1,30}\1\)[ \t]*+(?::[^;\n]*)?\{[ \t]*\n)"
_MEMBER = (
    rb"(?=[\w#$ \t*<>]*+(?:\((?:[^\n]*[{}(][,;]?)?[ \t]*\n|[:=]))"
    + _NOT_CALLED
    + rb"(?:(?:public|private|protected|static|async|get|set|override|readonly|abstract)[ \t]++)"
    + rb"{0,5}+(?:\*[ \t]*+)?(#?[A-Za-z_$][\w$]*+)(?:"
    + _OPEN
    + rb"(?![ \t]*['\"`])(?:"
    + rb"(?![^\n]*(?:\)\.|\bfunction\b|=>[ \t]*\{[ \t]*\n))[^;\n]*\{(?=[ \t]*\n)|"
    + _ON_ONE_LINE
    + rb"|"
    + _OVER_LINES
    + rb")|[ \t]*+:[ \t]*+"
    + _MEMBER_CALLABLE
    + rb"|[ \t]*+(?::[^=(\n]{1,120})?=[ \t]*+"
    + CALLABLE
    + rb")"
)

_SCRIPT = (
    _keyword(
        "export default declare abstract async",
        r"class function\*? interface enum namespace module",
    ),
    _keyword("export declare", "type") + rb"(?=[ \t]*[=<])",
    rb"(?:export[ \t]+)?(?:const|let|var)[ \t]+" + _NAME + _ASSIGNED + CALLABLE,
    rb"export[ \t]+(?:const|let|var)[ \t]+" + _NAME,
    rb"(?:[\w$]++\.)++" + _NAME + rb"[ \t]*+=[ \t]*+" + CALLABLE,
    _MEMBER,
)
_JVM = "public private protected internal abstract final static sealed open data inner value"

PATTERNS = {
    "python": _lines(
        rb"(?:async[ \t]+)?(?:def|class)[ \t]+" + _NAME,
        rb"(?<=\n)([A-Z][A-Z0-9_]{2,})[ \t]*(?::[^=\n]{1,80})?=(?!=)",
        rb"(?:cdef|cpdef)[ \t]+(?:class[ \t]+)?(?:[\w.*]+[ \t]+){0,3}" + _NAME + rb"(?=[ \t]*[(:])",
    ),
    "javascript": _lines(*_SCRIPT),
    "typescript": _lines(*_SCRIPT),
    "component": _lines(*_SCRIPT),
    "java": _lines(
        _ANNOTATIONS
        + _keyword(_JVM + " non-sealed strictfp", "class interface enum record @interface trait"),
        _ANNOTATIONS + _TYPED_FUNCTION,
        _CONSTRUCTOR,
    ),
    "kotlin": _lines(
        _ANNOTATIONS
        + _keyword(
            _JVM + " override suspend inline operator infix tailrec external const lateinit"
            " enum annotation companion expect actual fun",
            "class interface object typealias",
            _QUOTABLE,
        ),
        _ANNOTATIONS
        + _keyword(
            _JVM + " override suspend inline operator infix tailrec external expect actual",
            "fun",
            rb"(?:<[^>\n]{1,120}>[ \t]*)?(?:[\w<>?*,. ]{1,80}\.)?" + _QUOTABLE,
        ),
        rb"(?<=\n)" + _keyword("private internal public const lateinit", "val var"),
    ),
    "go": _lines(
        rb"func[ \t]+(?:\([^)\n]{0,120}\)[ \t]*)?" + _NAME,
        rb"type[ \t]+" + _NAME,
        rb"(?<=\n)(?:const|var)[ \t]+" + _NAME,
    ),
    "rust": _lines(
        rb"(?:pub(?:\([^)\n]{1,60}\))?[ \t]+)?(?:(?:async|const|unsafe|default|extern[ \t]+"
        rb"\"[^\"\n]{1,20}\")[ \t]+){0,4}(?:fn|struct|enum|trait|union|mod|type)[ \t]+" + _NAME,
        rb"(?:pub(?:\([^)\n]{1,60}\))?[ \t]+)?(?:const|static)[ \t]+(?:mut[ \t]+)?"
        + _NAME
        + rb"(?=[ \t]*:)",
        rb"macro_rules![ \t]*" + _NAME,
        rb"(?:unsafe[ \t]+)?impl\b(?:<[^\n]{1,120}?>)?[ \t]+(?:[^\n{]{1,160}?[ \t]for[ \t]+)?"
        rb"(?:[a-z_]\w*::){0,6}" + _NAME,
    ),
    "c": _lines(
        _keyword(
            "typedef static extern export template inline",
            "class struct union enum interface @interface @implementation @protocol namespace",
            rb"(?:class[ \t]+)?(?:(?:[A-Z][A-Z0-9_]{3,}|__[a-z]{2,20}+)"
            rb"(?:\([^)\n]{0,60}\)++)?[ \t]+){0,2}(?:\w{1,60}+::){0,6}" + _NAME,
        )
        + rb"(?=[^;()\n]*(?:\n|\{[^\n]*\}))",
        rb"#[ \t]*define[ \t]+" + _NAME + rb"(?=\()",
        rb"[-+][ \t]*\([^)\n]{1,80}\)[ \t]*" + _NAME,
        rb"(?:\w{1,60}::){0,4}(?P<of>[A-Za-z_]\w*)(?:<[^>\n]{0,60}>)?::(~?(?P=of))[ \t]*\(",
        _NOT_CALLED + rb"(?![A-Z0-9_]+\()" + _NAME + rb"[ \t]*+\((?=[^;\n]*\n\1\{)",
        _TYPED_FUNCTION,
    ),
    "csharp": _lines(
        _keyword(
            _JVM + " partial readonly ref unsafe new",
            "class interface enum struct record namespace",
            rb"(?:struct[ \t]+)?(?:[\w.]{1,80}\.)?" + _NAME,
        ),
        _keyword(_JVM + " override virtual async readonly new", r"[\w<>\[\],.?]+")
        + rb"(?=[ \t]*(?:\{|=>|\n[ \t]*\{))",
        rb"(?:" + _words(_JVM) + rb"[ \t]+){1,3}" + _NAME + rb"(?=\([^;\n]*\n)",
        _ARROW_BODY,
        rb"(?:" + _words(_JVM) + rb"[ \t]+){0,3}delegate[ \t]+[^\s(]{1,80}[ \t]+" + _NAME,
        _TYPED_FUNCTION,
    ),
    "ruby": _lines(
        rb"(?:(?:private|protected|public)[ \t]+)?def[ \t]+(?:[\w]++\.)?"
        rb"([A-Za-z_]\w*+(?:[?!]|=(?=\())?"
        rb"|\[\]=?|[=<>!~+*/%&|^-]{1,3})",
        rb"(?:class|module)[ \t]+(?:[A-Z]\w*::){0,6}([A-Z]\w*)",
        rb"([A-Z][A-Z0-9_]{2,})[ \t]*=(?!=)",
    ),
    "php": _lines(
        _keyword("abstract final readonly", "class interface trait enum"),
        _keyword("abstract final public private protected static", "function", rb"&?" + _NAME),
        _keyword("final public private protected", "const"),
    ),
    "swift": _lines(
        _ANNOTATIONS
        + _keyword(
            "public private internal fileprivate open static class final override mutating"
            " nonisolated indirect convenience required async",
            "func class struct enum protocol extension actor typealias",
            rb"(?:[\w]{1,60}\.){0,4}" + _QUOTABLE,
        ),
        rb"(?:(?:public|private|internal|fileprivate|open|override|convenience|required|static"
        rb"|nonisolated)[ \t]++){0,4}+(init|deinit|subscript)\b(?=[?!]?[<({ ])",
    ),
    "scala": _lines(
        _ANNOTATIONS
        + _keyword(
            "private protected final implicit lazy override abstract sealed case inline given"
            r" private\[\w{1,40}\]",
            "def class trait object enum type",
            _QUOTABLE,
        ),
    ),
    "lua": _lines(
        rb"(?:local[ \t]+)?function[ \t]+(?:[\w]{1,60}[.:]){0,6}" + _NAME,
        rb"(?:local[ \t]+)?(?:[\w]{1,60}\.){0,6}" + _NAME + rb"[ \t]*=[ \t]*function\b",
    ),
    "dart": _lines(
        _keyword(
            "abstract base final interface sealed",
            "class mixin extension enum typedef",
            rb"(?!on\b)" + _NAME,
        ),
        _TYPED_FUNCTION,
        _ARROW_BODY,
        rb"(?:[\w<>?,.]++[ \t]++){0,5}?get[ \t]+" + _NAME + rb"(?=[ \t]*(?:=>|\{|async))",
        rb"(?:(?:const|factory|external)[ \t]++){0,2}+(?:[A-Z]\w*+\.)?"
        rb"([A-Z]\w*|(?<=\.)\w++)\((?=[^;\n]*(?:\{|=>|\n[ \t]++\w))",
    ),
    "elixir": _lines(
        rb"(?:def|defp|defmacro|defmacrop|defguard|defdelegate)[ \t]+([a-z_]\w*[?!]?)",
        rb"(?:defmodule|defprotocol|defimpl)[ \t]+(?:[A-Z]\w*\.){0,8}([A-Z]\w*)",
    ),
    "shell": _lines(
        rb"function[ \t]+([\w:.-]+)",
        rb"([A-Za-z_][\w:.-]*)[ \t]*\([ \t]*\)",
    ),
    "sql": re.compile(
        _INDENT
        + rb"(?:create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:(?:temp|temporary|unique|materialized)"
        rb"[ \t]+)?(?:table|view|function|procedure|trigger|type|index|schema|sequence)[ \t]+"
        rb"(?:if[ \t]+not[ \t]+exists[ \t]+)?[`\"\[]?(?:\w{1,60}[`\"\]]?\.[`\"\[]?)?(\w+))" + _REST,
        re.IGNORECASE,
    ),
    "perl": _lines(rb"(?:sub)[ \t]+(\w+)", rb"package[ \t]+(?:\w+::){0,8}(\w+)"),
}

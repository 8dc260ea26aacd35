"""What the source tree may not contain. Each check takes a package folder and names violations."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

CORE = (
    "domain",
    "ports",
    "settings",
    "prompts",
    "codebase",
    "intake",
    "explore",
    "steps",
    "graph",
    "service",
)

# Standard modules that compute and cannot reach anything outside the process.
COMPUTING = frozenset(
    {
        "__future__",
        "array",
        "ast",
        "base64",
        "bisect",
        "collections",
        "collections.abc",
        "contextlib",
        "csv",
        "dataclasses",
        "datetime",
        "difflib",
        "enum",
        "fnmatch",
        "functools",
        "hashlib",
        "heapq",
        "html",
        "io:StringIO",
        "itertools",
        "json",
        "keyword",
        "math",
        "operator",
        "pathlib:PurePath",
        "pathlib:PurePosixPath",
        "pathlib:PureWindowsPath",
        "posixpath",
        "re",
        "string",
        "struct",
        "textwrap",
        "time:monotonic",
        "time:perf_counter",
        "time:process_time",
        "tomllib",
        "types",
        "typing",
        "unicodedata",
        "urllib.parse",
        "zlib:crc32",
    }
)

# What a room may import beside those: a module with all below it, or one name of it.
ALLOWED = {
    "domain": {"pydantic"},
    "ports": {"pydantic"},
    "settings": {"pathlib", "platformdirs", "pydantic", "pydantic_settings"},
    "prompts": {"importlib.resources"},
    "codebase": {"numpy", "packaging", "pydantic", "regex"},
    "intake": {"pydantic"},
    "explore": {"asyncio", "pydantic", "regex"},
    "steps": {"asyncio", "packaging", "pydantic"},
    "graph": {"langchain_core.runnables:RunnableConfig", "langgraph"},
    "service": {"asyncio", "pydantic"},
}

BANNED_NAMES = frozenset(
    {"__builtins__", "__import__", "__loader__", "breakpoint", "compile", "eval", "exec"}
    | {"globals", "input", "open", "vars"}
)
BANNED_ATTRIBUTES = frozenset(
    # files
    {"chmod", "glob", "hardlink_to", "iterdir", "mkdir", "read_bytes", "read_text", "rename"}
    | {"rglob", "rmdir", "symlink_to", "touch", "unlink", "write_bytes", "write_text"}
    # processes
    | {"create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"}
    # sockets
    | {"create_connection", "create_datagram_endpoint", "create_server", "create_unix_connection"}
    | {"create_unix_server", "open_connection", "open_unix_connection", "sock_connect"}
    | {"start_server", "start_unix_server"}
    # ways around all of this
    | {"__builtins__", "__globals__", "__import__", "__subclasses__", "import_module"}
    | {"spec_from_file_location"}
)
# A prompt's text is a file of the package itself.
READS_ITS_OWN_FILES = frozenset({"prompts"})

WRITER = "resolveflow.backends.github_writer"
WRITER_GROUP = "resolveflow.github_writers"
EXECUTE = "resolveflow.steps.execute"
CAPABILITIES = frozenset({"open_writer", "vault", "OpenWriter", "TokenVault", "GitHubWriter"})
# Declares, uses, binds, assembles. The fakes of `testing` hold no capability of their own.
HOLDERS = frozenset({"ports.py", "steps/execute.py", "graph.py", "bootstrap.py"})
WRITES = frozenset({"post_comment", "add_labels"})
SENDERS = frozenset({"backends/github_writer.py", "backends/github_http.py"})
VERBS = frozenset({"delete", "patch", "post", "put"})


def sources(package: Path) -> Iterator[tuple[str, ast.Module]]:
    """Every module of the package by its path inside it, parsed."""
    for path in sorted(package.rglob("*.py")):
        yield path.relative_to(package).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def room_of(path: str) -> str:
    """The room that a module belongs to."""
    return path.split("/")[0].removesuffix(".py")


def core_sources(package: Path) -> Iterator[tuple[str, ast.Module]]:
    """The modules of the rooms that may compute only."""
    return ((path, tree) for path, tree in sources(package) if room_of(path) in CORE)


def imported(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """Every (module, name, line) that is imported; the name is empty for `import module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "", node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name, node.lineno) for alias in node.names)


def permitted(module: str, name: str, allowed: set[str]) -> bool:
    """Whether an allow-list holds the module, one above it, or this one name of it."""
    if module in COMPUTING or f"{module}:{name}" in COMPUTING:
        return True
    parts = module.split(".")
    above = {".".join(parts[: end + 1]) for end in range(len(parts))}
    return bool(above & allowed) or f"{module}:{name}" in allowed or f"{module}.{name}" in allowed


def external_imports(package: Path) -> list[str]:
    """Imports that a room's allow-list does not hold."""
    return [
        f"{path}:{line} imports {module}{':' if name else ''}{name}"
        for path, tree in core_sources(package)
        for module, name, line in imported(tree)
        if module.split(".")[0] != "resolveflow"
        and not permitted(module, name, ALLOWED[room_of(path)])
    ]


def effects(package: Path) -> list[str]:
    """Reads, writes, processes, sockets and dynamic imports in a room that may compute only."""
    found = []
    for path, tree in core_sources(package):
        attributes: frozenset[str] = BANNED_ATTRIBUTES
        if room_of(path) in READS_ITS_OWN_FILES:
            attributes -= {"read_text", "iterdir"}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in BANNED_NAMES:
                found.append(f"{path}:{node.lineno} uses {node.id}")
            elif isinstance(node, ast.Attribute) and node.attr in attributes:
                found.append(f"{path}:{node.lineno} uses .{node.attr}")
    return found


def capability_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The places where a write capability is named: parameter, variable, annotation, import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.keyword) and node.arg in CAPABILITIES:
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and node.id in CAPABILITIES:
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and node.attr in CAPABILITIES:
            yield node.attr, node.lineno
        elif isinstance(node, ast.alias) and node.name in CAPABILITIES:
            yield node.name, node.lineno


def second_holders(package: Path) -> list[str]:
    """Modules that name the writer or the vault and are none of those that must."""
    return [
        f"{path}:{line} names {name}"
        for path, tree in sources(package)
        if path not in HOLDERS and room_of(path) not in {"backends", "testing"}
        for name, line in capability_names(tree)
    ]


def second_callers(package: Path) -> list[str]:
    """Calls of a write outside `steps/execute.py`, and imports of `execute` outside the graph."""
    found = []
    for path, tree in sources(package):
        if path != "steps/execute.py" and room_of(path) != "testing":
            found += [
                f"{path}:{node.lineno} calls .{node.attr}"
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute) and node.attr in WRITES
            ]
        if path not in {"graph.py", "bootstrap.py"}:
            found += [
                f"{path}:{line} imports execute"
                for module, name, line in imported(tree)
                if EXECUTE in {module, f"{module}.{name}"}
            ]
    return found


def writer_loads(package: Path) -> list[str]:
    """Imports of the GitHub writer, and names of it or its entry-point group in strings."""
    found = []
    for path, tree in sources(package):
        found += [
            f"{path}:{line} imports the writer"
            for module, name, line in imported(tree)
            if WRITER in {module, f"{module}.{name}"} or module.startswith(f"{WRITER}.")
        ]
        banned = {WRITER} if path == "bootstrap.py" else {WRITER, WRITER_GROUP}
        found += [
            f"{path}:{node.lineno} names {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.partition(":")[0] in banned
        ]
    return found


def readers_that_could_write(package: Path) -> list[str]:
    """Clients for reading that are opened on anything but a read-only transport."""
    return [
        f"{path}:{node.lineno} opens a client without ReadOnlyTransport"
        for path, tree in sources(package)
        if path != "backends/github_writer.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "open_client"
        and not (
            node.args
            and isinstance(node.args[0], ast.Call)
            and isinstance(node.args[0].func, ast.Name)
            and node.args[0].func.id == "ReadOnlyTransport"
        )
    ]


def reader_verbs(package: Path) -> list[str]:
    """Write verbs in any module of a GitHub backend but the writer's and what it sends with."""
    found = []
    for path, tree in sources(package):
        if not path.startswith("backends/github") or path in SENDERS:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in VERBS:
                found.append(f"{path}:{node.lineno} uses .{node.attr}")
            elif isinstance(node, ast.Constant) and str(node.value).lower() in VERBS:
                found.append(f"{path}:{node.lineno} names {node.value}")
    return found


CHECKS = (
    external_imports,
    effects,
    second_holders,
    second_callers,
    writer_loads,
    reader_verbs,
    readers_that_could_write,
)

assert not COMPUTING & {"os", "sys", "subprocess", "socket", "asyncio", "importlib"}
assert {module.partition(":")[0].split(".")[0] for module in COMPUTING} <= sys.stdlib_module_names

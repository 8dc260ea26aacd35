"""Which paths of a tree are source, and which are tests, generated, vendored or documents."""

import re

_EXTENSIONS = (
    "c cc cjs clj coffee cpp cs cxx dart erl ex exs fs go groovy h hh hpp hs java jl js jsx kt kts"
    " lua m mjs ml mm php pl py pyi pyx r rb rs scala sh svelte swift ts tsx vb vue"
)
_ASIDE = (
    "__fixtures__ __mocks__ __tests__ benches benchmark benchmarks demo demos dist doc docs e2e"
    " example examples fixture fixtures mocks node_modules sample samples spec specs test test-data"
    " testdata tests third_party vendor website androidtest commontest integrationtest"
    " jvmtest testfixtures playground"
)
_ASIDE_NAME = re.compile(
    r"^test_|_test\.|\.test\.|\.spec\.|_spec\.|-test\.|-spec\.|^conftest\.py$|\.min\."
    r"|Tests?\.(?:java|kt|cs|swift|scala)$|Spec\.(?:kt|scala|groovy)$"
)


_SOURCE_EXTENSIONS = frozenset(_EXTENSIONS.split())
_ASIDE_DIRECTORIES = frozenset(_ASIDE.split())


_TOOLING = re.compile(
    r"(?:^|/)(?:\.github|buildsrc|ci|devtools|hack|scripts?|support|tasks?|tools?)/|\.d\.[cm]?ts$"
    r"|(?:^|/)(?:setup|(?:gulp|grunt)file|[\w-]+\.(?:config|conf))\.[a-z]+$",
    re.IGNORECASE,
)


def importance(path: str) -> float:
    """1, or less for what serves the build or only declares what other files define."""
    return 0.8 if _TOOLING.search(path) else 1.0


def is_source(path: str) -> bool:
    """Whether a cause may be in it: source, and neither a test nor an example nor vendored."""
    *directories, name = path.split("/")
    if directories and directories[0] == "testing":
        return False
    return (
        "." in name
        and name.rpartition(".")[2].lower() in _SOURCE_EXTENSIONS
        and not _ASIDE_NAME.search(name)
        and not any(directory.lower() in _ASIDE_DIRECTORIES for directory in directories)
    )

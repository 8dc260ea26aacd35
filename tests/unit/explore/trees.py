"""Small source trees in three languages, and reports about them."""

from collections.abc import Sequence
from datetime import UTC, datetime

from resolveflow.codebase.frames import PathIndex
from resolveflow.domain.crash import Crash, Frame
from resolveflow.domain.exploration import Suspect, Symbol
from resolveflow.domain.report import FrameFile, IssueEvidence
from resolveflow.ports import Commit
from resolveflow.testing.memory_repository import MemoryRepository

CELLS = '''\
"""Cells of a table."""


def _caster(cell):
    """The type of a cell, str by default."""
    if cell is None:
        return type(None)
    return str


def wrap_cells(row, widths):
    wrapped = []
    for cell, width in zip(row, widths):
        caster = _caster(cell)
        wrapped.append(caster(cell)[:width])
    return wrapped


class Table:
    def __init__(self, rows):
        self.rows = rows

    def lines(self, widths):
        for row in self.rows:
            yield " ".join(wrap_cells(row, widths))
'''
FORMATS = """\
from cells import Table


class UnknownFormat(ValueError):
    pass


def render_table(rows, table_format="plain"):
    if table_format != "plain":
        raise UnknownFormat(f"there is no table format {table_format!r}, see the manual")
    return Table(rows).lines([5])
"""
BASKET_JS = """\
'use strict';
const { priceOf } = require('./prices');

class Basket {
  constructor(items) {
    this.items = items;
  }

  total(currency) {
    return this.items.reduce((sum, item) => {
      const price = priceOf(item, currency);
      return sum + price.amount;
    }, 0);
  }
}

module.exports = { Basket };
"""
PRICES_JS = """\
exports.priceOf = function (item, currency) {
  if (!item.prices) {
    return undefined;
  }
  return item.prices[currency];
};
"""
READER_JAVA = """\
package org.example.io;

public class LineReader<T> {
    private final Source source;

    @Override
    public String readLine(int limit) throws IOException {
        String line = source.next();
        if (line.length() > limit) {
            throw new IOException("line is longer than the limit of " + limit);
        }
        return line.trim();
    }
}
"""
PYTHON = {"pkg/cells.py": CELLS, "pkg/formats.py": FORMATS}
JAVASCRIPT = {"src/basket.js": BASKET_JS, "src/prices.js": PRICES_JS}
JAVA = {"core/src/main/java/org/example/io/LineReader.java": READER_JAVA}

FIX = Commit(
    sha="a" * 40, time=datetime(2026, 5, 4, tzinfo=UTC), subject="Accept empty cells (#12)"
)
IMPORT = Commit(sha="b" * 40, time=datetime(2025, 1, 2, tzinfo=UTC), subject="Import the table")


def tree(files: dict[str, str], **keywords: object) -> MemoryRepository:
    content = {path: text.encode() for path, text in files.items()}
    return MemoryRepository(content, **keywords)  # type: ignore[arg-type]


def number_of(text: str, line: str) -> int:
    """The 1-based number of the only line that holds `line`."""
    [found] = [at for at, one in enumerate(text.split("\n"), start=1) if line in one]
    return found


def report(
    repository: MemoryRepository,
    files: Sequence[str],
    *,
    title: str = "",
    body: str = "",
    crashes: Sequence[Crash] = (),
    named: Sequence[str] = (),
) -> IssueEvidence:
    """Evidence as normalising gives it: the frames are resolved against the tree."""
    index = PathIndex(files)
    frames = [
        FrameFile(crash=number, frame=position, paths=paths, line=frame.line)
        for number, crash in enumerate(crashes)
        for position, frame in enumerate(crash.frames)
        if (paths := index.resolve(frame))
    ]
    return IssueEvidence(
        source="report",
        target=None,
        title=title,
        body=body,
        crashes=tuple(crashes),
        tree=repository.ref,
        frame_files=tuple(frames),
        named_paths=tuple(named),
        content_hash="0" * 64,
    )


def cells_crash() -> Crash:
    """The crash of `wrap_cells([None], [5])`, as Python prints it."""
    return Crash(
        type="TypeError",
        message="NoneType takes no arguments",
        frames=(
            Frame(function="wrap_cells", file="/app/pkg/cells.py", line=_LINE),
            Frame(function="lines", file="/app/pkg/cells.py", line=_CALL),
            Frame(function="<module>", file="/home/me/report.py", line=3),
        ),
        language="python",
    )


_LINE = number_of(CELLS, "caster(cell)[:width]")
_CALL = number_of(CELLS, "yield")
CELLS_TRACE = f"""\
Traceback (most recent call last):
  File "/home/me/report.py", line 3, in <module>
    print(list(table.lines([5])))
  File "/app/pkg/cells.py", line {_CALL}, in lines
    yield " ".join(wrap_cells(row, widths))
  File "/app/pkg/cells.py", line {_LINE}, in wrap_cells
    wrapped.append(caster(cell)[:width])
TypeError: NoneType takes no arguments
"""


def suspect(path: str, score: float, *symbols: Symbol) -> Suspect:
    return Suspect(path=path, score=score, symbols=symbols, reasons=("its words are rare",))

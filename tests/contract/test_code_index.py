import pytest

from resolveflow.backends.code_index import StoredCodeIndex
from resolveflow.domain.code import Definition, Match
from resolveflow.domain.exploration import Suspect
from resolveflow.testing.fixed_index import FixedCodeIndex
from resolveflow.testing.promises_code_index import FILES, CodeIndexPromises


class TestStoredCodeIndex(CodeIndexPromises):
    @pytest.fixture
    def index(self, tmp_path):
        return StoredCodeIndex(tmp_path)


class TestFixedCodeIndex(CodeIndexPromises):
    @pytest.fixture
    def index(self):
        lines = (
            Match(path=path, line=number, text=line)
            for path, data in FILES.items()
            for number, line in enumerate(data.decode().splitlines(), 1)
        )
        rounds = Definition(
            name="round_price",
            path="shop/money.py",
            start_line=1,
            end_line=2,
            signature="def round_price(price):",
        )
        suspects = [
            Suspect(path="shop/money.py", score=0.9, reasons=("the report names it",)),
            Suspect(path="shop/cart.py", score=0.1),
        ]
        return FixedCodeIndex(
            suspects,
            ["nothing else"],
            map_text="shop/money.py\n    1 def round_price(price)\n",
            matches=list(lines),
            definitions=[rounds],
        )

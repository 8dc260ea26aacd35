import numpy as np
import pytest

from resolveflow.codebase.pagerank import DAMPING, NameGraph
from tests.unit.codebase.code_trees import SHOP, tree_of


def ranks_of(files, restart=None, said=()):
    tree = tree_of(files)
    start = np.array([(restart or {}).get(path, 1.0) for path in tree.paths])
    defined = [tree.definitions.name(row) for row in range(len(tree.definition_names))]
    marked = np.array([name in said for name in defined], bool)
    names = np.zeros(len(tree.names), bool)
    names[tree.definition_names[marked]] = True
    ranks = NameGraph(tree).rank(start, names)
    return dict(zip(tree.paths, ranks.files.tolist(), strict=True)), ranks, tree


def test_ranks_sum_to_one_and_what_is_used_most_ranks_first():
    ranks, _, _ = ranks_of(SHOP)
    assert sum(ranks.values()) == pytest.approx(1)
    assert max(ranks, key=ranks.__getitem__) == "shop/money.py"
    assert min(ranks, key=ranks.__getitem__) == "web/views.py"


def test_two_files_have_the_ranks_that_algebra_gives():
    ranks, _, _ = ranks_of({"a.py": "import_me()\n", "b.py": "def import_me(): pass\n"})
    # a gets nothing but restarts; b gives its rank back to the start.
    a, b = ranks["a.py"], ranks["b.py"]
    assert b == pytest.approx(DAMPING * a + a, abs=0.02)


def test_own_uses_do_not_count():
    alone = "def f_of_x(): pass\n" + "f_of_x()\n" * 50
    ranks, flow, _ = ranks_of({"a.py": alone, "b.py": "x = 1\n"})
    assert ranks["a.py"] == pytest.approx(ranks["b.py"])
    assert flow.owners.tolist() == [0.0]


def test_starting_somewhere_raises_what_it_uses():
    before, _, _ = ranks_of(SHOP)
    after, _, _ = ranks_of(SHOP, restart={"web/views.py": 50.0})
    assert after["shop/orders.py"] > before["shop/orders.py"]


def test_a_name_that_is_said_draws_more():
    files = {
        "a.py": "left_one() + right_one()\n",
        "left.py": "def left_one(): pass\n",
        "right.py": "def right_one(): pass\n",
    }
    even, _, _ = ranks_of(files)
    uneven, _, _ = ranks_of(files, said={"left_one"})
    assert even["left.py"] == pytest.approx(even["right.py"])
    assert uneven["left.py"] > 1.5 * uneven["right.py"]


def test_names_of_several_words_weigh_more_and_private_ones_less():
    files = {
        "a.py": "parse_header() + filter() + _inner_part()\n",
        "b.py": "def parse_header(): pass\n",
        "c.py": "def filter(): pass\n",
        "d.py": "def _inner_part(): pass\n",
    }
    ranks, _, _ = ranks_of(files)
    assert ranks["b.py"] > ranks["d.py"] > ranks["c.py"]


@pytest.mark.parametrize("files", [{"a.py": ""}, {"a.py": "def f(): pass"}])
def test_trees_without_edges_have_ranks(files):
    ranks, _, _ = ranks_of(files)
    assert sum(ranks.values()) == pytest.approx(1)


def test_a_test_that_defines_a_used_name_gets_little_for_it():
    users = {f"user{number}.py": "import_module()\n" for number in range(9)}
    asked = "def import_module(): pass\n"
    in_source, _, _ = ranks_of(users | {"shop/x.py": asked})
    in_tests, _, _ = ranks_of(users | {"tests/x.py": asked})
    assert in_tests["tests/x.py"] < in_source["shop/x.py"] / 2

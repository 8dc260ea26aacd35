"""Small trees to make maps of."""

from resolveflow.codebase.code_facts import extract, key_of
from resolveflow.codebase.code_tree import CodeTree, build_tree
from resolveflow.codebase.git_objects import blob_id
from resolveflow.codebase.languages import unread_by_name


def tree_of(files: dict[str, str]) -> CodeTree:
    read = [path for path in sorted(files) if not unread_by_name(path, len(files[path]))]
    contents = [files[path].encode() for path in read]
    keys = [key_of(path, blob_id(data)) for path, data in zip(read, contents, strict=True)]
    facts = extract(keys, contents)
    skipped = [(path, unread_by_name(path, 1)) for path in sorted(files) if path not in read]
    return build_tree(read, facts.definitions, facts.references, skipped)


SHOP = {
    "shop/cart.py": "from shop.money import round_price\n\nclass ShoppingCart:\n"
    "    def total_price(self):\n        return round_price(1)\n",
    "shop/money.py": "def round_price(price):\n    return price\n\n"
    "def _hidden_detail():\n    pass\n",
    "shop/orders.py": "from shop.cart import ShoppingCart\nfrom shop.money import round_price\n\n"
    "def place_order():\n    return round_price(ShoppingCart().total_price())\n",
    "web/views.py": "from shop.orders import place_order\n\ndef show_order():\n"
    "    return place_order()\n",
    "web/static/jquery.min.js": "var a",
    "README.md": "# Shop",
}

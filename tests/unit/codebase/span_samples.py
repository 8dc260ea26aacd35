"""A small source text of each language, and the functions and classes that it defines."""

from typing import NamedTuple

from resolveflow.codebase.spans import Span


class Sample(NamedTuple):
    """`spans` are lines of `FIRST-LAST KIND NAME`, in order; both tiers give them.

    What only one of the tiers gives is under `fast` and `precise`, and why beside it.
    """

    language: str
    text: str
    spans: str
    fast: str = ""
    precise: str = ""

    def expected(self, only: str) -> tuple[Span, ...]:
        """In order of start, outer before inner."""
        rows = [row.split(" ", 2) for row in f"{self.spans}\n{only}".splitlines() if row.strip()]
        spans = []
        for lines, kind, name in rows:
            first, last = lines.split("-")
            spans.append(Span(name, kind, int(first), int(last)))
        return tuple(sorted(spans, key=lambda span: (span.start_line, -span.end_line, span.name)))


SAMPLES = {
    "python": Sample(
        "python",
        '''\
LIMIT = 3


@register(
    "cart",
)
class Cart(Base):
    """A cart.

def not_code(): pass
    """

    @property
    async def total(
        self,
        tax=("(", 1),
    ) -> int:
        def inner():
            return 1

        return sum(self.prices) + inner()

    def empty(self): return not self.prices


# def commented(): pass
def of(*prices):
    text = """
left as it is
"""
    return Cart(prices, text)
''',
        """\
7-23 class Cart
14-21 function total
18-19 function inner
23-23 function empty
27-31 function of
""",
    ),
    "javascript": Sample(
        "javascript",
        """\
export default class Cart extends Base {
  static async load(id) {
    const text = `items ${id ? `}` : '{'} of`;
    return text.replace(/[}'"]/g, "");
  }
  get total() { return 1 }
  #secret() { }
  onChange = (event) => {
    this.x = event;
  }
  add(
    item,
    count,
  ) {
    if (item) {
      items.push(item);
    }
  }
}
function* pages() { }
const find = async (id) => {
  return id
}
const twice = x => x * 2
module.exports.k = function (x) { }
Cart.prototype.merge = function () {
}
const handlers = {
  open: function () { },
  close: (event) => {
  },
  reset() { },
}
const Order = class { }
export const LIMIT = 3
describe("cart", () => {
  it("adds", function () { });
});
const short = { one: (a) => a }
""",
        """\
1-19 class Cart
2-5 function load
6-6 function total
7-7 function #secret
8-10 function onChange
11-18 function add
20-20 function pages
21-23 function find
24-24 function twice
25-25 function k
26-27 function merge
29-29 function open
30-31 function close
32-32 function reset
34-34 class Order
""",
        precise="39-39 function one",  # behind the first definition of a line
    ),
    "typescript": Sample(
        "typescript",
        """\
export interface Item<T> {
  price(): number
}
export type Prices =
  | number[]
  | string
declare namespace Shop {
  function open(): void
}
enum Kind { A, B }
export abstract class Cart<T>
  extends Base
  implements Item<T>
{
  private get size(): number { return 1 }
  abstract clear(): void
  protected each(callback: (item: T) => void): void {
    this.items.forEach(callback)
  }
  load = async <R>(item: R): Promise<R> => {
    return item as R
  }
}
function over(a: string): void
function over(a: any) {
}
const View: Component = ({ item }) => {
  return item.name
}
export const isEmpty = (
  cart: Cart<string>,
): boolean => {
  return !cart
}
""",
        """\
1-3 class Item
4-6 class Prices
7-9 class Shop
10-10 class Kind
11-23 class Cart
15-15 function size
17-19 function each
20-22 function load
25-26 function over
27-29 function View
30-34 function isEmpty
""",
    ),
    "tsx": Sample(
        "typescript",
        """\
export function Cart({ items }: Props) {
  return <ul>{items.map((item) => <li>it's {item.name}</li>)}</ul>
}
const Empty = () => <br />
""",
        """\
1-3 function Cart
4-4 function Empty
""",
    ),
    "component": Sample(
        "component",
        """\
<template>
  <p @click="function no() {}">{{ total }}</p>
</template>

<script setup lang="ts">
const total = () => {
  return 1
}
function clear(): void {
}
</script>

<style>
p { color: red; }
</style>
""",
        """\
6-8 function total
9-10 function clear
""",
    ),
    "java": Sample(
        "java",
        """\
package shop;

@Entity
public final class Cart<T> extends Base {
    private final Map<String, Runnable> hooks = new HashMap<>();

    Cart(int size) {
        super(size);
    }

    @Override
    public <R extends T> List<? extends R> named(@Param("a") String name)
        throws IOException {
        Runnable hook = () -> { };
        return new Finder() {
            public void found() {
                log("}");
            }
        };
    }

    abstract void clear();

    interface Item {
        default int price() {
            return 1;
        }
    }
    enum Kind { SMALL, LARGE }
    record Size(int width) { }
    @interface Stored { int version(); }
}
class Point { int x() { return 1; } }
@Named("a") @Old final class Tagged { }
""",
        """\
4-32 class Cart
7-9 function Cart
12-20 function named
16-18 function found
24-28 class Item
25-27 function price
29-29 class Kind
30-30 class Size
31-31 class Stored
33-33 class Point
34-34 class Tagged
""",
        precise="33-33 function x",  # behind the first definition of a line
    ),
    "kotlin": Sample(
        "kotlin",
        '''\
package shop

@Serializable
data class Item(val name: String, val price: Int)

sealed interface Result {
    object Empty : Result
}
typealias Filter = (Item) -> Boolean

class Cart<T : Any>(
    private val items: MutableList<Item>,
) : Base(), Closeable {
    companion object {
        fun of(vararg items: Item): Cart = Cart(items.toMutableList())
    }

    override suspend fun <R> each(action: (Item) -> R): List<R> {
        return items.map { action(it) }
    }

    abstract fun clear()

    fun label() = when {
        items.isEmpty() -> """
}
"""
        else -> "some"
    }
}

fun Cart<*>.size(): Int =
    items.size

@Test fun `adds two items`() {
}
''',
        """\
4-4 class Item
6-8 class Result
7-7 class Empty
9-9 class Filter
11-30 class Cart
15-15 function of
18-20 function each
24-29 function label
32-33 function size
35-36 function adds two items
""",
    ),
    "go": Sample(
        "go",
        """\
package shop

type Cart struct {
	items []Item
}

type Filter = func(Item) bool

func (c *Cart) Add(item Item) (int, error) {
	check := func() bool { return true }
	return len(`}`), nil
}

func Map[T any](items []T) []T {
	type local struct {
		x int
	}
	return items
}

type (
	Price int
)
""",
        """\
3-5 class Cart
7-7 class Filter
9-12 function Add
14-19 function Map
15-17 class local
""",
        precise="22-22 class Price",  # has no keyword on its line
    ),
    "rust": Sample(
        "rust",
        """\
pub(crate) struct Cart<'a, T> {
    items: &'a [T],
}
pub struct Unit;
#[derive(Debug)]
pub enum Kind { Small, Large }
impl<'a, T> fmt::Display for Cart<'a, T>
where
    T: Clone,
{
    pub async fn fmt(&self) -> Result {
        let brace = '}';
        let text = r#"}"#;
    }
    fn new() -> Self {
        todo!()
    }
}
trait Priced {
    fn price(&self) -> u8;
    fn double(&self) -> u8 {
        2 * self.price()
    }
}
macro_rules! cart {
    () => {};
}
mod tests;
type Prices = Vec<u8>;
const LIMIT: u8 = 1;
""",
        """\
1-3 class Cart
4-4 class Unit
6-6 class Kind
7-18 class Cart
11-14 function fmt
15-17 function new
19-24 class Priced
21-23 function double
25-27 function cart
28-28 class tests
29-29 class Prices
""",
    ),
    "c": Sample(
        "c",
        """\
#include <stdio.h>
#define SQUARE(x) \\
    ((x) * \\
     (x))
struct point {
    int x;
};
enum color { RED, GREEN };
int declared(int x);
static int
gnu(int a)
{
    return a; /* } */
}
int *pointer(void) { return "}"; }
#ifdef DEBUG
static void trace(const char *text,
                  int level)
{
    for (int i = 0; i < level; i++) {
        puts(text);
    }
}
#endif
""",
        """\
2-4 function SQUARE
5-7 class point
8-8 class color
11-14 function gnu
15-15 function pointer
17-23 function trace
""",
    ),
    "cpp": Sample(
        "c",
        """\
namespace shop::model {
template <typename T>
class Cart : public Base {
public:
    ~Cart();
    int total() const { return 1; }
    bool operator==(const Cart& other) const {
        return R"(})" == other.text;
    }
private:
    int total_ = 1'000'000;
};
enum class Color { red };
template <class T>
T largest(T a, T b)
{
    return a;
}
Cart<int>::~Cart() { }
Cart::Cart(int x) :
    total_{x},
    other_(x)
{
}
[[nodiscard]] std::string& Cart::name(int x) const noexcept
{
    return name_;
}
}
""",
        """\
1-29 class model
3-12 class Cart
6-6 function total
7-9 function operator==
13-13 class Color
15-18 function largest
19-19 function ~Cart
20-24 function Cart
25-28 function name
""",
    ),
    "objc": Sample(
        "c",
        """\
#import <Foundation/Foundation.h>
@interface Cart : NSObject
- (void)add:(int)item with:(int)count;
@end
@implementation Cart
- (void)add:(int)item with:(int)count {
    NSLog(@"}");
}
+ (id)shared
{
    return nil;
}
@end
@protocol Priced
- (int)price;
@end
""",
        """\
2-4 class Cart
5-13 class Cart
6-8 function add
9-12 function shared
14-16 class Priced
""",
    ),
    "csharp": Sample(
        "csharp",
        """\
namespace Shop.Core
{
    [Serializable]
    public sealed class Cart<T> : Base where T : class
    {
        public int Count => items.Count;
        public string Name { get; set; }
        public Cart(int size) : base(size)
        {
        }
        protected override async Task<int> RunAsync(int x)
        {
            int Local(int y) { return y; }
            return await Go(@"C:\\}");
        }
        public abstract void Clear();
        public int Price() => 1;
        delegate bool Filter(int x);
    }
    interface IItem { void Price(); }
    struct Size { }
    enum Kind { Small }
    record Line(int Count);
}
""",
        """\
1-24 class Core
4-19 class Cart
6-6 function Count
7-7 function Name
8-10 function Cart
11-15 function RunAsync
13-13 function Local
17-17 function Price
18-18 class Filter
20-20 class IItem
21-21 class Size
22-22 class Kind
23-23 class Line
""",
    ),
    "ruby": Sample(
        "ruby",
        """\
module Shop
  class Cart < Base
    LIMIT = 3
    def self.build(*items)
      new(items)
    rescue ArgumentError
      nil
    end
    def empty? = items.empty?
    private def total(
      tax
    )
      items.sum do |item|
        item.price
      end
    end
    class << self
      def shared; end
    end
    def []=(key, value)
      text = <<~TEXT
    def not_code
      TEXT
    end
  end
  class Order::Line; end
end
=begin
def commented
end
=end
""",
        """\
1-27 class Shop
2-25 class Cart
4-8 function build
9-9 function empty?
10-16 function total
18-18 function shared
20-24 function []=
26-26 class Line
""",
    ),
    "php": Sample(
        "php",
        """\
<p>it's</p>
<?php
namespace Shop;
abstract class Cart extends Base
{
    const LIMIT = 1;
    #[Pure]
    public static function of(int $x): int
    {
        return <<<TEXT
        }
        TEXT;
    }
    abstract function clear();
    public function &items() { return $this->items; }
}
interface Item { }
trait Priced { }
enum Kind: string { case A = '}'; }
function helper() { // }
}
""",
        """\
4-16 class Cart
8-13 function of
15-15 function items
17-17 class Item
18-18 class Priced
19-19 class Kind
20-21 function helper
""",
    ),
    "swift": Sample(
        "swift",
        """\
import Foundation

public final class Cart<T>: Base {
    private var items: [T] = []
    init(items: [T]) {
        self.items = items
    }
    deinit { }
    @discardableResult
    public func add(_ item: T) -> Bool
    where T: Equatable {
        items.append(item)
        return true
    }
    subscript(index: Int) -> T { return items[index] }
}
struct Point { let x: Int }
protocol Priced { func price() -> Int }
extension Cart: Priced {
    func price() -> Int { 1 }
}
actor Bank { }
typealias Price = Int
""",
        """\
3-16 class Cart
5-7 function init
8-8 function deinit
10-14 function add
15-15 function subscript
17-17 class Point
18-18 class Priced
19-21 class Cart
20-20 function price
22-22 class Bank
23-23 class Price
""",
    ),
    "scala": Sample(
        "scala",
        """\
package shop

sealed trait Shape
case class Circle(radius: Double) extends Shape
object Shapes {
  def area(shape: Shape): Double = shape match {
    case Circle(radius) => radius * radius
  }
  def declared(x: Int): Int
  private def show[T](x: T)(implicit y: Int): Unit = {
    println("}")
  }
  type Price = Int
}
trait Loud:
  def shout: String =
    "a"

  def size = 1
enum Kind { case A, B }
""",
        """\
3-3 class Shape
4-4 class Circle
5-14 class Shapes
6-8 function area
10-12 function show
13-13 class Price
15-19 class Loud
16-17 function shout
19-19 function size
20-20 class Kind
""",
    ),
    "lua": Sample(
        "lua",
        """\
local M = {}
local function add(a, b)
  if a then
    return b
  end
end
function M.sub:go(x)
  return [[
end
]]
end
M.apply = function(x) return x end
--[[
function commented()
end
]]
function M.new() end
return { last = function() end }
""",
        """\
2-6 function add
7-11 function go
12-12 function apply
17-17 function new
""",
        precise="18-18 function last",  # behind other words
    ),
    "dart": Sample(
        "dart",
        """\
library shop;

@immutable
class Cart extends Base with Priced {
  Cart(this.items);
  Cart.empty() : items = [] {
    print('}');
  }
  factory Cart.of(int x) => Cart([x]);
  int get total => items.length;
  set total(int x) { }
  Future<void> add(int x) async {
    items.add(x);
  }
  static String label(String s) => '$s}';
  void declared();
}
mixin Priced on Base { }
extension Twice on String { }
enum Color { red, green }
typedef Filter = void Function(int);
void main() {
  void inner() { }
}
""",
        """\
4-17 class Cart
6-8 function empty
9-9 function of
10-10 function total
11-11 function total
12-14 function add
15-15 function label
18-18 class Priced
19-19 class Twice
20-20 class Color
21-21 class Filter
22-24 function main
23-23 function inner
""",
    ),
    "elixir": Sample(
        "elixir",
        '''\
defmodule Shop.Cart do
  @moduledoc """
  def not_code do
  """
  defstruct items: []

  def add(cart, item) when is_map(item) do
    %{cart | items: [item | cart.items]}
  rescue
    _ -> cart
  end

  def size(cart), do: length(cart.items)
  defp secret do
    1
  end
  defmacro shop(a) do
    quote do: 1
  end
  def valid?(a \\\\ 1)
  defdelegate total(x), to: Prices
end
defprotocol Priced do
  def price(x)
end
defimpl Priced, for: Shop.Cart do
  def price(x), do: 1
end
''',
        """\
1-22 class Cart
7-11 function add
13-13 function size
14-16 function secret
17-19 function shop
20-20 function valid?
21-21 function total
23-25 class Priced
24-24 function price
26-28 class Priced
27-27 function price
""",
    ),
    "shell": Sample(
        "shell",
        """\
#!/bin/bash
build() {
  echo "}" ${#name} # }
  case $1 in
    a) true ;;
  esac
  cat <<EOF
}
EOF
}
function shop::clean-all
{
  rm -rf build
}
function both() ( echo 1 )
""",
        """\
2-10 function build
11-14 function shop::clean-all
""",
        precise="15-15 function both",  # its body is no block
    ),
    "sql": Sample(
        "sql",
        """\
-- create table commented (x);
CREATE TABLE IF NOT EXISTS shop.users (
  id INT PRIMARY KEY,
  name TEXT DEFAULT ';'
);
create or replace function add(a int, b int) returns int as $$
begin
  return a + b;
end;
$$ language plpgsql;
CREATE VIEW all_users AS
SELECT * FROM shop.users;
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE INDEX by_name ON users (name);
CREATE TRIGGER changed BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION add();
""",
        """\
2-5 class users
6-10 function add
11-12 class all_users
13-13 class mood
15-15 function changed
""",
    ),
    "perl": Sample(
        "perl",
        """\
package Shop::Cart;
use strict;

=head1 Cart

sub commented {

=cut

sub add {
    my ($self) = @_;
    my $text = <<"END";
}
END
    return $#{$self->{items}}; # }
}
sub size { 1 }
""",
        """\
1-1 class Cart
10-16 function add
17-17 function size
""",
    ),
}

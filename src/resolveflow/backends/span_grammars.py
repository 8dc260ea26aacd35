"""What a function and a class look like in each language's syntax tree.

A grammar is a wheel of its own. In its query, the node `@function` or `@class` ends where the
definition does; its name is the node `@name` or else its field `name`.
"""

from typing import NamedTuple


class Grammar(NamedTuple):
    """A language of an installed module, and the query for its definitions."""

    module: str
    query: str
    function: str = "language"  # what the module calls its language


_SCRIPT = """
(function_declaration) @function
(generator_function_declaration) @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @function
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression
  left: [(identifier) @name (member_expression property: (_) @name)]
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(pair key: (property_identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
"""
_JAVASCRIPT = (
    _SCRIPT
    + """
(class_declaration) @class
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @function
"""
)
_TYPESCRIPT = (
    _SCRIPT
    + """
(class_declaration) @class
(abstract_class_declaration) @class
(interface_declaration) @class
(enum_declaration) @class
(type_alias_declaration) @class
(internal_module) @class
(module name: (identifier) @name) @class
(public_field_definition name: (_) @name
  value: [(arrow_function) (function_expression)]) @function
"""
)
_C = """
(preproc_function_def) @function
(function_definition declarator: (function_declarator declarator: (_) @name)
  body: (_)) @function
(function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name))
  body: (_)) @function
(function_definition
  declarator: (_ declarator: (_ declarator: (function_declarator declarator: (_) @name)))
  body: (_)) @function
(struct_specifier body: (_)) @class
(union_specifier body: (_)) @class
(enum_specifier body: (_)) @class
"""
_CPP = (
    _C
    + """
(function_definition declarator: (reference_declarator
  (function_declarator declarator: (_) @name)) body: (_)) @function
(class_specifier body: (_)) @class
(namespace_definition) @class
"""
)
_OBJC = (
    _C
    + """
(class_interface . (identifier) @name) @class
(class_implementation . (identifier) @name) @class
(protocol_declaration . (identifier) @name) @class
(method_definition . (method_type) . (identifier) @name) @function
"""
)

GRAMMARS = {
    "python": Grammar(
        "tree_sitter_python",
        """
(function_definition) @function
(class_definition) @class
""",
    ),
    "javascript": Grammar("tree_sitter_javascript", _JAVASCRIPT),
    "typescript": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
    "java": Grammar(
        "tree_sitter_java",
        """
(class_declaration) @class
(interface_declaration) @class
(enum_declaration) @class
(record_declaration) @class
(annotation_type_declaration) @class
(method_declaration body: (_)) @function
(constructor_declaration) @function
(compact_constructor_declaration) @function
""",
    ),
    "kotlin": Grammar(
        "tree_sitter_kotlin",
        """
(class_declaration) @class
(object_declaration) @class
(companion_object) @class
(type_alias type: (_) @name) @class
(function_declaration (function_body)) @function
""",
    ),
    "go": Grammar(
        "tree_sitter_go",
        """
(function_declaration) @function
(method_declaration) @function
(type_spec) @class
(type_alias) @class
""",
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        """
(function_item) @function
(macro_definition) @function
(struct_item) @class
(enum_item) @class
(union_item) @class
(trait_item) @class
(type_item) @class
(mod_item) @class
(impl_item type: (type_identifier) @name) @class
(impl_item type: (generic_type type: (type_identifier) @name)) @class
(impl_item type: (scoped_type_identifier)) @class
""",
    ),
    "c": Grammar("tree_sitter_c", _C),
    "cpp": Grammar("tree_sitter_cpp", _CPP),
    "objc": Grammar("tree_sitter_objc", _OBJC),
    "csharp": Grammar(
        "tree_sitter_c_sharp",
        """
(namespace_declaration) @class
(class_declaration) @class
(struct_declaration) @class
(interface_declaration) @class
(enum_declaration) @class
(record_declaration) @class
(delegate_declaration) @class
(method_declaration body: (_)) @function
(constructor_declaration) @function
(local_function_statement) @function
(property_declaration) @function
""",
    ),
    "ruby": Grammar(
        "tree_sitter_ruby",
        """
(class) @class
(module) @class
(method) @function
(singleton_method) @function
""",
    ),
    "php": Grammar(
        "tree_sitter_php",
        """
(class_declaration) @class
(interface_declaration) @class
(trait_declaration) @class
(enum_declaration) @class
(function_definition) @function
(method_declaration body: (_)) @function
""",
        "language_php",
    ),
    "swift": Grammar(
        "tree_sitter_swift",
        """
(class_declaration) @class
(protocol_declaration) @class
(typealias_declaration "typealias" . name: (_) @name) @class
(function_declaration) @function
(init_declaration "init" @name body: (_)) @function
(deinit_declaration "deinit" @name) @function
(subscript_declaration "subscript" @name) @function
""",
    ),
    "scala": Grammar(
        "tree_sitter_scala",
        """
(class_definition) @class
(object_definition) @class
(package_object) @class
(trait_definition) @class
(enum_definition) @class
(type_definition) @class
(function_definition) @function
""",
    ),
    "lua": Grammar(
        "tree_sitter_lua",
        """
(function_declaration name: [
  (identifier) @name
  (dot_index_expression field: (_) @name)
  (method_index_expression method: (_) @name)
]) @function
(assignment_statement
  (variable_list . name: [(identifier) @name (dot_index_expression field: (_) @name)])
  (expression_list . value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @function
""",
    ),
    "dart": Grammar(
        "tree_sitter_dart",
        """
(class_definition) @class
(mixin_declaration (identifier) @name) @class
(extension_declaration) @class
(enum_declaration) @class
(type_alias . (type_identifier) @name) @class
((function_signature name: (_) @name) . (function_body) @function)
(lambda_expression parameters: (function_signature name: (_) @name)) @function
((method_signature [
  (function_signature name: (_) @name)
  (getter_signature name: (_) @name)
  (setter_signature name: (_) @name)
]) . (function_body) @function)
((getter_signature name: (_) @name) . (function_body) @function)
((setter_signature name: (_) @name) . (function_body) @function)
((method_signature (constructor_signature name: (identifier) @name .
  parameters: (_))) . (function_body) @function)
((method_signature (factory_constructor_signature (identifier) @name .
  (formal_parameter_list))) . (function_body) @function)
""",
    ),
    "elixir": Grammar(
        "tree_sitter_elixir",
        """
((call target: (identifier) @kind (arguments . (alias) @name)) @class
  (#any-of? @kind "defmodule" "defprotocol" "defimpl"))
((call target: (identifier) @kind (arguments . [
  (identifier) @name
  (call target: (identifier) @name)
  (binary_operator left: [(identifier) @name (call target: (identifier) @name)])
])) @function
  (#any-of? @kind "def" "defp" "defmacro" "defmacrop" "defguard" "defdelegate"))
""",
    ),
    "shell": Grammar("tree_sitter_bash", "(function_definition) @function"),
    "sql": Grammar(
        "tree_sitter_sql",
        """
(create_table [(keyword_table) (keyword_exists)] . (object_reference name: (_) @name)) @class
(create_view (object_reference name: (_) @name)) @class
(create_materialized_view (object_reference name: (_) @name)) @class
(create_type (object_reference name: (_) @name)) @class
(create_function (keyword_function) . (object_reference name: (_) @name)) @function
(create_procedure (object_reference name: (_) @name)) @function
(create_trigger (keyword_trigger) . (object_reference name: (_) @name)) @function
""",
    ),
}

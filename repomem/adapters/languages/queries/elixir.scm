; Elixir. Its shapes follow the tags query of tree-sitter-elixir 0.3 (Apache-2.0, The Elixir Team), told apart by kind.
; Everything is a call, definitions too; the clauses of a function are merged.

; With what its attributes say of it, two more attributes at most between them: any number would be tried from each of
; a long row, which takes minutes.
(call
  target: (identifier) @keyword
  (arguments . (alias) @name)
  (do_block
    . (unary_operator operand: (call target: (identifier) @attribute (arguments . (string (quoted_content) @doc))))) @body
  (#eq? @attribute "moduledoc")
  (#any-of? @keyword "defmodule" "defimpl")) @definition.module
((unary_operator operand: (call target: (identifier) @attribute (arguments . (string (quoted_content) @doc))))
  . (unary_operator)? . (unary_operator)?
  . (call
    target: (identifier) @keyword
    (arguments
      . [(identifier) @name
         (call target: (identifier) @name)
         (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])
    (do_block)? @body) @definition.function
  (#eq? @attribute "doc")
  (#any-of? @keyword "def" "defdelegate" "defguard" "defn"))
((unary_operator operand: (call target: (identifier) @attribute (arguments . (string (quoted_content) @doc))))
  . (unary_operator)? . (unary_operator)?
  . (call
    target: (identifier) @keyword
    (arguments
      . [(identifier) @name
         (call target: (identifier) @name)
         (binary_operator left: (call target: (identifier) @name) operator: "when")])
    (do_block)? @body) @definition.macro
  (#eq? @attribute "doc")
  (#eq? @keyword "defmacro"))

(call
  target: (identifier) @keyword
  (arguments . (alias) @name)
  (do_block) @body
  (#any-of? @keyword "defmodule" "defimpl")) @definition.module
(call
  target: (identifier) @keyword
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @keyword "defprotocol")) @definition.interface
(call
  target: (identifier) @name
  (#any-of? @name "defstruct" "defexception")) @definition.struct
; A test of ExUnit goes by its title.
(call
  target: (identifier) @keyword
  (arguments . (string (quoted_content) @name))
  (do_block) @body
  (#eq? @keyword "test")) @definition.function

; A function without parentheses, with them, with a guard, and an operator.
(call
  target: (identifier) @keyword
  (arguments
    . [(identifier) @name
       (call target: (identifier) @name)
       (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])
  (do_block)? @body
  (#any-of? @keyword "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")) @definition.function
(call
  target: (identifier) @keyword
  (arguments
    . [(identifier) @name
       (call target: (identifier) @name)
       (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])
  (do_block)? @body
  (#any-of? @keyword "defmacro" "defmacrop")) @definition.macro
(call
  target: (identifier) @keyword
  (arguments . (binary_operator left: (identifier) operator: _ @name right: (identifier)))
  (do_block)? @body
  (#any-of? @keyword "def" "defp" "defmacro" "defmacrop")
  (#not-eq? @name "when")) @definition.function

; Attributes of a module: types, callbacks, and constants; the others are notes to the compiler.
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @attribute
    (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::"))
    (#any-of? @attribute "type" "typep" "opaque"))) @definition.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @attribute
    (arguments . (binary_operator left: (call target: (identifier) @name) operator: "::"))
    (#any-of? @attribute "callback" "macrocallback"))) @definition.function
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @name
    (arguments)
    (#not-match? @name
      "^(moduledoc|doc|typedoc|spec|type|typep|opaque|callback|macrocallback|impl|behaviour|derive|enforce_keys|before_compile|after_compile|on_definition|on_load|compile|dialyzer|external_resource|deprecated|since|tag|moduletag|describetag)$"))) @definition.constant

(call
  target: (identifier) @keyword
  (arguments . [(alias) @name (dot right: (tuple (alias) @name))])
  (#any-of? @keyword "alias" "import" "require" "use")) @reference.import
(call
  target: (identifier) @name
  (#not-match? @name
      "^(def|defp|defmacro|defmacrop|defmodule|defprotocol|defimpl|defstruct|defexception|defdelegate|defguard|defguardp|defn|defnp|defoverridable|alias|import|require|use|case|cond|for|if|unless|with|try|receive|quote|unquote|unquote_splicing|raise|reraise|throw|super|moduledoc|doc|typedoc|spec|type|typep|opaque|callback|impl|behaviour)$")) @reference.call
(call target: (dot left: (alias) right: (identifier) @name)) @reference.call
(call target: (dot left: (identifier) right: (identifier) @name) (arguments)) @reference.call
(binary_operator operator: "|>" right: (identifier) @name) @reference.call
(struct (alias) @name) @reference.class
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @name operator: "/")) @reference.call

(call
  target: (identifier) @keyword
  (arguments . [(alias) (dot right: (tuple (alias)))])
  (#any-of? @keyword "alias" "import" "require")) @imports

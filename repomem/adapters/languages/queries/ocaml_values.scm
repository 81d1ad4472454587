; What the implementations of OCaml define by `let`, in a file or module; in a function it is a local thing. The grammar
; of interfaces has no place for it.

(compilation_unit
  (value_definition
    ["let" "and"] @definition.function
    . (let_binding
      pattern: [(value_name) @name (parenthesized_operator (_) @name)]
      (parameter)
      body: (_) @body)))
(structure
  (value_definition
    ["let" "and"] @definition.function
    . (let_binding
      pattern: [(value_name) @name (parenthesized_operator (_) @name)]
      (parameter)
      body: (_) @body)))
(compilation_unit
  (value_definition
    ["let" "and"] @definition.function
    . (let_binding
      pattern: [(value_name) @name (parenthesized_operator (_) @name)]
      body: [(fun_expression) (function_expression)] @body)))
(structure
  (value_definition
    ["let" "and"] @definition.function
    . (let_binding
      pattern: [(value_name) @name (parenthesized_operator (_) @name)]
      body: [(fun_expression) (function_expression)] @body)))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name)) @definition.constant)
(structure (value_definition (let_binding pattern: (value_name) @name)) @definition.constant)

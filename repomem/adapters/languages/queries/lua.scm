; Lua. Started from the tags query of tree-sitter-lua 0.4 (MIT).
; The name of `function M.a:b()` is all of `M.a:b`: the tables in front of its last part enclose it.

(function_declaration name: [(identifier) (dot_index_expression)] @name body: (_)? @body) @definition.function
(function_declaration name: (method_index_expression) @name body: (_)? @body) @definition.method

(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (_)? @body)))) @definition.function
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function
(field name: (string content: (_) @name) value: (function_definition body: (_)? @body)) @definition.function

; What a file holds for itself: not the modules that it requires, which are references.
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: [(table_constructor) (string) (number) (true) (false)]))) @definition.variable)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (function_call name: (_) @function (#not-eq? @function "require"))))) @definition.variable)
(chunk
  (assignment_statement
    (variable_list . name: [(identifier) (dot_index_expression)] @name)) @definition.variable)

(function_call
  name: (identifier) @function
  arguments: (arguments . (string content: (_) @name))
  (#eq? @function "require")) @reference.import
(function_call name: (identifier) @name) @reference.call
(function_call name: (dot_index_expression field: (identifier) @name)) @reference.call
(function_call name: (method_index_expression method: (identifier) @name)) @reference.call

; Julia. Written for repomem against tree-sitter-julia 0.23 (MIT), which ships no tags query and names few fields.

; A docstring is a string right above.
((string_literal) @doc
  . (function_definition
    (signature
      [(call_expression . [(identifier) (operator)] @name)
       (call_expression . (field_expression value: (_) @receiver (identifier) @name .))
       (_ . (call_expression . [(identifier) (operator)] @name))
       (_ . (call_expression . (field_expression value: (_) @receiver (identifier) @name .)))
       (_ . (_ . (call_expression . (identifier) @name)))
       (_ . (_ . (_ . (call_expression . (identifier) @name))))
       (identifier) @name])
    . (_)? @body) @definition.function)
((string_literal) @doc
  . (assignment
    . [(call_expression . [(identifier) (operator)] @name)
       (call_expression . (field_expression value: (_) @receiver (identifier) @name .))
       (where_expression . (call_expression . (identifier) @name))
       (typed_expression . (call_expression . (identifier) @name))]
    (operator)
    (_) @body) @definition.function)
((string_literal) @doc
  . (struct_definition
    (type_head
      [(identifier) @name
       (parametrized_type_expression . (identifier) @name)
       (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])])
    . (_)? @body) @definition.struct)
((string_literal) @doc
  . (abstract_definition
    (type_head
      [(identifier) @name
       (parametrized_type_expression . (identifier) @name)
       (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])])) @definition.type)
((string_literal) @doc . (macro_definition (signature (call_expression . (_) @name)) . (_)? @body) @definition.macro)
((string_literal) @doc . (const_statement (assignment . (identifier) @name)) @definition.constant)
((string_literal) @doc . (module_definition name: (identifier) @name . (_)? @body) @definition.module)

(module_definition name: (identifier) @name . (_)? @body) @definition.module
(struct_definition
  (type_head
    [(identifier) @name
     (parametrized_type_expression . (identifier) @name)
     (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])])
  . (_)? @body) @definition.struct
(abstract_definition
  (type_head
    [(identifier) @name
     (parametrized_type_expression . (identifier) @name)
     (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])])) @definition.type
(primitive_definition (type_head [(identifier) @name (binary_expression . (identifier) @name)])) @definition.type
(struct_definition
  [(identifier) @name
   (typed_expression . (identifier) @name)
   (assignment . [(identifier) @name (typed_expression . (identifier) @name)])] @definition.field)

(function_definition
  (signature
    [(call_expression . [(identifier) (operator)] @name)
     (call_expression . (field_expression value: (_) @receiver (identifier) @name .))
     (_ . (call_expression . [(identifier) (operator)] @name))
     (_ . (call_expression . (field_expression value: (_) @receiver (identifier) @name .)))
     (_ . (_ . (call_expression . (identifier) @name)))
     (_ . (_ . (_ . (call_expression . (identifier) @name))))
     (identifier) @name])
  . (_)? @body) @definition.function
(assignment
  . [(call_expression . [(identifier) (operator)] @name)
     (call_expression . (field_expression value: (_) @receiver (identifier) @name .))
     (where_expression . (call_expression . (identifier) @name))
     (typed_expression . (call_expression . (identifier) @name))]
  (operator)
  (_) @body) @definition.function
(macro_definition (signature (call_expression . (_) @name)) . (_)? @body) @definition.macro
(const_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name)])) @definition.constant

; `@inline function …`, `Base.@kwdef struct …`
(macrocall_expression
  (macro_argument_list . [(function_definition) (struct_definition) (assignment)] @wrapped .)) @wrapper

(call_expression
  . (identifier) @function
  (argument_list . (string_literal (content) @name))
  (#eq? @function "include")) @reference.import
(using_statement [(identifier) (scoped_identifier)] @name) @reference.import
(import_statement [(identifier) (scoped_identifier)] @name) @reference.import
(selected_import (_) @name) @reference.import
(call_expression . [(identifier) @name (field_expression (identifier) @name .)]) @reference.call
(call_expression . (parametrized_type_expression . (identifier) @name)) @reference.class
(broadcast_call_expression . [(identifier) @name (field_expression (identifier) @name .)]) @reference.call
(macrocall_expression (macro_identifier (identifier) @name)) @reference.call
(type_head (binary_expression (operator) [(identifier) @name (parametrized_type_expression . (identifier) @name)] .)) @reference.class
(typed_expression (_) [(identifier) @name (parametrized_type_expression . (identifier) @name)] .) @reference.type

; Begun from tags.scm of tree-sitter-c (MIT licence, Max Brunsfeld). C++ uses these patterns too.

; In a broken tree `if (…) {` may look like a function.
((function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (_ (function_declarator declarator: (identifier) @name))
    (_ (_ (function_declarator declarator: (identifier) @name)))]
  body: (_) @body) @definition.function
  (#not-match? @name "^(if|for|while|switch|return)$"))

; `TEST_F(Suite, name) {`, `FOO_FUNCTION(name) {`; in a class it might be a constructor, and a macro of another name
; might be given a group, as `TEST_SETUP(group) {`.
(translation_unit
  (function_definition
    !type
    declarator: (function_declarator
      declarator: (identifier) @macro
      parameters: (parameter_list
        . (parameter_declaration type: (type_identifier) @receiver !declarator)
        . (parameter_declaration type: (type_identifier) @name !declarator) .))
    body: (_) @body) @definition.function
  (#match? @macro "^[A-Z][A-Z0-9_]+$"))
(translation_unit
  (function_definition
    !type
    declarator: (function_declarator
      declarator: (identifier) @macro
      parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator) .))
    body: (_) @body) @definition.function
  (#match? @macro "^([A-Z0-9_]+_)?(TEST|CASE|FUNC|FUNCTION|BENCHMARK)(_IMPL)?$"))
(declaration_list
  (function_definition
    !type
    declarator: (function_declarator
      declarator: (identifier) @macro
      parameters: (parameter_list
        . (parameter_declaration type: (type_identifier) @receiver !declarator)
        . (parameter_declaration type: (type_identifier) @name !declarator) .))
    body: (_) @body) @definition.function
  (#match? @macro "^[A-Z][A-Z0-9_]+$"))
(declaration_list
  (function_definition
    !type
    declarator: (function_declarator
      declarator: (identifier) @macro
      parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator) .))
    body: (_) @body) @definition.function
  (#match? @macro "^([A-Z0-9_]+_)?(TEST|CASE|FUNC|FUNCTION|BENCHMARK)(_IMPL)?$"))
((function_definition
  type: (type_identifier) @macro
  declarator: (parenthesized_declarator (identifier) @name)
  body: (_) @body) @definition.function
  (#match? @macro "^([A-Z0-9_]+_)?(TEST|CASE|FUNC|FUNCTION|BENCHMARK)(_IMPL)?$"))
; The same where the tree takes the macro for a call before a block, as it does of titles in strings;
; a title of one word might be taken for the function that it tests.
(translation_unit
  (expression_statement
    (call_expression
      function: (identifier) @macro
      arguments: (argument_list . (identifier) @receiver . (identifier) @name .))) @definition.function
  . (compound_statement) @body
  (#match? @macro "^[A-Z][A-Z0-9_]+$"))
(translation_unit
  (expression_statement
    (call_expression
      function: (identifier) @macro
      arguments: (argument_list . (identifier) @name .))) @definition.function
  . (compound_statement) @body
  (#match? @macro "^([A-Z0-9_]+_)?(TEST|CASE|FUNC|FUNCTION|BENCHMARK)(_IMPL)?$"))
(translation_unit
  (expression_statement
    (call_expression
      function: (identifier) @macro
      arguments: (argument_list . (string_literal) @name))) @definition.function
  . (compound_statement) @body
  (#match? @macro "^[A-Z][A-Z0-9_]+$")
  (#match? @name "[a-z] "))

; A prototype stands at the top, between preprocessor lines or in extern "C" (which often breaks the tree); inside a
; function it is a local thing.
(translation_unit
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]) @definition.function)
(preproc_ifdef
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]) @definition.function)
(preproc_if
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]) @definition.function)
(declaration_list
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]) @definition.function)
(ERROR
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))]) @definition.function)

(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.constant

(type_definition
  type: [(struct_specifier !name body: (_) @body) (union_specifier !name body: (_) @body)]
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type
(type_definition
  type: [(struct_specifier) (union_specifier) (enum_specifier)] @wrapped) @wrapper

(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.macro

(translation_unit
  (declaration
    declarator: (init_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator declarator: (identifier) @name)
        (array_declarator declarator: (identifier) @name)
        (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
      ])) @definition.variable)

(call_expression
  function: [(identifier) @name (field_expression field: (field_identifier) @name)]) @reference.call
(parameter_declaration type: [(type_identifier) @name (struct_specifier name: (type_identifier) @name)]) @reference.type
(field_declaration type: [(type_identifier) @name (struct_specifier name: (type_identifier) @name)]) @reference.type
(declaration type: [(type_identifier) @name (struct_specifier name: (type_identifier) @name)]) @reference.type
(preproc_include path: (_) @name) @reference.import

(preproc_include) @imports

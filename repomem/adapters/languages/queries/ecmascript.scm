; What JavaScript and TypeScript share. Begun from tags.scm of tree-sitter-javascript (MIT licence, Max Brunsfeld).

(class_declaration name: (_) @name body: (_) @body) @definition.class
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class
(variable_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class
(assignment_expression left: (identifier) @name right: (class body: (_) @body)) @definition.class
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression) (this)] @receiver
    property: (property_identifier) @name)
  right: (class body: (_) @body)
  (#not-eq? @name "exports")) @definition.class
(assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (class name: (_) @name body: (_) @body)
  (#eq? @_exports "exports")) @definition.class
(export_statement (class name: (_) @name body: (_) @body)) @definition.class
(pair key: [(property_identifier) (string)] @name value: (class body: (_) @body)) @definition.class

(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)])) @definition.function
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function

(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression) (this)] @receiver
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  (#not-eq? @name "exports")) @definition.function
(assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (function_expression name: (identifier) @name body: (_) @body)
  (#eq? @_exports "exports")) @definition.function
(assignment_expression
  left: (identifier) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function

(method_definition ["get" "set"] name: (_) @name body: (_) @body) @definition.property
(method_definition name: (_) @name body: (_) @body) @definition.method
(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method

(export_statement declaration: (_) @wrapped) @wrapper

; A variable of the module, but for those that only hold another module.
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(program
  (export_statement
    declaration: (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(program
  (export_statement
    declaration: (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable))
(program
  (lexical_declaration
    (variable_declarator
      name: (identifier) @name
      value: [
        (array) (object) (string) (template_string) (number) (regex) (new_expression) (await_expression)
        (binary_expression) (ternary_expression) (true) (false)
        (call_expression function: (member_expression))])) @definition.variable)
(program
  (lexical_declaration
    (variable_declarator
      name: (identifier) @name
      value: (call_expression function: (identifier) @_function))) @definition.variable
  (#not-eq? @_function "require"))

(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string) @name)
  (#eq? @_require "require")) @reference.import
(call_expression function: (import) arguments: (arguments . (string) @name)) @reference.import
(import_statement source: (string) @name) @reference.import
(import_specifier name: (identifier) @name) @reference.import
(import_clause (identifier) @name) @reference.import
(export_statement source: (string) @name) @reference.import
(call_expression
  function: [
    (identifier) @name
    (member_expression property: [(property_identifier) (private_property_identifier)] @name)]) @reference.call
(new_expression
  constructor: [(identifier) @name (member_expression property: (property_identifier) @name)]) @reference.class

(import_statement) @imports
(export_statement source: (_)) @imports
(variable_declarator
  value: [
    (call_expression function: (identifier) @_require)
    (member_expression object: (call_expression function: (identifier) @_require))]
  (#eq? @_require "require")) @imports

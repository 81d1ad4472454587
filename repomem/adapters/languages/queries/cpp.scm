; What C++ adds. Begun from tags.scm of tree-sitter-cpp (MIT licence, Max Brunsfeld).

(class_specifier
  name: [(type_identifier) @name (template_type name: (type_identifier) @name) (qualified_identifier) @name]
  body: (_) @body) @definition.class
(struct_specifier
  name: [(template_type name: (type_identifier) @name) (qualified_identifier) @name]
  body: (_) @body) @definition.struct
(namespace_definition name: (_) @name body: (_) @body) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(template_declaration
  [
    (class_specifier) (struct_specifier) (union_specifier) (function_definition) (declaration) (alias_declaration)
    (concept_definition) (template_declaration) (field_declaration)] @wrapped) @wrapper

; Out of line (A::b), and in the class.
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier) @name)
    (_ (function_declarator declarator: (qualified_identifier) @name))
    (_ (_ (function_declarator declarator: (qualified_identifier) @name)))]
  body: (_)? @body) @definition.method
(function_definition
  declarator: [
    (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
    (_ (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name))]
  body: (_)? @body) @definition.method
(function_definition
  declarator: [
    (function_declarator declarator: (template_function name: (identifier) @name))
    (_ (function_declarator declarator: (template_function name: (identifier) @name)))]
  body: (_)? @body) @definition.function
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))]) @definition.method
(field_declaration_list
  (declaration
    declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @definition.method)
(field_declaration_list
  (function_definition
    declarator: (function_declarator declarator: (identifier) @name) !body) @definition.method)

(call_expression
  function: [
    (qualified_identifier name: (identifier) @name)
    (qualified_identifier name: (qualified_identifier name: (identifier) @name))
    (template_function name: (identifier) @name)]) @reference.call
(new_expression
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)])]) @reference.class
(base_class_clause
  [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)] @reference.type)
(_
  type: [
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)])
    (qualified_identifier
      name: (qualified_identifier
        name: [(type_identifier) @name (template_type name: (type_identifier) @name)]))]) @reference.type

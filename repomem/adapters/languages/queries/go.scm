; Begun from tags.scm of tree-sitter-go (MIT licence, Max Brunsfeld), with receivers, groups and kinds.

(function_declaration name: (identifier) @name body: (block)? @body) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @receiver
        (generic_type type: (type_identifier) @receiver)
        (pointer_type [(type_identifier) @receiver (generic_type type: (type_identifier) @receiver)])]))
  name: (field_identifier) @name
  body: (block)? @body) @definition.method
(method_elem name: (field_identifier) @name) @definition.method

(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type

(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable)
  (#not-eq? @name "_"))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable))
  (#not-eq? @name "_"))

; Alone, a declaration spans its keyword; in a group it does not.
(type_declaration "type" . [(type_spec) (type_alias)] @wrapped .) @wrapper
(const_declaration "const" . (const_spec) @wrapped .) @wrapper
(var_declaration "var" . (var_spec) @wrapped) @wrapper

(call_expression
  function: [(identifier) @name (selector_expression field: (field_identifier) @name)]) @reference.call
(composite_literal
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (qualified_type name: (type_identifier) @name)]) @reference.class
(parameter_declaration
  type: [
    (type_identifier) @name
    (pointer_type (type_identifier) @name)
    (qualified_type name: (type_identifier) @name)
    (pointer_type (qualified_type name: (type_identifier) @name))]) @reference.type
(field_declaration
  type: [
    (type_identifier) @name
    (pointer_type (type_identifier) @name)
    (qualified_type name: (type_identifier) @name)]) @reference.type
(import_spec path: (_) @name) @reference.import

(import_spec) @imports
(package_clause) @imports

; Begun from tags.scm of tree-sitter-rust (MIT licence, Maxim Sokolov), with impl blocks, bodies and constants.

(struct_item name: (type_identifier) @name body: (field_declaration_list)? @body) @definition.struct
(union_item name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_item name: (type_identifier) @name body: (_) @body) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant
(trait_item name: (type_identifier) @name body: (_) @body) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name body: (_) @body) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant

(impl_item
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
    (scoped_type_identifier name: (type_identifier) @name)
    (reference_type type: (type_identifier) @name)
    (reference_type type: (generic_type type: (type_identifier) @name))
    (primitive_type) @name]) @scope

(function_item name: (identifier) @name body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name) @definition.function

(call_expression
  function: [
    (identifier) @name
    (scoped_identifier name: (identifier) @name)
    (field_expression field: (field_identifier) @name)
    (generic_function function: [
      (identifier) @name
      (scoped_identifier name: (identifier) @name)
      (field_expression field: (field_identifier) @name)])]) @reference.call
(macro_invocation macro: [(identifier) @name (scoped_identifier name: (identifier) @name)]) @reference.call
(struct_expression
  name: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)]) @reference.class
(impl_item
  trait: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (scoped_type_identifier name: (type_identifier) @name)]) @reference.class
(parameter
  type: [
    (type_identifier) @name
    (reference_type type: (type_identifier) @name)
    (generic_type type: (type_identifier) @name)]) @reference.type
(function_item
  return_type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @reference.type
(field_declaration
  type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @reference.type
(use_declaration argument: (_) @name) @reference.import

(use_declaration) @imports
(mod_item !body) @imports

; `cfg_net! { pub fn …`: what such a macro is given is mostly items.
(source_file (macro_invocation (token_tree . "{") @items))
(declaration_list (macro_invocation (token_tree . "{") @items))

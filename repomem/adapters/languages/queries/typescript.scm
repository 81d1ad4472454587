; What TypeScript adds. Begun from tags.scm of tree-sitter-typescript (MIT licence, Max Brunsfeld).

(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(internal_module name: (_) @name body: (_) @body) @definition.module
(module name: (_) @name body: (_) @body) @definition.module
(ambient_declaration (_) @wrapped) @wrapper

(function_signature name: (identifier) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition name: (_) @name) @definition.field

(extends_clause value: [(identifier) @name (member_expression property: (_) @name)]) @reference.type
(implements_clause [(type_identifier) @name (generic_type name: (type_identifier) @name)]) @reference.type
(extends_type_clause [(type_identifier) @name (generic_type name: (type_identifier) @name)]) @reference.type
(type_annotation [(type_identifier) @name (generic_type name: (type_identifier) @name)]) @reference.type

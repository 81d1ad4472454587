; Begun from tags.scm of tree-sitter-java (MIT licence, Ayman Nadeem), with bodies, records, fields and constants.

(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum

(method_declaration name: (identifier) @name body: (block)? @body) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor

(enum_constant name: (identifier) @name) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration
  declarator: (variable_declarator name: (identifier) @name)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$")) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field

(method_invocation name: (identifier) @name) @reference.call
(object_creation_expression
  type: [
    (type_identifier) @name
    (generic_type [(type_identifier) @name (scoped_type_identifier (type_identifier) @name .)])
    (scoped_type_identifier (type_identifier) @name .)]) @reference.class
(superclass [(type_identifier) @name (generic_type (type_identifier) @name)]) @reference.type
(type_list [(type_identifier) @name (generic_type (type_identifier) @name)]) @reference.type
(formal_parameter type: [(type_identifier) @name (generic_type (type_identifier) @name)]) @reference.type
(field_declaration type: [(type_identifier) @name (generic_type (type_identifier) @name)]) @reference.type
(method_declaration type: [(type_identifier) @name (generic_type (type_identifier) @name)]) @reference.type
(import_declaration (scoped_identifier) @name) @reference.import

(import_declaration) @imports
(package_declaration) @imports

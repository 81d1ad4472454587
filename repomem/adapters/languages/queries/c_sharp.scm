; Begun from tags.scm of tree-sitter-c-sharp (MIT licence, Max Brunsfeld, Damien Guard and others).

(class_declaration name: (identifier) @name body: (_)? @body) @definition.class
(record_declaration name: (identifier) @name body: (_)? @body) @definition.class
(struct_declaration name: (identifier) @name body: (_)? @body) @definition.struct
(interface_declaration name: (identifier) @name body: (_)? @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.constant
(delegate_declaration name: (identifier) @name) @definition.type
(namespace_declaration name: (_) @name body: (_) @body) @definition.module

(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(local_function_statement name: (identifier) @name body: (_)? @body) @definition.function
(constructor_declaration name: (identifier) @name body: (_)? @body) @definition.constructor
(property_declaration name: (identifier) @name accessors: (_)? @body) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(field_declaration
  (modifier) @_modifier
  (variable_declaration (variable_declarator name: (identifier) @name))
  (#eq? @_modifier "const")) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field

(invocation_expression
  function: [
    (identifier) @name
    (generic_name (identifier) @name)
    (member_access_expression name: [(identifier) @name (generic_name (identifier) @name)])
    (conditional_access_expression (member_binding_expression name: (identifier) @name))]) @reference.call
(object_creation_expression type: [(identifier) @name (generic_name (identifier) @name)]) @reference.class
(base_list [(identifier) @name (generic_name (identifier) @name)]) @reference.type
(parameter type: [(identifier) @name (generic_name (identifier) @name)]) @reference.type
(variable_declaration type: [(identifier) @name (generic_name (identifier) @name)]) @reference.type
(using_directive [(identifier) (qualified_name)] @name) @reference.import

(using_directive) @imports
(namespace_declaration) @imports
(file_scoped_namespace_declaration) @imports

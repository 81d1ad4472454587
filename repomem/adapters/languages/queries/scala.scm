; Scala 2 and 3. Started from the tags query of tree-sitter-scala 0.26 (MIT), without locals and parameters.
; An object is a module: beside its class it is the companion of the same name.

(package_object name: (identifier) @name body: (_)? @body) @definition.module
(object_definition name: (identifier) @name body: (_)? @body) @definition.module
(class_definition name: (identifier) @name body: (_)? @body) @definition.class
(trait_definition name: (identifier) @name body: (_)? @body) @definition.trait
(enum_definition name: (identifier) @name body: (_)? @body) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.constant
(full_enum_case name: (identifier) @name) @definition.constant
(type_definition name: (type_identifier) @name) @definition.type

(compilation_unit (function_definition name: (_) @name body: (_) @body) @definition.function)
(extension_definition (function_definition name: (_) @name body: (_) @body) @definition.function)
(template_body
  [(function_definition name: (_) @name body: (_) @body)
   (function_declaration name: (_) @name)] @definition.method)
(with_template_body (function_definition name: (_) @name body: (_) @body) @definition.method)
(enum_body (function_definition name: (_) @name body: (_) @body) @definition.method)

(compilation_unit (val_definition pattern: (identifier) @name) @definition.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @definition.variable)
(template_body
  [(val_definition pattern: (identifier) @name)
   (val_declaration name: (identifier) @name)
   (var_definition pattern: (identifier) @name)
   (var_declaration name: (identifier) @name)] @definition.field)
(given_definition name: (identifier) @name) @definition.constant

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression field: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (field_expression field: (identifier) @name))) @reference.call
(instance_expression (type_identifier) @name) @reference.class
(instance_expression (generic_type type: (type_identifier) @name)) @reference.class
(extends_clause type: (type_identifier) @name) @reference.class
(extends_clause type: (generic_type type: (type_identifier) @name)) @reference.class
(type_identifier) @name @reference.type
(import_declaration (identifier) @name .) @reference.import
(namespace_selectors (identifier) @name) @reference.import
(namespace_selectors (_ . name: (identifier) @name)) @reference.import

(import_declaration) @imports
(package_clause) @imports

; OCaml, implementations and interfaces. Started from the tags query of tree-sitter-ocaml 0.26 (MIT).
; `let … and …` and `type … and …` hold several definitions: each starts at its keyword and reaches to its body's end.

(module_definition (module_binding (module_name) @name body: (_)? @body)) @definition.module
(module_definition (module_binding (module_name) @name module_type: (_)? @body)) @definition.module
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.interface
(class_definition (class_binding (class_name) @name body: (_)? @body)) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name body: (_)? @body)) @definition.interface
(method_definition (method_name) @name body: (_)? @body) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

(type_definition
  ["type" "and"] @definition.type
  . (type_binding name: (_) @name [body: (_) @body equation: (_) @body]))
(type_definition (type_binding name: (_) @name)) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type
(variant_declaration (constructor_declaration (constructor_name) @name) @definition.constructor)
(record_declaration (field_declaration (field_name) @name) @definition.field)

(external [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)) @definition.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.constant

(application_expression function: (value_path (value_name) @name)) @reference.call
(infix_expression operator: (rel_operator) @operator right: (value_path (value_name) @name)
  (#eq? @operator "|>")) @reference.call
(method_invocation method: (method_name) @name) @reference.call
(application_expression function: (constructor_path (constructor_name) @name)) @reference.class
(new_expression (class_path (class_name) @name)) @reference.class
(inheritance_definition (_ (class_path (class_name) @name))) @reference.class
(inheritance_definition (class_path (class_name) @name)) @reference.class
(type_constructor_path (type_constructor) @name) @reference.type
(open_module module: (_) @name) @reference.import
(open_module_signature module: (_) @name) @reference.import
(include_module module: (_) @name) @reference.import
(module_path . (module_name) @name .) @reference.import

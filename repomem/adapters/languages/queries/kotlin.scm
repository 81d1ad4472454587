; Kotlin. Written for repomem against tree-sitter-kotlin 1.1 (MIT), which ships no tags query.
; An extension function is a plain function: its receiver is a type of somewhere else.

(class_declaration "interface" name: (identifier) @name (class_body)? @body) @definition.interface
(class_declaration name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "class" name: (identifier) @name (class_body)? @body) @definition.class
(object_declaration name: (identifier) @name (class_body)? @body) @definition.class
(companion_object name: (identifier) @name (class_body)? @body) @definition.class
(type_alias type: (identifier) @name) @definition.type
(enum_entry . (identifier) @name) @definition.constant

(source_file (function_declaration name: (identifier) @name (function_body)? @body) @definition.function)
(class_body (function_declaration name: (identifier) @name (function_body)? @body) @definition.function)
(enum_class_body (function_declaration name: (identifier) @name (function_body)? @body) @definition.function)
(secondary_constructor "constructor" @name (block)? @body) @definition.constructor

(source_file (property_declaration (variable_declaration . (identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.property)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.property)
(class_parameter ["val" "var"] . (identifier) @name) @definition.property

(call_expression . (identifier) @name) @reference.call
(call_expression . (navigation_expression (identifier) @name .)) @reference.call
(delegation_specifier (user_type (identifier) @name .)) @reference.type
(delegation_specifier (user_type (identifier) @name . (type_arguments))) @reference.type
(constructor_invocation (user_type (identifier) @name .)) @reference.class
(constructor_invocation (user_type (identifier) @name . (type_arguments))) @reference.class
(user_type (identifier) @name .) @reference.type
(user_type (identifier) @name . (type_arguments)) @reference.type
(import (qualified_identifier (identifier) @name .)) @reference.import

(import) @imports
(package_header) @imports

; Zig. Written for repomem against tree-sitter-zig 1.1 (MIT), which ships no tags query.
; A type is a constant whose value is a struct, enum, union or error set.

(variable_declaration . (identifier) @name (struct_declaration)) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration)) @definition.enum
(variable_declaration . (identifier) @name (union_declaration)) @definition.struct
(variable_declaration . (identifier) @name [(opaque_declaration) (error_set_declaration)]) @definition.type
(function_declaration name: (identifier) @name body: (_)? @body) @definition.function
(test_declaration (string (string_content) @name) (block) @body) @definition.function

(enum_declaration (container_field name: (identifier) @name) @definition.constant)
(container_field name: (identifier) @name) @definition.field

; Not the modules that a file imports, which are references.
(source_file
  (variable_declaration "const" . (identifier) @name (_) @value . ";" (#not-match? @value "^@import\\(\"[^\"]*\"\\)$")) @definition.constant)
(struct_declaration
  (variable_declaration "const" . (identifier) @name (_) @value . ";" (#not-match? @value "^@import\\(\"[^\"]*\"\\)$")) @definition.constant)
(source_file (variable_declaration "var" . (identifier) @name) @definition.variable)

(builtin_function
  (builtin_identifier) @function
  (arguments . (string (string_content) @name))
  (#eq? @function "@import")) @reference.import
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression member: (identifier) @name)) @reference.call
(struct_initializer . (identifier) @name) @reference.class
(parameter type: (identifier) @name) @reference.type
(parameter type: (_ (identifier) @name .)) @reference.type
(container_field type: (identifier) @name) @reference.type
(function_declaration type: (identifier) @name) @reference.type

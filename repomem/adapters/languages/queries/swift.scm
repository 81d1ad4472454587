; Swift. Started from the tags query of tree-sitter-swift 0.7 (MIT), rooted and told apart by keyword.

(class_declaration declaration_kind: "extension" name: (user_type) @name) @scope
(class_declaration declaration_kind: "struct" name: (type_identifier) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @definition.enum
(class_declaration
  declaration_kind: ["class" "actor"] name: (type_identifier) @name body: (_) @body) @definition.class
(protocol_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.constant

; One pattern for every function: each step in it takes this grammar a tenth of a second to prepare.
(function_declaration
  name: [(simple_identifier) (custom_operator) "==" "!=" "===" "!==" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*="
         "/=" "&" "|" "^" "~" "<<" ">>" "!" "++" "--"] @name
  body: (_)? @body) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.function
(init_declaration "init" @name body: (_)? @body) @definition.constructor
(deinit_declaration "deinit" @name body: (_)? @body) @definition.method
(subscript_declaration "subscript" @name (computed_property)? @body) @definition.method

(source_file
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_)? @body) @definition.variable)
(class_body
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_)? @body) @definition.property)
(enum_class_body
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_)? @body) @definition.property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property

(call_expression . (simple_identifier) @name) @reference.call
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @name))) @reference.call
(inheritance_specifier inherits_from: (user_type (type_identifier) @name .)) @reference.type
(user_type (type_identifier) @name .) @reference.type
(user_type (type_identifier) @name . (type_arguments)) @reference.type
(import_declaration (identifier (simple_identifier) @name .)) @reference.import

; Dart. Started from the tags query of tree-sitter-dart 0.1 (MIT).
; The grammar puts the body of a function beside its signature, not inside it.

(class_definition name: (identifier) @name body: (_) @body) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.class
(extension_declaration name: (identifier) @name body: (_) @body) @definition.class
(extension_type_declaration name: (identifier) @name body: (_) @body) @definition.class
(extension_declaration . class: (type_identifier) @name) @scope
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(type_alias . (type_identifier) @name) @definition.type

(program
  [(function_signature name: (identifier) @name)
   (getter_signature name: (identifier) @name)
   (setter_signature name: (identifier) @name)] @definition.function
  . (function_body)? @body)
((method_signature
  [(function_signature name: (identifier) @name)
   (operator_signature (binary_operator) @name)]) @definition.method
  . (function_body)? @body)
((method_signature
  [(getter_signature name: (identifier) @name)
   (setter_signature name: (identifier) @name)]) @definition.property
  . (function_body)? @body)
((method_signature
  [(constructor_signature (identifier) @name . (formal_parameter_list))
   (factory_constructor_signature (identifier) @name . (formal_parameter_list))]) @definition.constructor
  . (function_body)? @body)

(declaration
  [(constructor_signature (identifier) @name . (formal_parameter_list))
   (constant_constructor_signature (identifier) @name . (formal_parameter_list))
   (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))]) @definition.constructor
(declaration (function_signature name: (identifier) @name)) @definition.method
(declaration
  [(getter_signature name: (identifier) @name)
   (setter_signature name: (identifier) @name)]) @definition.property
(declaration
  [(initialized_identifier_list (initialized_identifier . (identifier) @name))
   (static_final_declaration_list (static_final_declaration . (identifier) @name))]) @definition.field
(program (static_final_declaration_list (static_final_declaration . (identifier) @name) @definition.constant))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @definition.variable))

((identifier) @name @reference.call . (selector (argument_part)))
((selector
  [(unconditional_assignable_selector (identifier) @name)
   (conditional_assignable_selector (identifier) @name)]) @reference.call
  . (selector (argument_part)))
(cascade_section (cascade_selector (identifier) @name) (argument_part)) @reference.call
(initialized_variable_definition
  value: (identifier) @name
  . value: (selector (argument_part))) @reference.call
[(new_expression (type_identifier) @name)
 (const_object_expression (type_identifier) @name)] @reference.class
[(superclass (type_identifier) @name)
 (mixins (type_identifier) @name)
 (interfaces (type_identifier) @name)] @reference.type
(type_identifier) @name @reference.type
(library_import (import_specification (configurable_uri) @name)) @reference.import

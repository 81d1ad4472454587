; What Objective-C adds to C. Written for repomem against tree-sitter-objc 3.0 (MIT), which ships no tags query.
; A method goes by the first part of its selector. A category adds to a class that is defined elsewhere.

(class_interface "@interface" . (identifier) @name . "(") @scope
(class_implementation "@implementation" . (identifier) @name . "(") @scope
(class_interface
  "@interface"
  . (identifier) @name
  . superclass: (identifier)?
  . (parameterized_arguments)?
  . [(comment) (instance_variables) (property_declaration) (method_declaration)] @body) @definition.class
(class_interface "@interface" . (identifier) @name) @definition.class
(class_implementation
  "@implementation"
  . (identifier) @name
  . superclass: (identifier)?
  . [(comment) (instance_variables) (implementation_definition)] @body) @definition.class
(class_implementation "@implementation" . (identifier) @name) @definition.class
(protocol_declaration
  "@protocol"
  . (identifier) @name
  . (protocol_reference_list)?
  . [(comment) (qualified_protocol_interface_declaration) (property_declaration) (method_declaration)] @body) @definition.interface
(protocol_declaration "@protocol" . (identifier) @name) @definition.interface

(method_declaration (method_type) . (identifier) @name) @definition.method
(method_definition (method_type) . (identifier) @name (compound_statement) @body) @definition.method
(property_declaration
  (struct_declaration
    (struct_declarator
      [(identifier) @name
       (pointer_declarator declarator: (identifier) @name)
       (function_declarator
         declarator: (parenthesized_declarator (block_pointer_declarator declarator: (identifier) @name)))]))) @definition.property

(message_expression receiver: (identifier) @name (#match? @name "^[A-Z]")) @reference.class
(message_expression receiver: (_) . method: (identifier) @name) @reference.call
(class_interface superclass: (identifier) @name) @reference.type
(class_interface (parameterized_arguments (type_name (type_identifier) @name))) @reference.type
(protocol_reference_list (identifier) @name) @reference.type
(method_type (type_name (type_identifier) @name)) @reference.type
(struct_declaration (type_identifier) @name) @reference.type
(module_import path: (_) @name) @reference.import

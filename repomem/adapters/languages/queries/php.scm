; Begun from tags.scm of tree-sitter-php (MIT licence, Josh Vera, Max Brunsfeld and others).

(namespace_definition name: (namespace_name) @name body: (_) @body) @definition.module
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.constant

(function_definition name: (name) @name body: (_) @body) @definition.function
(method_declaration name: (name) @name body: (_)? @body) @definition.method
(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property
(const_declaration (const_element . (name) @name)) @definition.constant

(object_creation_expression [(name) @name (qualified_name (name) @name)]) @reference.class
(base_clause [(name) @name (qualified_name (name) @name)]) @reference.type
(class_interface_clause [(name) @name (qualified_name (name) @name)]) @reference.type
(use_declaration [(name) @name (qualified_name (name) @name)]) @reference.type
(function_call_expression function: [(name) @name (qualified_name (name) @name)]) @reference.call
(member_call_expression name: (name) @name) @reference.call
(nullsafe_member_call_expression name: (name) @name) @reference.call
(scoped_call_expression name: (name) @name) @reference.call
(named_type [(name) @name (qualified_name (name) @name)]) @reference.type
(namespace_use_clause [(name) (qualified_name)] @name) @reference.import
(include_expression (string (string_content) @name)) @reference.import
(require_expression (string (string_content) @name)) @reference.import
(require_once_expression (string (string_content) @name)) @reference.import

(namespace_use_declaration) @imports
(namespace_definition) @imports

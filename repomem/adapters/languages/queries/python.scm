; Begun from tags.scm of tree-sitter-python (MIT licence, Max Brunsfeld), rewritten for nesting, bodies and wrappers.

(class_definition name: (identifier) @name body: (_) @body) @definition.class
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(decorated_definition definition: (_) @wrapped) @wrapper

(module (expression_statement (assignment left: (identifier) @name) @definition.constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.constant))
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(class_definition
  body: (block
    (expression_statement
      (assignment
        left: (identifier) @name
        right: [(call) (lambda) (identifier)]) @definition.field)))
(type_alias_statement left: (type (identifier) @name)) @definition.type

(call function: [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.call
(class_definition
  superclasses: (argument_list [(identifier) @name (attribute attribute: (identifier) @name)] @reference.type))
(decorator [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.call
(type [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.type
(import_statement name: [(dotted_name) @name (aliased_import name: (dotted_name) @name)]) @reference.import
(import_from_statement module_name: (_) @name) @reference.import
(import_from_statement name: [(dotted_name) @name (aliased_import name: (dotted_name) @name)]) @reference.import

(import_statement) @imports
(import_from_statement) @imports

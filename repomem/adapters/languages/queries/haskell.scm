; Haskell. Written for repomem against tree-sitter-haskell 0.24 (MIT), which ships no tags query.
; A signature and the equations under it are the clauses of one function.

(data_type name: (name) @name) @definition.type
(newtype name: (name) @name) @definition.type
(type_synonym name: [(name) @name (prefix_id (_) @name)]) @definition.type
(type_family name: (name) @name) @definition.type
(data_family name: (name) @name) @definition.type
(class name: (name) @name declarations: (_)? @body) @definition.class
(instance name: (name) @name) @scope
(data_constructor (record name: (constructor) @name)) @definition.constructor
(data_constructor (prefix name: (constructor) @name)) @definition.constructor
(newtype_constructor name: (constructor) @name) @definition.constructor
(gadt_constructor [(constructor) @name (binding_list (constructor) @name)]) @definition.constructor
(field name: (field_name (variable) @name)) @definition.field
(pattern_synonym (_ synonym: (constructor) @name)) @definition.function

(declarations
  [(signature name: [(variable) @name (prefix_id (_) @name)])
   (signature names: (binding_list name: [(variable) @name (prefix_id (_) @name)]))
   (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
   (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body)
   (bind name: (variable) @name match: (_) @body)] @definition.function)
(class_declarations
  [(signature name: [(variable) @name (prefix_id (_) @name)])
   (signature names: (binding_list name: [(variable) @name (prefix_id (_) @name)]))
   (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
   (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body)
   (bind name: (variable) @name match: (_) @body)] @definition.function)
(instance_declarations
  [(function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body)
   (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body)
   (bind name: (variable) @name match: (_) @body)] @definition.function)
(foreign_import (signature name: (variable) @name)) @definition.function

(apply function: (variable) @name) @reference.call
(apply function: (qualified id: (variable) @name)) @reference.call
(infix left_operand: (variable) @name operator: (operator) @operator
  (#any-of? @operator "$" "$!" "<$>" "." "=<<" "<$!>")) @reference.call
(infix operator: (infix_id (variable) @name)) @reference.call
(exp (variable) @name) @reference.call
(instance name: (name) @name) @reference.class
(deriving classes: (_ (name) @name)) @reference.class
(deriving classes: (name) @name) @reference.class
(name) @name @reference.type
(import module: (module) @name) @reference.import
(import_name [(variable) (name)] @name) @reference.import

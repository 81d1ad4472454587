; Begun from tags.scm of tree-sitter-ruby (MIT licence, Rob Rix), with bodies, constants and attributes.

(class name: [(constant) (scope_resolution)] @name body: (_)? @body) @definition.class
(module name: [(constant) (scope_resolution)] @name body: (_)? @body) @definition.module
; Definitions in the block of `Class.new(Base) do` are not of the class around it.
((call receiver: (constant) @name method: (identifier) @_new block: (_)) @scope
  (#any-of? @name "Class" "Module" "Struct" "Data")
  (#any-of? @_new "new" "define"))
((assignment
  left: [(identifier) (instance_variable)] @name
  right: (call receiver: (constant) @macro method: (identifier) @_new block: (_))) @scope
  (#any-of? @macro "Class" "Module" "Struct" "Data")
  (#any-of? @_new "new" "define"))
((assignment
  left: [(constant) (scope_resolution)] @name
  right: (call receiver: (constant) @macro method: (identifier) @_new block: (_) @body)) @definition.class
  (#any-of? @macro "Class" "Module" "Struct" "Data")
  (#any-of? @_new "new" "define"))
; At the top of a file a method belongs to everyone: a function.
(program (method name: (_) @name body: (_)? @body) @definition.function)
(method name: (setter) @name body: (_)? @body) @definition.method
(method name: (_) @name body: (_)? @body) @definition.method
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(assignment left: (constant) @name) @definition.constant
(call
  method: (identifier) @_attribute
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor")) @definition.property

(call
  method: (identifier) @_require
  arguments: (argument_list . (string (string_content) @name))
  (#any-of? @_require "require" "require_relative" "load" "autoload")) @reference.import
(call receiver: [(constant) @name (scope_resolution name: (constant) @name)] method: (identifier) @_new
  (#eq? @_new "new")) @reference.class
(call
  !receiver
  method: (identifier) @_mixin
  arguments: (argument_list [(constant) @name (scope_resolution name: (constant) @name)])
  (#any-of? @_mixin "include" "extend" "prepend")) @reference.class
(call method: (identifier) @name) @reference.call
(superclass [(constant) @name (scope_resolution name: (constant) @name)]) @reference.type

(call method: (identifier) @_require (#any-of? @_require "require" "require_relative")) @imports

; Written for repomem.

(function_definition name: (word) @name body: (_) @body) @definition.function
(program
  (declaration_command ["readonly" "declare"] (variable_assignment name: (variable_name) @name)) @definition.constant)
(program
  (declaration_command "export" (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (variable_assignment name: (variable_name) @name) @definition.variable
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))

(command name: (command_name (word) @_source) . argument: [(word) (string) (concatenation)] @name
  (#any-of? @_source "source" ".")) @reference.import
(command name: (command_name (word) @name)) @reference.call

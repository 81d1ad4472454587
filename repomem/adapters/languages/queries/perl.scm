; Perl. Written for repomem against tree-sitter-perl 2.0 (MIT), which ships no tags query.
; A package without a block reaches to the next one.

(package_statement name: (package) @name (block) @body) @definition.module
(package_statement name: (package) @name) @definition.module.1
(class_statement name: (package) @name (block) @body) @definition.class
(class_statement name: (package) @name) @definition.class.1
(role_statement name: (package) @name (block) @body) @definition.class
(role_statement name: (package) @name) @definition.class.1
(subroutine_declaration_statement name: (bareword) @name body: (_)? @body) @definition.function
(method_declaration_statement name: (bareword) @name body: (_)? @body) @definition.method

(use_statement
  module: (package) @pragma (list_expression . (autoquoted_bareword) @name)
  (#eq? @pragma "constant")) @definition.constant
(use_statement
  module: (package) @pragma
  (anonymous_hash_expression (list_expression (autoquoted_bareword) @name))
  (#eq? @pragma "constant")) @definition.constant
(source_file
  (expression_statement
    (assignment_expression left: (variable_declaration "our" variable: (_ (varname) @name)))) @definition.variable)
; Attributes of Moose and its kin.
(expression_statement
  (ambiguous_function_call_expression
    function: (function) @function
    arguments: [
      (string_literal content: (_) @name)
      (list_expression . [(autoquoted_bareword) @name (string_literal content: (_) @name)])])
  (#eq? @function "has")) @definition.property

(use_statement module: (package) @pragma [
    (string_literal content: (_) @name)
    (quoted_word_list content: (_) @name)
    (list_expression (string_literal content: (_) @name))]
  (#any-of? @pragma "parent" "base")) @reference.class
; Not the pragmas, whose names are in lower case.
(use_statement module: (package) @name (#match? @name "[A-Z:]")) @reference.import
(require_expression [(bareword) @name (interpolated_string_literal content: (_) @name) (string_literal content: (_) @name)]) @reference.import
(method_call_expression invocant: (bareword) @name) @reference.class
(method_call_expression method: (method) @name) @reference.call
(function_call_expression function: (function) @name) @reference.call
(ambiguous_function_call_expression function: (function) @name) @reference.call

; HCL (Terraform and its kin). Written for repomem against tree-sitter-hcl 1.2 (Apache-2.0), which ships no tags query.
; `resource "aws_vpc" "main"` is aws_vpc.main, as expressions call it.

(config_file
  (body
    (block
      (identifier)
      . (string_lit (template_literal) @receiver)
      . (string_lit (template_literal) @name)
      . (block_start) @body) @definition.struct))
(config_file
  (body
    (block (identifier) @keyword . (string_lit (template_literal) @name) . (block_start) @body
      (#eq? @keyword "variable")) @definition.variable))
(config_file
  (body
    (block (identifier) @keyword . (string_lit (template_literal) @name) . (block_start) @body
      (#eq? @keyword "module")) @definition.module))
(config_file
  (body
    (block (identifier) @keyword . (string_lit (template_literal) @name) . (block_start) @body
      (#eq? @keyword "output")) @definition.property))
(config_file
  (body
    (block (identifier) . (string_lit (template_literal) @name) . (block_start) @body) @definition.struct))
(config_file
  (body
    (block (identifier) @keyword (body (attribute (identifier) @name) @definition.constant)
      (#eq? @keyword "locals"))))
(config_file (body (attribute (identifier) @name) @definition.key))

(block
  (identifier) @keyword
  (body
    (attribute (identifier) @attribute (expression (literal_value (string_lit (template_literal) @name)))))
  (#eq? @keyword "module")
  (#eq? @attribute "source")) @reference.import
(function_call (identifier) @name) @reference.call
((variable_expr (identifier) @root) . (get_attr (identifier) @name)
  (#any-of? @root "var" "local" "module")) @reference.type
((variable_expr (identifier) @root) . (get_attr) . (get_attr (identifier) @name)
  (#eq? @root "data")) @reference.class
((variable_expr (identifier) @root) . (get_attr (identifier) @name)
  (#not-match? @root "^(data|each|count|self|path|terraform)$")) @reference.class

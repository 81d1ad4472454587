; Make. Written for repomem against tree-sitter-make 1.1 (MIT), which ships no tags query.
; Targets and `define`; variables are many, and what they hold is said where they are used.

; Not the special ones, such as .PHONY; and what is more than a line of targets is text that the grammar could not read.
; Only the first three of a rule: that text may be long, and is looked at once for each of its words.
(rule
  . [(targets . (_) @name) (targets . (_) . (_) @name) (targets . (_) . (_) . (_) @name)] @targets
  (recipe)? @body
  (#not-match? @name "^\\.[A-Z_]+$")
  (#not-match? @targets "\n")) @definition.function
(define_directive name: (_) @name) @definition.macro

(include_directive filenames: (list (word) @name)) @reference.import
(rule (targets) @targets [normal: (prerequisites (word) @name) order_only: (prerequisites (word) @name)]
  (#not-eq? @targets ".PHONY")) @reference.call

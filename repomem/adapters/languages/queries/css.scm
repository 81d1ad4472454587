; CSS. Written for repomem against tree-sitter-css 0.25 (MIT), which ships no tags query.

(rule_set (selectors) @name (block) @body) @definition.selector
((declaration (property_name) @name) @definition.variable (#match? @name "^--"))

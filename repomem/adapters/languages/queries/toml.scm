; TOML. Written for repomem against tree-sitter-toml 0.7 (MIT), which ships no tags query.
; Every table, and the keys of the first and second level: every leaf would be noise.

(document (pair . (_) @name) @definition.key)
(document (table . (_) @name) @definition.key)
(document (table_array_element . (_) @name) @definition.key)
(document (table . [(bare_key) (quoted_key)] (pair . (_) @name) @definition.key))
(document (table_array_element . [(bare_key) (quoted_key)] (pair . (_) @name) @definition.key))

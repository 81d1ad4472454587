; JSON. Written for repomem against tree-sitter-json 0.24 (MIT), which ships no tags query.
; The keys of the first and second level: every leaf would be noise.

(document (object (pair key: (string (_) @name)) @definition.key))
(document (object (pair value: (object (pair key: (string (_) @name)) @definition.key))))

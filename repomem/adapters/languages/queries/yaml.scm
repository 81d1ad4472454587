; YAML. Written for repomem against tree-sitter-yaml 0.7 (MIT), which ships no tags query.
; The keys of the first and second level: every leaf would be noise.

(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @definition.key)))
(document (block_node (block_mapping (block_mapping_pair
  value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @definition.key))))))

; SQL. Written for repomem against tree-sitter-sql 0.3 (MIT), which ships no tags query.
; Its dialects differ, and the grammar knows parts of each: what it cannot read it skips.

(create_table
  (object_reference schema: (_)? @receiver name: (_) @name)
  (column_definitions)? @body) @definition.struct
(create_table (column_definitions (column_definition name: (_) @name) @definition.field))
(create_view (object_reference schema: (_)? @receiver name: (_) @name) (create_query) @body) @definition.type
(create_materialized_view
  (object_reference schema: (_)? @receiver name: (_) @name)
  (create_query) @body) @definition.type
(create_function
  (keyword_function)
  . (object_reference schema: (_)? @receiver name: (_) @name)
  (function_body)? @body) @definition.function
(create_procedure
  (keyword_procedure)
  . (object_reference schema: (_)? @receiver name: (_) @name)
  (procedure_body)? @body) @definition.function
(create_trigger (keyword_trigger) . (object_reference schema: (_)? @receiver name: (_) @name)) @definition.function
(create_type (object_reference schema: (_)? @receiver name: (_) @name)) @definition.type
(create_index column: (_) @name) @definition.key
(create_schema (identifier) @name) @definition.module
(create_sequence (object_reference schema: (_)? @receiver name: (_) @name)) @definition.variable

(invocation (object_reference name: (_) @name)) @reference.call
(create_trigger (keyword_execute) (_) . (object_reference name: (_) @name)) @reference.call
[(relation (object_reference name: (_) @name))
 (from (object_reference name: (_) @name))
 (insert (object_reference name: (_) @name))
 (alter_table (object_reference name: (_) @name))
 (column_definition (object_reference name: (_) @name))
 (constraint (object_reference name: (_) @name))
 (create_index (object_reference name: (_) @name))
 (create_trigger (keyword_on) . (object_reference name: (_) @name))] @reference.type

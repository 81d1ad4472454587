; What JavaScript's grammar names otherwise than TypeScript's.

(field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition property: (_) @name) @definition.field

(class_heritage [(identifier) @name (member_expression property: (property_identifier) @name)]) @reference.type

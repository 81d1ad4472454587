(parameter (identifier) @local)
(variable_declaration (identifier) @local)

; Svelte. Written for repomem against tree-sitter-svelte 1.0 (MIT), which ships no tags query.
; The script is read as TypeScript; of the markup, beside what html.scm takes of it, snippets and the components used.

(script_element (raw_text) @script)

(snippet_statement (snippet_start (snippet_name) @name)) @definition.function

(start_tag (tag_name) @name (#match? @name "^[A-Z]")) @reference.call
(self_closing_tag (tag_name) @name (#match? @name "^[A-Z]")) @reference.call

; Svelte. Written for repomem against tree-sitter-svelte 1.0 (MIT), which ships no tags query.
; The script is read as TypeScript; of the markup, what html.scm takes of it, snippets, and the components that it uses.

(script_element (raw_text) @script)

(snippet_statement (snippet_start (snippet_name) @name)) @definition.function
(element (start_tag (tag_name) @tag) (#match? @tag "^[hH][1-6]$")) @definition.section @name
(element
  [(start_tag
     (tag_name) @tag
     (attribute
       (attribute_name) @attribute
       [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
   (self_closing_tag
     (tag_name) @tag
     (attribute
       (attribute_name) @attribute
       [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))]
  (#eq? @attribute "id")
  (#not-match? @tag "^[hH][1-6]$")) @definition.section

(start_tag (tag_name) @name (#match? @name "^[A-Z]")) @reference.call
(self_closing_tag (tag_name) @name (#match? @name "^[A-Z]")) @reference.call

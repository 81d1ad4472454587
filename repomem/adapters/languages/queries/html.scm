; HTML. Written for repomem against tree-sitter-html 0.23 (MIT), which ships no tags query.
; Headings by their text, other elements by their id.

; The name of a heading is the heading, from which the outline takes the tags: a pattern that gathers its text would
; be tried on every element and take minutes for a hundred paragraphs.
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

; HTML. Written for repomem against tree-sitter-html 0.23 (MIT), which ships no tags query.
; Headings by their text, other elements by their id.

(element
  (start_tag (tag_name) @tag)
  [(text) @name (element [(text) @name (start_tag) (end_tag)]+)]+
  (end_tag)
  (#match? @tag "^[hH][1-6]$")) @definition.section
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

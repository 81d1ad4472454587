; Markdown. Written for repomem against tree-sitter-markdown 0.5 (MIT), which ships no tags query.
; The grammar nests sections by ATX headings only; the level makes them nest whichever way they are written.

(atx_heading (atx_h1_marker) heading_content: (_) @name) @definition.section.1
(atx_heading (atx_h2_marker) heading_content: (_) @name) @definition.section.2
(atx_heading (atx_h3_marker) heading_content: (_) @name) @definition.section.3
(atx_heading (atx_h4_marker) heading_content: (_) @name) @definition.section.4
(atx_heading (atx_h5_marker) heading_content: (_) @name) @definition.section.5
(atx_heading (atx_h6_marker) heading_content: (_) @name) @definition.section.6
(setext_heading heading_content: (_) @name (setext_h1_underline) @body) @definition.section.1
(setext_heading heading_content: (_) @name (setext_h2_underline) @body) @definition.section.2

package page

import (
	"html/template"
	"regexp"
	"strings"
)

// token is what the words of a spec are: a key before its colon, a comment, a quoted text, a number, or a word or sign.
var token = regexp.MustCompile(`(?P<key>[\pL\pN_.-]+)(?P<colon>:(?:\s|$))|(?P<comment>(?:^|\s)#.*)|(?P<text>"(?:[^"\\]|\\.)*"|'[^']*')|` +
	`(?P<number>[-+]?\.?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?\b|[-+]?\.inf\b)|[\pL\pN_./-]+`)

// coloured marks up YAML, line by line; what it does not understand it leaves plain.
func coloured(yaml string) template.HTML {
	var out strings.Builder
	for line := range strings.Lines(yaml) {
		at := 0
		for _, m := range token.FindAllStringSubmatchIndex(line, -1) {
			out.WriteString(template.HTMLEscapeString(line[at:m[0]]))
			out.WriteString(markup(line, m))
			at = m[1]
		}
		out.WriteString(template.HTMLEscapeString(line[at:]))
	}
	return template.HTML(out.String())
}

// markup wraps a token in the name of its kind.
func markup(line string, m []int) string {
	for _, kind := range [...]string{"key", "comment", "text", "number"} {
		i := 2 * token.SubexpIndex(kind)
		if m[i] >= 0 {
			return `<span class="` + kind + `">` + template.HTMLEscapeString(line[m[i]:m[i+1]]) + "</span>" + template.HTMLEscapeString(line[m[i+1]:m[1]])
		}
	}
	return template.HTMLEscapeString(line[m[0]:m[1]])
}

package page

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/report/draw"
)

// Markdown writes the document for READMEs: the same words and tables, the figures by their files.
func (d *Document) Markdown() []byte {
	d, m := d.paged(), &markdown{}
	m.line("# %s", prose(d.Title))
	m.line("%s", prose(d.Facts))
	for _, w := range d.Warnings {
		m.line("> **Warning:** %s", prose(w))
	}
	if d.Answer != nil {
		m.finding("The answer", *d.Answer)
	}
	m.tables(d.First)
	m.terms("The question", d.Question)
	m.finding("The verdict", d.Verdict)
	m.tables(d.Tables)
	m.figures(d.Figures)
	for _, s := range d.Sections {
		m.section(s)
	}
	m.code("Spec", "yaml", d.Spec)
	m.code("How to repeat it", "sh", d.Repeat)
	m.items(lists.Of(d.Origin, func(t Term) string { return t.Name + ": " + t.Text }))
	return []byte(m.String())
}

// markdown collects blocks, an empty line between them.
type markdown struct{ strings.Builder }

func (m *markdown) line(format string, args ...any) {
	if m.Len() > 0 {
		m.WriteByte('\n')
	}
	fmt.Fprintf(m, format+"\n", args...)
}

func (m *markdown) finding(title string, f Finding) {
	m.line("## %s", title)
	m.line("**%s**", prose(f.Headline))
	for _, text := range f.Cautions {
		m.line("> **Caution:** %s", prose(text))
	}
	m.items(f.Reasons)
}

func (m *markdown) items(list []string) {
	if len(list) == 0 {
		return
	}
	m.WriteByte('\n')
	for _, s := range list {
		m.WriteString("- " + prose(s) + "\n")
	}
}

func (m *markdown) terms(title string, list []Term) {
	if len(list) == 0 {
		return
	}
	m.line("## %s", title)
	for _, t := range list {
		m.line("**%s.** %s", prose(t.Name), prose(t.Text))
	}
}

func (m *markdown) tables(list []TextTable) {
	for _, t := range list {
		m.line("## %s", prose(t.Title))
		m.table(t)
	}
}

func (m *markdown) table(t TextTable) {
	if t.About != "" {
		m.line("%s", prose(t.About))
	}
	m.WriteByte('\n')
	m.row(lists.Of(t.Columns, func(h Head) string { return prose(h.Name) }))
	m.row(lists.Of(t.Columns, func(h Head) string { return map[bool]string{false: "---", true: "---:"}[h.Numeric] }))
	for _, cells := range t.Rows {
		m.row(lists.Of(cells, func(c TextCell) string {
			small := lists.Of(c.Small, func(s string) string { return "(" + prose(s) + ")" })
			return strings.Join(append([]string{prose(c.Text)}, small...), " ")
		}))
	}
}

func (m *markdown) row(cells []string) { m.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

func (m *markdown) figures(list []draw.Figure) {
	if len(list) > 0 {
		m.line("## Figures")
	}
	for _, f := range list {
		m.line("![%s](%s.svg)", prose(f.Title), f.Name)
		m.line("*%s.* %s", prose(f.Title), prose(f.Caption))
	}
}

func (m *markdown) section(s Chapter) {
	m.line("## %s", prose(s.Title))
	if s.Verdict != "" {
		m.line("**%s**", prose(s.Verdict))
	}
	for _, p := range s.Paragraphs {
		m.line("%s", prose(p))
	}
	if s.Table != nil {
		m.table(*s.Table)
	}
}

// code fences a text with more backticks than it holds in a row.
func (m *markdown) code(title, language, text string) {
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	text = strings.Map(harmless, text)
	m.line("## %s\n\n%s%s\n%s\n%s", title, fence, language, strings.TrimRight(text, "\n"), fence)
}

// prose takes the meaning of markup from a text and puts it on one line.
func prose(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			out.WriteByte(' ')
		case strings.ContainsRune("\\`*_[]<>#|~&", r):
			out.WriteString("\\" + string(r))
		default:
			out.WriteRune(harmless(r))
		}
	}
	text := strings.TrimLeftFunc(out.String(), unicode.IsSpace)
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		text = "\\" + text // or it would begin a list
	}
	return text
}

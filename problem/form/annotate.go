package form

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Annotate writes a document with what every key means beside it. Keys that follow others are left out where they do, so that
// who changes those changes all: the trials of an algorithm that are the trials of the spec.
func (v *Vocabulary) Annotate(root *Node) []byte {
	a := annotator{root: root, said: map[string]bool{}}
	a.mapping(root, v.root, "", "")
	return a.out.Bytes()
}

// annotator writes YAML with comments, each once.
type annotator struct {
	root *Node
	out  bytes.Buffer
	said map[string]bool
}

const (
	commentColumn = 34 // where comments begin, at least
	lineWidth     = 118
)

// mapping writes a mapping a key a line. The first line begins with first, as an entry of a list does.
func (a *annotator) mapping(n *Node, o *outline, first, indent string) {
	for i, key := range n.Keys {
		begin := indent
		if i == 0 {
			begin = first
		}
		if e := o.find(key); !a.follows(e, n.Items[i]) {
			a.key(key, n.Items[i], e, begin, indent)
		}
	}
}

// follows tells whether a value is that of another key of the spec, as it is by default.
func (a *annotator) follows(e entry, value *Node) bool {
	other := a.root
	for key := range strings.SplitSeq(e.like, ".") {
		if other = other.Get(key); other == nil {
			return false
		}
	}
	return value.Shape == Scalar && other.Text == value.Text
}

func (a *annotator) key(key string, value *Node, e entry, begin, indent string) {
	comment := a.comment(e, value)
	if value.Shape == Scalar || value.Shape == List && len(value.Items) > 0 && value.Items[0].Shape == Scalar {
		a.beside(begin+key+": "+value.Flow(), comment)
		return
	}
	if indent == "" {
		a.out.WriteString("\n")
	}
	for _, line := range breakLines(comment, lineWidth-len(indent)-2) {
		a.out.WriteString(indent + "# " + line + "\n")
	}
	a.out.WriteString(begin + key + ":\n")
	a.below(value, e, indent+"  ")
}

// below writes what is nested: a mapping, a list of them or a list of rows.
func (a *annotator) below(value *Node, e entry, indent string) {
	if value.Shape == Mapping {
		a.mapping(value, e.below, indent, indent)
		return
	}
	for _, item := range value.Items {
		if item.Shape == Mapping {
			a.mapping(item, e.below, indent+"- ", indent+"  ")
			continue
		}
		a.out.WriteString(indent + "- " + item.Flow() + "\n")
	}
}

// beside writes a line with a comment at its right, broken into several where it is long.
func (a *annotator) beside(line string, comment []string) {
	column := max(commentColumn, utf8.RuneCountInString(line)+2)
	pad := strings.Repeat(" ", column-utf8.RuneCountInString(line))
	for _, text := range breakLines(comment, max(40, lineWidth-column-2)) {
		a.out.WriteString(line + pad + "# " + text + "\n")
		line, pad = "", strings.Repeat(" ", column)
	}
	if line != "" {
		a.out.WriteString(line + "\n")
	}
}

// comment says line by line what a key means and what its value does; nothing for what was said before.
func (a *annotator) comment(e entry, value *Node) []string {
	if e.says.text == "" || a.said[e.id()] {
		return nil
	}
	a.said[e.id()] = true
	lines := e.says.lines()
	var others []string
	for _, o := range e.options {
		if o.Value != value.Text {
			others = append(others, o.Value)
			continue
		}
		of := Says(o.Meaning, o.Formula, "").lines()
		lines = append(append(lines, o.Value+": "+of[0]), of[1:]...)
	}
	if others != nil {
		lines = append(lines, "else: "+strings.Join(others, ", "))
	}
	return lines
}

// lines are the meaning and the formula, on one line where that is a mere symbol.
func (m Meaning) lines() []string {
	switch n := utf8.RuneCountInString(m.formula); {
	case n == 0:
		return []string{m.text}
	case n <= 4:
		return []string{strings.TrimSuffix(m.text, ".") + " (" + m.formula + ")."}
	}
	return []string{m.text, m.formula}
}

// find returns the entry of a key, none of one that is the author's own.
func (o *outline) find(key string) entry {
	if o == nil {
		return entry{}
	}
	for _, e := range o.entries() {
		if e.key == key {
			return e
		}
	}
	return entry{key: key}
}

// breakLines breaks texts at spaces into lines of at most so many characters.
func breakLines(texts []string, width int) (lines []string) {
	for _, text := range texts {
		line := ""
		for _, word := range strings.Fields(text) {
			if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
				lines = append(lines, line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		lines = append(lines, line)
	}
	return lines
}

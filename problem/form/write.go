package form

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// YAML returns a mapping a key a line.
func (n *Node) YAML() []byte {
	var w writer
	w.mapping(n, nil, "", "")
	return w.out.Bytes()
}

// Annotate writes a document with what every key means beside it. Keys that follow others are left out where they do, so that
// who changes those changes all: the trials of an algorithm that are the trials of the spec.
func (v *Vocabulary) Annotate(root *Node) []byte {
	w := writer{root: root, said: map[string]bool{}}
	w.mapping(root, v.root, "", "")
	return w.out.Bytes()
}

// writer writes YAML, with comments where it is given outlines, each once.
type writer struct {
	out  bytes.Buffer
	root *Node           // of what is annotated
	said map[string]bool // nil: nothing is
}

const (
	commentColumn = 34 // where comments begin, at least
	lineWidth     = 118
)

// mapping writes a mapping a key a line. The first line begins with first, as an entry of a list does.
func (w *writer) mapping(n *Node, o *outline, first, indent string) {
	for i, key := range n.Keys {
		if e := o.find(key); !w.follows(e, n.Items[i]) {
			w.key(keyText(key), n.Items[i], e, first, indent)
			first = indent
		}
	}
}

// follows tells whether a value is that of another key of the spec, as it is by default.
func (w *writer) follows(e entry, value *Node) bool {
	if e.like == "" {
		return false
	}
	other := w.root
	for key := range strings.SplitSeq(e.like, ".") {
		if other = other.Get(key); other == nil {
			return false
		}
	}
	return value.Shape == Scalar && other.Text == value.Text
}

// key writes single values and lists of them on the line of the key, everything else under it.
func (w *writer) key(key string, value *Node, e entry, begin, indent string) {
	comment := w.comment(e, value)
	rows := value.Shape == List && len(value.Items) > 0 && value.Items[0].Shape != Scalar
	if !rows && !value.hasKeys() {
		w.beside(begin+key+": "+value.Flow(), comment)
		return
	}
	if indent == "" && w.said != nil {
		w.out.WriteString("\n")
	}
	for _, line := range breakLines(comment, lineWidth-len(indent)-2) {
		w.out.WriteString(indent + "# " + line + "\n")
	}
	w.out.WriteString(begin + key + ":\n")
	indent += "  "
	if !rows {
		w.mapping(value, e.below, indent, indent)
		return
	}
	for _, item := range value.Items {
		if item.hasKeys() {
			w.mapping(item, e.below, indent+"- ", indent+"  ")
		} else {
			w.out.WriteString(indent + "- " + item.Flow() + "\n")
		}
	}
}

func (n *Node) hasKeys() bool { return n.Shape == Mapping && len(n.Keys) > 0 }

// beside writes a line with a comment at its right, broken into several where it is long.
func (w *writer) beside(line string, comment []string) {
	column := max(commentColumn, utf8.RuneCountInString(line)+2)
	pad := strings.Repeat(" ", column-utf8.RuneCountInString(line))
	for _, text := range breakLines(comment, max(40, lineWidth-column-2)) {
		w.out.WriteString(line + pad + "# " + text + "\n")
		line, pad = "", strings.Repeat(" ", column)
	}
	if line != "" {
		w.out.WriteString(line + "\n")
	}
}

// comment says line by line what a key means and what its value does; nothing for what was said before.
func (w *writer) comment(e entry, value *Node) []string {
	if e.says.text == "" || w.said[e.id()] {
		return nil
	}
	w.said[e.id()] = true
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
func (o *outline) find(key string) (e entry) {
	if o == nil {
		return e
	}
	all := o.entries()
	if i := all.index(key); i >= 0 {
		e = all[i]
	}
	return e
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

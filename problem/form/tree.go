package form

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// tree turns the YAML library's nodes into ours.
type tree struct {
	*Mistakes
	origin Place // the file, or the flag whose places have no lines
	flag   bool
	path   string // of the value that is read
	count  int
}

// ReadText returns the value of a text in YAML that stands at a place, nil after it has reported why there is none. An empty
// text is null.
func ReadText(found *Mistakes, origin Place, text string) *Node {
	return (&tree{Mistakes: found, origin: origin}).read(parseYAML, text)
}

// ReadValue does so for the value of a path that was given on a line of its own, as by a flag.
func ReadValue(found *Mistakes, origin Place, path, text string) *Node {
	return (&tree{Mistakes: found, origin: origin, flag: true, path: path}).read(parseYAML, text)
}

// read does so with a YAML library of choice. A text that makes it panic is refused like any other that it cannot read.
func (t *tree) read(parse func(string) (ast.Node, *Mistake), text string) (root *Node) {
	defer func() {
		if recover() != nil {
			t.Report(t.origin, "", unreadable)
			root = nil
		}
	}()
	body, fault := parse(text)
	if fault != nil {
		t.Report(t.place(fault.Line, fault.Column), "", "%s", fault.Msg)
		return nil
	}
	if body == nil {
		return &Node{At: t.origin}
	}
	root = t.node(body, t.at(body.GetToken()), t.path, 0)
	if t.count > MaxNodes {
		t.Report(t.origin, "", "too long: more than %d values", MaxNodes)
		return nil
	}
	return root
}

// place is where something stands in the file; a flag has no lines.
func (t *tree) place(line, column int) Place {
	at := t.origin
	if !t.flag {
		at.Line, at.Column = line, column
	}
	return at
}

func (t *tree) at(tk *token.Token) Place {
	if tk == nil || tk.Position == nil {
		return t.origin
	}
	return t.place(tk.Position.Line, tk.Position.Column)
}

// node converts a value that stands at a place. Duplicate keys and values left out are reported here, where they show.
func (t *tree) node(n ast.Node, at Place, path string, depth int) *Node {
	t.count++
	if depth > MaxDepth {
		t.Report(at, path, tooDeep, MaxDepth)
		return &Node{At: at}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return t.mapping(n.Values, at, path, depth)
	case *ast.MappingValueNode:
		return t.mapping([]*ast.MappingValueNode{n}, at, path, depth)
	case *ast.SequenceNode:
		out := &Node{Shape: List, At: at}
		for i, item := range n.Values {
			out.Items = append(out.Items, t.node(item, t.at(item.GetToken()), Join(path, strconv.Itoa(i)), depth+1))
		}
		return out
	case *ast.LiteralNode:
		return &Node{Shape: Scalar, Text: n.Value.Value, Quoted: true, At: at, from: t.literalAt(n)}
	case *ast.NullNode:
		blank := n.Token == nil || n.Token.Type == token.ImplicitNullType
		if blank {
			t.Report(at, path, "%s has no value; null stands for its default", path)
		}
		return &Node{At: at, blank: blank}
	}
	return t.scalar(n, at)
}

func (t *tree) mapping(values []*ast.MappingValueNode, at Place, path string, depth int) *Node {
	out := &Node{Shape: Mapping, At: at}
	first := map[string]Place{}
	for _, v := range values {
		key, keyAt := v.Key.GetToken().Value, t.at(v.Key.GetToken())
		below := Join(path, key)
		value := t.node(v.Value, keyAt, below, depth+1)
		if before, twice := first[key]; twice {
			t.Report(keyAt, below, "%s is given twice%s", below, before.firstOn())
			continue
		}
		first[key] = keyAt
		out.Put(key, value)
	}
	return out
}

// firstOn says on which line of a file a place is.
func (at Place) firstOn() string {
	if at.Line == 0 {
		return ""
	}
	return fmt.Sprintf(", first on line %d", at.Line)
}

// scalar keeps the text as written: what is a number is decided by who reads it, not by the YAML library, to which 010 is
// eight and 1e-10 is text. But a number copied from a page of kedge's has the minus signs of programs again.
func (t *tree) scalar(n ast.Node, at Place) *Node {
	tk := n.GetToken()
	quoted, from := tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType, t.at(tk)
	if quoted {
		from.Column++ // the text begins behind its quote
	}
	text := tk.Value
	if plain := phrase.Typed(text); !quoted && IsNumber(plain) {
		text = plain
	}
	return &Node{Shape: Scalar, Text: text, Quoted: quoted, At: at, from: from}
}

// literalAt is where the text of a block begins: on the line after its sign, behind the indentation.
func (t *tree) literalAt(n *ast.LiteralNode) Place {
	at := t.at(n.Start)
	if at.Line > 0 {
		origin := n.Value.GetToken().Origin
		at.Line, at.Column = at.Line+1, len(origin)-len(strings.TrimLeft(origin, " "))+1
	}
	return at
}

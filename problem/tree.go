package problem

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// tree turns the YAML library's nodes into ours.
type tree struct {
	*mistakes
	origin place // the file, or the flag whose places have no lines
	flag   bool
	path   string // of the value that is read
	count  int
}

// readText returns the value of a text in YAML that stands at a place, nil after it has reported why there is none. An empty
// text is null.
func readText(found *mistakes, origin place, text string) *node {
	return (&tree{mistakes: found, origin: origin}).read(text)
}

// readValue does so for the value of a path that was given on a line of its own, as by a flag.
func readValue(found *mistakes, origin place, path, text string) *node {
	return (&tree{mistakes: found, origin: origin, flag: true, path: path}).read(text)
}

// read returns the value of a text, nil after it has reported why there is none. An empty text is null.
func (t *tree) read(text string) *node { return t.readWith(parseYAML, text) }

// readWith is read with a YAML library of choice. A text that makes it panic is refused like any other that it cannot read.
func (t *tree) readWith(parse func(string) (ast.Node, error), text string) (root *node) {
	defer func() {
		if recover() != nil {
			t.report(t.origin, "", "%s", unreadable)
			root = nil
		}
	}()
	body, err := parse(text)
	if err != nil {
		t.reportFault(err)
		return nil
	}
	if body == nil {
		return &node{at: t.origin}
	}
	root = t.node(body, t.at(body.GetToken()), t.path, 0)
	if t.count > maxNodes {
		t.report(t.origin, "", "too long: more than %d values", maxNodes)
		return nil
	}
	return root
}

func (t *tree) reportFault(err error) {
	at := t.origin
	if f, ok := err.(*fault); ok && !t.flag {
		at.line, at.column = f.line, f.column
	}
	t.report(at, "", "%s", err)
}

func (t *tree) at(tk *token.Token) place {
	at := t.origin
	if tk != nil && tk.Position != nil && !t.flag {
		at.line, at.column = tk.Position.Line, tk.Position.Column
	}
	return at
}

// node converts a value that stands at a place. Duplicate keys and values left out are reported here, where they show.
func (t *tree) node(n ast.Node, at place, path string, depth int) *node {
	t.count++
	if depth > maxDepth {
		t.report(at, path, "%s", tooDeep())
		return &node{at: at}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return t.mapping(n.Values, at, path, depth)
	case *ast.MappingValueNode:
		return t.mapping([]*ast.MappingValueNode{n}, at, path, depth)
	case *ast.SequenceNode:
		out := &node{kind: list, at: at}
		for i, item := range n.Values {
			out.items = append(out.items, t.node(item, t.at(item.GetToken()), join(path, strconv.Itoa(i)), depth+1))
		}
		return out
	case *ast.LiteralNode:
		return &node{kind: scalar, text: n.Value.Value, quoted: true, at: at, from: t.literalAt(n)}
	case *ast.NullNode:
		blank := n.Token == nil || n.Token.Type == token.ImplicitNullType
		if blank {
			t.report(at, path, "%s has no value; null stands for its default", path)
		}
		return &node{at: at, blank: blank}
	}
	return t.scalar(n, at)
}

func (t *tree) mapping(values []*ast.MappingValueNode, at place, path string, depth int) *node {
	out := &node{kind: mapping, at: at}
	first := map[string]place{}
	for _, v := range values {
		key, keyAt := v.Key.GetToken().Value, t.at(v.Key.GetToken())
		below := join(path, key)
		value := t.node(v.Value, keyAt, below, depth+1)
		if before, twice := first[key]; twice {
			t.report(keyAt, below, "%s is given twice%s", below, before.firstOn())
			continue
		}
		first[key] = keyAt
		out.put(key, value)
	}
	return out
}

// firstOn says on which line of a file a place is.
func (at place) firstOn() string {
	if at.line == 0 {
		return ""
	}
	return fmt.Sprintf(", first on line %d", at.line)
}

// scalar keeps the text as written: what is a number is decided by who reads it, not by the YAML library, to which 010 is
// eight and 1e-10 is text.
func (t *tree) scalar(n ast.Node, at place) *node {
	tk := n.GetToken()
	return &node{
		kind:   scalar,
		text:   tk.Value,
		quoted: tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType,
		at:     at,
		from:   t.textAt(tk),
	}
}

// textAt is where the text of a scalar begins, behind its quote.
func (t *tree) textAt(tk *token.Token) place {
	at := t.at(tk)
	if tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType {
		at.column++
	}
	return at
}

// literalAt is where the text of a block begins: on the line after its sign, behind the indentation.
func (t *tree) literalAt(n *ast.LiteralNode) place {
	at := t.at(n.Start)
	if at.line > 0 {
		origin := n.Value.GetToken().Origin
		at.line, at.column = at.line+1, len(origin)-len(strings.TrimLeft(origin, " "))+1
	}
	return at
}

package site

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// markdown reads what the documents are written in. Raw HTML is left out, so that no document can bring scripts.
func markdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithXHTML()))
}

// parse reads a document.
func parse(file string, content []byte) *document {
	d := &document{file: file, text: content, anchors: map[string]bool{}}
	ctx := parser.NewContext(parser.WithIDs(&anchors{used: d.anchors}))
	d.tree = markdown().Parser().Parse(text.NewReader(content), parser.WithContext(ctx))
	each(d.tree, func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok && d.title == "" {
			d.title = plainText(h, content)
		}
	})
	return d
}

// each visits a node and all below it.
func each(of ast.Node, visit func(n ast.Node)) {
	_ = ast.Walk(of, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// html renders a document.
func (d *document) html() ([]byte, error) {
	var b bytes.Buffer
	err := markdown().Renderer().Render(&b, d.text, d.tree)
	return b.Bytes(), err
}

// line is the line of a document on which a node begins.
func (d *document) line(n ast.Node) int {
	for ; n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			return 1 + bytes.Count(d.text[:n.Lines().At(0).Start], []byte("\n"))
		}
	}
	return 1
}

// plainText is what a node says without marks.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	each(n, func(n ast.Node) {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		}
	})
	return b.String()
}

// anchors makes the anchors of headings, those that hosts of repositories make of them too, so that links hold in both places.
type anchors struct{ used map[string]bool }

// Generate makes an anchor of a heading: small letters, digits, - and _, a - for every space; the second of a name ends in -1.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(string(bytes.TrimSpace(value))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			b.WriteRune(r)
		}
	}
	name := b.String()
	for i := 1; a.used[name]; i++ {
		name = b.String() + "-" + strconv.Itoa(i)
	}
	a.used[name] = true
	return []byte(name)
}

// Put notes an anchor that a document gives by hand.
func (a *anchors) Put(value []byte) { a.used[string(value)] = true }

// fault is something wrong in a document.
func (d *document) fault(n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{d.file, d.line(n)}, args...)...)
}

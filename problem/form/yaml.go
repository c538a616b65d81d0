package form

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// What a document may ask of the reader. The YAML library spends time that grows with the square of the number of keys and
// of the depth, so both are checked before it builds anything.
const (
	MaxBytes  = 1 << 20
	MaxTokens = 200_000
	MaxKeys   = 4096
	MaxNodes  = 80_000
	MaxDepth  = 32
)

const (
	unreadable    = "not readable as YAML"
	byteOrderMark = '\uFEFF'
)

// fault is the reason why a text is not YAML, or not the plain YAML that specs are written in.
type fault struct {
	line, column int // 0 when it is about the whole
	msg          string
}

func (f *fault) Error() string { return f.msg }

func faultAt(tk *token.Token, msg string) *fault {
	if tk == nil || tk.Position == nil {
		return &fault{msg: msg}
	}
	return &fault{tk.Position.Line, tk.Position.Column, msg}
}

// parseYAML returns the one document of a text, nil when there is none.
func parseYAML(text string) (ast.Node, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	tokens, err := tokenize(strings.ReplaceAll(strings.TrimPrefix(text, string(byteOrderMark)), "\r\n", "\n"))
	if err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxFault(err)
	}
	return onlyDocument(file)
}

// checkText refuses what is too large and what is not text.
func checkText(text string) error {
	if len(text) > MaxBytes {
		return &fault{msg: fmt.Sprintf("%d bytes are too many, at most %d are read", len(text), MaxBytes)}
	}
	if signs(text) > MaxTokens {
		return &fault{msg: tooLong()}
	}
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			return textFault(text[:i], fmt.Sprintf("byte 0x%02x is not UTF-8", text[i]))
		case !allowed(r, text[i:]), r == byteOrderMark && i > 0:
			return textFault(text[:i], fmt.Sprintf("character %U is not allowed", r))
		}
	}
	return nil
}

// allowed tells whether a text may go on with r: the only control characters are tabs and the ends of lines, which are \n
// or \r\n, so that everybody counts the same lines.
func allowed(r rune, rest string) bool {
	return !unicode.IsControl(r) || r == '\n' || r == '\t' || strings.HasPrefix(rest, "\r\n")
}

// textFault is a fault behind so much of a text.
func textFault(before, msg string) error {
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return &fault{strings.Count(before, "\n") + 1, column, msg}
}

// signs counts the characters that may be tokens of their own, before the library makes any: it reads a line at a time, and
// all may be on one.
func signs(text string) (count int) {
	for i := range len(text) {
		switch text[i] {
		case '[', ']', '{', '}', ',', '"', '\'', '&', '*', '!', '%':
			count++
		case ':', '-', '?':
			if i+1 == len(text) || strings.IndexByte(" \t\r\n", text[i+1]) >= 0 {
				count++
			}
		}
	}
	return count
}

// tokenize splits a text and stops at the first token that a spec cannot have.
func tokenize(text string) (token.Tokens, error) {
	var (
		s      scanner.Scanner
		all    token.Tokens
		limits limits
	)
	s.Init(text)
	for range len(text) + 1 {
		tokens, err := s.Scan()
		if err == io.EOF {
			return all, nil
		}
		for _, tk := range tokens {
			if msg := limits.refuse(tk); msg != "" {
				return nil, faultAt(tk, msg)
			}
			all.Add(tk)
		}
	}
	return nil, &fault{msg: unreadable}
}

// limits counts what the tokens so far have asked for.
type limits struct {
	tokens, keys, depth int
	line, dashes        int // nested list entries begun on one line
}

// refuse says what speaks against a token, "" if nothing does.
func (l *limits) refuse(tk *token.Token) string {
	l.tokens++
	switch tk.Type {
	case token.InvalidType:
		return tk.Error
	case token.AnchorType, token.AliasType, token.MergeKeyType:
		return "anchors, aliases and merge keys are not allowed, write the values out"
	case token.TagType, token.DirectiveType:
		return "tags and directives are not allowed"
	case token.MappingKeyType:
		return "keys marked with ? are not allowed"
	case token.MappingStartType, token.SequenceStartType:
		l.depth++
	case token.MappingEndType, token.SequenceEndType:
		l.depth--
	case token.MappingValueType:
		l.keys++
	case token.SequenceEntryType:
		l.countDash(tk)
	}
	return l.exceeded()
}

func (l *limits) countDash(tk *token.Token) {
	if tk.Position.Line != l.line {
		l.line, l.dashes = tk.Position.Line, 0
	}
	l.dashes++
}

func (l *limits) exceeded() string {
	switch {
	case l.tokens > MaxTokens:
		return tooLong()
	case l.keys > MaxKeys:
		return fmt.Sprintf("more than %d keys", MaxKeys)
	case l.depth > MaxDepth, l.dashes > MaxDepth:
		return tooDeep()
	}
	return ""
}

func tooLong() string { return fmt.Sprintf("too long: more than %d words and signs", MaxTokens) }

func tooDeep() string { return fmt.Sprintf("nested more than %d deep", MaxDepth) }

func syntaxFault(err error) error {
	var wrong *yaml.SyntaxError
	if errors.As(err, &wrong) {
		return faultAt(wrong.Token, wrong.Message)
	}
	return &fault{msg: unreadable}
}

func onlyDocument(file *ast.File) (ast.Node, error) {
	var body ast.Node
	for i, doc := range file.Docs {
		if i > 0 {
			return nil, faultAt(doc.Start, "a second document begins, want one")
		}
		body = doc.Body
	}
	return body, nil
}

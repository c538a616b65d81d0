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
	tooLong       = "too long: more than %d words and signs"
	noAliases     = "anchors, aliases and merge keys are not allowed, write the values out"
	tooDeep       = "nested more than %d deep"
	byteOrderMark = '\uFEFF'
)

// faultAt is the reason why a text is not YAML, or not the plain YAML that specs are written in: where a token stands, or of the whole.
func faultAt(tk *token.Token, format string, args ...any) *Mistake {
	at := Place{}
	if tk != nil && tk.Position != nil {
		at.Line, at.Column = tk.Position.Line, tk.Position.Column
	}
	return at.Mistake("", format, args...)
}

// parseYAML returns the one document of a text, nil when there is none.
func parseYAML(text string) (ast.Node, *Mistake) {
	if fault := checkText(text); fault != nil {
		return nil, fault
	}
	tokens, fault := tokenize(strings.ReplaceAll(strings.TrimPrefix(text, string(byteOrderMark)), "\r\n", "\n"))
	if fault != nil {
		return nil, fault
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if wrong := (*yaml.SyntaxError)(nil); errors.As(err, &wrong) {
		return nil, faultAt(wrong.Token, "%s%s", wrong.Message, remedyOf(wrong.Message))
	}
	switch {
	case err != nil:
		return nil, faultAt(nil, unreadable)
	case len(file.Docs) == 0:
		return nil, nil
	case len(file.Docs) > 1:
		return nil, faultAt(file.Docs[1].Start, "a second document begins, want one")
	}
	return file.Docs[0].Body, nil
}

// remedyOf is what helps against a syntax error, "" where nobody knows. Formulas have brackets, which in a list of YAML begin another list.
func remedyOf(message string) string {
	if strings.Contains(message, "']' must be specified") {
		return `; in a list YAML wants quotes around a formula with brackets, as in ["0 <= u[0] <= 7"]`
	}
	return ""
}

// checkText refuses what is too large and what is not text.
func checkText(text string) *Mistake {
	if len(text) > MaxBytes {
		return faultAt(nil, "%d bytes are too many, at most %d are read", len(text), MaxBytes)
	}
	if signs(text) > MaxTokens {
		return faultAt(nil, tooLong, MaxTokens)
	}
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			return behind(text[:i]).Mistake("", "byte 0x%02x is not UTF-8", text[i])
		case !allowed(r, text[i:]), r == byteOrderMark && i > 0:
			return behind(text[:i]).Mistake("", "character %U is not allowed", r)
		}
	}
	return nil
}

// allowed tells whether a text may go on with r: the only control characters are tabs and the ends of lines, which are \n
// or \r\n, so that everybody counts the same lines.
func allowed(r rune, rest string) bool {
	return !unicode.IsControl(r) || r == '\n' || r == '\t' || strings.HasPrefix(rest, "\r\n")
}

// behind is the place after so much of a text.
func behind(text string) Place {
	return Place{Line: strings.Count(text, "\n") + 1, Column: utf8.RuneCountInString(text[strings.LastIndexByte(text, '\n')+1:]) + 1}
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
func tokenize(text string) (token.Tokens, *Mistake) {
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
				return nil, faultAt(tk, "%s", msg)
			}
			all.Add(tk)
		}
	}
	return nil, faultAt(nil, unreadable)
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
	case token.AnchorType, token.MergeKeyType:
		return noAliases
	case token.AliasType:
		return noAliases + "; a formula such as \"[1, 2]*p\" stands in quotes"
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
		return fmt.Sprintf(tooLong, MaxTokens)
	case l.keys > MaxKeys:
		return fmt.Sprintf("more than %d keys", MaxKeys)
	case l.depth > MaxDepth, l.dashes > MaxDepth:
		return fmt.Sprintf(tooDeep, MaxDepth)
	}
	return ""
}

package formula

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	numberForm = regexp.MustCompile(`^[0-9]*(\.[0-9]*)?([eE][+-]?[0-9]+)?`)
	nameForm   = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*`)
	signForm   = regexp.MustCompile(`^(<=|>=|==|!=|[-+*/^@()\[\],:<>'])`)
)

// tokenAt is scan by the grammar of the manual, as regular expressions have it.
func tokenAt(s string, at int) token {
	at += len(s[at:]) - len(strings.TrimLeft(s[at:], " \t\r\n"))
	rest := s[at:]
	made := func(kind tokenKind, length int, text string) token {
		return token{kind: kind, pos: at, end: at + length, text: text}
	}
	first, _ := utf8.DecodeRuneInString(rest)
	name, _, _ := strings.Cut(nameForm.FindString(rest), "ᵀ") // a letter that is a sign
	plain := map[rune]string{'−': "-", '·': "*", '×': "*", '≤': "<=", '≥': ">=", '≠': "!=", 'ᵀ': "'"}[first]
	switch {
	case rest == "":
		return made(endToken, 0, "the end")
	case strings.ContainsRune("0123456789.", first):
		word := numberForm.FindString(rest)
		v, err := strconv.ParseFloat(word, 64)
		if math.IsInf(v, 1) {
			return token{kind: badToken, pos: at, text: "the number is too large"}
		} else if err != nil {
			return token{kind: badToken, pos: at, text: strconv.Quote(word) + " is no number"}
		}
		t := made(numberToken, len(word), word)
		t.number = v
		return t
	case name != "":
		return made(nameToken, len(name), name)
	case first == '`' || first == '"':
		return quotedAt(rest, at)
	case plain != "":
		return made(signToken, utf8.RuneLen(first), plain)
	case strings.HasPrefix(rest, "**"):
		return token{kind: badToken, pos: at, text: "a power is written ^, as in x^2, and not **"}
	}
	if sign := signForm.FindString(rest); sign != "" {
		return made(signToken, len(sign), sign)
	}
	return token{kind: badToken, pos: at, text: "unknown character " + strconv.QuoteRune(first) + strangers[string(first)]}
}

// quotedAt puts pieces between quotes together as long as there is nothing between two of these.
func quotedAt(rest string, at int) token {
	quote := rest[:1]
	pieces := strings.Split(rest[1:], quote)
	text, last := pieces[0], 0
	for last+2 < len(pieces) && pieces[last+1] == "" {
		last += 2
		text += quote + pieces[last]
	}
	if last+1 >= len(pieces) {
		return token{kind: badToken, pos: at, text: quote + " is not closed"}
	}
	end := at + len(strings.Join(pieces[:last+1], quote)) + 2
	if quote == "`" {
		return token{kind: nameToken, pos: at, end: end, text: text, isQuoted: true}
	}
	return token{kind: textToken, pos: at, end: end, text: text}
}

// Texts of all characters that mean something, and some that do not, are read as the grammar says, from wherever.
func TestTokensAreThoseOfTheGrammar(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 1))
	signs := strings.Split("0 1 7 9 . . e E + - * / ^ @ ( ) [ ] , : < > = ! ' ` ` \" \" a z A _ λ é 中 ² ½ ᵀ − · × ≤ ≥ ≠ % & | ? # ; ~ \xff \u00a0", " ")
	signs = append(signs, " ", "\t", "\r", "\n", "\v", "e400", "/:", "09", "\ufffd")
	kinds := map[tokenKind]int{}
	for range 30_000 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(signs[r.IntN(len(signs))])
		}
		s := b.String()
		for at := 0; at <= len(s); {
			got, want := scan(s, at), tokenAt(s, at)
			if got != want {
				t.Fatalf("%q from %d: %+v, want %+v", s, at, got, want)
			}
			if kinds[got.kind]++; got.kind == endToken || got.kind == badToken {
				break
			}
			at = got.end
		}
	}
	for kind := endToken; kind <= badToken; kind++ {
		if kinds[kind] < 50 {
			t.Errorf("%d tokens of the kind %d", kinds[kind], kind)
		}
	}
}

// What a message cites of a formula ends behind 48 characters, between which there is one blank.
func TestExcerptsAreShort(t *testing.T) {
	for n := 46; n < 52; n++ {
		body := "é \n\t" + strings.Repeat("λ", n-2)
		want := "é " + strings.Repeat("λ", min(n, 48)-2)
		if n > 48 {
			want += "…"
		}
		if got := (text{body: body}).excerpt(&expr{end: len(body)}); got != want {
			t.Errorf("of %d characters: %q, want %q", n, got, want)
		}
	}
}

// A mistake is where its byte is, by hand: lines and columns count from 1, columns in characters.
func TestPlacesOfMistakes(t *testing.T) {
	body := "aé\n\nλb"
	for at, want := range map[int][2]int{0: {1, 1}, 1: {1, 2}, 3: {1, 3}, 4: {2, 1}, 5: {3, 1}, 7: {3, 2}, 8: {3, 3}, 99: {3, 3}} {
		if e := (text{"f", body}).fault(at, "no"); [2]int{e.Line, e.Column} != want {
			t.Errorf("byte %d is at %d:%d, want %v", at, e.Line, e.Column, want)
		}
	}
}

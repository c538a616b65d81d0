package formula

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a formula. The text of an operator is its plain spelling.
type token struct {
	kind     tokenKind
	pos, end int
	text     string
	number   float64
}

type tokenKind int

const (
	endToken tokenKind = iota
	numberToken
	nameToken
	signToken // operators, brackets, commas
	badToken  // text says what is wrong
)

// spellings are the signs that stand for others.
var spellings = map[string]string{
	"−": "-", "·": "*", "×": "*", "≤": "<=", "≥": ">=", "≠": "!=", "ᵀ": "'",
}

// scan returns the token that begins at or after a byte.
func scan(s string, at int) token {
	for at < len(s) && strings.IndexByte(" \t\r\n", s[at]) >= 0 {
		at++
	}
	r, size := utf8.DecodeRuneInString(s[at:])
	switch {
	case size == 0:
		return token{kind: endToken, pos: at, end: at, text: "the end"}
	case r >= '0' && r <= '9' || r == '.':
		return scanNumber(s, at)
	case r == '_' || unicode.IsLetter(r) && r != 'ᵀ':
		return scanName(s, at)
	}
	return scanSign(s, at, r, size)
}

func scanName(s string, at int) token {
	length := strings.IndexFunc(s[at:], func(r rune) bool {
		return r == 'ᵀ' || r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	if length < 0 {
		length = len(s) - at
	}
	return token{kind: nameToken, pos: at, end: at + length, text: s[at : at+length]}
}

func scanSign(s string, at int, r rune, size int) token {
	word := s[at : at+size]
	if plain, ok := spellings[word]; ok {
		return token{kind: signToken, pos: at, end: at + size, text: plain}
	}
	if two := s[at:min(at+2, len(s))]; two == "<=" || two == ">=" || two == "==" || two == "!=" {
		return token{kind: signToken, pos: at, end: at + 2, text: two}
	}
	if strings.Contains("+-*/^@()[],:<>'", word) && r != utf8.RuneError {
		return token{kind: signToken, pos: at, end: at + size, text: word}
	}
	hint := ""
	if word == "=" {
		hint = "; equality is written =="
	}
	return token{kind: badToken, pos: at, end: at + size, text: "unknown character " + strconv.QuoteRune(r) + hint}
}

// scanNumber takes digits with a point and an exponent.
func scanNumber(s string, at int) token {
	end := digits(s, at)
	if end < len(s) && s[end] == '.' {
		end = digits(s, end+1)
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		from := end + 1
		if from < len(s) && (s[from] == '+' || s[from] == '-') {
			from++
		}
		if last := digits(s, from); last > from {
			end = last
		}
	}
	v, err := strconv.ParseFloat(s[at:end], 64)
	switch {
	case math.IsInf(v, 0):
		return token{kind: badToken, pos: at, end: end, text: "the number is too large"}
	case err != nil:
		return token{kind: badToken, pos: at, end: end, text: strconv.Quote(s[at:end]) + " is no number"}
	}
	return token{kind: numberToken, pos: at, end: end, text: s[at:end], number: v}
}

// digits returns where the digits from a byte on end.
func digits(s string, at int) int {
	for at < len(s) && s[at] >= '0' && s[at] <= '9' {
		at++
	}
	return at
}

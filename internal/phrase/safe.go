package phrase

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSafe tells whether a text can be shown on one line of a terminal and does nothing else there: no escape sequence, no new line, no mark
// that turns the direction of writing.
func IsSafe(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, isUnsafe) < 0
}

// Safe is the text with what is unsafe written out, as in \u001b, which also JSON reads as the same character.
func Safe(text string) string {
	if IsSafe(text) {
		return text
	}
	var out strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case !isUnsafe(r):
			out.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// isUnsafe tells whether a character does something instead of being seen. Those that join or divide letters belong to words.
func isUnsafe(r rune) bool {
	switch r {
	case '\u00ad', '\u200c', '\u200d':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

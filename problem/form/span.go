package form

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Never is a span that does not end.
const Never = time.Duration(math.MaxInt64)

const day = 24 * time.Hour

// Span is a time such as 90s, 1h30m or 7d, at least 0.
func Span() Codec[time.Duration] {
	return Single("a time such as 90s, 24h or 7d", Schema{Type: Types{"string"}, Pattern: `^([0-9.]+(ms|s|m|h|d))+$`}, func(n *Node) (time.Duration, bool) {
		d, err := ParseSpan(n.Text)
		return d, err == nil && d >= 0 && d != Never
	}, formatSpan)
}

// SpanOrNever is a Span, or the word never.
func SpanOrNever() Codec[time.Duration] {
	span := Span()
	return Single(span.Want+", or never", Schema{Type: Types{"string"}, Pattern: `^never$|` + span.Schema.Pattern}, func(n *Node) (time.Duration, bool) {
		if n.Text == "never" {
			return Never, true
		}
		return span.Read(&Mistakes{}, n)
	}, formatSpan)
}

// ParseSpan reads a span as specs have it: what time.ParseDuration does, and days before it.
func ParseSpan(text string) (d time.Duration, err error) {
	if days, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil || rest == "" {
			return time.Duration(n) * day, err
		}
		d, text = time.Duration(n)*day, rest
	}
	more, err := time.ParseDuration(text)
	return d + more, err
}

func formatSpan(d time.Duration) string {
	switch {
	case d == Never:
		return "never"
	case d >= day && d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String() // 24h0m0s
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

package record

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
)

// Question is what a model says of numbers that are to be found from a log, as in "?[3, 3] in [0, 1] from 0.5 ~ normal(0, 2)".
type Question struct {
	Shape        []int    // none: a single number
	Lower, Upper float64  // infinite where there is no bound
	From         *float64 // where the search begins; nil: it is chosen
	Mean         float64  // of what is known beforehand, if Deviation is above 0
	Deviation    float64
}

// mostUnknown is how many entries an unknown may have.
const mostUnknown = 400

// IsUnknown tells whether a text stands for numbers that are to be found.
func IsUnknown(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "?") }

var (
	shapeText = regexp.MustCompile(`^\[\s*([0-9]{1,9})\s*(?:,\s*([0-9]{1,9})\s*)?\]`)
	rangeText = regexp.MustCompile(`^in\s*[\[(]\s*([^\s,\])]+)\s*,\s*([^\s,\])]+)\s*[\])]`)
	fromText  = regexp.MustCompile(`^from\s+([^\s~,\])]+)`)
	priorText = regexp.MustCompile(`^~\s*normal\s*\(\s*([^\s,()]+)\s*,\s*([^\s,()]+)\s*\)`)
)

// wantUnknown says how an unknown is written.
const wantUnknown = `? alone or with a shape, a range, a start and a prior, as in "?[3, 3] in [0, 1] from 0.5 ~ normal(0, 2)"`

// ReadUnknown reads what is said of an unknown; fault says what is wanted instead.
func ReadUnknown(text string) (u Question, fault string) {
	u = Question{Lower: math.Inf(-1), Upper: math.Inf(1)}
	rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "?"))
	if m := shapeText.FindStringSubmatch(rest); m != nil {
		rest = strings.TrimSpace(rest[len(m[0]):])
		entries := 1
		for _, word := range m[1:] {
			if n, err := strconv.Atoi(word); err == nil {
				u.Shape = append(u.Shape, n)
				entries *= min(n, mostUnknown+1)
			}
		}
		if entries < 1 || entries > mostUnknown {
			return u, fmt.Sprintf("an unknown with 1 to %d entries", mostUnknown)
		}
	}
	for rest != "" {
		length, wrong := u.clause(rest)
		if wrong != "" {
			return u, wrong
		}
		rest = strings.TrimSpace(rest[length:])
	}
	return u, u.fault()
}

// clause reads one of range, start and prior at the beginning of a text, and says how long it is.
func (u *Question) clause(text string) (length int, fault string) {
	for _, c := range []struct {
		is   *regexp.Regexp
		take func(numbers []float64)
		ends bool // may be infinite
	}{
		{rangeText, func(x []float64) { u.Lower, u.Upper = x[0], x[1] }, true},
		{fromText, func(x []float64) { u.From = &x[0] }, false},
		{priorText, func(x []float64) { u.Mean, u.Deviation = x[0], x[1] }, false},
	} {
		m := c.is.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		var numbers []float64
		for _, word := range m[1:] {
			v, ok := bound(word)
			if !ok || math.IsInf(v, 0) && !c.ends {
				return 0, wantUnknown
			}
			numbers = append(numbers, v)
		}
		c.take(numbers)
		if c.is == priorText && !(u.Deviation > 0) {
			return 0, "a prior whose deviation is above 0, as in normal(0, 2)"
		}
		return len(m[0]), ""
	}
	return 0, wantUnknown
}

// bound reads a number or an infinity.
func bound(word string) (float64, bool) {
	word = phrase.Typed(word)
	switch strings.TrimPrefix(strings.ToLower(word), "-") {
	case "inf", ".inf", "∞":
		if word[0] == '-' {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	v, ok := form.ParseNumber(word)
	return v, ok && !math.IsNaN(v)
}

// fault says what of the numbers makes no sense.
func (u *Question) fault() string {
	switch {
	case !(u.Lower < u.Upper):
		return "a range whose first end is below its second, as in [0, 1]"
	case u.From != nil && !(u.Lower <= *u.From && *u.From <= u.Upper):
		return fmt.Sprintf("a start within %s", u.limits())
	}
	return ""
}

func (u *Question) limits() string {
	end := func(x float64) string {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+"))
	}
	return "[" + end(u.Lower) + ", " + end(u.Upper) + "]"
}

// String writes it as specs do.
func (u *Question) String() string {
	text := u.Declared("?")
	if !math.IsInf(u.Lower, -1) || !math.IsInf(u.Upper, 1) {
		text += " in " + u.limits()
	}
	if u.From != nil {
		text += " from " + strconv.FormatFloat(*u.From, 'g', -1, 64)
	}
	if u.Deviation > 0 {
		text += " ~ normal(" + strconv.FormatFloat(u.Mean, 'g', -1, 64) + ", " + strconv.FormatFloat(u.Deviation, 'g', -1, 64) + ")"
	}
	return text
}

// Entries is how many numbers it stands for.
func (u *Question) Entries() int {
	n := 1
	for _, d := range u.Shape {
		n *= d
	}
	return n
}

// Start is where a search begins: what was said, what is known beforehand, the middle of a range, or a number that bounds allow.
func (u *Question) Start() float64 {
	x := 0.0
	switch low, high := !math.IsInf(u.Lower, 0), !math.IsInf(u.Upper, 0); {
	case u.From != nil:
		return *u.From
	case u.Deviation > 0:
		x = u.Mean
	case low && high:
		return u.Lower + float64((u.Upper-u.Lower)/2)
	case low:
		x = max(0, u.Lower+1)
	case high:
		x = min(0, u.Upper-1)
	}
	return min(max(x, u.Lower), u.Upper)
}

// Declared is the unknown under a name, as formulas declare it: "B[3, 3]".
func (u *Question) Declared(name string) string {
	for i, n := range u.Shape {
		name += []string{"[", ", "}[i] + strconv.Itoa(n)
	}
	if u.Shape != nil {
		name += "]"
	}
	return name
}

// Names are what the entries are called: "B[0,1]".
func (u *Question) Names(name string) (list []string) {
	for i := range u.Entries() {
		switch len(u.Shape) {
		case 0:
			list = append(list, name)
		case 1:
			list = append(list, fmt.Sprintf("%s[%d]", name, i))
		default:
			list = append(list, fmt.Sprintf("%s[%d,%d]", name, i/u.Shape[1], i%u.Shape[1]))
		}
	}
	return list
}

package pages

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	numberForm  = regexp.MustCompile(`([0-9]{1,3}(?: [0-9]{3})+|[0-9]+)(\.[0-9]+)?(e[-+−]?[0-9]+| ?× ?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?( %)?`)
	fencedForm  = regexp.MustCompile("(?ms)^```.*?^```$")
	codeForm    = regexp.MustCompile("`[^`]*`")
	linkForm    = regexp.MustCompile(`\]\([^)]*\)`)
	hiddenForm  = regexp.MustCompile(`(?s)<!--.*?-->`)
	allowedForm = regexp.MustCompile(`(?m)^<!-- numbers: (.*) -->$`)
	narrowSpace = strings.NewReplacer("\u202f", " ", "\u00a0", " ")
	raisedDigit = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "−", "-")
)

// number is a number of a page: what it is, and half of its last digit.
type number struct {
	text        string
	value, half float64
	percent     bool
}

// numbersOf finds the numbers of a text. Signs are left out: a page says by how much something falls.
func numbersOf(text string) (list []number) {
	for _, found := range numberForm.FindAllStringSubmatch(narrowSpace.Replace(text), -1) {
		digits := strings.ReplaceAll(found[1], " ", "") + found[2]
		power := 0
		if found[3] != "" {
			exponent := raisedDigit.Replace(found[3])
			power, _ = strconv.Atoi(strings.TrimPrefix(exponent[strings.LastIndexAny(exponent, "e")+1:], "+"))
			if _, after, ok := strings.Cut(exponent, "10"); ok && strings.Contains(exponent, "×") {
				power, _ = strconv.Atoi(after)
			}
		}
		value, _ := strconv.ParseFloat(digits, 64)
		scale := math.Pow10(power)
		half := 0.5 * math.Pow10(-max(0, len(found[2])-1)) * scale
		list = append(list, number{text: found[0], value: value * scale, half: half, percent: found[4] != ""})
	}
	return list
}

// telling says whether a number looks like one that was computed: it has decimals, or is a share.
func (n number) telling() bool { return n.percent || strings.ContainsAny(n.text, ".e×") }

// checkNumbers wants every telling number of a page's prose among those that its commands print, rounded, or in its blocks and code.
func (p *guide) checkNumbers(t *testing.T, printed []string) {
	t.Helper()
	text := strings.Join(p.lines, "\n")
	sources := numbersOf(strings.Join(printed, "\n"))
	for _, given := range [][]string{fencedForm.FindAllString(text, -1), codeForm.FindAllString(fencedForm.ReplaceAllString(text, ""), -1)} {
		sources = append(sources, numbersOf(strings.Join(given, "\n"))...)
	}
	for _, found := range allowedForm.FindAllStringSubmatch(text, -1) {
		sources = append(sources, numbersOf(found[1])...)
	}
	prose := linkForm.ReplaceAllString(codeForm.ReplaceAllString(hiddenForm.ReplaceAllString(fencedForm.ReplaceAllString(text, ""), ""), ""), "]")
	for _, n := range numbersOf(prose) {
		if n.telling() && !n.among(sources) {
			t.Errorf("%s: nothing prints %s: mend it, show the command (<!-- shown by: … -->) or say where it comes from (<!-- numbers: … -->)", p.file, n.text)
		}
	}
}

// among says whether a number is one of others, rounded, and a share perhaps written as a part of 1.
func (n number) among(sources []number) bool {
	for _, s := range sources {
		if math.Abs(s.value-n.value) <= n.half*(1+1e-9) {
			return true
		}
		if n.percent && !s.percent && math.Abs(100*s.value-n.value) <= n.half*(1+1e-9) {
			return true
		}
	}
	return false
}

// Numbers are found as people write them, and rounded ones are those that they were rounded from.
func TestNumbersOfPages(t *testing.T) {
	for _, c := range []struct {
		prose, printed string
		want           bool
	}{
		{"8.9 %", "0.0888", true}, {"8.9 %", "8.88 %", true}, {"8.9 %", "0.0898", false}, {"9 %", "0.0888", true},
		{"45.98", "45.9803682", true}, {"45.99", "45.9803682", false}, {"−0.39", "-0.3860", true},
		{"6.3 × 10⁻¹³", "6.3e-13", true}, {"6.3 × 10⁻¹³", "6.3e-12", false}, {"3.4e-4", "0.000341", true},
		{"20 000.5", "20 000.5", true}, {"3.63", "134 3.63", true},
	} {
		n := numbersOf(c.prose)
		if len(n) != 1 || !n[0].telling() || n[0].among(numbersOf(c.printed)) != c.want {
			t.Errorf("%q among %q: %+v, want %v", c.prose, c.printed, n, c.want)
		}
	}
}

// What differs from machine to machine is cut out of an output, and nothing else is.
func TestSteadyLinesOfPages(t *testing.T) {
	out := "Set u = 1.\n\n                 value  gap  seconds\noptimum              2    0         \nlong name, two words 3  0.5      1.5\nreport: x   y\ntook 3.1 s\n\n" +
		"lq2    value seconds  ends at\nmine     1.5     0.4  ✓ optimal\n"
	want := "Set u = 1.\n\n                 value  gap\noptimum              2    0\nlong name, two words 3  0.5\nreport: x   y\n\nlq2    value  ends at\nmine     1.5  ✓ optimal"
	if got := strings.Join(steadyLines(out), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(pickLines(strings.Fields("a b c d e"), [][2]int{{2, 3}, {5, 5}}), " "); got != "… b c … e" {
		t.Errorf("picked %q", got)
	}
}

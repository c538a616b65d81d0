package problem

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// numbered repeats a line with a running number in it.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// deeper repeats a line, each time further to the right.
func deeper(n, indent int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", indent*i) + line)
	}
	return b.String()
}

// Inputs made to exhaust the reader are refused at once. The bound is generous for slow machines: without the limits the
// same inputs take from seconds to for ever, or overflow the stack.
func TestHostileDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	const n = form.MaxBytes - 1000
	for name, src := range map[string]string{
		"large":             strings.Repeat("# nothing\n", form.MaxBytes/10+1),
		"open brackets":     strings.Repeat("[", n),
		"few open brackets": strings.Repeat("[", 1000),
		"nested lists":      strings.Repeat("[", n/2) + strings.Repeat("]", n/2),
		"nested mappings":   strings.Repeat("{a: ", n/4),
		"nested entries":    strings.Repeat("- ", n/2),
		"some entries":      "a:\n  " + strings.Repeat("- ", 5000),
		"deep mappings":     deeper(1400, 1, "a:\n"),
		"deep entries":      deeper(180, 60, strings.Repeat("- ", 30)+"\n"),
		"repeated keys":     strings.Repeat("a: 1\n", n/5),
		"many keys":         numbered(n/10, "k%d: 1\n"),
		"keys on a line":    strings.Repeat("a: ", n/3),
		"question marks":    strings.Repeat("? ", n/2),
		"commas":            "[" + strings.Repeat(",", n),
		"numbers":           "a: [" + strings.Repeat("1, ", n/3) + "1]",
		"entries":           strings.Repeat("- 1\n", n/4),
		"empty entries":     strings.Repeat("-\n", n/2),
		"quotes":            strings.Repeat(`"" `, n/3),
		"one word":          strings.Repeat("a", n),
		"words":             strings.Repeat("a ", n/2),
		"open quote":        `a: "` + strings.Repeat("b", n),
		"folded text":       "a: >\n" + strings.Repeat("  b\n", n/4),
		"comments":          strings.Repeat("# c\n", n/4),
		"newlines":          strings.Repeat("\n", n),
		"spaces":            strings.Repeat(" ", n),
		"documents":         strings.Repeat("---\na\n", n/6),
		"anchors":           strings.Repeat("&a ", n/3),
		"laughs":            "a: &a [1, 1]\n" + numbered(60, "b%d: &b [*a, *a]\n"),
	} {
		begin := time.Now()
		_, err := Parse(kind.Standard(), "x.yaml", []byte(src))
		var e *form.Mistake
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want a *Mistake", name, err)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestLimitsAreNamed(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{strings.Repeat(" ", form.MaxBytes+1), "x.yaml: 1048577 bytes are too many, at most 1048576 are read"},
		{strings.Repeat("[", 33), "x.yaml:1: nested more than 32 deep"},
		{strings.Repeat("- ", 33), "x.yaml:1: nested more than 32 deep"},
		{numbered(4097, "k%d: 1\n"), "x.yaml:4097: more than 4096 keys"},
		{"[" + strings.Repeat("1,", form.MaxTokens), "x.yaml: too long: more than 200000 words and signs"},
		{"a: [" + strings.Repeat("1,", form.MaxNodes) + "]", "x.yaml: too long: more than 80000 values"},
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(c.src))
		if first, _, _ := strings.Cut(fmt.Sprint(err), "\n"); first != c.want {
			t.Errorf("got %s, want %s", first, c.want)
		}
	}
}

// What is short as written and long with its defaults is refused, because nobody could read it again.
func TestTooLargeWithDefaults(t *testing.T) {
	src := small + numbered(1300, "  - {name: n%d, kind: vanilla, step: 1}\n")
	_, err := Parse(kind.Standard(), "x.yaml", []byte(src))
	const want = "x.yaml: too large with its defaults: 13048 values, 11746 keys, 3 deep" // 1301 algorithms of 9 keys and 34 others
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Windows line ends and a byte order mark change nothing, not even line numbers.
func TestLineEnds(t *testing.T) {
	unix := "# a comment\n\n" + small
	windows := "\uFEFF" + strings.ReplaceAll(unix, "\n", "\r\n")
	s, err := Parse(kind.Standard(), "x.yaml", []byte(windows))
	if err != nil || !same(s, mustParse(t, unix)) {
		t.Errorf("got %v", err)
	}
	_, err = Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(windows, "step: 0.1", "step: x", 1)))
	if err == nil || !strings.HasPrefix(err.Error(), "x.yaml:9: ") {
		t.Errorf("got %v, want line 9", err)
	}
}

// Comments, blank lines and values over several lines leave line numbers right.
func TestLineNumbers(t *testing.T) {
	const src = `# one

iterations: 10 # three
population:
  # five
  size: 4

  dim: 2
  law: sphere
dynamics: {kind: polarized,
  lambda: 0.4,
  sigma: -12}
objective:
  kind: "affinity"
set:
    kind: box

    lower: [0,
      # nineteen
      word]
    upper: 1
algorithms:
-   name: vanilla
    step: -23
- step: -24
  name: composite
`
	const want = `x.yaml:12: dynamics.sigma is -12, want a number ≥ 0
x.yaml:20: set.lower.1 is "word", want a number or -.inf
x.yaml:24: algorithms.vanilla.step is -23, want a number above 0
x.yaml:25: algorithms.composite.step is -24, want a number above 0`
	_, err := Parse(kind.Standard(), "x.yaml", []byte(src))
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// Cases with bytes changed, cut and repeated at random never do worse than a *Mistake.
func TestDamagedCases(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range Cases() {
		src, _ := Case(name)
		for range 100 {
			if msg := damaged(damage(r, src)); msg != "" {
				t.Fatal(msg)
			}
		}
	}
}

func damage(r *rand.Rand, src []byte) []byte {
	const noise = "[]{}:,-?&*!|>'\"%@`# \n\t\x00\xff0.\r~"
	out := append([]byte(nil), src...)
	for range 1 + r.IntN(4) {
		i, j := r.IntN(len(out)), r.IntN(len(out))
		switch r.IntN(4) {
		case 0:
			out[i] = noise[r.IntN(len(noise))]
		case 1:
			out = append(out[:min(i, j)], out[max(i, j):]...)
		case 2:
			out = append(out[:max(i, j)], out[min(i, j):]...)
		case 3:
			out = append(out[:i:i], append([]byte{noise[r.IntN(len(noise))]}, out[i:]...)...)
		}
		if len(out) == 0 {
			return out
		}
	}
	return out
}

package command

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// printCertificate prints tables of constants, assumptions, steps and bounds, and what they come to.
func printCertificate(w io.Writer, name string, a *kind.Algorithm, c *certify.Certificate) {
	t := &certificateTable{w: w, style: page.TerminalOf(w)}
	t.title(fmt.Sprintf("%s by %s: T = %d, η = %s, batches of %d, τ = %s",
		name, a.Name, c.Horizon, phrase.FourDigits(c.Step(certify.Paper).Used), a.Batch, phrase.FourDigits(c.Tau)))
	fmt.Fprintln(w)
	t.head("constant", "value", "known by", "how")
	for _, x := range c.List {
		t.row(x.Symbol(), phrase.FourDigits(x.Value), x.Known, x.How, x.Source())
	}
	fmt.Fprintln(w)
	t.head("assumption", "", "known by", "evidence")
	for _, x := range c.Assumptions {
		mark := map[certify.Verdict]string{certify.Holds: "✓", certify.Fails: "✗", certify.NotChecked: "–"}[x.Verdict]
		t.row(fmt.Sprintf("%s %d", mark, x.Number), string(x.Verdict), x.Known, x.Title+": "+x.Evidence, x.Source)
	}
	t.bounds(c)
	t.generalization(c.Generalization)
	t.list("Beyond the theorems", c.Beyond)
	t.list("Verdict", c.Verdict)
}

// certificateTable prints to a terminal: what explains a number is as wide as fits, and the equation stands beside it where
// there is room and behind it elsewhere.
type certificateTable struct {
	w     io.Writer
	style page.Terminal
}

// The widths of columns.
const (
	symbolWidth, valueWidth, knownWidth = 12, 11, 10
	sourceWidth                         = 32
	wideEnough                          = 110
)

func (t *certificateTable) width() int { return min(t.style.Width, 130) }

// middle returns the room for what explains a number.
func (t *certificateTable) middle() int {
	room := t.width() - symbolWidth - valueWidth - knownWidth
	if t.width() >= wideEnough {
		room -= sourceWidth
	}
	return max(20, room)
}

func (t *certificateTable) title(text string) { fmt.Fprintln(t.w, t.style.Bold(text)) }

func (t *certificateTable) head(symbol, value, known, how string) {
	text := column(symbol, symbolWidth) + column(value, valueWidth) + column(known, knownWidth)
	if t.width() >= wideEnough {
		t.title(text + column(how, t.middle()) + "equation")
	} else {
		t.title(text + how + " [equation]")
	}
}

func (t *certificateTable) row(symbol, value string, known certify.Known, how, source string) {
	source = strings.TrimPrefix(source, "he2025, ")
	beside := ""
	if t.width() >= wideEnough {
		beside = t.style.Faint(source)
	} else {
		how += " [" + source + "]"
	}
	lines := page.Wrap(how, t.middle()-1)
	first := column(symbol, symbolWidth) + column(value, valueWidth) + column(known.String(), knownWidth)
	fmt.Fprintln(t.w, strings.TrimRight(first+column(lines[0], t.middle())+beside, " "))
	for _, line := range lines[1:] {
		fmt.Fprintln(t.w, strings.Repeat(" ", symbolWidth+valueWidth+knownWidth)+line)
	}
}

// bounds prints steps and right-hand sides, a row a theorem and a column a form.
func (t *certificateTable) bounds(c *certify.Certificate) {
	const first, each = 25, 13
	forms := []certify.Form{certify.Paper, certify.Tight, certify.Coupled}
	line := func(name string, cell func(certify.Form) string, rest string) string {
		text := column(name, first)
		for _, form := range forms {
			text += column(cell(form), each)
		}
		return strings.TrimRight(text+rest, " ")
	}
	fmt.Fprintln(t.w)
	t.title(line("", func(f certify.Form) string { return string(f) }, "without it"))
	for _, probable := range []bool{false, true} {
		step := func(f certify.Form) certify.Step { return c.LargestStep(f, probable) }
		fmt.Fprintln(t.w, line("largest η"+inProbability(probable), func(f certify.Form) string { return phrase.FourDigits(step(f).Largest) }, ""))
		fmt.Fprintln(t.w, line("  η of the run", func(f certify.Form) string { return excess(step(f)) }, ""))
		fmt.Fprintln(t.w, line("  known by", func(f certify.Form) string { return knownBy(step(f).Known) }, ""))
		for _, b := range c.Bounds {
			if b.Form == certify.Paper && b.Probable == probable {
				cell := func(f certify.Form) string { return worth(c.Bound(b.Theorem, f)) }
				fmt.Fprintln(t.w, line(b.Theorem+", "+b.Of, cell, phrase.FourDigits(b.Trivial)))
			}
		}
	}
	a, b := c.Shift()
	t.list("", []string{
		"✗ is vacuous: no better than what is known without the theorem. Bounds are taken at the run's η or, where that is too long, at the largest.",
		fmt.Sprintf("Theorem 1: Σ W₁² ≤ %s + %s Σ‖uₖ − uₖ₋₁‖², whatever the steps.", phrase.FourDigits(a), phrase.FourDigits(b)),
	})
}

func (t *certificateTable) generalization(g *certify.Generalization) {
	if g == nil {
		return
	}
	rate := fmt.Sprintf("N^%s", phrase.FourDigits(g.Rate))
	if g.Logarithm {
		rate += ", with a logarithm"
	}
	lines := []string{fmt.Sprintf("The squared error of gradients over N = %d individuals falls like %s; the constants of that theorem cannot be computed.", g.Individuals, rate)}
	if !math.IsNaN(g.Distance) {
		lines = append(lines, fmt.Sprintf("By halves of the sample (W₁ = %s): W₁(μ, μᴺ) ≤ %s by proof, ‖∇Φ̃ − ∇Φ̃ᴺ‖ ≤ %s (%v).",
			phrase.FourDigits(g.Split), phrase.FourDigits(g.Distance), phrase.FourDigits(g.Gradient), g.Known))
	}
	t.list("Generalization", lines)
}

// list prints sentences under a heading.
func (t *certificateTable) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	if title != "" {
		fmt.Fprintln(t.w)
		t.title(title)
	}
	for _, line := range lines {
		fmt.Fprintln(t.w, strings.Join(page.Wrap(line, t.width()), "\n"))
	}
}

// column fills a text up to a width, with a space at least.
func column(text string, width int) string {
	return text + strings.Repeat(" ", max(1, width-page.PrintedWidth(text)))
}

func inProbability(is bool) string {
	if is {
		return ", probable"
	}
	return ""
}

func knownBy(k certify.Known) string {
	if k == certify.Unknown {
		return "–"
	}
	return k.String()
}

// excess says how many times too long the run's step is.
func excess(s certify.Step) string {
	switch {
	case s.Known == certify.Unknown:
		return "–"
	case s.Excess() <= 1:
		return "✓ certified"
	}
	return "✗ " + certify.Times(s.Excess())
}

// worth marks bounds that say nothing.
func worth(b certify.Bound) string {
	switch {
	case b.Known == certify.Unknown:
		return "–"
	case b.Vacuous():
		return phrase.FourDigits(b.Value) + " ✗"
	}
	return phrase.FourDigits(b.Value)
}

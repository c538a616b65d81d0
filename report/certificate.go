package report

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// Certificate is what the theory guarantees of an algorithm on a problem: constants, assumptions, steps and bounds, and what they
// come to.
func Certificate(name string, a *kind.Algorithm, c *certify.Certificate) *page.Document {
	d := &page.Document{Title: fmt.Sprintf("%s by %s: T = %d, η = %s, batches of %d, τ = %s",
		name, a.Name, c.Horizon, phrase.FourDigits(c.Step(certify.Paper).Used), a.Batch, phrase.FourDigits(c.Tau))}
	t, between := c.Shift()
	d.Brief = []page.Piece{
		page.Heading(d.Title), page.Plainly{""},
		page.Ledger{Head: page.LedgerRow{Symbol: "constant", Value: "value", Known: "known by", How: "how"}, Rows: lists.Of(c.List, constantRow)}, page.Plainly{""},
		page.Ledger{Head: page.LedgerRow{Symbol: "assumption", Known: "known by", How: "evidence"}, Rows: lists.Of(c.Assumptions, assumptionRow)}, page.Plainly{""},
		boundTable(c),
		page.Paragraphs{Width: page.LedgerWidth, Texts: []string{
			"Bounds are taken at the run's η or, where that is too long, at the largest. Compare gradients with ‖∇Φ̃(u₀)‖², where the run begins, which is no bound: a run may " +
				"do worse; and W₁ with the most that it can be, where states are bounded. ✗ is vacuous: no better than that.",
			fmt.Sprintf("Theorem 3: Σ W₁² ≤ %s + %s Σ‖uₖ − uₖ₋₁‖², whatever the steps.", phrase.FourDigits(t), phrase.FourDigits(between)),
		}},
	}
	for _, part := range []struct {
		title string
		texts []string
	}{{"Where the theorems end", lists.Of(c.Extensions, extensionLine)}, {"Generalization (Theorem 11)", generalization(c.Generalization)}, {"Beyond the theorems", c.Beyond}, {"Verdict", c.Verdict}, {"The theorems, measured", []string{measuredBy()}}} {
		if len(part.texts) > 0 {
			d.Brief = append(d.Brief, page.Plainly{""}, page.Heading(part.title), page.Paragraphs{Width: page.LedgerWidth, Texts: part.texts})
		}
	}
	return d
}

// extensionLine says what is known of a run that the theorems do not cover.
func extensionLine(e certify.Extension) string {
	if e.Why != "" {
		return fmt.Sprintf("For %s no bound applies: %s.", e.For, e.Why)
	}
	return fmt.Sprintf("For %s: %s ≤ %s (%v), with a step up to %s.", e.For, e.Of, phrase.FourDigits(e.Value), e.Known, phrase.FourDigits(e.Largest))
}

// measuredBy says which study puts which statement of the paper to the test.
func measuredBy() string {
	list := lists.Of(study.Statements(), func(s study.Statement) string { return s.Name + " " + s.Study() })
	return "kedge study NAME measures each of them: " + phrase.Enumerate(list) + "."
}

// CertificateSection is what the page of a run shows of a certificate, or why there is none. Draws of numbers have no part in it, which is said where there are some.
func CertificateSection(c *certify.Certificate, err error, draws int) folder.Section {
	s := folder.Section{ID: "certificate", Title: "What does the theory guarantee?", Columns: []string{"number", "value", "known by", "how", "equation"}}
	if err != nil {
		s.Verdict = "✗ " + err.Error()
		return s
	}
	s.Verdict = c.Verdict[0]
	if draws > 0 {
		s.Text = "The numbers of the spec are taken for true; draws of them have no part in this. "
	}
	for _, text := range c.Verdict[1:] {
		s.Text += text + " "
	}
	all := append(append(lists.Of(c.Steps, stepRow), lists.Of(c.Bounds, boundRow)...), lists.Of(c.List, constantRow)...)
	s.Rows = lists.Of(all, func(r page.LedgerRow) []string { return []string{r.Symbol, r.Value, r.Known, r.How, r.Source} })
	return s
}

func constantRow(x certify.Constant) page.LedgerRow {
	return page.LedgerRow{Symbol: x.Symbol(), Value: phrase.FourDigits(x.Value), Known: x.Known.String(), How: x.How, Source: x.Source()}
}

func assumptionRow(x certify.Assumption) page.LedgerRow {
	mark := map[certify.Verdict]string{certify.Holds: "✓", certify.Fails: "✗", certify.NotChecked: "–"}[x.Verdict]
	return page.LedgerRow{Symbol: fmt.Sprintf("%s %d", mark, x.Number), Value: string(x.Verdict), Known: x.Known.String(), How: x.Title + ": " + x.Evidence, Source: x.Source}
}

func stepRow(x certify.Step) page.LedgerRow {
	how := "largest step" + inProbability(x.Probable) + "; the run's: " + excess(x)
	return page.LedgerRow{Symbol: "η, " + string(x.Form), Value: phrase.FourDigits(x.Largest), Known: x.Known.String(), How: how, Source: x.Source}
}

func boundRow(b certify.Bound) page.LedgerRow {
	worth := "says something"
	if b.Vacuous() {
		worth = "✗ vacuous"
	}
	how := fmt.Sprintf("at η = %s; to compare %s; %s", phrase.FourDigits(b.Step), phrase.FourDigits(b.Compare), worth)
	return page.LedgerRow{Symbol: b.Theorem + ", " + b.Of + ", " + string(b.Form), Value: phrase.FourDigits(b.Value), Known: b.Known.String(), How: how, Source: b.Source}
}

// boundTable shows steps and right-hand sides, a row a theorem and a column a form.
func boundTable(c *certify.Certificate) page.TextTable {
	t := page.TextTable{Brief: []int{0, 1, 2, 3, 4}, Columns: []page.Head{{Wide: -25}}}
	forms := []certify.Form{certify.Paper, certify.Tight, certify.Coupled}
	for i, form := range forms {
		t.Columns = append(t.Columns, page.Head{Name: string(form), Wide: []int{-12, -12, -11}[i]})
	}
	t.Columns = append(t.Columns, page.Head{Name: "compare"})
	add := func(name, without string, cell func(certify.Form) string) {
		row := append([]page.TextCell{page.Words(name)}, lists.Of(forms, func(f certify.Form) page.TextCell { return page.Words(cell(f)) })...)
		t.Rows = append(t.Rows, append(row, page.Words(without)))
	}
	for _, probable := range []bool{false, true} {
		step := func(f certify.Form) certify.Step { return c.LargestStep(f, probable) }
		add("largest η"+inProbability(probable), "", func(f certify.Form) string { return phrase.FourDigits(step(f).Largest) })
		add("  η of the run", "", func(f certify.Form) string { return excess(step(f)) })
		add("  known by", "", func(f certify.Form) string { return unlessUnknown(step(f).Known, step(f).Known.String()) })
		for _, b := range c.Bounds {
			if b.Form == certify.Paper && b.Probable == probable {
				add(b.Theorem+", "+b.Of, phrase.FourDigits(b.Compare), func(f certify.Form) string { return worth(c.Bound(b.Theorem, f)) })
			}
		}
	}
	return t
}

func generalization(g *certify.Generalization) []string {
	if g == nil {
		return nil
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
	return lines
}

func inProbability(is bool) string { return map[bool]string{true: ", probable"}[is] }

func unlessUnknown(k certify.Known, words string) string {
	if k == certify.Unknown {
		return phrase.Absent
	}
	return words
}

// excess says how many times too long the run's step is.
func excess(s certify.Step) string {
	if s.Known != certify.Unknown && s.Excess() <= 1 {
		return "✓ certified"
	}
	return unlessUnknown(s.Known, "✗ "+certify.Times(s.Excess()))
}

// worth marks bounds that say nothing.
func worth(b certify.Bound) string {
	value := phrase.FourDigits(b.Value)
	if b.Vacuous() {
		value += " ✗"
	}
	return unlessUnknown(b.Known, value)
}

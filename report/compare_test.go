package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
)

// twoRuns are runs that differ in a step and in the question.
func twoRuns() []labelled {
	a, b := polarizedEvery(100), polarizedEvery(100)
	b.Spec = strings.Replace(strings.Replace(b.Spec, "lambda: 0.4", "lambda: 0.3", 1), "composite, step: 0.005", "composite, step: 0.01", 1)
	b.Stable.Gap, b.Notes, b.Build.Version = 0.01, []string{"A note."}, "v9"
	b.Sections = []folder.Section{{ID: "one", Title: "A check", Verdict: "✓ holds", Columns: []string{"what"}, Rows: [][]string{{"a"}}}}
	return []labelled{newLabelled(kind.Standard(), "first", a), newLabelled(kind.Standard(), "second", b)}
}

// figuresOf draws a result without the slow PNGs.
func figuresOf(t *testing.T, r *folder.Result) []draw.Figure {
	t.Helper()
	var figures []draw.Figure
	for _, s := range sketches(r) {
		svg, err := s.SVG()
		if err != nil {
			t.Fatal(err)
		}
		figures = append(figures, draw.Figure{Name: s.Name, Title: s.Title, Caption: s.Caption, SVG: svg})
	}
	return figures
}

func comparisonOf(t *testing.T, runs []labelled) string {
	t.Helper()
	page, err := severalRuns(runs, figuresOf(t, together(runs))).HTML()
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestComparisonSaysWhatDiffers(t *testing.T) {
	runs := twoRuns()
	d := severalRuns(runs, nil)
	var rows []string
	for _, row := range d.Tables[0].Rows {
		rows = append(rows, fmt.Sprint(row[0].Text, " ", row[1].Text, " ", row[2].Text))
	}
	if got, want := strings.Join(rows, "; "), "dynamics.lambda 0.4 0.3; algorithms.composite.step 0.005 0.01"; got != want {
		t.Errorf("differences %q, want %q", got, want)
	}
	for _, want := range []string{"second: A note.", "do not ask the same question", "different builds"} {
		if !strings.Contains(strings.Join(d.Warnings, "\n"), want) {
			t.Errorf("no warning says %q", want)
		}
	}
	if n := len(d.Graphs[0].Lines); n != 4 || d.Graphs[0].Lines[2].Name != "second · vanilla" || d.Graphs[0].Lines[2].Dash == nil {
		t.Errorf("lines %+v", d.Graphs[0].Lines)
	}
	if rules := d.Graphs[0].Rules; len(rules) != 2 || rules[1].Label != "second: stable point" {
		t.Errorf("rules %v", rules)
	}
}

// Runs of the same bytes differ in nothing, and neither of them wins.
func TestComparisonOfARunWithItself(t *testing.T) {
	runs := []labelled{newLabelled(kind.Standard(), "a", polarizedEvery(100)), newLabelled(kind.Standard(), "b", polarizedEvery(100))}
	d := severalRuns(runs, nil)
	if len(d.Tables[0].Rows) > 0 || len(d.Warnings) > 0 || len(d.Graphs[0].Rules) != 1 {
		t.Errorf("differences %v, warnings %v, rules %v", d.Tables[0].Rows, d.Warnings, d.Graphs[0].Rules)
	}
	if want := "No clear winner: a · composite and b · composite cannot be told apart."; d.Verdict.Headline != want {
		t.Errorf("got %q", d.Verdict.Headline)
	}
}

// The labels are folder names, which may hold anything.
func TestComparisonEscapesLabels(t *testing.T) {
	runs := twoRuns()
	runs[0].label, runs[1].label = "<i>a</i>", "it's $(b)"
	page := comparisonOf(t, runs)
	if strings.Contains(page, "<i>") || !strings.Contains(page, "&lt;i&gt;a&lt;/i&gt;") {
		t.Error("markup came through")
	}
	if got, want := severalRuns(runs, nil).Repeat, `kedge report '<i>a</i>' 'it'\''s $(b)'`; got != want {
		t.Errorf("command %s, want %s", got, want)
	}
	nested(t, ours.ReplaceAllString(page, ""))
}

func TestLabelsTellFoldersApart(t *testing.T) {
	for want, dirs := range map[string][]string{
		"a b":                 {"runs/a", "runs/b/"},
		"runs/a old/a":        {"runs/a", "old/a"},
		"runs/a runs/a (2) b": {"runs/a", "runs/a/", "b"},
	} {
		if got := strings.Join(labelsFor(dirs), " "); got != want {
			t.Errorf("%v are called %q, want %q", dirs, got, want)
		}
	}
}

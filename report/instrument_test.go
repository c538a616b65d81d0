package report_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report"
	"github.com/kedge-opt/kedge/report/plot"
)

// spending is a quantity that kedge does not know. This is all that is written for it.
type spending struct{}

func (spending) Columns() []kedge.Column {
	return []kedge.Column{{
		Name: "spending", Unit: "€", Label: "what the decision spends", Chart: "spending", Title: "Spending", Symbols: "‖u‖₁",
		Meaning: "The sum of what the decision in force spends on its entries.", Better: kedge.Smaller,
	}}
}

func (spending) Measure(_ context.Context, row []float64, t *kedge.Turn) error {
	row[0] = 0
	for _, v := range t.U {
		row[0] += math.Abs(v)
	}
	return nil
}

// A new quantity touches one file, this one: its column is in the series, on the page and in plots, of the run itself and of its
// folder read back.
func TestANewQuantityTouchesOneFile(t *testing.T) {
	src, _ := problem.Case("lq2")
	s, err := problem.Parse(kind.Standard(), "lq2", src, problem.Assign("iterations=30"), problem.Assign("trials=2"), problem.Assign("record.every=10"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("lq2", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := lab.Execute(t.Context(), p, lab.Options{Instruments: func() []kedge.Instrument { return []kedge.Instrument{spending{}} }})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := report.Write(kind.Standard(), dir, made); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if first, _, _ := strings.Cut(read("series.csv"), "\n"); !strings.HasSuffix(first, ",trust,u_0,u_1,spending") {
		t.Errorf("series.csv begins with %s", first)
	}
	back, err := folder.Open(t.Context(), dir, folder.Verified)
	if err != nil {
		t.Fatal(err)
	}
	again := t.TempDir()
	if err := report.Write(kind.Standard(), again, back); err != nil {
		t.Fatal(err)
	}
	page := read("report.html")
	if text, err := os.ReadFile(filepath.Join(again, "report.html")); err != nil || string(text) != page {
		t.Errorf("the page made from the folder differs (%v)", err)
	}
	for _, want := range []string{`"title":"Spending"`, `"label":"‖u‖₁, in €"`, "The sum of what the decision in force spends on its entries. Smaller is better."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	figure, err := plot.Plot{Y: "spending"}.Draw(plot.RunSheet("run", back))
	if err != nil || !strings.Contains(string(figure.SVG), ">what the decision spends, in €<") {
		t.Errorf("plot: %v", err)
	}
}

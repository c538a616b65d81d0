package report

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
)

// everyFigure is one figure of every kind that a command can draw, most of them with a minus sign in it.
func everyFigure(t *testing.T) (list []draw.Sketch) {
	t.Helper()
	list = append(sketches(polarizedEvery(200)), sketches(choiceEvery(200))...)
	list = append(list, sketches(broken())...)
	sheet, small := plot.RunSheet("run", polarizedEvery(2000)), swept(map[string][]string{"a.b": {"-1", "2", "3"}, "c": {"-0.5", "4"}}, tinySteps)
	for _, p := range []plot.Plot{{}, {Kind: plot.Hist, X: "gap"}, {Kind: plot.Hist, X: "distance", Log: "x"}, {Kind: plot.Scatter, X: "distance"}, {Kind: plot.Scatter, By: "distance"}} {
		s, err := p.Sketch(sheet)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	list = append(list, plot.SweepSketches(small)...)
	list = append(list, plot.SweepSketches(swept(map[string][]string{"step": {"0.0001", "0.001", "0.01"}}, tinySteps))...)
	far := compare.Curve{Turns: []int{1, 10, 100}, Far: []compare.Range{{Mean: 1, Min: 1, Max: 1}, {Mean: 1e-2, Min: 1e-3, Max: 1e-1}, {Mean: 1e-5, Min: 1e-5, Max: 1e-5}}}
	met := compare.Meeting{Name: "lq2", Separates: true, Tolerance: 1e-3, Stable: []float64{-1}, Optimal: []float64{0}, Rows: []compare.Row{{Method: "vanilla", Limit: "stable", Curve: far}, {Method: "composite", Limit: "optimal", Arrived: true, Curve: far}}}
	list = append(list, comparisonSketches(&compare.Comparison{Suite: true, Problems: []compare.Meeting{met, met}})...)
	return append(list, chartSketch(study.Chart{Name: "study", X: "ln(2/τ)", Y: "exponent", LogX: true, Series: []study.Series{
		{Name: "measured", X: []float64{.001, .1}, Y: []float64{-1e-4, -2e-4}, Low: []float64{-1.1e-4, -3e-4}, High: []float64{-9e-5, -1e-4}, Points: true}, {Name: "theory, O(T⁻¹)", Theory: true, X: []float64{.001, .1}, Y: []float64{-1e-4, -2e-4}},
	}}))
}

func tinySteps(algorithm string, x []float64) float64 {
	return 1e-4 * steps(algorithm, []float64{x[0] * x[0]})
}

// words are the texts of a drawing, exponents with the ten that they stand on.
func (d drawing) words() (list []string) {
	for i, text := range d.texts {
		if i > 0 && text.small(d.texts[i-1]) {
			list[len(list)-1] += phrase.Raised(text.text)
			continue
		}
		list = append(list, text.text)
	}
	return list
}

// small tells whether a text stands raised right behind another.
func (b box) small(before box) bool {
	return b.bottom-b.top < 0.9*(before.bottom-before.top) && b.bottom < before.bottom-2 && b.left > before.right-1 && b.left < before.right+2
}

// A figure of every kind, read back: a PDF gives the words of the SVG to who copies them, exponents and minus signs among them, and the
// typeface of PNG and PDF has every letter.
func TestFiguresReadBack(t *testing.T) {
	minuses, exponents := 0, 0
	for _, s := range everyFigure(t) {
		f, err := s.Render()
		if err != nil {
			t.Fatal(err)
		}
		if f.Lacking != "" {
			t.Errorf("%s: PNG and PDF have no letter for %q", s.Name, f.Lacking)
		}
		if _, err := png.Decode(bytes.NewReader(f.PNG)); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		words := parse(t, f.SVG).words()
		copied := strings.Join(strings.Fields(poppler(t, f.PDF, "pdftotext", "-enc", "UTF-8", "-")), " ")
		for _, text := range words {
			minuses, exponents = minuses+strings.Count(text, "−"), exponents+strings.Count(text, "⁻")
			for word := range strings.FieldsSeq(text) {
				if !strings.Contains(copied, word) {
					t.Errorf("%s.pdf does not hold %q: %s", s.Name, word, copied)
				}
			}
		}
		all := strings.Join(words, " ")
		for _, sign := range []string{"−", "⁻"} {
			if got, want := strings.Count(copied, sign), strings.Count(all, sign); got != want {
				t.Errorf("%s.pdf has %d of %q, the SVG %d", s.Name, got, sign, want)
			}
		}
	}
	t.Logf("%d minus signs, %d in exponents", minuses, exponents)
	if minuses < 10 || exponents < 20 {
		t.Errorf("only %d minus signs and %d in exponents were met", minuses, exponents)
	}
}

// Names of people's own may need letters that the typeface lacks: SVG keeps them, PNG and PDF have boxes, and it is told.
func TestMissingLettersAreTold(t *testing.T) {
	r := &folder.Result{Runs: choiceEvery(2000).Runs[:1]}
	r.Runs[0].Name = "名前"
	s, err := plot.Plot{Title: "名 of ★"}.Sketch(plot.RunSheet("run", r))
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Render()
	if err != nil || f.Lacking != "名★" && f.Lacking != "名★前" {
		t.Errorf("told %q, %v", f.Lacking, err)
	}
	if !strings.Contains(string(f.SVG), "名") || !strings.Contains(poppler(t, f.PDF, "pdftotext", "-enc", "UTF-8", "-"), "□ of □") {
		t.Error("the SVG lost a letter, or the PDF has no box for it")
	}
}

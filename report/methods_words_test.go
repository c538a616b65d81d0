package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
)

// Why a method has not arrived is said by the first that is to be said of it, and so is its cell in a suite; one that has is in the colour of its point.
func TestWordsOfWhoHasNotArrived(t *testing.T) {
	far := &compare.Range{Mean: 0.75}
	looks := plot.StylesOf(nil)
	for _, c := range []struct {
		row       compare.Row
		separates bool
		why, word string
		ground    any
	}{
		{compare.Row{Arrived: true, Limit: "optimal", Outside: "too steep"}, true, "", "optimal", draw.Tint(looks["composite"].Ink, 0.45)}, {compare.Row{Arrived: true, Limit: "stable"}, true, "", "stable", draw.Tint(looks["vanilla"].Ink, 0.45)},
		{compare.Row{Arrived: true, Limit: "myopic"}, true, "", "myopic", draw.Tint(looks["derivative-free"].Ink, 0.45)}, {compare.Row{Arrived: true, Limit: "stable"}, false, "", "both", draw.Tint(draw.Dim(), 0.45)},
		{compare.Row{Outside: "too steep", Failed: 1}, true, "too steep", "", draw.Tint(draw.Grey(), 0.6)}, {compare.Row{Failed: 1, Trials: 3, Failure: "it broke", ToTarget: far}, true, "1 trial of 3: it broke", "failed", draw.Paper()},
		{compare.Row{Limit: "myopic"}, true, "no myopic point is known", "–", draw.Paper()}, {compare.Row{Limit: "stable", ToTarget: far}, false, "tolerances from the stable point", "3", draw.Paper()},
	} {
		a := &compare.Meeting{Separates: c.separates, Tolerance: 0.25}
		if got := why(&c.row); got != c.why {
			t.Errorf("%+v: %q, want %q", c.row, got, c.why)
		}
		if word, ground := suiteCell(a, &c.row); word != c.word || any(ground) != c.ground {
			t.Errorf("%+v: %q on %v, want %q on %v", c.row, word, ground, c.word, c.ground)
		}
	}
}

// What is known of a problem is what is said of it: its value, its stable point, twenty tolerances away, and how its crowd settles.
func TestWordsOfAProblem(t *testing.T) {
	a := &compare.Meeting{Value: 0.5, Settling: 1, Settled: true, Tolerance: 0.25}
	for want, change := range map[string]func(){
		"The optimum has the value 0.5. No stable point was found. The crowd settles within 1 turn. Means": func() {},
		"About it. The optimum has the value 0.5. The stable point is 5 away from it. The crowd settles within 3 turns. Means": func() {
			a.About, a.Stable, a.Separates, a.Settling = "About it.", []float64{1}, true, 3
		},
		"The optimum has the value 0.5. The stable point is the optimum, so this problem cannot tell methods of the two kinds apart. The crowd does not settle within 3 turns, and": func() {
			a.Stable, a.Settled, a.Settling = []float64{1}, false, 3
		},
	} {
		*a = compare.Meeting{Value: 0.5, Settling: 1, Settled: true, Tolerance: 0.25}
		change()
		if got := problemAbout(a); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A grid has as many cells as there are steps in any, those that were tried with their scores and the winner marked; of none the step is given.
func TestCellsOfGrids(t *testing.T) {
	score := 0.125
	grid := []compare.Point{{Step: 4, Score: &score}, {Step: 2}, {Step: 1, Score: &score}}
	for _, c := range []struct {
		row    compare.Row
		points int
		want   string
	}{
		{compare.Row{Step: 2, Grid: grid}, 3, "[4 [0.125] 2 ✓ [–] 1 [0.125]]"}, {compare.Row{Step: 4, Grid: grid}, 2, "[4 ✓ [0.125] 2 [–]]"}, {compare.Row{Step: 4, Grid: grid[:1]}, 2, "[4 ✓ [0.125]  []]"}, {compare.Row{Step: 0.5}, 2, "[0.5 [given]  []]"},
	} {
		var got []string
		for _, cell := range gridCells(c.row, c.points) {
			got = append(got, fmt.Sprint(cell.Text, " ", cell.Small))
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
	if c := vectorCell(nil); c.Text != "–" || c.Short != " " {
		t.Errorf("no decision: %+v", c)
	}
	if c := vectorCell([]float64{-1, 2, 3, 4, 5}); c.Text != "−1, 2, 3, 4, …" || c.Short != "-1, 2, …" {
		t.Errorf("five entries: %+v", c)
	}
}

// By hand: distances are drawn down to a millionth of the largest, which counts up to a thousand tolerances and is a tolerance at least.
func TestLeastDistances(t *testing.T) {
	for most, want := range map[float64]float64{0.1: 0.5e-6, 20: 20e-6, 499: 499e-6, 9000: 500e-6} {
		a := compare.Meeting{Tolerance: 0.5, Rows: []compare.Row{{Curve: compare.Curve{Far: []compare.Range{{Max: 0.1}, {Max: most}}}}, {Curve: compare.Curve{Far: []compare.Range{{Max: 0.2}}}}}}
		if got := leastDistance(a); got/want > 1+1e-12 || got/want < 1-1e-12 {
			t.Errorf("up to %v: %v, want %v", most, got, want)
		}
	}
}

// Folders are called by their names where those differ, else by their paths, and those that are given again are counted.
func TestFoldersAreCalledApart(t *testing.T) {
	for _, c := range []struct{ dirs, want []string }{
		{[]string{"a/x", "b/y/"}, []string{"x", "y"}}, {[]string{"a/x", "b/x"}, []string{"a/x", "b/x"}}, {[]string{"a/x", "a/./x", "b", "a/x/"}, []string{"a/x", "a/x (2)", "b", "a/x (3)"}}, {[]string{"only/one"}, []string{"one"}},
	} {
		if got := labelsFor(c.dirs); !slices.Equal(got, c.want) {
			t.Errorf("%q are called %q, want %q", c.dirs, got, c.want)
		}
	}
	for verdict, want := range map[string]string{"✓ good": "good", "✗ bad": "bad", "so ✓": "", "": ""} {
		if got := signOf(verdict); got != want {
			t.Errorf("%q is %q, want %q", verdict, got, want)
		}
	}
}

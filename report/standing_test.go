package report

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
)

func plain(s string) string { return strings.ReplaceAll(s, phrase.ThinSpace, " ") }

// The chance of the unseen after n walks that ended in w places is w(w+1)/(n(n−1)) [boender1987]: of 20 in one place 2/380 = 0.5 %, of 20
// in 12 places 156/380 = 41 %.
func TestStandingInWords(t *testing.T) {
	bound, yes, no := -1.2346, true, false
	searched := func(here, places int, missed float64) *folder.Evidence {
		return &folder.Evidence{Standing: folder.Searched, Here: here, Places: places, Missed: missed}
	}
	rest := func(attracting *bool, real ...float64) *folder.Evidence {
		e := &folder.Evidence{Standing: folder.Stationary, Attracting: attracting, Reached: true}
		for _, v := range real {
			e.Eigenvalues = append(e.Eigenvalues, [2]float64{v, 1})
		}
		return e
	}
	kink := searched(20, 1, 2./380)
	kink.Kink = true
	jump, held := *kink, *kink
	jump.Jump, held.Bounded = true, true
	for _, c := range []struct {
		what     string
		point    folder.Point
		maximize bool
		want     string
	}{
		{"an old folder", folder.Point{Starts: 20}, false, ""},
		{"convex", folder.Point{Evidence: &folder.Evidence{Standing: folder.Proven, Why: "convex"}}, false, "proven: convex"},
		{"bounds", folder.Point{Evidence: &folder.Evidence{Standing: folder.Proven, Why: "812 boxes", Bound: &bound}, Value: -1.2345}, false, "proven: 812 boxes; no value is below −1.2346"},
		{"bounds of a reward", folder.Point{Evidence: &folder.Evidence{Standing: folder.Proven, Bound: &bound}, Value: -1.2345}, true, "proven: no value is above −1.2346"},
		{"one place", folder.Point{Starts: 20, Evidence: searched(18, 1, 2./380)}, false, "searched: 20 starts, 18 ended here; chance that one more would end elsewhere about 0.5 %"},
		{"many places", folder.Point{Starts: 20, Evidence: searched(4, 12, 156./380)}, false, "searched: 20 starts, 4 ended here and the rest in 11 worse places; chance that one more would end elsewhere about 41 %"},
		{"two places", folder.Point{Starts: 20, Evidence: searched(16, 2, 6./380)}, false, "searched: 20 starts, 16 ended here and the rest in 1 worse place; chance that one more would end elsewhere about 2 %"},
		{"a kink", folder.Point{Starts: 20, Residual: 1e-9, Evidence: kink}, false, "searched: 20 starts, 20 ended here; chance that one more would end elsewhere about 0.5 %; the loss has a kink there"},
		{"a kink that is no minimum", folder.Point{Starts: 20, Residual: .25, Evidence: kink}, false, "searched: 20 starts, 20 ended here; chance that one more would end elsewhere about 0.5 %; the loss has a kink there that no gradients nearby balance, 25.0 % of the steepest gradient is left"},
		{"a kink under constraints", folder.Point{Starts: 20, Residual: 1e-9, Evidence: &held}, false, "searched: 20 starts, 20 ended here; chance that one more would end elsewhere about 0.5 %; the loss or a constraint has a kink there"},
		{"a jump", folder.Point{Starts: 20, Residual: .999, Evidence: &jump}, false, "searched: 20 starts, 20 ended here; chance that one more would end elsewhere about 0.5 %; the loss jumps there, so that no gradient can vouch for it"},
		{"a bound that says little", folder.Point{Starts: 1, Value: 5, Evidence: &folder.Evidence{Standing: folder.Stationary, Bound: &bound}}, false, "stationary only: one start"},
		{"bounded", folder.Point{Starts: 20, Value: -1.2, Evidence: &folder.Evidence{Standing: folder.Searched, Here: 20, Places: 1, Missed: 2. / 380, Bound: &bound}}, false,
			"searched: 20 starts, 20 ended here; chance that one more would end elsewhere about 0.5 %; proven is that no value is below −1.2346"},
		{"one start", folder.Point{Starts: 1, Evidence: &folder.Evidence{Standing: folder.Stationary}}, false, "stationary only: one start"},
		{"attracting", folder.Point{Evidence: rest(&yes, .5, 2)}, false, "stationary only: attracting, the eigenvalues' real parts are at least 0.5"},
		{"repelling", folder.Point{Evidence: rest(&no, 2, -.25)}, false, "stationary only: repelling, the eigenvalues' least real part is −0.25"},
		{"flat", folder.Point{Evidence: rest(&no, 0, 3)}, false, "stationary only: neither attracting nor repelling, the eigenvalues' least real part is 0"},
		{"large", folder.Point{Evidence: rest(nil)}, false, "stationary only: reached from the first decision, with too many decisions to look at what happens nearby"},
	} {
		if got := plain(standing(&c.point, c.maximize)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.what, got, c.want)
		}
	}
}

// All points of rest are listed, and "settles here" is said of the one that was reached alone.
func TestRestsAreListed(t *testing.T) {
	yes, no := true, false
	r := choice()
	r.Rests = []folder.Point{
		{Decision: []float64{3}, Evidence: &folder.Evidence{Standing: folder.Stationary, Attracting: &yes, Eigenvalues: [][2]float64{{6, 0}}, Reached: true}},
		{Decision: []float64{-3}, Evidence: &folder.Evidence{Standing: folder.Stationary, Attracting: &no, Eigenvalues: [][2]float64{{-2, 0}}}},
	}
	r.Stable.Evidence = r.Rests[0].Evidence
	text := string(runDocument(nil, r, nil).Markdown())
	for _, want := range []string{"| 3 |", "| attracting | 6 | settles here |", "| −3 |", "| repelling | −2 | not reached |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(text, "settles here"); n != 1 {
		t.Errorf("retraining settles at %d points", n)
	}
}

// A comparison tells the standing of its optimum in the words of a run; one of an earlier version says nothing of it.
func TestComparisonsTellTheStanding(t *testing.T) {
	a := &compare.Meeting{Value: 1, Answer: &folder.Point{Evidence: &folder.Evidence{Standing: folder.Proven, Why: "convex"}}}
	if got := problemAbout(a); !strings.Contains(got, "The optimum has the value 1. It is proven: convex. ") {
		t.Error(got)
	}
	a.Answer = nil
	if got := problemAbout(a); !strings.Contains(got, "The optimum has the value 1. No stable point") {
		t.Error(got)
	}
}

// −3.07920144 in six digits is −3.0792, above it: as a bound from below that would deny the value itself. Seven say −3.079201, eight
// −3.0792014, nine −3.07920144.
func TestBoundsAreRoundedOutward(t *testing.T) {
	for _, c := range []struct {
		v, side float64
		want    string
	}{{-3.07920144, -1, "−3.07920144"}, {-3.07920144, 1, "−3.0792"}, {-3.0792059, -1, "−3.07921"}, {.5, -1, "0.5"}, {1. / 3, 1, "0.33333333333333331"}, {2. / 3, 1, "0.666667"}} {
		if got := outward(c.v, c.side); got != c.want && !(c.v == 1./3 && strings.HasPrefix(got, "0.3333333333")) {
			t.Errorf("%v on side %v: %s, want %s", c.v, c.side, got, c.want)
		}
	}
}

package guard

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/live"
)

// mixed is a guard of people with three traits, whose second and third are watched.
func mixed() *Guard {
	l := live.New()
	l.MixAlpha = 0.01
	return New(Duty{Live: l, Dims: kedge.Dims{Decision: 1, State: 1, Trait: 3}, Mix: []bool{false, true, true}, Declared: make([]*live.Mix, 3)})
}

// people3 is people of whom so many have 1 and the others 0, by their second and their third trait.
func people3(n, second, third int) (o kedge.Observation) {
	for i := range n {
		d := []float64{9, 0, 0}
		if i < second {
			d[1] = 1
		}
		if i < third {
			d[2] = 1
		}
		o.P, o.D = append(o.P, 1), append(o.D, d...)
	}
	return o
}

// meets has a guard see a crowd, and tells what it says of the mix.
func (g *Guard) meets(o kedge.Observation) string {
	r := &Report{}
	g.examineMix(o, r)
	g.foldMix(&r.Seen)
	if r.Mix == nil {
		return ""
	}
	return r.Mix.Words
}

// Who answers is compared with the first five closes, and the second strange mix in a row holds; of several traits the strangest is named.
func TestMixesThatAreStrange(t *testing.T) {
	g := mixed()
	for n := range 5 {
		if words := g.meets(people3(100, 50, 50)); words != "" || g.Mixed.Closes != n+1 || g.Mixed.Strikes != 0 {
			t.Fatalf("close %d: %q, %+v", n+1, words, g.Mixed)
		}
	}
	if want := [][]float64{{250, 250}, {250, 250}}; !reflect.DeepEqual(g.Mixed.People, want) || !reflect.DeepEqual(g.Mixed.Edges, [][]float64{{0.5}, {0.5}}) {
		t.Errorf("at first: %+v", g.Mixed)
	}
	for n, x := range []struct {
		second, third, strikes int
		trait                  int // 0: nobody is told
	}{{50, 50, 0, 0}, {80, 50, 1, 0}, {50, 50, 0, 0}, {50, 80, 1, 0}, {80, 90, 2, 2}, {90, 80, 3, 1}, {52, 50, 0, 0}, {85, 50, 1, 0}} {
		now := binned(Column(people3(100, x.second, x.third).D, 3, max(1, x.trait)), nil, []float64{0.5})
		want := fmt.Sprintf("others answer than at first: the mix of trait %d would be so by chance %s", x.trait, chance(alike([]float64{250, 250}, now)))
		if x.trait == 0 {
			want = ""
		}
		if words := g.meets(people3(100, x.second, x.third)); words != want || g.Mixed.Strikes != x.strikes || g.Mixed.Closes != 5 {
			t.Errorf("%d: %q, %d strikes, want %q", n, words, g.Mixed.Strikes, want)
		}
	}
}

// Where shares are declared they count from the first close on.
func TestMixesBesideDeclaredShares(t *testing.T) {
	g := mixed()
	g.Declared[2] = &live.Mix{Edges: []float64{0.5}, Shares: []float64{1, 1}}
	if words := g.meets(people3(100, 50, 80)); words != "" || g.Mixed.Strikes != 1 {
		t.Errorf("once: %q, %+v", words, g.Mixed)
	}
	if words := g.meets(people3(100, 50, 80)); words != "others answer than the spec declares: the mix of trait 2 would be so by chance less than once in a million closes" {
		t.Errorf("twice: %q", words)
	}
	if words := g.meets(people3(100, 50, 50)); words != "" || g.Mixed.Strikes != 0 {
		t.Errorf("as declared: %q", words)
	}
}

// Who answered by a trait is shown in shares beside who did at first, where that is watched and known.
func TestMixturesInShares(t *testing.T) {
	g := mixed()
	now := people3(100, 20, 60)
	if g.Mixture(now, 1) != nil {
		t.Error("before the first close")
	}
	g.meets(people3(50, 25, 10))
	for trait, want := range map[int]*Mixture{
		0: nil, 1: {[]float64{-0.5, 0.5, 1.5}, []float64{0.8, 0.2}, []float64{0.5, 0.5}, alike([]float64{25, 25}, []float64{80, 20})}, 2: {[]float64{-0.5, 0.5, 1.5}, []float64{0.4, 0.6}, []float64{0.8, 0.2}, alike([]float64{40, 10}, []float64{40, 60})},
	} {
		if got := g.Mixture(now, trait); !reflect.DeepEqual(got, want) {
			t.Errorf("trait %d: %+v, want %+v", trait, got, want)
		}
	}
	if g.Mixture(kedge.Observation{}, 1) != nil {
		t.Error("of nobody")
	}
	if want := []float64{40, 10}; !slices.Equal(g.Mixed.People[1], want) {
		t.Errorf("looking has changed %v", g.Mixed.People)
	}
}

// χ² with one degree of freedom is beyond c as often as a normal number is beyond √c; people may be worth less than one.
func TestFewPeopleAreCompared(t *testing.T) {
	for name, x := range map[string]struct{ got, chi float64 }{
		"two samples":          {alike([]float64{0.4, 0.2}, []float64{0.2, 0.4}), 2 * 0.04 / 0.6},
		"of other sizes":       {alike([]float64{0.8, 0.4}, []float64{0.1, 0.2}), 0.04/0.9 + 0.04/0.6}, // sums are 1.2 and 0.3: (2·0.1 − 0.8/2)² and (2·0.2 − 0.4/2)²
		"beside what is known": {fits([]float64{0.5, 0.5}, []float64{0.6, 0.4}), 2 * 0.01 / 0.5},
	} {
		if want := math.Erfc(math.Sqrt(x.chi / 2)); math.Abs(x.got-want) > 1e-11 {
			t.Errorf("%s: %v, want %v", name, x.got, want)
		}
	}
	if p := fits([]float64{1, 0, 1}, []float64{6, 0.5, 4}); p != 0 {
		t.Errorf("half of one who cannot be: %g", p)
	}
}

// A close is remembered with who was far, at the newest five; the newest decision under which all guardrails passed is the one to go back to.
func TestWhatIsRememberedOfCloses(t *testing.T) {
	g := two(func(*live.Arrangement) {})
	pass, fail := Judged{Name: "a", Verdict: Pass}, Judged{Name: "b", Verdict: Fail}
	for k, rails := range [][]Judged{nil, {pass}, {pass, fail}, {pass, pass}, {fail}, nil, nil} {
		u := []float64{float64(k)}
		g.Fold(Lesson{Verdicts: Verdicts{K: k, Counted: 7, Rails: rails}, U: u, Seen: &Seen{Spread: &Spreading{Median: []float32{float32(k)}}}})
		u[0] = 99 // of who told it
		want := []*Sound{nil, {1, []float64{1}}, {1, []float64{1}}, {3, []float64{3}}}[min(k, 3)]
		if !reflect.DeepEqual(g.Good, want) || g.Closes != k+1 || g.Last.K != k || g.Last.Counted != 7 || len(g.Spread) != min(k+1, 5) || g.Spread[len(g.Spread)-1].Median[0] != float32(k) {
			t.Errorf("after close %d: %+v, good is %+v", k, g.Remembrance, g.Good)
		}
	}
	g.Fold(Lesson{Seen: &Seen{}})
	if len(g.Spread) != 5 || g.Spread[0].Median[0] != 2 {
		t.Errorf("a close of nobody: %v", g.Spread)
	}
	g.Rails, g.Trust = map[string]*RailState{"a": {}}, &Trusting{}
	if g.Forget(); g.Rails != nil || g.Trust != nil || g.Good == nil || g.Closes != 8 {
		t.Errorf("after a look: %+v", g.Remembrance)
	}
}

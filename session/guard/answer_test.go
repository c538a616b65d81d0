package guard

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/live"
)

// fading is a crowd whose states go to their traits less the decision, of which a part of the way is left after a step. It does not say where that ends.
type fading struct{ left float64 }

func (fading) Dims() kedge.Dims { return kedge.Dims{Decision: 1, State: 1, Trait: 1} }

func (f fading) Next(next, p, u, d []float64) { next[0] = f.left*p[0] + (1-f.left)*(d[0]-u[0]) }

// calm is fading that says where people settle.
type calm struct{ fading }

func (calm) Settle(p, u, d []float64) (worst kedge.Residual, err error) {
	p[0] = d[0] - u[0]
	return worst, nil
}

// of is a guard of people who fade.
func of(left float64) *Guard {
	l := live.New()
	l.TrustWindow = 4
	return New(Duty{Live: l, Dims: fading{}.Dims(), Model: kedge.Model{Dynamics: calm{fading{left}}}, Informed: true})
}

// There is an answer to compare where the rule goes by it, a window is wanted, nobody sees others, and the model says where people go and settle.
func TestWhereAnswersAreWatched(t *testing.T) {
	for name, x := range map[string]struct {
		change func(g *Guard)
		want   bool
	}{
		"all": {func(*Guard) {}, true}, "a window of one": {func(g *Guard) { g.Live.TrustWindow = 1 }, true}, "no window": {func(g *Guard) { g.Live.TrustWindow = 0 }, false}, "a rule that does not heed it": {func(g *Guard) { g.Informed = false }, false},
		"a crowd": {func(g *Guard) { g.Model.Social = true }, false}, "no settling": {func(g *Guard) { g.Model.Dynamics = fading{} }, false}, "no model": {func(g *Guard) { g.Model.Dynamics = nil }, false},
	} {
		g := of(0.5)
		if x.change(g); g.watchesAnswer() != x.want {
			t.Errorf("%s: %t", name, g.watchesAnswer())
		}
		if g.WentLive([]float64{1}, true); len(g.Course) > 0 != x.want {
			t.Errorf("%s: what is live is remembered: %v", name, g.Course)
		}
	}
}

// A model has forgotten where people were once a thousandth of their distance is left: of a half a step after ten, of a tenth after three, of all of it after 64 at most.
func TestHowLongAModelRemembers(t *testing.T) {
	for left, want := range map[float64]int{0.5: 10, 0.09: 3, 0.0005: 1, 0: 1, 0.895: 63, 0.9: mostLag, 0.99: mostLag} { // ln 1000/−ln 0.895 is 62.3
		for _, apart := range []float64{0.25, 1, 40} {
			if got := of(left).lag([]float64{1, 1 + apart}, []float64{3, 3}, []float64{0.5}); got != want {
				t.Errorf("%g left a step, %g apart: %d, want %d", left, apart, got, want)
			}
		}
	}
	if got := of(0.5).lag([]float64{2, 2, 2}, []float64{3, 4, 5}, []float64{0}); got != mostLag {
		t.Errorf("of people in one place: %d", got)
	}
}

// What is known of people's answer after a close: how long the model remembers, the first decision of the window, and the mean of all closes.
func TestWhatIsRememberedOfAnswers(t *testing.T) {
	g := of(0.5)
	g.foldAnswer(&Seen{}, []float64{1})
	if g.Trust != nil {
		t.Errorf("of nothing: %+v", g.Trust)
	}
	g.foldAnswer(&Seen{Lag: 1}, []float64{1})
	if g.Trust == nil || !reflect.DeepEqual(*g.Trust, Trusting{Lag: 1}) {
		t.Errorf("of the model alone: %+v", g.Trust)
	}
	for n := range 3 {
		g.foldAnswer(&Seen{Answer: &AnswerPoint{Said: []float32{1}, Seen: []float32{2}, Who: []float32{3, 5}[:1+n/2]}}, []float64{7 + float64(n)})
	}
	one := AnswerPoint{Said: []float32{1}, Seen: []float32{2}}
	if want := (Trusting{Lag: 1, First: []float64{7}, Closes: 3, Who: []float64{9, 5}, Points: []AnswerPoint{one, one, one}}); !reflect.DeepEqual(*g.Trust, want) {
		t.Errorf("%+v, want %+v", *g.Trust, want)
	}
	for lag, want := range map[int]int{0: 1, 9: 9, 10: 10} { // of twelve that were live
		g.Trust, g.Course = &Trusting{Lag: lag}, nil
		for n := range 12 {
			g.Course = append(g.Course, []float64{float64(n)})
		}
		g.foldAnswer(&Seen{Lag: max(1, lag)}, []float64{1})
		if want++; len(g.Course) != want || g.Course[want-1][0] != 11 {
			t.Errorf("a model that remembers %d steps: %v", lag, g.Course)
		}
	}
}

// Where people are and should be, by hand: they settle at traits less decisions, and a half of the way is left after a step. Traits are 10, decisions were 2 and then 3, so that people are
// said to be at 8 and a step later at 7.5, and would be at 9 under the first decision of the window, 1.
func TestWhereTheModelSaysPeopleAre(t *testing.T) {
	g := of(0.5)
	if g.point([]float64{1}, []float64{10}, nil, []float64{1}) != nil {
		t.Error("nobody knows what was live")
	}
	g.Course = [][]float64{{2}, {3}}
	at := g.point([]float64{6, 7}, []float64{10, 10}, []float64{3, 1}, []float64{1})
	if at == nil || !slices.Equal(at.Said, []float32{-1.5}) || !slices.Equal(at.Seen, []float32{6.25 - 9}) || !slices.Equal(at.Who, []float32{10}) {
		t.Errorf("%+v", at)
	}
	g.Live.Step = 1
	g.Live.Period = 2 * g.Live.Step // two steps between decisions
	if at := g.point([]float64{6}, []float64{10}, nil, []float64{1}); !slices.Equal(at.Said, []float32{7.25 - 9}) {
		t.Errorf("two steps later: %+v", at)
	}
	if at := g.point([]float64{math.Inf(1)}, []float64{10}, nil, []float64{1}); at != nil {
		t.Errorf("people beyond all numbers: %+v", at)
	}
}

// leanings is lean from the definition, in two dimensions at most: the coefficients of ridge regression on traits less their mean, times how far that is from the mean of all closes.
func leanings(d, w, all []float64, k int) []float64 {
	n := len(d) / k
	mean, sum := make([]float64, k), 0.0
	for i := range n {
		sum += rows.Weight(w, i)
		for j := range k {
			mean[j] += rows.Weight(w, i) * d[i*k+j]
		}
	}
	var s [2][2]float64
	off := [2]float64{}
	for j := range k {
		mean[j] /= sum
		off[j] = mean[j] - all[j]
	}
	for i := range n {
		for a := range k {
			for b := range k {
				s[a][b] += rows.Weight(w, i) * (d[i*k+a] - mean[a]) * (d[i*k+b] - mean[b])
			}
		}
	}
	ridge := 0.01 * (s[0][0] + s[1][1]) / float64(k)
	s[0][0] += ridge
	if s[1][1] += ridge; k == 1 {
		s[1][1] = 1
	}
	det := s[0][0]*s[1][1] - s[0][1]*s[1][0]
	x := [2]float64{(s[1][1]*off[0] - s[0][1]*off[1]) / det, (s[0][0]*off[1] - s[1][0]*off[0]) / det}
	list := make([]float64, n)
	for i := range n {
		for j := range k {
			list[i] += rows.Weight(w, i) * (d[i*k+j] - mean[j]) * x[j]
		}
	}
	return list
}

// People count less the more often their like was asked, by the regression estimator, once there are ten more than twice as many as traits and three closes to compare with.
func TestHowPeopleLean(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for k := 1; k <= 2; k++ {
		for n := 2*k + 9; n <= 2*k+14; n++ {
			for _, isWeighted := range []bool{false, true} {
				d, all := make([]float64, n*k), []float64{4 + r.NormFloat64(), 7 + r.NormFloat64()}[:k]
				for i := range d {
					d[i] = 5 + float64(1+i%k)*r.NormFloat64()
				}
				var w []float64
				for range n {
					if isWeighted {
						w = append(w, r.Float64())
					}
				}
				g := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: 1, Trait: k}})
				for closes := range 5 {
					g.Trust = &Trusting{Closes: closes, Who: make([]float64, k)}
					for j := range all {
						g.Trust.Who[j] = float64(closes) * all[j]
					}
					if closes == 0 {
						g.Trust = nil
					}
					want := make([]float64, n)
					if n >= 2*k+10 && closes >= 3 {
						want = leanings(d, w, all, k)
					}
					at := &AnswerPoint{}
					got := g.lean(n, d, w, at)
					for i := range got {
						if len(got) != n || math.Abs(got[i]-want[i]) > 1e-9 {
							t.Fatalf("%d people of %d traits after %d closes: %v, want %v", n, k, closes, got, want)
						}
					}
					if mean := MeanOf(Column(d, k, k-1), w).Value; len(at.Who) != k || math.Abs(float64(at.Who[k-1])-mean) > 1e-5 {
						t.Errorf("the mean of trait %d is %v, want %g", k-1, at.Who, mean)
					}
				}
			}
		}
	}
	g := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: 1, Trait: 1}})
	g.Trust = &Trusting{Closes: 3, Who: []float64{30}}
	if got := g.lean(20, slices.Repeat([]float64{7}, 20), nil, &AnswerPoint{}); !slices.Equal(got, make([]float64, 20)) {
		t.Errorf("people who are all alike: %v", got)
	}
}

// Means of how far people are from where they would stand still are those with weights, less what people lean, for every number of people.
func TestMeansOfWhoLeans(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	g := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: 2, Trait: 1}})
	draw := func(n int) (list []float64) {
		for range n {
			list = append(list, r.NormFloat64())
		}
		return list
	}
	for n := 1; n <= 9; n++ {
		p, said, still, w, lean := draw(2*n), draw(2*n), draw(2*n), draw(n), draw(n)
		all, want := 0.0, make([]float64, 4)
		for i := range w {
			w[i] = math.Abs(w[i])
			all += w[i]
		}
		for i := range n {
			for j := range 2 {
				want[j] += (w[i]/all - lean[i]) * (said[2*i+j] - still[2*i+j])
				want[2+j] += (w[i]/all - lean[i]) * (p[2*i+j] - still[2*i+j])
			}
		}
		got := g.leaning(p, said, still, w, lean)
		for j := range want {
			if len(got) != 4 || math.Abs(got[j]-want[j]) > 1e-12 {
				t.Errorf("%d people: %v, want %v", n, got, want)
			}
		}
	}
}

// What is said at a close is the ratio of the window under way or, while it has none, that of the newest that had, with the closes of this one.
func TestWhatIsSaidOfAnswers(t *testing.T) {
	ratio := &AnswerRatio{Ratio: new(0.5), Low: new(0.25), High: new(0.75), Turns: 9}
	var points []AnswerPoint
	for i := range 4 {
		v := float32(1 - 2*(i%2))
		points = append(points, AnswerPoint{Said: []float32{v}, Seen: []float32{2 * v}})
	}
	for n, x := range []struct {
		t     Trusting
		ratio float64 // 0: none
		turns int
		is    string
	}{
		{Trusting{}, 0, 0, Unsure}, {Trusting{Points: points[:2], Verdict: Trusted}, 0, 2, Trusted}, {Trusting{Points: points[:2], Ratio: ratio}, 0.5, 2, Unsure}, {Trusting{Points: points, Ratio: ratio, Verdict: Distrusted}, 2, 4, Distrusted}, {Trusting{Points: points}, 2, 4, Unsure},
	} {
		q := x.t.said()
		if (q.Ratio == nil) != (x.ratio == 0) || q.Ratio != nil && *q.Ratio != x.ratio || q.Turns != x.turns || q.Verdict != x.is {
			t.Errorf("%d: %+v", n, q)
		}
	}
	if ratio.Turns != 9 || ratio.Verdict != "" {
		t.Errorf("what is remembered has changed: %+v", ratio)
	}
}

// bare is calm people who have no traits: they settle at less than the decision.
type bare struct{ calm }

func (bare) Dims() kedge.Dims { return kedge.Dims{Decision: 1, State: 1} }

func (b bare) Next(next, p, u, _ []float64) { next[0] = b.left*p[0] - (1-b.left)*u[0] }

func (bare) Settle(p, u, _ []float64) (worst kedge.Residual, err error) {
	p[0] = -u[0]
	return worst, nil
}

// People without traits answer as well: nobody of them leans.
func TestAnswersWithoutTraits(t *testing.T) {
	g := of(0.5)
	g.Dims, g.Model.Dynamics = bare{}.Dims(), bare{calm{fading{left: 0.5}}}
	g.Course = [][]float64{{2}, {3}}
	at := g.point([]float64{-4, -2, 6}, nil, nil, []float64{1})
	if at == nil || !slices.Equal(at.Said, []float32{-1.5}) || !slices.Equal(at.Seen, []float32{1}) || len(at.Who) != 0 {
		t.Errorf("%+v", at)
	}
}

package guard

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/live"
)

// A guardrail that acts after two failures in a row does so until it passes, at once the first time, and then not within three closes of the end of the last hold.
func TestHowAGuardrailStands(t *testing.T) {
	rail, s := &live.Guardrail{After: 2, Cool: 3}, RailState{}
	for close, want := range []RailState{
		{Fails: 1}, {Fails: 1}, {Fails: 2, Acting: true}, {Fails: 3, Acting: true}, {Fails: 3, Acting: true}, {Ended: 6}, {Ended: 6}, {Fails: 1, Ended: 6}, {Fails: 2, Acting: true, Ended: 6}, {Acting: true, Ended: 6}, {Fails: 1, Acting: true, Ended: 6}, {Ended: 12},
	} {
		verdict := []string{Fail, Inconclusive, Fail, Fail, Inconclusive, Pass, Pass, Fail, Fail, Pass, Fail, Pass}[close]
		at := close + 1
		if at == 10 {
			at = 9 // which is three after the sixth
		}
		if s = s.after(rail, verdict, at); !reflect.DeepEqual(s, want) {
			t.Errorf("close %d, %s: %+v, want %+v", close+1, verdict, s, want)
		}
	}
}

// How much worse a value is than it may be, by hand: of two first closes whose losses are 10 together and whose squared errors 0.32 the mean is 5 ± √0.08.
func TestHowMuchWorseAValueIs(t *testing.T) {
	rail, loss := &live.Guardrail{Window: 2, By: 0.1}, &Gauged{7, 0.3, 50}
	half := folder.StudentHalf(math.Sqrt(0.09+0.08), 50, 0.99)
	for sum, want := range map[float64]float64{10: 7 - 5 - 0.5, -10: 7 + 5 - 0.5} {
		s := RailState{Count: 2, Sum: sum, Squares: 0.32}
		if r := s.worse(rail, loss); math.Abs(r.value-want) > 1e-12 || math.Abs(r.low-(want-half)) > 1e-12 || math.Abs(r.high-(want+half)) > 1e-12 {
			t.Errorf("%+v, want %g ± %g", r, want, half)
		}
		if r := s.worse(rail, nil); !math.IsNaN(r.value) {
			t.Errorf("of no value: %+v", r)
		}
	}
	if r := (RailState{Count: 1, Sum: 5}).worse(rail, loss); r != (reading{}) {
		t.Errorf("while the first closes are seen: %+v", r)
	}
}

// Steps go to and fro where more than four of five point against the one before.
func TestHowMuchStepsSwing(t *testing.T) {
	rail := &live.Guardrail{Window: 4}
	for n, want := range map[int]float64{3: 0.75 - 0.8, 4: 0.2, 0: -0.8} {
		s := RailState{Against: append(slices.Repeat([]bool{true}, n), slices.Repeat([]bool{false}, 4-n)...)}
		if r := s.swings(rail); math.Abs(r.value-want) > 1e-15 || r.low != r.value || r.high != r.value {
			t.Errorf("%d of 4: %+v", n, r)
		}
		s.Against = s.Against[1:]
		if r := s.swings(rail); r != (reading{}) {
			t.Errorf("of three turns: %+v", r)
		}
	}
	var s RailState
	for i, x := range []struct {
		to      []float64
		stepped bool
		against []bool
	}{
		{[]float64{0, 0}, true, nil}, {[]float64{1, 0}, true, nil}, {[]float64{0.5, 0}, true, []bool{true}}, {[]float64{0.5, 1}, true, []bool{true, false}}, {[]float64{9, 9}, false, []bool{true, false}}, // where nobody stepped
		{[]float64{9, 8}, true, []bool{true, false, true}}, {[]float64{9, 7}, true, []bool{true, false, true, false}}, {[]float64{9, 8}, true, []bool{false, true, false, true}},
	} {
		before := slices.Clone(s.Against)
		was := s
		if s.stepTo(rail, x.to, x.stepped); !slices.Equal(s.Against, x.against) || !slices.Equal(s.Iterate, x.to) || !slices.Equal(was.Against, before) {
			t.Errorf("step %d: %+v, want %v", i, s, x.against)
		}
	}
}

// What is remembered of guardrails after a close: values while the first are seen and known, steps, and no action that is taken at once.
func TestWhatIsRememberedOfGuardrails(t *testing.T) {
	g := two(func(l *live.Arrangement) {
		l.Guardrails = []live.Guardrail{{Name: "worth", Kind: live.Value, Window: 2, After: 9}, {Name: "swing", Kind: live.Swing, Window: 2, After: 9}, {Name: "back", Kind: live.External, After: 1, Action: live.GoBack}, {Name: "kill", Kind: live.External, After: 1, Action: live.Kill}, {Name: "hold", Kind: live.External, After: 1}, {Name: "else", Kind: live.External}}
	})
	fold := func(loss *Gauged, rails ...string) {
		c := Lesson{Seen: &Seen{Loss: loss}, Iterate: []float64{1}, Stepped: true}
		for _, name := range rails {
			c.Rails = append(c.Rails, Judged{Name: name, Verdict: Fail})
		}
		g.Fold(c)
	}
	if fold(nil); g.Rails != nil || g.Good != nil {
		t.Errorf("of no verdict: %v, %v", g.Rails, g.Good)
	}
	for _, loss := range []*Gauged{{Value: 3, SE: 2}, nil, {Value: 4, SE: 1}, {Value: 9, SE: 9}} {
		fold(loss, "worth", "swing", "back", "kill", "hold")
	}
	want := map[string]*RailState{
		"worth": {Fails: 4, Count: 2, Sum: 7, Squares: 5}, "back": {}, "kill": {}, "hold": {Fails: 4, Acting: true}, "swing": {Fails: 4, Iterate: []float64{1}, Step: []float64{0}, Against: []bool{false, false}},
	}
	if !reflect.DeepEqual(g.Rails, want) {
		for name, s := range g.Rails {
			t.Errorf("%s: %+v", name, *s)
		}
	}
}

// A value that is at its bound keeps it, and an interval that ends there does not break it.
func TestVerdictsAtTheirBounds(t *testing.T) {
	zero, one := 0.0, 1.0
	for _, x := range []struct {
		r           reading
		least, most *float64
		want        string
	}{
		{reading{0, -1, 1}, &zero, nil, Pass}, {reading{0, -1, 1}, nil, &zero, Pass}, {reading{0.5, 0, 1}, &zero, &one, Pass}, {reading{5, 5, 5}, nil, nil, Pass},
		{reading{-1, -2, 0}, &zero, nil, Inconclusive}, {reading{1, 0, 2}, nil, &zero, Inconclusive}, {reading{-1, -2, -0.5}, &zero, nil, Fail}, {reading{1, 0.5, 2}, nil, &zero, Fail},
		{reading{-1, -2, -0.5}, &zero, &one, Fail}, {reading{2, 1.5, 3}, &zero, &one, Fail}, {reading{2, 1, 3}, &zero, &one, Inconclusive}, {reading{-1, math.Inf(-1), 0}, &zero, &one, Inconclusive},
	} {
		if got := x.r.verdict(x.least, x.most); got != x.want {
			t.Errorf("%+v: %s, want %s", x.r, got, x.want)
		}
	}
}

// As many people as have two in every part of a sample are enough to see how certain a constraint is, and one fewer is not.
func TestHowManyPeopleAConstraintTakes(t *testing.T) {
	g := watch(t, "hold", "{}", "{}", "24h", nil)
	for n, isKnown := range map[int]bool{39: false, 40: true, 41: true} {
		seen := (&answering{Rand: rand.New(rand.NewPCG(1, 1))}).seen(n, []float64{1, 1})
		mean := 0.0
		for i := range n {
			mean += seen.P[2*i] / float64(n)
		}
		r := g.excess(g.Constraints["load"], seen)
		if isKnown != !math.IsNaN(r.value) || isKnown && (math.Abs(r.value-(mean-4.1)) > 1e-9*mean || !(r.low < r.value && r.value < r.high) || math.Abs(r.low+r.high-2*r.value) > 1e-9*mean) {
			t.Errorf("of %d people: %+v, want %g", n, r, mean-4.1)
		}
	}
}

// The ends of the interval of a share are those shares of everybody of which what was seen is just so many standard errors away [Wilson 1927].
func TestIntervalsOfShares(t *testing.T) {
	for _, share := range []float64{0, 0.25, 0.7, 1} {
		for _, n := range []float64{10, 60.5} {
			r := wilson(share, n)
			for _, p := range []float64{r.low, r.high} {
				if off := math.Abs(share - p); math.Abs(off-normal99*math.Sqrt(max(0, p*(1-p))/n)) > 1e-7 {
					t.Errorf("%g of %g: from %g to %g", share, n, r.low, r.high)
				}
			}
			if !(r.low <= share+1e-15 && share <= r.high+1e-15 && r.low < r.high) || r.value != share {
				t.Errorf("%g of %g: %+v", share, n, r)
			}
		}
	}
}

// Means and their errors with weights, by hand: of 1, 3 and 7 with weights 1, 2 and 1 the mean is 14/4; squares are 6.25 + 4·0.25 + 12.25, and people are worth 16/6. The interval of a
// quantile of 1 to 100 goes as far as the error of a share of a half: 2.5758·√(0.25/100) = 0.1288 of people to either side.
func TestStatisticsByHand(t *testing.T) {
	m := MeanOf([]float64{1, 3, 7}, []float64{1, 2, 1})
	if n := 16.0 / 6; m.Value != 3.5 || math.Abs(m.N-n) > 1e-15 || math.Abs(m.SE-math.Sqrt(19.5)/4*math.Sqrt(n/(n-1))) > 1e-15 {
		t.Errorf("%+v", m)
	}
	x := make([]float64, 100)
	for i := range x {
		x[i] = float64(100 - i)
	}
	if r := measure(live.Statistic{Of: live.QuantileOf, Level: 0.5}, x, nil); r != (reading{50, 38, 63}) {
		t.Errorf("the median of 1 to 100: %+v", r)
	}
	if r := measure(live.Statistic{Of: live.QuantileOf, Level: 0.9}, x, nil); r != (reading{90, 83, 98}) { // 2.5758·√(0.09/100) = 0.0773
		t.Errorf("the ninth decile of 1 to 100: %+v", r)
	}
	if middle, off := spreadOf([]float64{0, 1, 2, 3, 10}, nil); middle != 2 || math.Abs(off-10/4.1075) > 1e-12 { // 1.4826·1 is less
		t.Errorf("%g ± %g", middle, off)
	}
	if middle, off := spreadOf([]float64{0, 0, 4, 8, 8}, nil); middle != 4 || math.Abs(off-4*1.4826) > 1e-12 {
		t.Errorf("%g ± %g", middle, off)
	}
}

// χ² of 60 and 40 where halves are declared is (10² + 10²)/50 = 4, whose chance with one degree of freedom is 0.0455002639 [any table]; shares need not sum to 1.
func TestDeclaredShares(t *testing.T) {
	for _, x := range []struct {
		shares, people []float64
		want           float64
	}{
		{[]float64{0.5, 0.5}, []float64{60, 40}, 0.045500263896}, {[]float64{2, 2}, []float64{40, 60}, 0.045500263896}, {[]float64{1, 3}, []float64{25, 75}, 1},
		{[]float64{1, 0, 1}, []float64{60, 0, 40}, 0.045500263896}, {[]float64{1, 0, 1}, []float64{60, 1, 40}, 0}, {[]float64{1}, []float64{9}, 1}, {[]float64{0, 1}, []float64{0, 9}, 1},
		{[]float64{1, 1, 1}, []float64{40, 30, 20}, 0.035673993347}, // (10² + 10²)/30 = 20/3, whose chance with two is e^(−10/3)
	} {
		if got := fits(x.shares, x.people); math.Abs(got-x.want) > 1e-11 {
			t.Errorf("%v beside %v: %v, want %v", x.people, x.shares, got, x.want)
		}
	}
	if p := beyond(math.Inf(1), 3); p != 1 {
		t.Errorf("beyond all: %g", p)
	}
}

// A ratio that is known for certain is within bounds it is at; one whose interval ends at a bound is not beyond it.
func TestTrustAtItsBounds(t *testing.T) {
	g := two(func(l *live.Arrangement) { l.TrustWindow = 4 })
	verdict := func(seen []float32, from, to float64) string {
		var s Trusting
		g.Live.TrustBetween = []float64{from, to}
		for i, said := range []float32{-1, 1, -1, 1} {
			s = s.after(&AnswerPoint{Said: []float32{said}, Seen: []float32{seen[i]}}, []float64{1}, g)
		}
		if s.Points != nil || s.First != nil || s.Closes != 4 || s.Ratio == nil {
			t.Errorf("after a window: %+v", s)
		}
		return s.Verdict
	}
	half := []float32{-0.5, 0.5, -0.5, 0.5}
	for _, x := range []struct {
		from, to float64
		want     string
	}{{0.5, 0.5, Trusted}, {0.5, 1, Trusted}, {0.25, 0.5, Trusted}, {0.5000001, 1, Distrusted}, {0, 0.4999999, Distrusted}} {
		if got := verdict(half, x.from, x.to); got != x.want {
			t.Errorf("a half between %g and %g: %s", x.from, x.to, got)
		}
	}
	noisy := []float32{-1, 0.75, -0.5, 1}
	q := ratioOf([]AnswerPoint{{Said: []float32{-1}, Seen: noisy[:1]}, {Said: []float32{1}, Seen: noisy[1:2]}, {Said: []float32{-1}, Seen: noisy[2:3]}, {Said: []float32{1}, Seen: noisy[3:]}})
	for _, x := range []struct {
		from, to float64
		want     string
	}{{*q.Low, *q.High, Trusted}, {*q.High, *q.High + 1, ""}, {*q.Low - 1, *q.Low, ""}, {math.Nextafter(*q.High, 9), 9, Distrusted}, {-9, math.Nextafter(*q.Low, -9), Distrusted}, {math.Nextafter(*q.Low, 9), 9, ""}} {
		if got := verdict(noisy, x.from, x.to); got != x.want {
			t.Errorf("%g … %g between %g and %g: %q, want %q", *q.Low, *q.High, x.from, x.to, got, x.want)
		}
	}
}

// slope is ratioOf from the definition: numbers less the mean of their entry over turns, the least-squares slope, and its error from the scores of turns [Liang and Zeger 1986].
func slope(points []AnswerPoint) (beta, off, worth float64) {
	n, width := len(points), len(points[0].Said)
	x, y := make([][]float64, n), make([][]float64, n)
	for i, one := range points {
		for j := range width {
			x[i], y[i] = append(x[i], float64(one.Said[j])), append(y[i], float64(one.Seen[j]))
		}
	}
	for j := range width {
		for _, list := range [][][]float64{x, y} {
			mean := 0.0
			for i := range n {
				mean += list[i][j] / float64(n)
			}
			for i := range n {
				list[i][j] -= mean
			}
		}
	}
	xx, xy, fourth, scores := 0.0, 0.0, 0.0, 0.0
	for i := range n {
		own := rows.Dot(x[i], x[i])
		xx, xy, fourth = xx+own, xy+rows.Dot(x[i], y[i]), fourth+own*own
	}
	beta = xy / xx
	for i := range n {
		score := rows.Dot(x[i], y[i]) - beta*rows.Dot(x[i], x[i])
		scores += score * score
	}
	return beta, 2.6 * math.Sqrt(scores*float64(n)/float64(n-1)) / xx, xx * xx / fourth
}

// A ratio is the slope of what was seen on what was said, with errors clustered by turn, once three turns say it or as many as they are worth together.
func TestRatiosAreSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	known := 0
	for range 300 {
		n, width := 3+r.IntN(6), 1+r.IntN(3)
		points := make([]AnswerPoint, n)
		for i := range points {
			for range width {
				said := math.Exp(r.NormFloat64()) * r.NormFloat64()
				points[i].Said, points[i].Seen = append(points[i].Said, float32(said+3)), append(points[i].Seen, float32(0.7*said+r.NormFloat64()))
			}
		}
		beta, off, worth := slope(points)
		q := ratioOf(points)
		if (q.Ratio != nil) != (worth >= 3) || q.Turns != n {
			t.Errorf("turns worth %g: %+v", worth, q)
		}
		if q.Ratio == nil {
			continue
		}
		known++
		if tiny := 1e-9 * (1 + math.Abs(beta) + off); math.Abs(*q.Ratio-beta) > tiny || math.Abs(*q.Low-(beta-off)) > tiny || math.Abs(*q.High-(beta+off)) > tiny {
			t.Errorf("%g from %g to %g, want %g ± %g", *q.Ratio, *q.Low, *q.High, beta, off)
		}
	}
	if known < 50 {
		t.Errorf("only %d ratios are known", known)
	}
	three := []AnswerPoint{{Said: []float32{1, -1, 0}, Seen: []float32{1, -1, 0}}, {Said: []float32{0, 1, -1}, Seen: []float32{0, 1, -1}}, {Said: []float32{-1, 0, 1}, Seen: []float32{-1, 0, 1}}}
	if q := ratioOf(append(three, AnswerPoint{Said: make([]float32, 3), Seen: make([]float32, 3)})); q.Ratio == nil || *q.Ratio != 1 { // of which three say as much as the other
		t.Errorf("three turns that say all alike: %+v", q)
	}
	if q := ratioOf(three); q.Ratio == nil || *q.Ratio != 1 || q.Turns != 3 {
		t.Errorf("three turns: %+v", q)
	}
	if middle := (weighted{[]float64{5}, []float64{0}}).median(); middle != 5 {
		t.Errorf("the median of one is %g", middle)
	}
	if middle := (weighted{[]float64{1, 3}, []float64{1, 2}}).median(); middle != 2 {
		t.Errorf("the median of two is %g", middle)
	}
	if q := ratioOf(three[:2]); q.Ratio != nil || q.Turns != 2 {
		t.Errorf("two turns: %+v", q)
	}
	for seen, isKnown := range map[float32]bool{8: false, 7: true} { // said differs by 7.9e-6 to either side, a millionth of which are 7.9
		var points []AnswerPoint
		for _, said := range []float32{7.9e-6, -7.9e-6, 7.9e-6, -7.9e-6} {
			points = append(points, AnswerPoint{Said: []float32{said}, Seen: []float32{seen}})
		}
		if q := ratioOf(points); (q.Ratio != nil) != isKnown {
			t.Errorf("seen is %g: %+v", seen, q)
		}
	}
	for steps, isKnown := range map[int]bool{8: false, 10: true, 100: true} { // ulps of 1, of which 8.4 are a millionth
		var points []AnswerPoint
		for _, sign := range []int{1, -1, 1, -1} {
			points = append(points, AnswerPoint{Said: []float32{float32(1 + float64(sign*steps)*0x1p-23)}, Seen: []float32{0}})
		}
		for range 2 { // then of 8
			if q := ratioOf(points); (q.Ratio != nil) != isKnown {
				t.Errorf("%d ulps to either side: %+v", steps, q)
			}
			for i := range points {
				points[i].Said[0] *= 8
			}
		}
	}
}

// People whose numbers lie closer than one keep their medians, whatever they weigh, and so many entries and people are looked at.
func TestWhoIsLookedAt(t *testing.T) {
	g := two(func(*live.Arrangement) {})
	seen := kedge.Observation{P: []float64{1, 2, 4}, W: []float64{0.5, 0.25, 0.5}}
	if out := g.Sieve(&seen); out.Spread == nil || out.Spread.Median[0] != 2 {
		t.Errorf("weights below 1: %+v", out.Spread)
	}
	for width, want := range map[int]int{63: 63, 64: 64, 65: 64, 130: 64} {
		wide := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: width - 1, Trait: 1}})
		seen := kedge.Observation{P: make([]float64, 3*(width-1)), D: []float64{7, 8, 9}}
		if out := wide.Sieve(&seen); len(out.Spread.Median) != want || len(out.Spread.Deviation) != want || width <= 64 && out.Spread.Median[want-1] != 8 {
			t.Errorf("of %d entries %d are looked at", width, len(out.Spread.Median))
		}
	}
	for n, want := range map[int]float32{2048: 1023.5, 4096: 2047, 4097: 2048} { // of 4,096 every other one, of 4,097 the last two are apart by three
		seen := kedge.Observation{P: make([]float64, n)}
		for i := range seen.P {
			seen.P[i] = float64(i)
		}
		if out := g.Sieve(&seen); math.Abs(float64(out.Spread.Median[0]-want)) > 1 || n == 2048 && out.Spread.Median[0] != want {
			t.Errorf("the median of %d people is %g, want %g", n, out.Spread.Median[0], want)
		}
	}
}

// A range that is open to one side has an end at the other.
func TestRangesThatAreOpen(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []struct {
		state, trait []float64
		out          int
	}{{[]float64{-inf, inf}, []float64{-inf, inf}, 0}, {[]float64{-inf, 5}, []float64{-inf, inf}, 1}, {[]float64{5, inf}, []float64{-inf, inf}, 2}, {[]float64{-inf, inf}, []float64{-inf, 2}, 1}, {[]float64{-inf, inf}, []float64{3, inf}, 2}} {
		g := New(Duty{Live: live.New(), Dims: kedge.Dims{Decision: 1, State: 1, Trait: 1}})
		g.Live.StateRange, g.Live.TraitRange = x.state, x.trait
		seen := kedge.Observation{P: []float64{4, 4, 6}, D: []float64{1, 2, 3}}
		if out := g.Sieve(&seen); out.Out != x.out || out.Outside != x.out || len(seen.P) != 3-x.out {
			t.Errorf("states within %v, traits within %v: %+v", x.state, x.trait, out)
		}
	}
}

// Whoever is just so many deviations away counts, whatever those are, also of few; where all were at 0 everybody does.
func TestWhoIsJustSoFar(t *testing.T) {
	for _, x := range []struct {
		beyond        float64
		median, wide  float32
		inside, apart []float64
	}{
		{12, 10, 1, []float64{22, -2}, []float64{22.0001, -2.0001}}, {12, 10, 0.125, []float64{11.5, 8.5}, []float64{11.6, 8.4, 99}}, {0.5, 10, 2, []float64{11, 9}, []float64{11.1, 8.9, 13}},
		{12, 0, 0, []float64{0, 1e9, -1e9}, nil}, {12, -2, 3e-9, []float64{-2}, []float64{-1.9}},
	} {
		g := two(func(l *live.Arrangement) { l.Beyond = x.beyond })
		g.Spread = slices.Repeat([]Spreading{{[]float32{x.median}, []float32{x.wide}}}, 3)
		for i, list := range [][]float64{x.inside, x.apart} {
			for _, v := range list {
				seen := kedge.Observation{P: []float64{v}}
				if out := g.Sieve(&seen); out.Out != i {
					t.Errorf("%g, %g deviations of %g from %g allowed: %d out", v, x.beyond, x.wide, x.median, out.Out)
				}
			}
		}
	}
}

package moments

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/stream"
	"gonum.org/v1/gonum/mat"
)

// aggregates are means of a model that keeps half of its state, with shocks of the state and errors of what is seen.
func aggregates(b float64, dates, groups int, shocks, errors float64, seed uint64) (a Aggregates) {
	s := stream.New(seed, "aggregates")
	a.Dates, a.Groups = dates, groups
	for range dates * groups {
		a.Beside = append(a.Beside, s.Normal())
	}
	for g := range groups {
		a.Start.States, a.Start.Group = append(a.Start.States, 1, 3), append(a.Start.Group, g, g)
		p := 2.0
		for t := 1; t < dates; t++ {
			p = 0.5*p + b*a.Beside[(t-1)*groups+g] + shocks*s.Normal()
			a.Time, a.Group = append(a.Time, t), append(a.Group, g)
			a.Mean = append(a.Mean, p+errors*s.Normal())
		}
	}
	return a
}

func half(t *testing.T) *formula.Roller {
	return roller(t, formula.Source{Decision: "q", State: "p", Next: "0.5*p + b*q"}, "b")
}

// paths follows means by hand, at a number and a gain: what is missed a date ahead, and the derivatives of what is predicted in both.
func paths(a Aggregates, b, gain float64) (missed, byB, byGain []float64) {
	for g := range a.Groups {
		p, sb, sg := 2.0, 0.0, 0.0
		for t := 1; t < a.Dates; t++ {
			q := a.Beside[(t-1)*a.Groups+g]
			p, sb, sg = 0.5*p+b*q, 0.5*sb+q, 0.5*sg
			r := a.Mean[g*(a.Dates-1)+t-1] - p
			missed, byB, byGain = append(missed, r), append(byB, sb), append(byGain, sg)
			p, sb, sg = p+gain*r, sb-gain*sb, sg+r-gain*sg
		}
	}
	return missed, byB, byGain
}

// jackknifed is the error of the number, and the slopes of the loss in number and gain. Leaving a part (a group, or a date) out changes numbers, to first
// order, by the normal equations of the rest.
func jackknifed(t *testing.T, missed, x, z []float64, part []int, parts int) (deviation float64, slope [2]float64) {
	change := 0.0
	for at := range parts {
		bread, score := mat.NewDense(2, 2, nil), mat.NewVecDense(2, nil)
		for i, r := range missed {
			d := mat.NewVecDense(2, []float64{x[i], z[i]})
			if part[i] == at {
				score.AddScaledVec(score, r, d)
			} else {
				bread.RankOne(bread, 1, d, d)
			}
		}
		slope[0], slope[1] = slope[0]+score.AtVec(0), slope[1]+score.AtVec(1)
		var by mat.VecDense
		if err := by.SolveVec(bread, score); err != nil {
			t.Fatal(err)
		}
		change += by.AtVec(0) * by.AtVec(0)
	}
	return math.Sqrt(change * float64(parts-1) / float64(parts)), slope
}

// The slopes of squares of what is missed a date ahead are zero in the number and in the gain; errors are those of leaving out groups, or dates. All of it is
// computed here from the definitions.
func TestAggregatesAreLeastSquares(t *testing.T) {
	for _, c := range []struct {
		dates, groups int
		shocks        float64
		freedom       float64
	}{{7, 12, 0.3, 11}, {25, 2, 0.3, 22}, {40, 1, 0.2, 37}} {
		a := aggregates(2, c.dates, c.groups, c.shocks, 0.2, 1)
		got, err := FindAggregates(t.Context(), half(t), a, []fit.Unknown{fit.Free("b", 0)}, fit.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		missed, x, z := paths(a, got.Value[0], got.Gain)
		part, parts := a.Group, c.groups
		if c.groups < 10 {
			part, parts = nil, c.dates-1
			for _, t := range a.Time {
				part = append(part, t-1)
			}
		}
		want, slope := jackknifed(t, missed, x, z, part, parts)
		if math.Abs(slope[0]) > 1e-6 || math.Abs(slope[1]) > 1e-6 {
			t.Errorf("%d groups: slopes are %v at %v, gain %v", c.groups, slope, got.Value, got.Gain)
		}
		if math.Abs(got.Error[0]-want) > 1e-6*want || got.Freedom != c.freedom {
			t.Errorf("%d groups: %v ± %v by %v degrees, want ± %v by %v", c.groups, got.Value[0], got.Error[0], got.Freedom, want, c.freedom)
		}
		for i, s := range got.Seen {
			if math.Abs(s.Mean-a.Mean[i]) > 1e-12 || math.Abs(s.Mean-s.Predicted-missed[i]) > 1e-9 {
				t.Fatalf("%d groups: %+v, missed by %v", c.groups, s, missed[i])
			}
		}
		if math.Abs(got.Value[0]-2) > 4*got.Error[0] || !(got.Gain > 0.2) {
			t.Errorf("%d groups: %v ± %v, gain %v", c.groups, got.Value, got.Error, got.Gain)
		}
		if few := strings.Contains(strings.Join(got.Warnings, "\n"), "few"); few != (c.dates < 30) {
			t.Errorf("%d groups: %q", c.groups, got.Warnings)
		}
	}
}

// Where means are seen with errors that move nobody the gain is nothing, where shocks move people it is all.
func TestGainTellsShocksFromErrors(t *testing.T) {
	f := half(t)
	for _, c := range []struct{ shocks, errors, low, high float64 }{{0, 0.3, 0, 0.2}, {0.3, 0, 0.8, 1}} {
		got, err := FindAggregates(t.Context(), f, aggregates(2, 60, 3, c.shocks, c.errors, 2), []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Gain < c.low || got.Gain > c.high || math.Abs(got.Value[0]-2) > 4*got.Error[0] {
			t.Errorf("shocks of %v, errors of %v: gain %v, %v ± %v", c.shocks, c.errors, got.Gain, got.Value, got.Error)
		}
	}
}

// Totals with counts are means that count by how many people they are of.
func TestTotalsAreMeansThatCount(t *testing.T) {
	f := half(t)
	a := aggregates(2, 9, 2, 0, 0.3, 1)
	totals, doubled := a, a
	totals.Mean, totals.Count = nil, nil
	for i, v := range a.Mean {
		n := float64(1 + i%2)
		totals.Mean, totals.Count = append(totals.Mean, n*v), append(totals.Count, n)
	}
	x, err := FindAggregates(t.Context(), f, totals, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	doubled.Count = totals.Count
	doubled.Mean = nil
	for i, v := range a.Mean {
		doubled.Mean = append(doubled.Mean, v*totals.Count[i]*5)
	}
	for i := range doubled.Count {
		doubled.Count = append([]float64(nil), doubled.Count...)
		doubled.Count[i] *= 5
	}
	y, err := FindAggregates(t.Context(), f, doubled, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := FindAggregates(t.Context(), f, a, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(x.Value[0]-y.Value[0]) > 1e-9 || math.Abs(x.Error[0]-y.Error[0]) > 1e-9 {
		t.Errorf("%v ± %v, of five times the people %v ± %v", x.Value, x.Error, y.Value, y.Error)
	}
	if math.Abs(x.Value[0]-plain.Value[0]) < 1e-6 {
		t.Errorf("%v whoever counts", x.Value)
	}
}

// What lasts from date to date is said, and what cannot be used is refused.
func TestHostileAggregates(t *testing.T) {
	f := half(t)
	for want, spoil := range map[string]func(a *Aggregates){
		"1 date tells nothing": func(a *Aggregates) {
			a.Dates, a.Beside, a.Time, a.Group, a.Mean = 1, nil, []int{0}, []int{0}, []float64{1}
		},
		"row 3: a state is NaN":              func(a *Aggregates) { a.Mean[2] = math.NaN() },
		"row 3: a state is 1e+300":           func(a *Aggregates) { a.Mean[2] = 1e300 },
		"row 2: time 1 of group 0 is in row": func(a *Aggregates) { a.Time[1] = 1 },
		"nobody of group 1 is there at":      func(a *Aggregates) { clear(a.Start.Group) },
		"row 1: its count is 0":              func(a *Aggregates) { a.Count = make([]float64, len(a.Time)) },
		"are not of the same rows":           func(a *Aggregates) { a.Mean = a.Mean[1:] },
		"say nothing of 1 unknown":           func(a *Aggregates) { a.Time, a.Group, a.Mean = a.Time[:1], a.Group[:1], a.Mean[:1] },
		"people at the start: row 1":         func(a *Aggregates) { a.Start.States[0] = math.Inf(1) },
		"b cannot be told: no prediction":    func(a *Aggregates) { clear(a.Beside) },
		"goes on at the next":                func(a *Aggregates) { drift(a) },
		"that is few":                        func(*Aggregates) {},
	} {
		a := aggregates(2, 12, 2, 0, 0.1, 1)
		spoil(&a)
		got, err := FindAggregates(t.Context(), f, a, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
		rowed(t, err)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = strings.Join(got.Warnings, "\n")
			for _, d := range got.Blind {
				said += "\n" + d.String()
			}
		}
		if !strings.Contains(said, want) {
			t.Errorf("%q, want %q", said, want)
		}
	}
}

// drift lets means go up whatever is decided.
func drift(a *Aggregates) {
	for i, t := range a.Time {
		a.Mean[i] += float64(t)
	}
}

// Means of many people are followed with the same bits on any number of workers.
func TestWorkersChangeNoMean(t *testing.T) {
	f := half(t)
	a := aggregates(2, 6, 1, 0.2, 0.1, 1)
	a.Start = Origin{}
	for i := range 45000 {
		a.Start.States = append(a.Start.States, float64(i%7)/3)
	}
	one, err := FindAggregates(t.Context(), f, a, []fit.Unknown{fit.Free("b", 1)}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	three, err := FindAggregates(t.Context(), f, a, []fit.Unknown{fit.Free("b", 1)}, fit.Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.Value, three.Value) || !slices.Equal(one.Error, three.Error) || one.Gain != three.Gain {
		t.Errorf("%v ± %v by one worker, %v ± %v by three", one.Value, one.Error, three.Value, three.Error)
	}
}

// By hand: of what is missed at a time x·y is missed at the next, over all squares; of the first time of a group, and of other groups, nothing.
func TestWhatLasts(t *testing.T) {
	seen := func(times int, missed ...float64) (list []MeanSeen) { // group by group
		for i, r := range missed {
			list = append(list, MeanSeen{Time: 1 + i%times, Group: i / times, Mean: 5 + r, Predicted: 5})
		}
		return list
	}
	for _, c := range []struct {
		seen []MeanSeen
		want float64
	}{
		{nil, 0}, {seen(2, 0, 0), 0}, {seen(1, 1, 1, 1), 0}, {seen(3, 1, 1, 1), 2. / 3}, {seen(3, 1, -1, 1), -2. / 3}, {seen(2, 2, 1), 2. / 5}, {seen(2, 2, 1, 1, 2), 4. / 10},
	} {
		if got := lasting(c.seen); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("of %+v %v lasts, want %v", c.seen, got, c.want)
		}
	}
	pairs := func(n int, x float64) []MeanSeen { return seen(2, slices.Repeat([]float64{1, x}, n)...) } // x/(1 + x²)
	fours := func(n int) []MeanSeen { return seen(4, slices.Repeat([]float64{1, 1, 1, 1}, n)...) }      // 3/4
	for _, c := range []struct {
		dates, groups int
		seen          []MeanSeen
		want          string
	}{
		{30, 1, nil, "judged by 29 dates alone"}, {31, 1, nil, ""}, {30, 9, nil, "judged by 29 dates alone"}, {30, 10, nil, "10 groups are few for errors that go together within groups: intervals are wide by Student's law of 9 degrees"},
		{5, 29, nil, "29 groups are few"}, {5, 30, nil, ""},
		{31, 1, fours(1), ""}, {31, 1, fours(2), "goes on at the next (autocorrelation 0.75)"}, // more than 0.3 and 2/√n
		{31, 1, pairs(50, 0.32), ""}, {31, 1, pairs(50, 0.34), "goes on at the next (autocorrelation 0.30)"}, {31, 1, pairs(50, -0.34), "goes on at the next (autocorrelation -0.30)"},
	} {
		p, out := &totals{marcher: &marcher{f: half(t), cohorts: make([]*cohort, c.groups)}}, &Matched{Seen: c.seen}
		p.say(Aggregates{Exposure: Exposure{Dates: c.dates}}, out)
		if said := strings.Join(out.Warnings, "\n"); !strings.Contains(said, c.want) || (said == "") != (c.want == "") || len(out.Warnings) > 1 {
			t.Errorf("%d dates, %d groups, %d means: %q, want %q", c.dates, c.groups, len(c.seen), said, c.want)
		}
	}
}

// By hand: where nothing is left of a state at the next date, b is Σqy/Σq² whatever the gain is. No prediction tells of that, and nothing is said of it: nobody asked for it.
func TestAGainOfWhichNothingTells(t *testing.T) {
	f := roller(t, formula.Source{Decision: "q", State: "p", Next: "0*p + b*q"}, "b")
	a := aggregates(2, 12, 3, 0.2, 0.1, 1)
	got, err := FindAggregates(t.Context(), f, a, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	top, bottom := 0.0, 0.0
	for i, at := range a.Time {
		q := a.Beside[(at-1)*a.Groups+a.Group[i]]
		top, bottom = top+q*a.Mean[i], bottom+q*q
	}
	if math.Abs(got.Value[0]-top/bottom) > 1e-9 || len(got.Blind) != 0 || !(got.Error[0] > 0) || math.IsInf(got.Error[0], 0) {
		t.Errorf("%v ± %v, want %v; it says %v", got.Value, got.Error, top/bottom, got.Blind)
	}
}

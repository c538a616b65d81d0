package moments

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/stream"
)

// aggregates are means of a model that keeps half of its state, with errors of means; and what the decision adds up to in each.
func aggregates(f *formula.Roller, b float64, dates, groups int, noise float64, seed uint64) (a Aggregates, x []float64) {
	s := stream.New(seed, "aggregates")
	a.Dates, a.Groups = dates, groups
	for range dates * groups {
		a.Beside = append(a.Beside, s.Normal())
	}
	for g := range groups {
		a.Start.States, a.Start.Group = append(a.Start.States, 1, 3), append(a.Start.Group, g, g)
		sum := 0.0
		for t := 1; t < dates; t++ {
			sum = 0.5*sum + a.Beside[(t-1)*groups+g]
			x = append(x, sum)
			a.Time, a.Group = append(a.Time, t), append(a.Group, g)
			a.Mean = append(a.Mean, 2*math.Pow(0.5, float64(t))+b*sum+noise*s.Normal())
		}
	}
	return a, x
}

func half(t *testing.T) *formula.Roller {
	return roller(t, formula.Source{Decision: "q", State: "p", Next: "0.5*p + b*q"}, "b")
}

// A number in which means are linear is that of least squares; its error is that of scores that go together within groups, or over time by weights that
// fall with the distance, computed here from their definitions.
func TestAggregatesAreLeastSquares(t *testing.T) {
	for _, c := range []struct {
		dates, groups int
		freedom       float64
	}{{7, 12, 11}, {25, 2, 1.5 * 24 / 7}, {25, 1, 1.5 * 24 / 7}} {
		f := half(t)
		a, x := aggregates(f, 2, c.dates, c.groups, 0.3, 1)
		got, err := FindAggregates(t.Context(), f, a, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var xy, xx float64
		for i, v := range x {
			xy += v * (a.Mean[i] - 2*math.Pow(0.5, float64(a.Time[i])))
			xx += v * v
		}
		b := xy / xx
		byGroup, byDate := make([]float64, c.groups), make([]float64, c.dates)
		for i, v := range x {
			score := v * (a.Mean[i] - 2*math.Pow(0.5, float64(a.Time[i])) - b*v)
			byGroup[a.Group[i]] += score
			byDate[a.Time[i]] += score
		}
		meat := 0.0
		if c.groups >= 10 {
			for _, s := range byGroup {
				meat += s * s * float64(c.groups) / float64(c.groups-1)
			}
		} else {
			for i, s := range byDate {
				for j, r := range byDate {
					meat += s * r * max(0, 1-math.Abs(float64(i-j))/7) // 7 is 1.3·√24, rounded up
				}
			}
		}
		want := math.Sqrt(meat) / xx // one unknown: (rows − 1)/(rows − 1) is 1
		if math.Abs(got.Value[0]-b) > 1e-9 || math.Abs(got.Error[0]-want) > 1e-9*want || math.Abs(got.Freedom-c.freedom) > 1e-12 {
			t.Errorf("%d groups: %v ± %v by %v degrees, want %v ± %v by %v", c.groups, got.Value[0], got.Error[0], got.Freedom, b, want, c.freedom)
		}
		if len(got.Seen) != len(x) || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "few") {
			t.Errorf("%d groups: %d means, %q", c.groups, len(got.Seen), got.Warnings)
		}
	}
}

// Totals with counts are means that count by how many people they are of.
func TestTotalsAreMeansThatCount(t *testing.T) {
	f := half(t)
	a, _ := aggregates(f, 2, 9, 2, 0.3, 1)
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
		"lasts from date to date":            func(a *Aggregates) { drift(a) },
		"that is few":                        func(*Aggregates) {},
	} {
		a, _ := aggregates(f, 2, 12, 2, 0.1, 1)
		spoil(&a)
		got, err := FindAggregates(t.Context(), f, a, []fit.Unknown{fit.Free("b", 0)}, fit.Options{})
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

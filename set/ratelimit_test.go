package set

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// within is a rate limit around a decision that stays.
type within struct {
	RateLimit
	last []float64
}

func (w within) Project(u []float64) error { return w.ProjectAt(u, 1, w.last) }

// The nearest point of a set within reach of the last decision is that of the set and a ball, which Dykstra's method finds too.
func TestRateLimitIsTheNearestPointWithinReach(t *testing.T) {
	r := stream.New(3, "rate")
	for range 200 {
		last, u, want := make([]float64, 3), make([]float64, 3), make([]float64, 3)
		r.Normals(last)
		r.Normals(u)
		rows.Scale(u, 5)
		of := Simplex{Sum: 1}
		if err := of.Project(last); err != nil {
			t.Fatal(err)
		}
		const most = 0.3
		limit := within{RateLimit{of, most}, last}
		copy(want, u)
		if err := (Intersection{Of: []kedge.Set{of, Ball{Radius: most, Center: last}}}).Project(want); err != nil {
			t.Fatal(err)
		}
		if err := limit.Project(u); err != nil {
			t.Fatal(err)
		}
		if far := rows.Distance(u, last); far > most*(1+1e-15) {
			t.Errorf("%v from the last decision, want at most %v", far, most)
		}
		if e := rows.Distance(u, want); e > 1e-7 {
			t.Errorf("%v, by Dykstra's method %v", u, want)
		}
	}
}

func TestRateLimitConforms(t *testing.T) {
	limit := within{RateLimit{Ball{Radius: 1}, 0.5}, []float64{0.9, 0, 0}}
	conform.Set(t, limit, conform.Points{Tol: 1e-7, Draw: func(r *stream.Stream) []float64 {
		u := make([]float64, 3)
		r.Normals(u)
		return u
	}})
}

// A set that has moved out of reach is approached as fast as allowed.
func TestRateLimitFollowsASetThatMovesAway(t *testing.T) {
	limit := RateLimit{Changing{{0, Interval{-1, 1}}, {5, Interval{4, 5}}}, 1}
	if err := limit.Check(1); err != nil {
		t.Fatal(err)
	}
	u := []float64{1}
	for turn, want := range []float64{1, 1, 1, 1, 1, 2, 3, 4, 4} {
		last := u[0]
		u[0] -= 0.25
		if err := limit.ProjectAt(u, turn, []float64{last}); err != nil {
			t.Fatal(err)
		}
		if turn < 5 {
			u[0] = 1
		}
		if !(math.Abs(u[0]-want) <= 1e-15) {
			t.Errorf("turn %d at %v, want %v", turn, u[0], want)
		}
	}
}

func TestChangesAreChecked(t *testing.T) {
	for _, c := range []Changing{{}, {{1, Whole{}}}, {{0, Whole{}}, {3, Whole{}}, {3, Whole{}}}, {{0, Ball{Radius: -1}}}} {
		if c.Check(2) == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	for _, most := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		limit, u := RateLimit{Whole{}, most}, []float64{0}
		if limit.Check(1) == nil || limit.Project(u) == nil || limit.ProjectAt(u, 1, u) == nil {
			t.Errorf("a limit of %v was accepted", most)
		}
	}
}

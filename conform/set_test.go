package conform

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// region is a set given by its projection.
type region func(u []float64) error

func (f region) Project(u []float64) error { return f(u) }

// box projects onto |uᵢ| ≤ 1.
func box(u []float64) error {
	if err := kedge.CheckFinite("u", u); err != nil {
		return err
	}
	for i, v := range u {
		u[i] = min(max(v, -1), 1)
	}
	return nil
}

// ball projects onto ‖u‖ ≤ 2.
func ball(u []float64) error {
	if err := kedge.CheckFinite("u", u); err != nil {
		return err
	}
	if norm := rows.Norm(u); norm > 2 {
		rows.Scale(u, 1/norm)
		rows.Scale(u, 2)
	}
	return nil
}

func points() Points {
	return Points{Draw: func(r *stream.Stream) []float64 {
		x := normals(r, 4)
		rows.Scale(x, math.Ldexp(1, r.Intn(8)-2))
		return x
	}}
}

func TestSetAcceptsRightOnes(t *testing.T) {
	Set(t, region(box), points())
	Set(t, region(ball), points())
}

func TestSetCatchesBrokenOnes(t *testing.T) {
	noise := restless()
	var twins []twin
	add := func(name, caught string, f region) {
		twins = append(twins, twin{name, caught, func(t testing.TB) { Set(t, f, points()) }})
	}
	add("NaN", "Project", func(u []float64) error { u[0] = math.NaN(); return nil })
	add("halves", "Project keeps points of the set", func(u []float64) error { rows.Scale(u, 0.5); return nil })
	add("sphere", "Project brings no points apart", func(u []float64) error { rows.Scale(u, 2/rows.Norm(u)); return nil })
	add("scaled into the box", "Project finds the nearest point", func(u []float64) error {
		rows.Scale(u, 1/max(1, rows.MaxAbs(u)))
		return nil
	})
	add("NaN accepted", "Project refuses what is not finite", func(u []float64) error {
		for i, v := range u {
			u[i] = min(max(v, -1), 1)
		}
		return nil
	})
	add("NaN left alone", "Project refuses what is not finite", func(u []float64) error {
		if rows.Finite(u) {
			return box(u)
		}
		return nil
	})
	add("error after a change", "Project refuses what is not finite", func(u []float64) error {
		for i, v := range u {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				return errors.New("not finite")
			}
			u[i] = min(max(v, -1), 1)
		}
		return nil
	})
	add("overflow", "Project stands large numbers", func(u []float64) error {
		norm := math.Sqrt(rows.Dot(u, u))
		if math.IsNaN(norm) {
			return errors.New("NaN")
		}
		for i := range u {
			u[i] /= max(1, norm) / norm * norm
		}
		return nil
	})
	add("restless", "Project may be called in parallel", func(u []float64) error { u[0] = noise(); return nil })
	catch(t, append(propertyNames((&projections{}).properties()), "Project"), twins)
}

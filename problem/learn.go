package problem

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Learn says how a sensitivity is learned from deployed decisions and observed samples.
type Learn struct {
	Method   string // "least-squares", "kalman" or "window"
	Form     string // "mean", "conditional" or "panel"
	Lag      string // of mean and conditional: "state", "filtered" or "naive"; conditional knows no "state"
	Controls string // of mean: "none", "traits" or "alignment"

	Memory, Share, Trend float64
	Pole                 float64 // of filtered
	Prior                float64
	Noise, Drift         float64 // of kalman
	Trust                float64

	Dither, HalfLife float64
	Hold             int // turns that a perturbation stays
}

func (l *Learn) describe(f *form) {
	f.shared("learn", func() { l.describeKeys(f) })
}

func (l *Learn) describeKeys(f *form) {
	part := number("a number from 0 to below 1", below(0, 1))
	turns := number("a number from 1 to 1e6", closed(1, 1e6))
	fieldOr(f, "method", &l.Method, oneOf("least-squares", "kalman", "window"), "least-squares")
	fieldOr(f, "form", &l.Form, oneOf("mean", "conditional", "panel"), "mean")
	fieldOr(f, "lag", &l.Lag, oneOf("state", "filtered", "naive"), "filtered")
	fieldOr(f, "pole", &l.Pole, part, 0.9)
	fieldOr(f, "controls", &l.Controls, oneOf("none", "traits", "alignment"), "traits")
	fieldOr(f, "memory", &l.Memory, turns, 500)
	fieldOr(f, "share", &l.Share, part, 0)
	fieldOr(f, "trend", &l.Trend, turns, 1)
	fieldOr(f, "prior", &l.Prior, positive(), 1)
	fieldOr(f, "noise", &l.Noise, positive(), 0.01)
	fieldOr(f, "drift", &l.Drift, positive(), 0.001)
	fieldOr(f, "trust", &l.Trust, number("a number above 0 to 1", above(0, 1)), 0.5)
	field(f, "dither", &l.Dither, positive())
	fieldOr(f, "half-life", &l.HalfLife, number("a number above 0 or .inf", above(0, math.Inf(1))), math.Inf(1))
	fieldOr(f, "hold", &l.Hold, count(1, maxCount), 1)
}

// learner returns a sensitivity that has learned nothing yet.
func (l *Learn) learner(dim kedge.Dims) (*sensitivity.Learned, error) {
	return sensitivity.NewLearned(sensitivity.Learning{
		Dims: dim, Method: which[sensitivity.Method](l.Method, "least-squares", "kalman", "window"),
		Form:     which[sensitivity.Form](l.Form, "mean", "conditional", "panel"),
		Lag:      which[sensitivity.Lag](l.Lag, "state", "filtered", "naive"),
		Controls: which[sensitivity.Controls](l.Controls, "none", "traits", "alignment"),
		Memory:   l.Memory, Share: l.Share, Trend: l.Trend, Pole: l.Pole, Prior: l.Prior, Noise: l.Noise, Drift: l.Drift, Least: l.Trust,
	})
}

// which returns the place of a word in a list, 0 if it is not there.
func which[T ~int](word string, list ...string) T {
	for i, one := range list {
		if one == word {
			return T(i)
		}
	}
	return 0
}

// Wrong says how a sensitivity is spoiled on purpose.
type Wrong struct {
	Scale, Rotate float64
	Stale         int
}

func (w *Wrong) describe(f *form) {
	f.shared("wrong", func() { w.describeKeys(f) })
}

func (w *Wrong) describeKeys(f *form) {
	fieldOr(f, "scale", &w.Scale, number("a number above 0 to 1e6", above(0, 1e6)), 1)
	fieldOr(f, "rotate", &w.Rotate, number("degrees from -180 to 180", closed(-180, 180)), 0)
	fieldOr(f, "stale", &w.Stale, count(0, 1<<20), 0)
}

// none tells whether the sensitivity is left as it is.
func (w *Wrong) none() bool { return w == nil || *w == Wrong{Scale: 1} }

// fresh is the same without age.
func (w *Wrong) fresh() *Wrong {
	if w == nil {
		return nil
	}
	return &Wrong{Scale: w.Scale, Rotate: w.Rotate}
}

// spoil returns what the spec makes of a sensitivity.
func (w *Wrong) spoil(h kedge.Sensitivity) kedge.Sensitivity {
	if w.none() {
		return h
	}
	return &sensitivity.Wrong{Of: h, Scale: w.Scale, Degrees: w.Rotate, Stale: w.Stale}
}

// composite makes the estimator that counts the answer of the settled population.
func (p *Problem) composite(from *Algorithm, m model, dim kedge.Dims, directions online.Normals) (online.Estimator, error) {
	if from.Sensitivity != "learned" {
		h := from.Wrong.spoil(m.sensitivity(from))
		if l, ok := h.(kedge.Learner); ok {
			return p.heed(from, online.NewLearning(m.objective, l, dim), l)
		}
		return p.heed(from, &online.Composite{Objective: m.objective, Sensitivity: h, Dims: dim}, h)
	}
	l, err := from.Learn.learner(dim)
	if err != nil {
		return nil, err
	}
	spoilt := from.Wrong.spoil(l).(kedge.Learner)
	learning, err := p.heed(from, online.NewLearning(m.objective, spoilt, dim), spoilt)
	if err != nil {
		return nil, err
	}
	half := from.Learn.HalfLife
	if math.IsInf(half, 1) {
		half = 0
	}
	return online.NewDither(learning, dim.Decision, online.Dithering{Size: from.Learn.Dither, HalfLife: half, Hold: from.Learn.Hold}, p.Set, directions)
}

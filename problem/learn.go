package problem

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
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

func (l *Learn) describe(f *form.Form) {
	f.Shared("learn", func() { l.describeKeys(f) })
}

func (l *Learn) describeKeys(f *form.Form) {
	part := form.Number("a number from 0 to below 1", form.Below(0, 1))
	turns := form.Number("a number from 1 to 1e6", form.Closed(1, 1e6))
	form.FieldOr(f, "method", &l.Method, form.OneOf(form.Choice("least-squares", "By recursive least squares with forgetting.", ""), form.Choice("kalman", "By a Kalman filter of coefficients that walk at random.", ""), form.Choice("window", "By least squares over the last turns alone.", "")), "least-squares", form.Says("How coefficients follow what is observed.", "", "kalman"))
	form.FieldOr(f, "form", &l.Form, form.OneOf(form.Choice("mean", "The mean of the sample: one matrix for everybody.", "∇ᵤh v = Gᵀv"), form.Choice("conditional", "Every individual of the sample: a matrix that is linear in the trait.", "G(d) = G₀ + Σⱼ dⱼGⱼ"), form.Choice("panel", "Changes of individuals that are sampled in three successive turns.", "Δp = AΔp′ + BΔu, G = (I−A)⁻¹B")), "mean", form.Says("What is regressed on decisions.", "", "panel"))
	form.FieldOr(f, "lag", &l.Lag, form.OneOf(form.Choice("state", "The state before is a regressor too. Noise of small samples biases it.", "p = Ap′ + Bu, G = (I−A)⁻¹B"), form.Choice("filtered", "Moving averages of the decision are regressors too; the answer to the slow one counts.", ""), form.Choice("naive", "Nothing: right only if decisions are held until the crowd settles.", "")), "filtered", form.Says("What corrects for people who have not settled when they are seen.", "", "state"))
	form.FieldOr(f, "pole", &l.Pole, part, 0.9, form.Says("Of lag filtered: the weight of the past in the slow average of decisions.", "ρ in ū⁺ = ρū + (1−ρ)u", "0.9"))
	form.FieldOr(f, "controls", &l.Controls, form.OneOf(form.Choice("none", "Nothing.", ""), form.Choice("traits", "Their traits.", ""), form.Choice("alignment", "Their traits, and powers of how far these lie along the decision; a trait must be as long as a decision.", "d, dᵀu, (dᵀu)², (dᵀu)³")), "traits", form.Says("Of form mean: what is known of the sampled people that explains noise of the sample.", "", "alignment"))
	form.FieldOr(f, "memory", &l.Memory, turns, 500, form.Says("Turns that count; older ones are forgotten.", "weights (1 − 1/memory)ᵏ", "500"))
	form.FieldOr(f, "share", &l.Share, part, 0, form.Says("The least share of all turns so far that counts, so that the memory grows.", "", "0.4"))
	form.FieldOr(f, "trend", &l.Trend, turns, 1, form.Says("Turns over which a trend is removed from all that is observed; 1: differences of successive turns.", "", "100"))
	form.FieldOr(f, "prior", &l.Prior, form.Positive(), 1, form.Says("How large coefficients are before anything is seen, as a standard deviation.", "", "1"))
	form.FieldOr(f, "noise", &l.Noise, form.Positive(), 0.01, form.Says("Of kalman: the standard deviation of what is measured.", "", "0.01"))
	form.FieldOr(f, "drift", &l.Drift, form.Positive(), 0.001, form.Says("Of kalman: the standard deviation of the step that a coefficient takes in a turn.", "", "0.001"))
	form.FieldOr(f, "trust", &l.Trust, form.Number("a number above 0 to 1", form.Above(0, 1)), 0.5, form.Says("The least trust at which the learned sensitivity is used; below it the step is that of vanilla.", "", "0.5"))
	form.Field(f, "dither", &l.Dither, form.Positive(), form.Says("The length of the perturbations of deployed decisions from which is learned.", "‖w‖ in u + w", "0.1"))
	form.FieldOr(f, "half-life", &l.HalfLife, form.Number("a number above 0 or .inf", form.Above(0, math.Inf(1))), math.Inf(1), form.Says("Turns after which perturbations are half as long; .inf: they stay.", "", "5000"))
	form.FieldOr(f, "hold", &l.Hold, form.Count(1, maxCount), 1, form.Says("Turns that a perturbation stays before its opposite is tried for as many.", "", "20"))
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

func (w *Wrong) describe(f *form.Form) {
	f.Shared("wrong", func() { w.describeKeys(f) })
}

func (w *Wrong) describeKeys(f *form.Form) {
	form.FieldOr(f, "scale", &w.Scale, form.Number("a number above 0 to 1e6", form.Above(0, 1e6)), 1, form.Says("What the sensitivity is multiplied by.", "", "0.5"))
	form.FieldOr(f, "rotate", &w.Rotate, form.Number("degrees from -180 to 180", form.Closed(-180, 180)), 0, form.Says("The angle by which products with the sensitivity are turned, in degrees.", "", "30"))
	form.FieldOr(f, "stale", &w.Stale, form.Count(0, 1<<20), 0, form.Says("The sensitivity is taken at the decision of so many turns ago.", "", "100"))
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
func (p *Problem) composite(from *Algorithm, m kedge.Model, dim kedge.Dims, directions online.Normals) (online.Estimator, error) {
	if from.Sensitivity != "learned" {
		h := from.Wrong.spoil(answer(m, from))
		if l, ok := h.(kedge.Learner); ok {
			return p.heed(from, online.NewLearning(m.RowObjective(), l, dim), l)
		}
		return p.heed(from, &online.Composite{Objective: m.RowObjective(), Sensitivity: h, Dims: dim}, h)
	}
	l, err := from.Learn.learner(dim)
	if err != nil {
		return nil, err
	}
	spoilt := from.Wrong.spoil(l).(kedge.Learner)
	learning, err := p.heed(from, online.NewLearning(m.RowObjective(), spoilt, dim), spoilt)
	if err != nil {
		return nil, err
	}
	half := from.Learn.HalfLife
	if math.IsInf(half, 1) {
		half = 0
	}
	return online.NewDither(learning, dim.Decision, online.Dithering{Size: from.Learn.Dither, HalfLife: half, Hold: from.Learn.Hold}, p.Set, directions)
}

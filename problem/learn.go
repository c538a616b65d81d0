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
	fieldOr(f, "method", &l.Method, oneOf(option("least-squares", "By recursive least squares with forgetting.", ""), option("kalman", "By a Kalman filter of coefficients that walk at random.", ""), option("window", "By least squares over the last turns alone.", "")), "least-squares", says("How coefficients follow what is observed.", "", "kalman"))
	fieldOr(f, "form", &l.Form, oneOf(option("mean", "The mean of the sample: one matrix for everybody.", "∇ᵤh v = Gᵀv"), option("conditional", "Every individual of the sample: a matrix that is linear in the trait.", "G(d) = G₀ + Σⱼ dⱼGⱼ"), option("panel", "Changes of individuals that are sampled in three successive turns.", "Δp = AΔp′ + BΔu, G = (I−A)⁻¹B")), "mean", says("What is regressed on decisions.", "", "panel"))
	fieldOr(f, "lag", &l.Lag, oneOf(option("state", "The state before is a regressor too. Noise of small samples biases it.", "p = Ap′ + Bu, G = (I−A)⁻¹B"), option("filtered", "Moving averages of the decision are regressors too; the answer to the slow one counts.", ""), option("naive", "Nothing: right only if decisions are held until the crowd settles.", "")), "filtered", says("What corrects for people who have not settled when they are seen.", "", "state"))
	fieldOr(f, "pole", &l.Pole, part, 0.9, says("Of lag filtered: the weight of the past in the slow average of decisions.", "ρ in ū⁺ = ρū + (1−ρ)u", "0.9"))
	fieldOr(f, "controls", &l.Controls, oneOf(option("none", "Nothing.", ""), option("traits", "Their traits.", ""), option("alignment", "Their traits, and powers of how far these lie along the decision; a trait must be as long as a decision.", "d, dᵀu, (dᵀu)², (dᵀu)³")), "traits", says("Of form mean: what is known of the sampled people that explains noise of the sample.", "", "alignment"))
	fieldOr(f, "memory", &l.Memory, turns, 500, says("Turns that count; older ones are forgotten.", "weights (1 − 1/memory)ᵏ", "500"))
	fieldOr(f, "share", &l.Share, part, 0, says("The least share of all turns so far that counts, so that the memory grows.", "", "0.4"))
	fieldOr(f, "trend", &l.Trend, turns, 1, says("Turns over which a trend is removed from all that is observed; 1: differences of successive turns.", "", "100"))
	fieldOr(f, "prior", &l.Prior, positive(), 1, says("How large coefficients are before anything is seen, as a standard deviation.", "", "1"))
	fieldOr(f, "noise", &l.Noise, positive(), 0.01, says("Of kalman: the standard deviation of what is measured.", "", "0.01"))
	fieldOr(f, "drift", &l.Drift, positive(), 0.001, says("Of kalman: the standard deviation of the step that a coefficient takes in a turn.", "", "0.001"))
	fieldOr(f, "trust", &l.Trust, number("a number above 0 to 1", above(0, 1)), 0.5, says("The least trust at which the learned sensitivity is used; below it the step is that of vanilla.", "", "0.5"))
	field(f, "dither", &l.Dither, positive(), says("The length of the perturbations of deployed decisions from which is learned.", "‖w‖ in u + w", "0.1"))
	fieldOr(f, "half-life", &l.HalfLife, number("a number above 0 or .inf", above(0, math.Inf(1))), math.Inf(1), says("Turns after which perturbations are half as long; .inf: they stay.", "", "5000"))
	fieldOr(f, "hold", &l.Hold, count(1, maxCount), 1, says("Turns that a perturbation stays before its opposite is tried for as many.", "", "20"))
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
	fieldOr(f, "scale", &w.Scale, number("a number above 0 to 1e6", above(0, 1e6)), 1, says("What the sensitivity is multiplied by.", "", "0.5"))
	fieldOr(f, "rotate", &w.Rotate, number("degrees from -180 to 180", closed(-180, 180)), 0, says("The angle by which products with the sensitivity are turned, in degrees.", "", "30"))
	fieldOr(f, "stale", &w.Stale, count(0, 1<<20), 0, says("The sensitivity is taken at the decision of so many turns ago.", "", "100"))
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

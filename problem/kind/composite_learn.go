package kind

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Learn says how a sensitivity is learned from deployed decisions and observed samples.
type Learn struct {
	sensitivity.Learning
	online.Dithering // of the decisions from which it is learned
}

func (l *Learn) describe(f *form.Form) {
	f.Shared("learn", func() {
		l.describeFit(f)
		l.describeNumbers(f)
	})
}

func (l *Learn) describeFit(f *form.Form) {
	form.Field(f, "method", &l.Method, form.Which(
		form.As(sensitivity.LeastSquares, "least-squares", "By recursive least squares with forgetting.", ""),
		form.As(sensitivity.Kalman, "kalman", "By a Kalman filter of coefficients that walk at random.", ""),
		form.As(sensitivity.Window, "window", "By least squares over the last turns alone.", ""),
	).Or(sensitivity.LeastSquares), form.Says("How coefficients follow what is observed.", "", "kalman"))
	form.Field(f, "form", &l.Form, form.Which(
		form.As(sensitivity.Mean, "mean", "The mean of the sample: one matrix for everybody.", "∇ᵤh v = Gᵀv"),
		form.As(sensitivity.Conditional, "conditional", "Every individual of the sample: a matrix that is linear in the trait.", "G(d) = G₀ + Σⱼ dⱼGⱼ"),
		form.As(sensitivity.Panel, "panel", "Changes of individuals that are sampled in three successive turns.", "Δp = AΔp′ + BΔu, G = (I−A)⁻¹B"),
	).Or(sensitivity.Mean), form.Says("What is regressed on decisions.", "", "panel"))
	form.Field(f, "lag", &l.Lag, form.Which(
		form.As(sensitivity.State, "state", "The state before is a regressor too. Noise of small samples biases it.", "p = Ap′ + Bu, G = (I−A)⁻¹B"),
		form.As(sensitivity.Filtered, "filtered", "Moving averages of the decision are regressors too; the answer to the slow one counts.", ""),
		form.As(sensitivity.Naive, "naive", "Nothing: right only if decisions are held until the crowd settles.", ""),
	).Or(sensitivity.Filtered), form.Says("What corrects for people who have not settled when they are seen.", "", "state"))
	form.Field(f, "pole", &l.Pole, form.Number("a number above 0 and below 1", form.Open(0, 1)).Or(0.9), form.Says("Of lag filtered: the weight of the past in the slow average of decisions.", "ρ in ū⁺ = ρū + (1−ρ)u", "0.9"))
	form.Field(f, "controls", &l.Controls, form.Which(
		form.As(sensitivity.NoControls, "none", "Nothing.", ""),
		form.As(sensitivity.Traits, "traits", "Their traits.", ""),
		form.As(sensitivity.Alignment, "alignment", "Their traits, and powers of how far these lie along the decision; a trait must be as long as a decision.", "d, dᵀu, (dᵀu)², (dᵀu)³"),
	).Or(sensitivity.Traits), form.Says("Of form mean: what is known of the sampled people that explains noise of the sample.", "", "alignment"))
}

func (l *Learn) describeNumbers(f *form.Form) {
	turns := form.Number("a number from 1 to 1e6", form.Closed(1, 1e6))
	form.Field(f, "memory", &l.Memory, turns.Or(500), form.Says("Turns that count; older ones are forgotten.", "weights (1 − 1/memory)ᵏ", "500"))
	form.Field(f, "share", &l.Share, form.Number("a number from 0 to below 1", form.Below(0, 1)).Or(0), form.Says("The least share of all turns so far that counts, so that the memory grows.", "", "0.4"))
	form.Field(f, "trend", &l.Trend, turns.Or(1), form.Says("Turns over which a trend is removed from all that is observed; 1: differences of successive turns.", "", "100"))
	form.Field(f, "prior", &l.Prior, form.Positive().Or(1), form.Says("How large coefficients are before anything is seen, as a standard deviation.", "", "1"))
	form.Field(f, "noise", &l.Noise, form.Positive().Or(0.01), form.Says("Of kalman: the standard deviation of what is measured.", "", "0.01"))
	form.Field(f, "drift", &l.Drift, form.Positive().Or(0.001), form.Says("Of kalman: the standard deviation of the step that a coefficient takes in a turn.", "", "0.001"))
	form.Field(f, "trust", &l.Least, form.Number("a number above 0 to 1", form.Above(0, 1)).Or(0.5), form.Says("The least trust at which the learned sensitivity is used; below it the step is that of vanilla.", "", "0.5"))
	form.Field(f, "dither", &l.Size, form.Positive(), form.Says("The length of the perturbations of deployed decisions from which is learned.", "‖w‖ in u + w", "0.1"))
	form.Field(f, "half-life", &l.HalfLife, form.Number("a number above 0 or .inf", form.Above(0, math.Inf(1))).Or(math.Inf(1)), form.Says("Turns after which perturbations are half as long; .inf: they stay.", "", "5000"))
	form.Field(f, "hold", &l.Hold, form.Count(1, maxCount).Or(1), form.Says("Turns that a perturbation stays before its opposite is tried for as many.", "", "20"))
}

// build gives a rule the gradient that learns how the crowd answers, from perturbations of what is deployed.
func (l *Learn) build(r *online.Rule, s *Site, wrong *Wrong) error {
	fit := l.Learning
	fit.Dims = s.Dims()
	learned, err := sensitivity.NewLearned(fit)
	if err != nil {
		return s.Fail("learn", ": %v", err)
	}
	spoiled := wrong.spoil(learned).(kedge.Learner)
	learning, err := s.Keep(online.NewLearning(s.RowObjective(), spoiled, s.Dims()), spoiled)
	if err != nil {
		return err
	}
	r.Gradient, err = online.NewDither(learning, s.Dims().Decision, l.Dithering, s.Set, s.Directions)
	return err
}

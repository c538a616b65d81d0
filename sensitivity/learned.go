package sensitivity

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Regression is how the coefficients of a Learned sensitivity follow what is observed.
type Regression int

// Methods of Learned.
const (
	LeastSquares Regression = iota // recursive least squares with forgetting [picallo2022]
	Kalman                         // a Kalman filter of coefficients that walk at random [picallo2022]
	Window                         // least squares over the last turns, forgetting the rest at once [izzo2022]
)

// Form is what a Learned sensitivity regresses on what.
type Form int

// Forms of Learned.
const (
	Mean        Form = iota // the mean response: one matrix for everybody
	Conditional             // responses of individuals: a matrix G(d) = G₀ + Σⱼ dⱼGⱼ, linear in the trait
	Panel                   // changes of the same individuals over three turns: the trait cancels, Δp = AΔp′ + BΔu
)

// Lag is how a Learned sensitivity corrects for individuals that have not settled when they are seen.
type Lag int

// Corrections for the lag.
const (
	State    Lag = iota // regress on u and the state before, p = Ap′ + Bu: G = (I−A)⁻¹B [izzo2022]
	Filtered            // regress on u and a moving average of it: G answers the average
	Naive               // none: G is that of settled individuals only if decisions are held until they settle
)

// Controls are functions of sampled traits whose deviations from their mean explain part of the noise of a sample.
type Controls int

// Controls of the mean response.
const (
	NoControls Controls = iota
	Traits              // the trait d
	Alignment           // d and dᵀu, (dᵀu)², (dᵀu)³, for traits that are directions of the space of decisions
)

// Learning says how a sensitivity is learned. Zeros of the numbers mean their defaults.
type Learning struct {
	Dims     kedge.Dims
	Method   Regression
	Form     Form
	Lag      Lag // of the Mean and Conditional forms; Conditional knows no State
	Controls Controls

	Memory float64 // turns that count: a turn is forgotten by 1 − 1/Memory. Of Window: how many. Default 500
	Share  float64 // count at least this share of all turns so far, 0 ≤ Share < 1
	Trend  float64 // turns over which a trend is removed from all that is observed; 1 takes differences. Default 1
	Pole   float64 // of Filtered: weight of the past in the average of decisions. Default 0.9
	Prior  float64 // standard deviation of a coefficient before anything is seen. Default 1
	Noise  float64 // of Kalman: standard deviation of what is measured. Default 0.01
	Drift  float64 // of Kalman: standard deviation of the step of a coefficient in a turn. Default 0.001
	Every  int     // turns between two solutions. Default 10
	Least  float64 // the least trust at which products are given. Default 0.5
}

// ErrUntrusted is wrapped by the error of a product that a Learned sensitivity does not know well enough.
var ErrUntrusted = errors.New("the learned sensitivity is not trusted yet")

// Learned is a sensitivity that knows no dynamics: it learns from deployed decisions and observed samples alone how the
// population answers. With G of the chosen form, ∇ᵤh v = Gᵀv.
//
// A regression of states on decisions seen turn by turn gives the first answer of the population, not that of the settled one: it
// is biased to the myopic sensitivity. Lag says what is done about it. Sampling noise in a regressor biases too, towards 0;
// so State wants panels, whole populations or large samples, and Filtered, whose regressors are known exactly, takes small ones.
//
// The coefficients are those of ridge regression with the prior N(0, Prior²) and the variance of the residuals, so that what is
// not excited stays at 0. Trust is what tells how far to rely on them.
type Learned struct {
	config Learning
	layout layout
	past   past
	fit    fit
	gain   []float64 // G, state × decision; of Conditional followed by G₁, G₂, …
	trust  float64
}

var _ kedge.Learner = (*Learned)(nil)

// NewLearned returns a sensitivity that has learned nothing.
func NewLearned(c Learning) (*Learned, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c.fill()
	l := &Learned{config: c, layout: c.layout()}
	blocks := 1
	if c.Form == Conditional {
		blocks += c.Dims.Trait
	}
	l.gain = make([]float64, blocks*c.Dims.State*c.Dims.Decision)
	l.past = newPast(&l.layout, &l.config)
	l.fit = newFit(&l.layout, &l.config)
	return l, nil
}

func (c *Learning) check() error {
	inf := math.Inf(1)
	err := errors.Join(
		checkRange("Decision", float64(c.Dims.Decision), 1, inf, "a number ≥ 1"),
		checkRange("State", float64(c.Dims.State), 1, inf, "a number ≥ 1"),
		checkRange("Trait", float64(c.Dims.Trait), 0, inf, "a number ≥ 0"),
		checkRange("Memory", c.Memory, 0, inf, "a finite number ≥ 0"),
		checkRange("Share", c.Share, 0, math.Nextafter(1, 0), "0 ≤ Share < 1"),
		checkRange("Trend", c.Trend, 0, inf, "a finite number ≥ 0"),
		checkRange("Pole", c.Pole, 0, math.Nextafter(1, 0), "0 ≤ Pole < 1"),
		checkRange("Prior", c.Prior, 0, inf, "a finite number ≥ 0"),
		checkRange("Noise", c.Noise, 0, inf, "a finite number ≥ 0"),
		checkRange("Drift", c.Drift, 0, inf, "a finite number ≥ 0"),
		checkRange("Every", float64(c.Every), 0, inf, "a number ≥ 0"),
		checkRange("Least", c.Least, 0, 1, "0 ≤ Least ≤ 1"))
	if c.Form == Conditional && c.Lag == State {
		err = errors.Join(err, errors.New("the form Conditional wants the lag Filtered or Naive"))
	}
	if c.Controls == Alignment {
		err = errors.Join(err, kedge.CheckDim("a trait that is compared with the decision", c.Dims.Trait, c.Dims.Decision))
	}
	return err
}

// fill puts defaults where there are zeros.
func (c *Learning) fill() {
	for _, f := range [...]struct {
		x      *float64
		absent float64
	}{{&c.Memory, 500}, {&c.Trend, 1}, {&c.Pole, 0.9}, {&c.Prior, 1}, {&c.Noise, 0.01}, {&c.Drift, 0.001}, {&c.Least, 0.5}} {
		if *f.x == 0 {
			*f.x = f.absent
		}
	}
	if c.Every == 0 {
		c.Every = 10
	}
	c.Memory, c.Trend = max(1, c.Memory), max(1, c.Trend)
}

// Observe learns from a turn. On an error nothing is learned.
func (l *Learned) Observe(o kedge.Observation) error {
	dim := l.config.Dims
	n, err := o.Sample(dim)
	if n == 0 {
		return err
	}
	if err := errors.Join(kedge.CheckVector("observation U", o.U, dim.Decision), kedge.CheckFinite("observation P", o.P),
		kedge.CheckVector("observation D", o.D, n*dim.Trait)); err != nil {
		return err
	}
	l.fit.forget(l.past.turns)
	l.past.see(o, n, l.fit.add)
	if l.past.turns%l.config.Every == 0 {
		l.solve()
	}
	return nil
}

// solve finds the gain and how far it can be trusted. What is not finite is forgotten.
func (l *Learned) solve() {
	l.trust = 0
	if !l.fit.solve() {
		return
	}
	trust := l.fit.gain(l.gain)
	if !rows.Finite(l.gain) || math.IsNaN(trust) {
		clear(l.gain)
		l.fit.reset()
		return
	}
	l.trust = trust
}

// Trust tells how far products can be relied on, from 0, not at all, to 1; whatever is below Least counts as 0. It is (1 − e)·s:
// e is the expected error of the answer to the decisions that were deployed, relative to that answer, and s the share of all
// directions of the decision in which the regression knows more than the prior does. The error is that which noise makes: what
// the form of the regression misses, such as a lag of another shape or a gain that has changed since, is not in it.
func (l *Learned) Trust() float64 {
	if l.trust < l.config.Least {
		return 0
	}
	return l.trust
}

// Gain returns the gain G as it is known now, state by decision, trusted or not. Of Conditional it is G₀, and further blocks follow.
func (l *Learned) Gain() []float64 { return l.gain }

// PullRows implements [kedge.Sensitivity]. It reads v, and d in the form Conditional. The error wraps ErrUntrusted while the
// trust is 0.
func (l *Learned) PullRows(gu, _, _, d, v []float64) error {
	dim := l.config.Dims
	mustBe("gu", gu, dim.Decision)
	if l.Trust() == 0 {
		return fmt.Errorf("its trust is %.3g, want %.3g: %w", l.trust, l.config.Least, ErrUntrusted)
	}
	block := dim.State * dim.Decision
	borrowed := scratch.Borrow(dim.Decision + dim.State)
	defer borrowed.Return()
	sum, total := borrowed.X[:dim.Decision], borrowed.X[dim.Decision:]
	count := sumRows(total, v)
	rows.AddMulT(sum, l.gain[:block], total)
	if l.config.Form == Mean || l.config.Form == Panel {
		return commit(gu, sum, nil, nil, nil, v, count)
	}
	mustBe("d", d, count*dim.Trait)
	for j := range dim.Trait {
		clear(total)
		for i := range count {
			rows.AddScaled(total, d[i*dim.Trait+j], kedge.Row(v, i, dim.State))
		}
		rows.AddMulT(sum, l.gain[(1+j)*block:(2+j)*block], total)
	}
	return commit(gu, sum, nil, nil, d, v, count)
}

var _ wire.Described = (*Learned)(nil)

// Describe gives all that was learned.
func (l *Learned) Describe(f *wire.Fields) {
	p := &l.past
	seen := p.seen()
	for _, n := range []*int{&p.turns, &l.fit.count, &seen} {
		f.Int(n, math.MaxInt)
	}
	for _, x := range []*float64{&l.fit.weight, &l.trust, &p.mass, &p.usual} {
		f.Float(x)
	}
	fixed := append(l.fit.memory(), p.quick, p.slow, p.trend, p.before, p.mean, p.u, l.gain)
	f.Fixed(fixed...)
	p.describeCrowd(f, seen)
	for _, x := range []*[]float64{&p.p, &p.d, &p.step} {
		f.Floats(x)
	}
	wire.List(f, &p.who, 8, f.Uint64)
	wire.List(f, &p.moved, 8, f.Bool)
	l.check(f)
	f.Finite("what was saved", append(fixed, p.p, p.d, p.step, []float64{p.mass, p.usual})...)
}

// check refuses what no sensitivity can have saved.
func (l *Learned) check(f *wire.Fields) {
	p := &l.past
	n := len(p.p) / l.config.Dims.State
	if len(p.step) != len(p.p) || len(p.d) != n*l.config.Dims.Trait || len(p.moved) != n || len(p.who) != 0 && len(p.who) != n || n*l.config.Dims.State != len(p.p) {
		f.Fail("individuals of different numbers")
	}
	if !(l.trust >= 0 && l.trust <= 1) || !(l.fit.weight >= 0) || !(p.mass >= 0) || !(p.usual >= 0) {
		f.Fail("a trust of %v and a weight of %v", l.trust, l.fit.weight)
	}
}

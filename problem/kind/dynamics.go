package kind

import (
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Dynamics is a kind of motion: how an individual answers a decision.
type Dynamics interface {
	form.Kind
	// Describe describes its keys.
	Describe(f *form.Form)
	// Dims returns the lengths of a decision, a state and a trait, whose law draws so many entries.
	Dims(dim int) kedge.Dims
	// Check looks for what must hold between its keys.
	Check(s *Scene)
	// Build makes the dynamics, where they settle and how that answers decisions. Without a settler one is found by iteration.
	Build(dim kedge.Dims) (kedge.Model, error)
	// Words says by which law states move.
	Words() string
}

// Housed is Dynamics whose states live in a space of their own.
type Housed interface{ Habitat() Habitat }

// Sized is Dynamics that decide by keys of their own how long decisions and states are.
type Sized interface{ DimKeys() []string }

// Diverse is Dynamics of which everybody may have parameters of their own.
type Diverse interface {
	// Parameters returns them in the order of a trait's last entries, none where everybody has the same.
	Parameters() []Parameter
}

// Parameter is one of everybody's own, uniform between two numbers.
type Parameter struct {
	Key, Symbol string
	Interval    []float64
	Own         bool // otherwise it is the same for all
}

// Wary is Dynamics that know when what they do is not what a reader expects.
type Wary interface {
	// Warning is about decisions up to a length, "" if there is nothing to say.
	Warning(reach float64) string
}

// Remembering is Dynamics that can keep the norm of the step that led to a state as one entry more of it.
type Remembering interface {
	// Remember makes what Build makes of states of so many entries, with one more.
	Remember(n int) kedge.Model
}

// SketchedDynamics are those that a few answers describe.
type SketchedDynamics interface {
	// Sketch says what goes with them for decisions of so many entries.
	Sketch(dim int) DynamicsSketch
}

// DynamicsSketch is what goes with a kind of dynamics.
type DynamicsSketch struct {
	Keys              string   // of the dynamics
	Law               string   // the keys of the population's law
	Objectives        []string // the first is the default
	Sets              []string
	Lower, Upper, Sum float64 // of entries of a decision: between which numbers they are, and what they add up to where they must
	Least, Dim, Most  int     // numbers that are decided
	People, Turns     int
	Step              float64
	Batch             int
}

// DescribeDynamics describes dynamics by their kind and the keys of that.
func (c *Catalogue) DescribeDynamics(f *form.Form, x *Dynamics) {
	form.Pick(f, "kind", x, c.Dynamics, "", form.Says("The law of motion of an individual.", "", "polarized"))
	if *x != nil {
		(*x).Describe(f)
	}
}

// HabitatOf returns where the states of dynamics live.
func HabitatOf(d Dynamics) Habitat {
	if h, ok := d.(Housed); ok {
		return h.Habitat()
	}
	return Anywhere
}

// ParametersOf returns the parameters that are everybody's own.
func ParametersOf(d Dynamics) []Parameter {
	if h, ok := d.(Diverse); ok {
		return h.Parameters()
	}
	return nil
}

// alike are the dimensions of dynamics whose decisions, states and traits are of one length, but for parameters of everybody's own.
func alike(d Dynamics, dim int) kedge.Dims {
	return kedge.Dims{Decision: dim, State: dim, Trait: dim + len(ParametersOf(d))}
}

// AffineModel is the model of affine dynamics, with the sensitivity that follows from their gain.
func AffineModel(f *dynamics.Affine, err error) (kedge.Model, error) {
	if err != nil {
		return kedge.Model{}, err
	}
	gain, err := f.Gain()
	if err != nil {
		return kedge.Model{}, err
	}
	h, err := sensitivity.NewAffine(f.Dims(), gain)
	return kedge.Model{Dynamics: f, Settler: f, Sensitivity: h}, err
}

// parameter is everybody's own where an interval is given, the same for all otherwise.
func parameter(key, symbol string, interval []float64, common float64) Parameter {
	if interval == nil {
		return Parameter{key, symbol, []float64{common, common}, false}
	}
	return Parameter{key, symbol, interval, true}
}

// describeInterval describes between which numbers a parameter of everybody's own is.
func describeInterval(f *form.Form, key string, x *[]float64, each form.Codec[float64], more, formula, example string) {
	form.Field(f, key, x, form.Numbers(each).Optional(), form.Says("Between which numbers everybody's "+key+" is."+more, formula, example))
}

// heterogeneity says what the section of everybody's own parameters is for.
func heterogeneity() form.Meaning {
	return form.Says("Parameters that are everybody's own, uniform between two numbers each; the others are the same for all.", "", "{lambda: [0.3, 0.5]}")
}

// checkIntervals refuses intervals that are none, and tells whether there is none of those.
func checkIntervals(s *Scene, all []Parameter) bool {
	for _, p := range all {
		key := "dynamics.heterogeneity." + p.Key
		if !s.Sound(key) {
			return false
		}
		if i := p.Interval; len(i) != 2 || i[0] > i[1] {
			s.Fail(form.Paths(key), "%s is %v, want two numbers, the smaller one first", key, i)
			return false
		}
	}
	return true
}

// banded writes a square matrix with one number on the diagonal and another to the right of it, round the corner.
func banded(n int, diagonal, right float64) string {
	var b strings.Builder
	for i := range n {
		row := make([]float64, n)
		row[i] = diagonal
		row[(i+1)%n] += right
		fmt.Fprintf(&b, ", [%s]", strings.ReplaceAll(strings.Trim(fmt.Sprint(row), "[]"), " ", ", "))
	}
	return "[" + strings.TrimPrefix(b.String(), ", ") + "]"
}

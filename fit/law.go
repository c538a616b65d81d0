package fit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/portable"
)

// ErrorLaw is what the errors of an entry of the state are taken to be.
type ErrorLaw struct {
	Kind    LawKind
	Freedom float64 // of Student's law: its degrees of freedom
}

// LawKind is a kind of law.
type LawKind int

// Normal errors have a scale that is found, as Student's have. Counts have the mean that the model predicts, and so have answers of yes or no.
const (
	Normal LawKind = iota
	Student
	Poisson
	Bernoulli
)

// The least and the most degrees of freedom: with fewer the law has no use, with more it is normal.
const leastFreedom, mostFreedom = 1, 200

// ParseLaw reads "normal", "student 4", "poisson" or "bernoulli".
func ParseLaw(text string) (ErrorLaw, error) {
	switch words := strings.Fields(text); {
	case len(words) == 1 && words[0] == "normal":
		return ErrorLaw{}, nil
	case len(words) == 1 && words[0] == "poisson":
		return ErrorLaw{Kind: Poisson}, nil
	case len(words) == 1 && words[0] == "bernoulli":
		return ErrorLaw{Kind: Bernoulli}, nil
	case len(words) == 2 && words[0] == "student":
		if v, err := strconv.ParseFloat(words[1], 64); err == nil && v >= leastFreedom && v <= mostFreedom {
			return ErrorLaw{Student, v}, nil
		}
	}
	return ErrorLaw{}, &InputError{-1, fmt.Sprintf("%q is no law of errors; want normal, poisson, bernoulli, or student with %d to %d degrees of freedom, as in student 4", text, leastFreedom, mostFreedom)}
}

func (w ErrorLaw) String() string {
	if w.Kind == Student {
		return "student " + strconv.FormatFloat(w.Freedom, 'g', -1, 64)
	}
	return [...]string{"normal", "student", "poisson", "bernoulli"}[min(max(w.Kind, Normal), Bernoulli)]
}

// hasScale tells whether its scale is to be found.
func (w ErrorLaw) hasScale() bool { return w.Kind <= Student }

// isNormal tells whether least squares are the likeliest.
func isNormal(laws []ErrorLaw) bool {
	return !slices.ContainsFunc(laws, func(w ErrorLaw) bool { return w.Kind != Normal })
}

// fault says what of a next state the law does not allow, "" if nothing.
func (w ErrorLaw) fault(y float64) string {
	switch {
	case w.Kind == Poisson && y < 0:
		return fmt.Sprintf("a state after is %v, and counts are not below 0", y)
	case w.Kind == Bernoulli && (y < 0 || y > 1):
		return fmt.Sprintf("a state after is %v, and answers are 0 or 1", y)
	}
	return ""
}

// misses says why a mean that the model predicts cannot be one, "" if it can.
func (w ErrorLaw) misses(mean float64) string {
	switch {
	case w.Kind == Poisson && !(mean > 0):
		return fmt.Sprintf("the best model predicts a mean count of %v, which must be above 0: ranges, or another form such as exp(…)", mean)
	case w.Kind == Bernoulli && !(mean > 0 && mean < 1):
		return fmt.Sprintf("the best model predicts a chance of %v, which must be between 0 and 1: ranges, or another form such as sigmoid(…)", mean)
	}
	return ""
}

// verdict is what a law says of one observation: less the log of the likelihood, its slope in the mean with its sign turned, and curvatures that are never
// negative (lent to a search), as they are, and as they are expected; then the same of the logarithm of the scale, and of both.
type verdict struct {
	loss, score, curve, bend, expected   float64
	scaleScore, scaleBend, scaleExpected float64
	cross                                float64
}

// of judges an observation y where the mean is predicted, and the scale with its logarithm. Near is how close a mean may come to where the law ends: beyond that
// a parabola goes on, so that searches that begin outside find in.
func (w ErrorLaw) of(y, mean, scale, logScale, near float64) verdict {
	switch w.Kind {
	case Poisson:
		return counted(y, mean, near)
	case Bernoulli:
		return answered(y, mean)
	}
	z := (y - mean) / scale
	square := float64(z * z)
	if w.Kind == Normal {
		by := 1 / scale / scale
		return verdict{
			loss: float64(square/2) + logScale, score: z / scale, curve: by, bend: by, expected: by,
			scaleScore: square - 1, scaleBend: float64(2 * square), scaleExpected: 2, cross: float64(2*z) / scale,
		}
	}
	v := w.Freedom
	q := v + square
	share, by := (v+1)/q, 1/scale/scale
	return verdict{
		loss: float64((v+1)/2*portable.Log1p(square/v)) + logScale, score: float64(share*z) / scale, curve: float64(share * by),
		bend: float64(float64(share*(v-square)/q) * by), expected: float64((v + 1) / (v + 3) * by),
		scaleScore: float64(share*square) - 1, scaleBend: float64(share * 2 * v * square / q), scaleExpected: float64(2*v) / (v + 3),
		cross: float64(share*2*v*z/q) / scale,
	}
}

// counted is Poisson's law, its loss above the least that it can be.
func counted(y, mean, near float64) (out verdict) {
	at := max(mean, near)
	out.loss = at - y
	if y > 0 {
		out.loss -= float64(y * portable.Log(at/y))
	}
	out.score, out.curve = y/at-1, 1/at
	if mean < near {
		out.lean(mean-at, (y+at)/at/at)
	}
	out.bend, out.expected = out.curve, out.curve
	return out
}

// edge is how near to 0 and 1 chances are taken as they are.
const edge = 1e-6

// answered is Bernoulli's law.
func answered(y, mean float64) (out verdict) {
	at := min(max(mean, edge), 1-edge)
	if y > 0 {
		out.loss -= float64(y * portable.Log(at/y))
	}
	if y < 1 {
		out.loss -= float64((1 - y) * portable.Log((1-at)/(1-y)))
	}
	out.curve = 1 / at / (1 - at)
	out.score = float64((y - at) * out.curve)
	if mean != at {
		out.lean(mean-at, y/at/at+(1-y)/(1-at)/(1-at)+1/edge)
	}
	out.bend, out.expected = out.curve, out.curve
	return out
}

// lean goes on by a parabola of so much curvature.
func (v *verdict) lean(by, curve float64) {
	v.loss += float64(float64(by*by)*curve/2) - float64(v.score*by)
	v.score -= float64(curve * by)
	v.curve = curve
}

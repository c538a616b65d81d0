package population

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/stream"
)

// NumberLaw is a kind of laws of single numbers, by what its parameters are called.
type NumberLaw struct {
	Name       string
	Parameters []string

	fault func(a []float64) string // of parameters that are finite
	mean  func(a []float64) float64
	draw  func(a []float64, s *stream.Stream) float64
}

// NumberLaws returns those that noise can have. All have a mean.
func NumberLaws() []NumberLaw {
	middle := func(a []float64) float64 { return a[0] }
	wide := func(name string) func(a []float64) string {
		return func(a []float64) string { return unless(a[1] >= 0, "the "+name+" is %v, want at least 0", a[1]) }
	}
	return []NumberLaw{
		{"normal", []string{"mean", "deviation"}, wide("deviation"), middle,
			func(a []float64, s *stream.Stream) float64 { return a[0] + float64(a[1]*s.Normal()) }},
		{"uniform", []string{"low", "high"},
			func(a []float64) string { return unless(a[0] <= a[1], "%v is above the other end", a[0]) },
			func(a []float64) float64 { return float64(a[0]/2) + float64(a[1]/2) },
			func(a []float64, s *stream.Stream) float64 { return a[0] + float64((a[1]-a[0])*s.Float64()) }},
		{"laplace", []string{"mean", "scale"}, wide("scale"), middle, drawLaplace},
		{"student", []string{"freedom", "scale"}, func(a []float64) string {
			return cmp.Or(unless(a[0] > 1, "the degrees of freedom are %v, want more than 1, up to which there is no mean", a[0]), wide("scale")(a))
		}, func([]float64) float64 { return 0 }, drawStudent},
		{"lognormal", []string{"mean of the logarithm", "deviation of the logarithm"}, wide("deviation"),
			func(a []float64) float64 { return portable.Exp(a[0] + float64(float64(a[1]*a[1])/2)) },
			func(a []float64, s *stream.Stream) float64 { return portable.Exp(a[0] + float64(a[1]*s.Normal())) }},
		{"exponential", []string{"mean"}, func(a []float64) string { return unless(a[0] >= 0, "the mean is %v, want at least 0", a[0]) }, middle,
			func(a []float64, s *stream.Stream) float64 { return -float64(a[0] * portable.Log(1-s.Float64())) }},
		{"bernoulli", []string{"probability"},
			func(a []float64) string {
				return unless(a[0] >= 0 && a[0] <= 1, "the probability is %v, want a number from 0 to 1", a[0])
			}, middle,
			func(a []float64, s *stream.Stream) float64 {
				if s.Float64() < a[0] {
					return 1
				}
				return 0
			}},
	}
}

func unless(holds bool, format string, v float64) string {
	if holds {
		return ""
	}
	return fmt.Sprintf(format, v)
}

func drawLaplace(a []float64, s *stream.Stream) float64 {
	far := -float64(a[1] * portable.Log(1-s.Float64()))
	if s.Float64() < 0.5 {
		far = -far
	}
	return a[0] + far
}

// drawStudent is Bailey's polar method [bailey1994].
func drawStudent(a []float64, s *stream.Stream) float64 {
	for {
		x, y := float64(2*s.Float64())-1, float64(2*s.Float64())-1
		if w := float64(x*x) + float64(y*y); w > 0 && w <= 1 {
			return a[1] * x * math.Sqrt(a[0]*(portable.Pow(w, -2/a[0])-1)/w)
		}
	}
}

// Number is a law of single numbers with its parameters.
type Number struct {
	NumberLaw
	Of []float64
}

// Check says what is wrong with the parameters.
func (n Number) Check() error {
	if len(n.Of) != len(n.Parameters) {
		return fmt.Errorf("%s has %d parameters, want %d", n.Name, len(n.Of), len(n.Parameters))
	}
	if err := kedge.CheckFinite(n.Name, n.Of); err != nil {
		return err
	}
	if fault := n.fault(n.Of); fault != "" {
		return errors.New(fault)
	}
	return kedge.CheckFinite("the mean of "+n.Name, []float64{n.Mean()})
}

// Mean is the mean of the numbers.
func (n Number) Mean() float64 { return n.mean(n.Of) }

// Draw draws one of the numbers.
func (n Number) Draw(s *stream.Stream) float64 { return n.draw(n.Of, s) }

// Stir is noise that the dynamics take as a number: drawn anew for everybody every step, by individual and step.
type Stir struct {
	// Next moves rows of states as the dynamics do, with the noise of everybody in the rows of e.
	Next  func(dst, p, u, d, e []float64)
	Draws []Draws // of the entries of e, in order
}

// Draws are so many numbers of a law, from a stream of their own, which is not moved.
type Draws struct {
	Number
	Entries int
	Stream  *stream.Stream
}

func (s *Stir) check() (err error) {
	for _, d := range s.Draws {
		err = errors.Join(err, d.Check(), checkSize("the entries of noise", d.Entries), checkStream("noise", d.Stream, true))
	}
	return err
}

func (s *Stir) width() (n int) {
	for _, d := range s.Draws {
		n += d.Entries
	}
	return n
}

// stirrer is what one worker draws with.
type stirrer struct {
	from []stream.Stream
	e    []float64 // of a chunk
}

func newStirrer(s *Stir, people int) stirrer {
	w := stirrer{e: make([]float64, people*s.width())}
	for _, d := range s.Draws {
		w.from = append(w.from, *d.Stream)
	}
	return w
}

// draw returns the noise of n individuals from number first on, one a row.
func (s *Stir) draw(n, first, step int, with *stirrer) []float64 {
	width := s.width()
	for i := range n {
		row := kedge.Row(with.e, i, width)
		for k, d := range s.Draws {
			from := &with.from[k]
			seek(from, step, first+i)
			for j := range d.Entries {
				row[j] = d.NumberLaw.draw(d.Of, from)
			}
			row = row[d.Entries:]
		}
	}
	return with.e[:n*width]
}

package optimum

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// Where a loss has kinks a walk stops although its gradient is not small. What is small at a minimum is the smallest mean of the
// gradients nearby, as near as one likes [burke2005]. Where it jumps, only its values help [hooke1961].

const (
	nearest    = 1e-10 // smallest radius, of the length
	sharpSteps = 400   // evaluations in one round of samples, at most so many rounds
)

// sharpen goes on from a place where a walk got stuck, by steps against the smallest mean of gradients sampled nearby. The radius shrinks
// whenever that mean is small.
func (l *landscape) sharpen(from place, part float64) place {
	n := len(from.u)
	s := &bundle{land: l, place: from, random: stream.New(1, "bundle"), d: make([]float64, n), next: make([]float64, n)}
	s.steepest = max(s.steepest, 1e-300)
	s.kink, s.radius = true, 1e-2
	for range sharpSteps {
		if l.over() {
			break
		}
		s.sample()
		s.residual = s.smallest()
		if !s.still(part) && s.step() {
			continue
		}
		if s.radius <= nearest {
			break
		}
		s.radius = max(nearest, s.radius/8)
	}
	return s.place
}

// bundle is the gradients near a place and their smallest mean.
type bundle struct {
	place
	land      *landscape
	random    *stream.Stream
	gradients [][]float64
	d, next   []float64 // the way that the smallest mean leads, and a try
}

// sample takes the gradients at the place and at random ones within the radius, all in the set.
func (s *bundle) sample() {
	n := len(s.u)
	s.gradients = s.gradients[:0]
	for i := range 2*n + 3 {
		v := s.u
		if i > 0 {
			if v = beside(s.u, s.radius, s.random); s.land.project(v) != nil {
				continue
			}
		}
		g := make([]float64, n)
		s.steps++
		if loss := s.land.eval(g, v); !math.IsInf(loss, 1) {
			s.gradients = append(s.gradients, g)
		}
	}
}

// beside returns a random decision within a radius, entry by entry.
func beside(u []float64, radius float64, random *stream.Stream) []float64 {
	v := slices.Clone(u)
	for i := range v {
		v[i] += float64(radius * (2*random.Float64() - 1))
	}
	return v
}

// smallest sets d against the mean of the gradients that is smallest when it may be pushed along the outward normals of the set, and
// returns its length: the residual.
func (s *bundle) smallest() float64 {
	if len(s.gradients) == 0 {
		return math.Inf(1)
	}
	mean, _ := smallestMean(s.gradients, s.normals())
	copy(s.d, mean)
	rows.Scale(s.d, -1)
	return rows.Norm(s.d)
}

// normals are the directions in which the set holds back steps against the gradients: outward normals where it ends here, none inside.
func (s *bundle) normals() (list [][]float64) {
	held := make([]float64, len(s.u))
	for _, g := range s.gradients {
		short := s.radius / max(rows.Norm(g), 1e-300) // as if the set were its tangent here
		copy(s.next, s.u)
		rows.AddScaled(s.next, -short, g)
		copy(held, s.next)
		if s.land.project(held) != nil {
			continue
		}
		n := append([]float64(nil), s.next...)
		rows.AddScaled(n, -1, held)
		if rows.Norm(n) > 1e-3*s.radius {
			list = append(list, n)
		}
	}
	return list
}

// step goes along d as far as the loss falls in earnest, and tells whether it did.
func (s *bundle) step() bool {
	for t := 1.0; t*rows.Norm(s.d) > s.radius/64; t /= 2 {
		if s.land.stepped(s.next, s.u, t, s.d) != nil {
			continue
		}
		s.steps++
		g := make([]float64, len(s.u))
		if loss := s.land.eval(g, s.next); loss < s.loss-float64(1e-4*t*rows.Dot(s.d, s.d)) {
			copy(s.u, s.next)
			s.loss = loss
			return true
		}
	}
	return false
}

// mostPolled is the largest number of entries of which each is tried by itself.
const mostPolled = 64

// poll looks around a place along the axes, from far to near, and follows whatever is better [hooke1961]. It needs no gradients: it is
// what finds the edge of a jump, and what notices a minimum that is none.
func (l *landscape) poll(from place, widest float64) place {
	p := from
	if len(p.u) > mostPolled {
		return p
	}
	p.u = append([]float64(nil), p.u...)
	g, u := make([]float64, len(p.u)), make([]float64, len(p.u))
	first := p.loss
	better := func(axis int, by float64) bool {
		if l.aside(u, p.u, axis, by) != nil {
			return false
		}
		p.steps++
		loss := l.eval(g, u)
		if !(loss < p.loss-float64(1e-12*max(math.Abs(loss), math.Abs(first)))) {
			return false
		}
		copy(p.u, u)
		p.loss = loss
		return true
	}
	for r, moves := widest, 0; r > nearest && !l.over(); {
		moved := false
		for axis := range p.u {
			moved = better(axis, r) || better(axis, -r) || moved
		}
		if moves++; !moved || moves > 200 {
			r, moves = r/4, 0
		}
	}
	return p
}

// jumps tells whether the loss jumps at a place that is not smooth: whether it differs next to it about as much as farther off.
func (s *searcher) jumps(p place) bool {
	if p.still(loose) && !p.kink {
		return false
	}
	differ := func(r float64) (most float64) {
		random := stream.New(1, "jumps")
		for range 4*min(len(p.u), mostPolled) + 4 {
			u := beside(p.u, r, random)
			if s.land.project(u) != nil {
				continue
			}
			if loss := s.land.height(u); !math.IsInf(loss, 1) {
				most = max(most, math.Abs(loss-p.loss))
			}
		}
		return most
	}
	next := differ(1e-8)
	return next > 1e-9*max(s.worst, math.Abs(p.loss)) && next > differ(1e-3)/32
}

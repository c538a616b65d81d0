package online

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Clip shortens gradients longer than Norm to that length.
type Clip struct{ Norm float64 }

// Apply shortens g.
func (c Clip) Apply(g []float64) {
	if n := rows.Norm(g); n > c.Norm {
		rows.Scale(g, c.Norm/n)
	}
}

// Momentum replaces the gradient by a running average, m⁺ = βm + (1−β)g, with 0 ≤ β < 1.
type Momentum struct {
	Beta float64

	mean, pending []float64
}

// Apply averages g into the memory.
func (m *Momentum) Apply(g []float64) {
	if m.mean == nil {
		m.mean, m.pending = make([]float64, len(g)), make([]float64, len(g))
	}
	for i, v := range g {
		m.pending[i] = float64(m.Beta*m.mean[i]) + float64((1-m.Beta)*v)
	}
	copy(g, m.pending)
}

// Commit keeps the average of the turn.
func (m *Momentum) Commit(kedge.Observation) { m.mean, m.pending = m.pending, m.mean }

// Describe gives the average.
func (m *Momentum) Describe(f *wire.Fields) {
	grown(f, "the saved average", &m.mean)
	f.Then(func() { m.pending = make([]float64, len(m.mean)) })
}

// Optimistic steps by the gradient as it will be next if it goes on changing as it did: 2gₖ − gₖ₋₁ [popov1980]. Players who do so
// anticipate that the others go on as they have begun, which calms games in which plain gradients circle for ever.
type Optimistic struct{ last, pending []float64 }

// Apply replaces g by 2g − g of the turn before; the first turn has none.
func (t *Optimistic) Apply(g []float64) {
	t.pending = append(t.pending[:0], g...)
	if len(t.last) > 0 {
		rows.Scale(g, 2)
		rows.AddScaled(g, -1, t.last)
	}
}

// Commit remembers the gradient.
func (t *Optimistic) Commit(kedge.Observation) { t.last, t.pending = t.pending, t.last }

// Describe gives the gradient of the turn before.
func (t *Optimistic) Describe(f *wire.Fields) {
	want := max(len(t.last), len(t.pending))
	f.Floats(&t.last)
	if n := len(t.last); n > 0 && want > 0 && n != want {
		f.Fail("a gradient of %d numbers, want %d", n, want)
	}
	f.Finite("the saved gradient", t.last)
}

// Scaling says what Adam divides a gradient by.
type Scaling int

const (
	// Joint divides all entries by the root mean square of the gradient. The direction stays, so every set keeps its answer.
	Joint Scaling = iota
	// Each divides every entry by its own root mean square [kingma2015]. On a set whose entries depend on each other, such as
	// a ball or a simplex, a decision that scaled steps do not leave need not be one that plain steps do not leave: take Each
	// for boxes and where there are no bounds.
	Each
)

// Adam replaces the gradient by its running average over the root of the running average of its square, m̂/(√v̂ + Epsilon),
// where the hats take out the start at 0 [kingma2015]. Divided gradients do not vanish with the gradient, so let the step size
// diminish.
type Adam struct {
	Beta1, Beta2, Epsilon float64 // usually 0.9, 0.999 and 1e-8
	Scaling               Scaling

	count              int // gradients averaged
	mean, square       []float64
	newMean, newSquare []float64 // pending
}

// Apply averages g into the memory and divides.
func (a *Adam) Apply(g []float64) {
	if a.mean == nil {
		a.mean, a.square, a.newMean, a.newSquare = make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g))
	}
	fresh1 := 1 - portable.Pow(a.Beta1, float64(a.count+1))
	fresh2 := 1 - portable.Pow(a.Beta2, float64(a.count+1))
	joint := float64(rows.Dot(g, g) / float64(len(g)))
	for i, v := range g {
		square := joint
		if a.Scaling == Each {
			square = float64(v * v)
		}
		a.newMean[i] = float64(a.Beta1*a.mean[i]) + float64((1-a.Beta1)*v)
		a.newSquare[i] = float64(a.Beta2*a.square[i]) + float64((1-a.Beta2)*square)
		g[i] = a.newMean[i] / fresh1 / (math.Sqrt(a.newSquare[i]/fresh2) + a.Epsilon)
	}
}

// Commit keeps the averages of the turn.
func (a *Adam) Commit(kedge.Observation) {
	a.mean, a.newMean = a.newMean, a.mean
	a.square, a.newSquare = a.newSquare, a.square
	a.count++
}

// Describe gives the averages and how many gradients are in them.
func (a *Adam) Describe(f *wire.Fields) {
	f.Int(&a.count, mostTurns)
	grown(f, "the saved average", &a.mean)
	grown(f, "the saved square", &a.square)
	if n := len(a.mean); n != len(a.square) {
		f.Fail("averages of %d and %d numbers", n, len(a.square))
	}
	f.Then(func() { a.newMean, a.newSquare = make([]float64, len(a.mean)), make([]float64, len(a.mean)) })
}

// grown is a list of numbers that has no length before the first turn.
func grown(f *wire.Fields, what string, x *[]float64) {
	want := len(*x)
	if f.Floats(x); want > 0 && len(*x) != want {
		f.Fail("%s has %d numbers, want %d", what, len(*x), want)
	}
	f.Finite(what, *x)
}

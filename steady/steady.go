// Package steady evaluates a decision by the population it leads to: Φ̃(u) = mean Φ(h(u, dᵢ), u, dᵢ) over a crowd, exactly,
// with its exact gradient. Sums run over fixed chunks of individuals and one fixed tree, so the bits do not depend on who
// computes which chunk.
package steady

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
)

// chunk is how many individuals are settled and judged at a time.
const chunk = 128

// Objective is Φ̃ over a finite crowd [he2025, reduced objective]. It owns its workspace: one goroutine at a time.
type Objective struct {
	model   Model
	settler kedge.RowSettler
	judge   kedge.RowObjective
	aligner kedge.Aligner // with aligned, judges without working the states out; nil when either is missing
	aligned kedge.AlignedObjective
	states  []float64 // settled rows of one chunk
	pull    []float64 // ∂Φ/∂p of one chunk
	parts   []float64 // per chunk: the loss, then the gradient
	worst   kedge.Residual
}

// Model is what a settled population is judged with.
type Model struct {
	Settler     kedge.Settler
	Objective   kedge.Objective
	Sensitivity kedge.Sensitivity // at settled states; nil when no gradient is asked for
	Traits      []float64         // one individual a row
}

// New checks the model and returns its Φ̃.
func New(m Model) (*Objective, error) {
	if m.Settler == nil || m.Objective == nil {
		return nil, errors.New("steady: the model needs a settler and an objective")
	}
	dim := m.Settler.Dims()
	n, err := countTraits(m.Traits, dim)
	if err != nil {
		return nil, err
	}
	chunks := (n + chunk - 1) / chunk
	s := &Objective{
		model:   m,
		settler: kedge.BatchedSettler(m.Settler),
		judge:   kedge.BatchedObjective(m.Objective, dim),
		states:  make([]float64, min(n, chunk)*dim.State),
		pull:    make([]float64, min(n, chunk)*dim.State),
		parts:   make([]float64, chunks*(1+dim.Decision)),
	}
	aligner, settles := m.Settler.(kedge.Aligner)
	aligned, judges := m.Objective.(kedge.AlignedObjective)
	if settles && judges {
		s.aligner, s.aligned = aligner, aligned
	}
	return s, nil
}

func countTraits(traits []float64, dim kedge.Dims) (int, error) {
	if dim.Trait < 1 || len(traits) == 0 || len(traits)%dim.Trait != 0 {
		return 0, &kedge.DimError{Arg: "traits", Got: len(traits), Want: max(dim.Trait, 1)}
	}
	return len(traits) / dim.Trait, kedge.CheckFinite("traits", traits)
}

// Clone returns an Objective of the same model with a workspace of its own.
func (s *Objective) Clone() *Objective {
	c, err := New(s.model)
	if err != nil {
		panic(fmt.Sprintf("steady: a model that was valid no longer is: %v", err))
	}
	return c
}

// Dims returns the lengths of the decision, state and trait.
func (s *Objective) Dims() kedge.Dims { return s.model.Settler.Dims() }

// Residual returns the worst steady-state residual of the last evaluation.
func (s *Objective) Residual() kedge.Residual { return s.worst }

// Value returns Φ̃(u).
func (s *Objective) Value(u []float64) (float64, error) {
	return s.eval(nil, u, false)
}

// Gradient returns Φ̃(u) and writes ∇Φ̃(u) = mean[∂Φ/∂u + ∇ᵤh ∂Φ/∂p] to g [he2025, steady gradient].
func (s *Objective) Gradient(g, u []float64) (float64, error) {
	if s.model.Sensitivity == nil {
		return 0, errors.New("steady: a gradient needs a sensitivity")
	}
	return s.eval(g, u, true)
}

// Partial returns Φ̃(u) and writes mean ∂Φ/∂u at the settled population to g: the gradient of a decision-maker who takes
// the settled population for given. It vanishes, up to the set, at performatively stable points [perdomo2020].
func (s *Objective) Partial(g, u []float64) (float64, error) {
	return s.eval(g, u, false)
}

// Settle writes the population settled under u to dst, one individual a row.
func (s *Objective) Settle(dst, u []float64) error {
	dim := s.Dims()
	if err := kedge.CheckVector("u", u, dim.Decision); err != nil {
		return err
	}
	res, err := s.settler.SettleRows(dst, u, s.model.Traits)
	s.worst = res
	return err
}

func (s *Objective) eval(g, u []float64, total bool) (float64, error) {
	dim := s.Dims()
	if err := kedge.CheckVector("u", u, dim.Decision); err != nil {
		return 0, err
	}
	if g != nil {
		if err := kedge.CheckLen("g", g, dim.Decision); err != nil {
			return 0, err
		}
	}
	n := len(s.model.Traits) / dim.Trait
	s.worst = kedge.Residual{}
	clear(s.parts)
	width := 1 + dim.Decision
	for c := range len(s.parts) / width {
		part := kedge.Row(s.parts, c, width)
		if err := s.evalChunk(part, g != nil, total, u, c*chunk, min(n, (c+1)*chunk)); err != nil {
			return 0, err
		}
	}
	return mean(g, s.parts, width, n)
}

// evalChunk adds the losses of individuals lo … hi−1 to part[0] and, if asked, their gradients to part[1:].
func (s *Objective) evalChunk(part []float64, wantGradient, total bool, u []float64, lo, hi int) error {
	dim := s.Dims()
	p, d := s.states[:(hi-lo)*dim.State], s.model.Traits[lo*dim.Trait:hi*dim.Trait]
	if !wantGradient && s.aligner != nil {
		return s.alignChunk(part, p[:hi-lo], u, d, lo)
	}
	res, err := s.settler.SettleRows(p, u, d)
	if err != nil {
		return shiftRow(err, lo)
	}
	s.worst = s.worst.Worst(res)
	var gp, gu []float64
	if wantGradient {
		gu = part[1:]
	}
	if total {
		gp = s.pull[:len(p)]
		clear(gp)
	}
	part[0] = s.judge.EvalRows(gp, gu, p, u, d)
	if !total {
		return nil
	}
	return shiftRow(s.model.Sensitivity.PullRows(gu, p, u, d, gp), lo)
}

// alignChunk adds the losses of individuals with the traits d to part[0] by their settled states' products with u alone.
func (s *Objective) alignChunk(part, pu, u, d []float64, lo int) error {
	res, err := s.aligner.AlignRows(pu, u, d)
	if err != nil {
		return shiftRow(err, lo)
	}
	s.worst = s.worst.Worst(res)
	part[0] = s.aligned.EvalAligned(pu)
	return nil
}

// shiftRow makes a row number within a chunk one within the crowd.
func shiftRow(err error, lo int) error {
	if err == nil {
		return nil
	}
	var row *kedge.RowError
	if errors.As(err, &row) {
		return &kedge.RowError{Row: row.Row + lo, Err: row.Err}
	}
	return err
}

// mean reduces the chunks' sums, writes the mean gradient to g unless it is nil and returns the mean loss.
func mean(g, parts []float64, width, n int) (float64, error) {
	rows.AddTree(parts, width)
	loss := parts[0] / float64(n)
	if err := kedge.CheckFinite("Φ̃ and its gradient", parts[:width]); err != nil {
		return 0, err
	}
	for i := range g {
		g[i] = parts[1+i] / float64(n)
	}
	return loss, nil
}

package problem

import (
	"context"
	"strconv"

	"github.com/kedge-opt/kedge/decide"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/problem/doubt"
)

// keyed returns the spec with the numbers of a draw that are keys, itself without any.
func (p *Problem) keyed(row []float64) (*Spec, error) {
	var over []Overlay
	for j, t := range p.targets {
		if t.Key == "" {
			continue
		}
		over = append(over, Assign(t.Key+"="+strconv.FormatFloat(row[j], 'g', -1, 64)).As(p.Spec.Doubt.Draws))
	}
	if over == nil {
		return p.Spec, nil
	}
	return Parse(p.Spec.Kinds, p.Name, p.Spec.YAML(), over...)
}

// Worlds returns the model as every draw that is used has it, on so many workers; nil without draws. One that cannot be made says why.
func (p *Problem) Worlds(ctx context.Context, workers int) ([]decide.World, error) {
	if p.draws == nil {
		return nil, nil
	}
	list := make([]decide.World, len(p.draws.Rows))
	err := crew.Share(workers, len(list), func(_, i int) error {
		list[i] = p.world(p.draws.Rows[i])
		return ctx.Err()
	})
	return list, err
}

// world returns the model as one draw has it, with the people of the problem.
func (p *Problem) world(row []float64) decide.World {
	s, err := p.keyed(row)
	if err != nil {
		return decide.World{Err: err}
	}
	q := &Problem{Spec: s, files: p.files, within: p.within}
	if s.Model != nil {
		source := p.source
		source.Let = doubt.Put(source.Let, p.targets, row)
		m, err := formula.Compile(source)
		if err != nil {
			return decide.World{Err: err}
		}
		q.Model = individual(m)
	} else if err := q.buildIndividual(); err != nil {
		return decide.World{Err: err}
	}
	m := q.Model
	m.Set, m.Start, m.States, m.Traits, m.Weights = p.Set, p.Start, p.States, p.Traits, p.Weights
	return decide.World{Model: m}
}

// DrawNames are the numbers that draws are of, in the order of columns.
func (p *Problem) DrawNames() []string {
	if p.draws == nil {
		return nil
	}
	return p.draws.Names
}

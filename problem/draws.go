package problem

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/decide"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/problem/doubt"
	"github.com/kedge-opt/kedge/problem/form"
)

// readDraws reads the draws that are used, and finds what they are of.
func (p *Problem) readDraws() (err error) {
	s := p.Spec
	if s.Doubt.Uncertain == 0 {
		return nil
	}
	if s.Model != nil {
		if p.source, err = s.source(p.files); err != nil {
			return err
		}
	}
	if p.draws, err = s.Doubt.Read(p.within, p.files); err == nil {
		p.targets, err = p.draws.Targets(s.Doubt.Draws, p.source.Let)
	}
	if err == nil {
		err = p.keepsSet(p.source.Let)
	}
	for _, t := range p.targets {
		if err == nil && t.Key != "" && !slices.ContainsFunc(s.Settings(), func(one form.Setting) bool { return one.Key == t.Key }) {
			err = &doubt.DrawsError{File: s.Doubt.Draws, What: fmt.Sprintf("column %s is no key of the spec; columns are named after numbers of model.let or keys such as dynamics.lambda", t.Key)}
		}
	}
	if err != nil {
		return s.errorf("draws", "draws: %v", err)
	}
	return nil
}

// keepsSet refuses draws of numbers that say which decisions are feasible.
func (p *Problem) keepsSet(lets []formula.Binding) error {
	if p.Spec.Model == nil {
		return nil
	}
	drawn := map[string]bool{}
	for _, t := range p.targets {
		if t.Key == "" {
			drawn[lets[t.Let].Name] = true
		}
	}
	mentions := func(body string) bool {
		refs, _ := formula.References("", body)
		return slices.ContainsFunc(refs, func(r formula.Reference) bool { return drawn[r.Name] })
	}
	for _, l := range lets {
		if mentions(l.Expr) {
			drawn[l.Name] = true
		}
	}
	for _, body := range p.Spec.Model.SubjectTo {
		if mentions(body) {
			return &doubt.DrawsError{File: p.Spec.Doubt.Draws, What: fmt.Sprintf("draws are of numbers that stand in model.subject to (%s); a decision must be feasible whatever is true, so give bounds numbers of their own", body)}
		}
	}
	return nil
}

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

// Syllabus is what can be learned of the numbers that are drawn: the model as a function of them, where they are now, which of them are drawn, in the order of columns,
// what those are called, and the draws.
type Syllabus struct {
	Model *formula.Regressor
	At    []float64
	Drawn []int
	Names []string
	Draws [][]float64
}

// Syllabus returns what can be learned. Only models in formulas, without groups, can teach anything.
func (p *Problem) Syllabus() (*Syllabus, error) {
	switch {
	case p.draws == nil:
		return nil, p.Spec.errorf("uncertain", "uncertain is missing: what is to be learned is what draws differ in; want draws and uncertain, such as 400")
	case p.Spec.Model == nil || p.Spec.beside() > 0:
		return nil, p.Spec.errorf("model", "only people in formulas, without groups, can be learned about by design")
	}
	l := &Syllabus{Names: p.draws.Names, Draws: p.draws.Rows}
	source, first, declared := p.source, map[int]int{}, []string(nil)
	source.Let = nil
	for i, b := range p.source.Let {
		if !slices.ContainsFunc(p.targets, func(t doubt.Aim) bool { return t.Key == "" && t.Let == i }) {
			source.Let = append(source.Let, b)
			continue
		}
		first[i] = len(l.At)
		l.At = append(l.At, b.Data.Data...)
		name := b.Name
		if len(b.Data.Shape) > 0 {
			name += strings.ReplaceAll(fmt.Sprint(b.Data.Shape), " ", ", ")
		}
		declared = append(declared, name)
	}
	for j, t := range p.targets {
		if t.Key != "" {
			return nil, p.Spec.errorf("draws", "draws: %s is a key; only numbers of model.let can be learned about by design", l.Names[j])
		}
		l.Drawn = append(l.Drawn, first[t.Let]+t.Entry)
	}
	var err error
	l.Model, err = source.Regress(declared)
	return l, err
}

package kedge

// Model is a population and what is decided about it, without anybody who decides: how individuals move, where they settle, how
// they are judged, which decisions there are, and who they are. Whoever takes a Model says which parts it needs; the others may
// be nil.
type Model struct {
	Dynamics    Dynamics // nil: those of the settler
	Settler     Settler  // nil: the dynamics know where they settle
	Objective   Objective
	Sensitivity Sensitivity // exact at settled states
	Set         Set         // of decisions; nil: all of them
	Start       []float64   // the first decision
	States      Rows        // where individuals start; nil: at their traits
	Traits      Rows        // one individual a row
	Weights     []float64   // how much individuals count in means, by ScaleWeights; nil: all alike
	Social      bool        // dynamics, settler and sensitivity take (u, p̄) for the decision, with the crowd's mean state p̄
}

// Dims are those of the individual, without what it sees of others. They are 0 where nothing says how individuals move.
func (m Model) Dims() (dim Dims) {
	switch {
	case m.Dynamics != nil:
		dim = m.Dynamics.Dims()
	case m.Settler != nil:
		dim = m.Settler.Dims()
	}
	if m.Social {
		dim.Decision -= dim.State
	}
	return dim
}

// RowDynamics returns the block form of the dynamics, nil where there are none.
func (m Model) RowDynamics() RowDynamics {
	switch {
	case m.Dynamics != nil:
		return Batched(m.Dynamics)
	case m.Settler != nil:
		return Batched(m.Settler)
	}
	return nil
}

// Smooth returns the dynamics with their derivatives, nil where they have none.
func (m Model) Smooth() Smooth {
	if f, ok := m.Dynamics.(Smooth); ok {
		return f
	}
	f, _ := m.Settler.(Smooth)
	return f
}

// RowSettler returns the block form of the settler, nil where nobody knows where individuals settle.
func (m Model) RowSettler() RowSettler {
	if settler := m.settler(); settler != nil {
		return BatchedSettler(settler)
	}
	return nil
}

func (m Model) settler() Settler {
	if m.Settler != nil {
		return m.Settler
	}
	settler, _ := m.Dynamics.(Settler)
	return settler
}

// Aligned returns what judges a settled population without working its states out, nil unless the model has both.
func (m Model) Aligned() (Aligner, AlignedObjective) { return pair[Aligner, AlignedObjective](m) }

// Planar returns what has gradients over a settled population without its states, nil unless the model has both.
func (m Model) Planar() (PlaneSettler, SlopedObjective) {
	return pair[PlaneSettler, SlopedObjective](m)
}

// pair returns the settler and the objective by abilities that go together, nil unless the model has both and nobody sees others.
func pair[S Settler, O Objective](m Model) (settler S, objective O) {
	s, able := m.settler().(S)
	o, judges := m.Objective.(O)
	if able && judges && !m.Social {
		return s, o
	}
	return settler, objective
}

// RowObjective returns the block form of the objective, nil where there is none.
func (m Model) RowObjective() RowObjective {
	if m.Objective == nil {
		return nil
	}
	return BatchedObjective(m.Objective, m.Dims())
}

// FirstStates returns where individuals start.
func (m Model) FirstStates() Rows {
	if m.States == nil {
		return m.Traits
	}
	return m.States
}

// CheckRows returns an error unless r are rows of the given width, at least one. Numbers are looked at only in a Block: what is
// kept otherwise is read when it is needed.
func CheckRows(arg string, r Rows, width int) error {
	if r == nil {
		return &DimError{Arg: arg, Got: 0, Want: max(width, 1)}
	}
	if b, inPlace := r.(Block); inPlace {
		if b.Width != width || width < 1 || len(b.Data) == 0 || len(b.Data)%width != 0 {
			return &DimError{Arg: arg, Got: len(b.Data), Want: max(width, 1)}
		}
		return CheckFinite(arg, b.Data)
	}
	if n, entries := r.Size(); n < 1 || entries != width {
		return &DimError{Arg: arg, Got: n * entries, Want: max(n, 1) * width}
	}
	return nil
}

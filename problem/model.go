package problem

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
)

// Model is an individual written as formulas; a spec has it instead of dynamics, objective and set. Package formula describes
// the language.
type Model struct {
	Decision  string   // the name and the length of the decision, as in q[20]
	State     string   // of the state
	Trait     string   // of the trait
	Let       []Let    // names for numbers and formulas
	Next      string   // the state after a step
	Minimize  string   // the loss of an individual, or
	Maximize  string   // its reward
	SubjectTo []string // constraints on the decision
}

// Let gives a name to a formula, to numbers, or to the numbers of a file.
type Let struct {
	Name    string
	Formula string
	Numbers *formula.Value
	File    string // a .csv, .npy, .npz or .parquet file: a vector if it has one row or one column, otherwise a matrix
	Array   string // the member of an .npz file; "": its only one
}

// describeModel reads the model, if there is one. Outlines show it in either case.
func (s *Spec) describeModel(f *form) {
	if !f.decide("model", s.Model != nil) {
		s.Model = nil
	} else if s.Model == nil {
		s.Model = &Model{}
	}
	optionalSection(f, "model", &s.Model, says("An individual written as formulas, instead of dynamics, objective and set (docs/formula.md).", "p⁺ = f(p, u, d)", ""), (*Model).describe)
}

func (m *Model) describe(f *form) { f.shared("model", func() { m.describeKeys(f) }) }

func (m *Model) describeKeys(f *form) {
	isReward := f.decide("maximize", m.Maximize != "")
	field(f, "decision", &m.Decision, formulaText("a name and a length, such as q[20]"), says("The name of the decision and how many entries it has; a name alone is a single number.", "u", "q[20]"))
	field(f, "state", &m.State, formulaText("a name and a length, such as p[20]"), says("The name of an individual's state and how many entries it has.", "p", "p[20]"))
	field(f, "trait", &m.Trait, formulaText("a name and a length, such as d[20]"), says("The name of an individual's trait and how many entries it has. It is drawn by the law of the population.", "d", "p0[20]"))
	optional(f, "let", &m.Let, lets(), says("Names for numbers, vectors, matrices, formulas (in which earlier names stand) and files, as in {file: x.npy}.", "", "{lambda: 0.4, w: [1, 2], both: lambda*w}"))
	field(f, "next", &m.Next, formulaText("a formula for the next state"), says("The state after a step.", "p⁺ = f(p, u, d)", "0.5*p + 0.5*p0"))
	if isReward {
		f.refuse("minimize", "model.minimize and model.maximize are both given, want one of them")
		field(f, "maximize", &m.Maximize, formulaText("a formula"), says("The reward of an individual, a single number, in place of a loss.", "−Φ(p, u, d)", "dot(p, q)"))
	} else {
		field(f, "minimize", &m.Minimize, formulaText("a formula, or maximize with one"), says("The loss of an individual, a single number.", "Φ(p, u, d)", "norm(p - q)^2"))
	}
	optional(f, "subject to", &m.SubjectTo, formulas(), says("Which decisions are feasible: linear equations and inequalities, bounds and norms, one or a list. Without any all are.", "u ∈ 𝒞", "[q >= 0, sum(q) == 1]"))
}

// formulaText is a text, which may look like a number.
func formulaText(want string) codec[string] {
	return codec[string]{
		want: want, schema: schema{Type: words{"string", "number"}, MinLength: 1},
		read: func(m *mistakes, n *node) (string, bool) {
			ok := n.kind == scalar && n.text != "" && (n.quoted || !isPlainValue(n.text) || isNumber(n.text))
			if !ok {
				m.wrong(n, want)
				return "", false
			}
			return n.text, true
		},
		write: func(s string) *node { return &node{kind: scalar, text: s, quoted: true} },
	}
}

// formulas is one formula or a list of them.
func formulas() codec[[]string] {
	one := formulaText("a constraint such as norm(q) <= 1, or a list of those")
	several := listOf(one, one.want)
	return codec[[]string]{
		want: one.want, schema: schema{AnyOf: []schema{one.schema, several.schema}},
		read: func(m *mistakes, n *node) ([]string, bool) {
			if n.kind == list {
				return several.read(m, n)
			}
			s, ok := one.read(m, n)
			return []string{s}, ok
		},
		write: func(all []string) *node {
			if len(all) == 1 {
				return one.write(all[0])
			}
			return several.write(all)
		},
	}
}

// lets is a mapping whose keys are names of the author's own.
func lets() codec[[]Let] {
	const want = "a mapping of names to numbers, lists of numbers, lists of rows, formulas or files"
	return codec[[]Let]{
		want: want, schema: schema{Type: words{"object"}, Additional: letSchema().orNull()},
		read: func(m *mistakes, n *node) (all []Let, ok bool) {
			if n.kind != mapping {
				m.wrong(n, want)
				return nil, false
			}
			ok = true
			for i, name := range n.keys {
				if n.items[i].kind != null {
					all = append(all, Let{Name: name})
					ok = all[len(all)-1].read(m, n.items[i]) && ok
				}
			}
			return all, ok
		},
		write: func(all []Let) *node {
			out := &node{kind: mapping}
			for i := range all {
				out.put(all[i].Name, all[i].node())
			}
			return out
		},
	}
}

func letSchema() schema {
	file := schemaOf(new(Let).describeFile)
	return schema{AnyOf: []schema{finite().schema, formulaText("").schema, numbers(finite()).schema, matrixRows().schema, file}}
}

// read reads the value of a name by what it looks like.
func (l *Let) read(m *mistakes, n *node) bool {
	switch {
	case n.kind == mapping:
		return readSection(n, m, l.describeFile)
	case n.kind == list && len(n.items) > 0 && n.items[0].kind == list:
		r, ok := matrixRows().read(m, n)
		l.Numbers = &formula.Value{Shape: []int{len(r), r.Columns()}, Data: r.Flat()}
		return ok
	case n.kind == list:
		x, ok := numbers(finite()).read(m, n)
		l.Numbers = &formula.Value{Shape: []int{len(x)}, Data: x}
		return ok
	case n.kind == scalar && !n.quoted && isNumber(n.text):
		x, ok := finite().read(m, n)
		l.Numbers = &formula.Value{Data: []float64{x}}
		return ok
	}
	var ok bool
	l.Formula, ok = formulaText("a number, a list, rows, a formula or a file").read(m, n)
	return ok
}

func (l *Let) describeFile(f *form) {
	field(f, "file", &l.File, fileName(), meaning{})
	optional(f, "array", &l.Array, text("the name of an array", isPrintable), meaning{})
}

// node writes the value of a name.
func (l *Let) node() *node {
	switch {
	case l.File != "":
		return printed(l.describeFile)
	case l.Numbers == nil:
		return formulaText("").write(l.Formula)
	case len(l.Numbers.Shape) == 0:
		return finite().write(l.Numbers.Data[0])
	case len(l.Numbers.Shape) == 1:
		return numbers(finite()).write(l.Numbers.Data)
	}
	return matrixRows().write(slices.Collect(slices.Chunk(l.Numbers.Data, l.Numbers.Shape[1])))
}

// dims returns the lengths that the model declares, zeros if something is wrong with a declaration.
func (m *Model) dims() kedge.Dims {
	c, err := formula.Compile(formula.Source{Decision: m.Decision, State: m.State, Trait: m.Trait})
	if err != nil {
		return kedge.Dims{}
	}
	return c.Dims()
}

// readsFiles tells whether files must be read before anything is known but the dimensions.
func (m *Model) readsFiles() bool {
	return slices.ContainsFunc(m.Let, func(l Let) bool { return l.File != "" })
}

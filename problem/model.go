package problem

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/problem/world"
)

// Model is an individual written as formulas; a spec has it instead of dynamics, objective and set. Package formula describes
// the language.
type Model struct {
	Decision  string // the name and the length of the decision, as in q[20]
	State     string // of the state
	Trait     string // of the trait
	Let       []Let  // names for numbers and formulas
	Noise     []world.ModelNoise
	Groups    []world.ModelGroup
	Next      string      // the state after a step
	Minimize  string      // the loss of an individual, or
	Maximize  string      // its reward
	SubjectTo []string    // constraints on the decision
	Integer   form.Chosen // of the decision that are whole numbers

	covariates []string // names of numbers that a log has beside decisions
}

// Let gives a name to a formula, to numbers, or to the numbers of a file.
type Let struct {
	Name    string
	Formula string
	Unknown *record.Question // numbers that a log is to tell; nil: they are known
	Numbers *formula.Value
	File    string // a .csv, .npy, .npz or .parquet file: a vector if it has one row or one column, otherwise a matrix
	Array   string // the member of an .npz file; "": its only one
	Nodes   int    // of a network whose edges the file lists; 0: the numbers themselves
}

// describeModel reads the model, if there is one. Outlines show it in either case.
func (s *Spec) describeModel(f *form.Form) {
	if is := f.Decide("model", s.Model != nil); is != (s.Model != nil) { // never where it is printed, for which workers do not wait
		s.Model = nil
		if is {
			s.Model = &Model{}
		}
	}
	form.Field(f, "model", &s.Model, form.Part((*Model).describe).Optional(), form.Says("An individual written as formulas, instead of dynamics, objective and set (docs/formula.md).", "p⁺ = f(p, u, d)", ""))
}

func (m *Model) describe(f *form.Form) { f.Shared("model", func() { m.describeKeys(f) }) }

func (m *Model) describeKeys(f *form.Form) {
	isReward := f.Decide("maximize", m.Maximize != "")
	form.Field(f, "decision", &m.Decision, form.FormulaText("a name and a length, such as q[20]"), form.Says("The name of the decision and how many entries it has, or what these are called, with their unit: q[apples, pears] in EUR. A name alone is a single number.", "u", "q[20]"))
	form.Field(f, "state", &m.State, form.FormulaText("a name and a length, such as p[20]"), form.Says("The name of an individual's state and how many entries it has, or what these are called.", "p", "p[20]"))
	form.Field(f, "trait", &m.Trait, form.FormulaText("a name and a length, such as d[20]"), form.Says("The name of an individual's trait and how many entries it has, or what these are called. It is drawn by the law of the population.", "d", "p0[20]"))
	form.Field(f, "let", &m.Let, lets().Optional(), form.Says("Names for numbers, vectors, matrices, formulas (in which earlier names stand) and files, as in {file: x.npy}. A file with nodes lists the edges of a network, i, j and a weight: {file: edges.csv, nodes: 50} is the matrix of which W @ p has for every node the weighted mean of its neighbours. Numbers that nobody knows are ?, which kedge fit finds from the log of data: \"? in [0, 1]\", \"?[3, 3] ~ normal(0, 2)\", \"? in [0, inf] from 0.5\".", "", "{lambda: 0.4, w: [1, 2], both: lambda*w}"))
	m.describeWorld(f)
	form.Field(f, "next", &m.Next, form.FormulaText("a formula for the next state"), form.Says("The state after a step.", "p⁺ = f(p, u, d)", "0.5*p + 0.5*p0"))
	if isReward {
		f.Refuse("minimize", "model.minimize and model.maximize are both given, want one of them")
		form.Field(f, "maximize", &m.Maximize, form.FormulaText("a formula"), form.Says("The reward of an individual, a single number, in place of a loss.", "−Φ(p, u, d)", "dot(p, q)"))
	} else {
		f.Know("maximize")
		form.Field(f, "minimize", &m.Minimize, form.FormulaText("a formula, or maximize with one").Optional(), form.Says("The loss of an individual, a single number. It must be there unless maximize or players are.", "Φ(p, u, d)", "norm(p - q)^2"))
	}
	form.Field(f, "subject to", &m.SubjectTo, form.Formulas("a constraint such as norm(q) <= 1, or a list of those").Optional(), form.Says("Which decisions are feasible: linear equations and inequalities, bounds and norms, one or a list. Without any all are.", "u ∈ 𝒞", "[q >= 0, sum(q) == 1]"))
	kind.DescribeIntegers(f, &m.Integer)
}

// lets are the names of the author's own.
func lets() form.Codec[[]Let] {
	file := form.SchemaOf(new(Let).describeFile)
	each := form.Schema{AnyOf: []form.Schema{form.Finite().Schema, form.FormulaText("").Schema, form.Numbers(form.Finite()).Schema, form.Rows().Schema, file}}
	return form.NamedOf(each, "a mapping of names to numbers, lists of numbers, lists of rows, formulas or files",
		func(m *form.Mistakes, name string, n *form.Node) (l Let, ok bool) {
			l.Name = name
			ok = l.read(m, n)
			return l, ok
		},
		func(l Let) (string, *form.Node) { return l.Name, l.node() })
}

// read reads the value of a name by what it looks like.
func (l *Let) read(m *form.Mistakes, n *form.Node) bool {
	switch {
	case n.Shape == form.Mapping:
		return form.Read(n, m, l.describeFile)
	case n.Shape == form.List && len(n.Items) > 0 && n.Items[0].Shape == form.List:
		r, ok := form.Rows().Read(m, n)
		l.Numbers = &formula.Value{Shape: []int{len(r), r.Columns()}, Data: r.Flat()}
		return ok
	case n.Shape == form.List:
		x, ok := form.Numbers(form.Finite()).Read(m, n)
		l.Numbers = &formula.Value{Shape: []int{len(x)}, Data: x}
		return ok
	case n.Shape == form.Scalar && !n.Quoted && form.IsNumber(n.Text):
		x, ok := form.Finite().Read(m, n)
		l.Numbers = &formula.Value{Data: []float64{x}}
		return ok
	case n.Shape == form.Scalar && record.IsUnknown(n.Text):
		u, fault := record.ReadUnknown(n.Text)
		if fault != "" {
			m.Wrong(n, fault)
		}
		l.Unknown = &u
		return fault == ""
	}
	var ok bool
	l.Formula, ok = form.FormulaText("a number, a list, rows, a formula or a file").Read(m, n)
	return ok
}

func (l *Let) describeFile(f *form.Form) {
	form.Field(f, "file", &l.File, form.FileName(), form.Meaning{})
	form.Field(f, "nodes", &l.Nodes, form.Count(1, maxNodes).Optional(), form.Meaning{})
	form.Field(f, "array", &l.Array, form.TextOf("the name of an array", form.IsPrintable).Optional(), form.Meaning{})
}

// maxNodes is how many nodes a network has at most, so that its matrix fits a formula.
const maxNodes = 1 << 10

// node writes the value of a name.
func (l *Let) node() *form.Node {
	switch {
	case l.Unknown != nil:
		return form.FormulaText("").Write(l.Unknown.String())
	case l.File != "":
		return form.Print(l.describeFile)
	case l.Numbers == nil:
		return form.FormulaText("").Write(l.Formula)
	case len(l.Numbers.Shape) == 0:
		return form.Finite().Write(l.Numbers.Data[0])
	case len(l.Numbers.Shape) == 1:
		return form.Numbers(form.Finite()).Write(l.Numbers.Data)
	}
	return form.Rows().Write(slices.Collect(slices.Chunk(l.Numbers.Data, l.Numbers.Shape[1])))
}

// dims returns the lengths that the model declares, zeros if something is wrong with a declaration.
func (m *Model) dims() kedge.Dims {
	c, err := formula.Compile(formula.Source{Decision: m.Decision, State: m.State, Trait: m.Trait, Beside: m.beside()})
	if err != nil {
		return kedge.Dims{}
	}
	return c.Dims()
}

// readsFiles tells whether files must be read before anything is known but the dimensions.
func (m *Model) readsFiles() bool {
	return slices.ContainsFunc(m.Let, func(l Let) bool { return l.File != "" })
}

// stand are numbers in place of unknown ones, for what can be checked without them.
func (l *Let) stand() *formula.Value {
	x := l.Unknown.Start()
	if x == 0 && l.Unknown.Upper > 0 {
		x = min(0.5, l.Unknown.Upper/2) // nothing is divided by 0
	}
	data := make([]float64, l.Unknown.Entries())
	for i := range data {
		data[i] = x
	}
	return &formula.Value{Shape: l.Unknown.Shape, Data: data}
}

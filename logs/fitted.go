package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
)

// Names of the files that a fit writes.
const (
	SpecFile  = "fitted.yaml"
	DrawsFile = "draws.csv"
	JSONFile  = "fit.json"
)

// crowd is what was found of people and times besides the unknowns.
type crowd struct {
	own    []float64 // the trait of everybody, row by row, where it was found
	season []float64 // what is added to the next state at the last turn; nil: nothing

	// How the mean of traits and the season go with each of the unknowns: what was found of people rests on those, and moves with them.
	ownBy, seasonBy [][]float64

	seasons map[int][]float64           // by turn
	anew    func(theta []float64) crowd // the same under other numbers; nil: that is not known
	drawn   []crowd                     // the same under draws
}

// of is the trait of somebody.
func (c *crowd) of(person, width int) []float64 { return c.own[person*width : (person+1)*width] }

// TraitLaw is the normal law that traits are taken to be drawn from.
type TraitLaw struct {
	Mean []float64 `json:"mean"`
	Cov  []float64 `json:"covariance"` // row by row
}

// Told tells whether the log tells all that was asked, so that there is a spec that runs.
func (e *Inference) Told() bool { return len(e.Blind) == 0 }

// Files are what a fit writes, by name. Other names of files in them begin with a folder. Where the log does not tell all that was asked there is
// no spec, no people and no draws: a number that nobody knows is not written down as one.
func (e *Inference) Files(folder string) (map[string][]byte, error) {
	all, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{JSONFile: append(all, '\n')}
	if !e.Told() {
		return files, nil
	}
	spec, people := e.document(folder)
	if spec.Drop("draws"); e.Draws != nil {
		spec.Put("draws", text(path.Join(folder, DrawsFile)))
	} else {
		spec.Drop("uncertain")
		spec.Drop("decide")
	}
	files[SpecFile] = append([]byte(e.headline()), spec.YAML()...)
	for name, table := range map[string]*columns.Table{record.PeopleFile: people, DrawsFile: e.draws()} {
		if table == nil {
			continue
		}
		var b bytes.Buffer
		if err := table.WriteCSV(&b); err != nil {
			return nil, err
		}
		files[name] = b.Bytes()
	}
	return files, nil
}

func (e *Inference) headline() string {
	return fmt.Sprintf("# %s with what kedge fit found in %s: %d pairs of %d people, %s to %s.\n", path.Base(e.Spec.File()), path.Base(e.Spec.Data.File), e.Pairs, e.People, e.First, e.Last)
}

func text(s string) *form.Node { return &form.Node{Shape: form.Scalar, Text: s, Quoted: true} }

func list(items []string) *form.Node {
	return &form.Node{Shape: form.List, Items: lists.Of(items, text)}
}

// document is the spec with what was found, and its people.
func (e *Inference) document(folder string) (*form.Node, *columns.Table) {
	root := e.Spec.Written()
	root.Drop("data")
	e.stride(root)
	if e.Spec.Model == nil {
		return e.ofKind(root, folder)
	}
	model := root.Get("model")
	let := &form.Node{Shape: form.Mapping}
	p := e.people()
	at := 0
	for _, u := range e.Spec.Unknowns() { // first, for other names may go with them
		let.Put(u.Name, e.value(u, at))
		at += u.Entries()
	}
	p.rename(model, let)
	if old := model.Get("let"); old != nil {
		for i, name := range old.Keys {
			if let.Get(name) == nil {
				let.Put(name, old.Items[i])
			}
		}
	}
	if e.crowd.season != nil {
		name := free("season", let, model, nil)
		e.season = name
		if let.Put(name, text(e.going(e.crowd.season, e.crowd.seasonBy))); e.crowd.drawn != nil {
			let.Put(name, form.Finite().Write(e.crowd.season[0])) // a number, for draws are of numbers
		}
		model.Put("next", text("("+e.Spec.Model.Next+") + "+name))
	}
	model.Put("let", let)
	if e.Spec.OwnPeople() && len(p.covariates) == 0 && e.crowd.own == nil {
		return root, nil
	}
	root.Put("population", p.section(folder))
	return root, &p.table
}

// stride writes the step of rules that the spec did not name, and a batch that the people suffice for.
func (e *Inference) stride(root *form.Node) {
	if !e.Spec.Bare || e.step == 0 {
		return
	}
	for _, rule := range root.Get("algorithms").Items {
		rule.Put("step", form.Finite().Write(e.step))
		rule.Put("batch", form.Finite().Write(float64(max(1, min(20, e.People)))))
	}
}

// ofKind is the spec of dynamics of a kind with what was found.
func (e *Inference) ofKind(root *form.Node, folder string) (*form.Node, *columns.Table) {
	for j, u := range e.Spec.Unknowns() {
		root.Get("dynamics").Put(u.Name, form.Finite().Write(float64(e.Found[j].Value)))
	}
	if e.Spec.OwnPeople() {
		return root, nil
	}
	p := e.people()
	root.Put("population", p.section(folder))
	return root, &p.table
}

// going is a formula of numbers that go with the unknowns, which are what they are where these are as they were found.
func (e *Inference) going(at []float64, by [][]float64) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	parts := make([]string, len(at))
	for i, v := range at {
		terms := []string{number(v)}
		for j, slopes := range by {
			if slopes != nil && slopes[i] != 0 {
				terms = append(terms, fmt.Sprintf("(%s)*(%s - (%s))", number(slopes[i]), e.Found[j].Name, number(float64(e.Found[j].Value))))
			}
		}
		parts[i] = strings.Join(terms, " + ")
	}
	if len(parts) == 1 {
		return "(" + parts[0] + ")"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// value is what was found of an unknown, as let writes it.
func (e *Inference) value(u problem.Asked, at int) *form.Node {
	x := e.values()[at : at+u.Entries()]
	switch len(u.Shape) {
	case 0:
		return form.Finite().Write(x[0])
	case 1:
		return form.Numbers(form.Finite()).Write(x)
	}
	return form.Rows().Write(slices.Collect(slices.Chunk(x, u.Shape[1])))
}

// free is a name that neither a model nor the columns beside it have given to anything.
func free(name string, let, model *form.Node, beside []string) string {
	for let.Get(name) != nil || mentions(model, name) || slices.Contains(beside, name) {
		name += "_"
	}
	return name
}

// mentions tells whether there is a key of that name in a node, or a text with it.
func mentions(n *form.Node, name string) bool {
	return strings.Contains(n.Text, name) || slices.Contains(n.Keys, name) || slices.ContainsFunc(n.Items, func(item *form.Node) bool { return mentions(item, name) })
}

// folk are the people of a log as they stood at last.
type folk struct {
	e          *Inference
	covariates []string
	traits     []string // columns of the table
	states     []string
	table      columns.Table
}

// people gathers the last rows.
func (e *Inference) people() *folk {
	l, m := e.Log, e.source
	p := &folk{e: e, covariates: l.Beside.Names, traits: formula.Columns(m.Trait), states: formula.Columns(m.State)}
	last := l.Last()
	p.table.Columns = []columns.Column{{Name: "who", Text: lists.Of(last, func(row int) string { return l.People[l.Person[row]] })}}
	add := func(names []string, table [][]float64) {
		for j, name := range names {
			p.table.Columns = append(p.table.Columns, columns.Column{Name: name, Numbers: column(table, j)})
		}
	}
	add(slices.Concat(p.traits, p.covariates), lists.Of(last, e.TraitOf))
	add(p.states, lists.Of(last, l.States.Row))
	if l.Weight != nil {
		p.table.Columns = append(p.table.Columns, columns.Column{Name: "weight", Numbers: lists.Of(last, func(row int) float64 { return l.Weight[row] })})
	}
	if l.Group != nil {
		p.table.Columns = append(p.table.Columns, columns.Column{Name: "group", Text: lists.Of(last, func(row int) string { return l.Groups[l.Group[row]] })})
	}
	return p
}

// rename makes what moved by itself in the log entries of a wider trait, of which the old one is the first part.
func (p *folk) rename(model, let *form.Node) {
	follows := p.e.crowd.own != nil && p.e.crowd.ownBy != nil
	if len(p.covariates) == 0 && !follows {
		return
	}
	own, by := formula.Declare(p.e.Spec.Model.Trait).Name, ""
	if follows {
		by = " + " + p.e.going(make([]float64, len(p.traits)), p.e.crowd.ownBy)
	}
	name := free("person", let, model, p.covariates)
	model.Put("trait", text(name+"["+strings.Join(slices.Concat(p.traits, p.covariates), ", ")+"]"))
	if len(p.traits) == 1 && p.traits[0] == own {
		let.Put(own, text(name+"[0]"+by))
	} else {
		let.Put(own, text(fmt.Sprintf("%s[0:%d]%s", name, len(p.traits), by)))
	}
	for i, covariate := range p.covariates {
		let.Put(covariate, text(fmt.Sprintf("%s[%d]", name, len(p.traits)+i)))
	}
}

// section is the population of these people.
func (p *folk) section(folder string) *form.Node {
	out := &form.Node{Shape: form.Mapping}
	out.Put("law", text(kind.Columns))
	out.Put("file", text(path.Join(folder, record.PeopleFile)))
	out.Put("traits", list(slices.Concat(p.traits, p.covariates)))
	out.Put("states", list(p.states))
	if p.e.Log.Weight != nil {
		out.Put("weight", text("weight"))
	}
	if p.e.Log.Group != nil {
		out.Put("group", text("group"))
	}
	return out
}

// key is what draws call an unknown: a name of model.let, or a key of the dynamics.
func (e *Inference) key(name string) string {
	if e.Spec.Model == nil {
		return "dynamics." + name
	}
	return name
}

// draws are the draws of the unknowns as a table.
func (e *Inference) draws() *columns.Table {
	if e.Draws == nil {
		return nil
	}
	t := &columns.Table{}
	for j, f := range e.Found {
		t.Columns = append(t.Columns, columns.Column{Name: e.key(f.Name), Numbers: column(e.Draws, j)})
	}
	if e.crowd.drawn != nil && len(e.crowd.season) == 1 {
		t.Columns = append(t.Columns, columns.Column{Name: e.season, Numbers: lists.Of(e.crowd.drawn, func(d crowd) float64 { return d.season[0] })})
	}
	return t
}

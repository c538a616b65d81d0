package logs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/panel"
	"github.com/kedge-opt/kedge/problem/record"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Linear is an estimate by one of the usual methods for panels.
type Linear struct {
	Method  string     `json:"method"`
	Title   string     `json:"title"`
	Values  []Inferred `json:"values,omitempty"`
	LongRun []Inferred `json:"long_run,omitempty"` // what stays of everything beside the lag
	Notes   []string   `json:"notes,omitempty"`
	Fault   string     `json:"fault,omitempty"` // why there is none

	Instruments  int    `json:"instruments,omitempty"`
	WeakestF     Amount `json:"weakest_f"`
	SarganChance Amount `json:"sargan_p"`
	SerialChance Amount `json:"ar2_p"`

	of    *panel.Coefficients
	blind []string // what cannot be told by it
}

// linear is a model with a single state that is linear in its unknowns, as panels know it.
type linear struct {
	w           *work
	columns     []int // the unknowns that have one
	constants   []int // the unknowns that are added to all
	lag         int   // the column that is the state before; -1: none is
	table       panel.Table
	all         panel.Table // of all rows of the log, without the lag, for estimates from changes; no rows where there are none
	effects     panel.Effects
	endogenous  []int
	instruments [][]float64
}

// mostLinear is how many numbers a table may have for the usual methods to be tried.
const mostLinear = 20_000_000

func isWide(rows, unknowns int) bool { return rows*(1+unknowns) > mostLinear }

// linear returns the model as panels know it, nil if it is not linear.
func (w *work) linear() *linear {
	k, n := w.f.Unknowns, len(w.turn)
	if w.f.States != 1 || isWide(n, k) || w.rows.Weight != nil {
		return nil
	}
	if last := w.log.Span(); last > mostTimes && w.ofTimes() {
		return nil
	}
	base, slopes, ok := w.affine()
	if !ok || w.ofPeople() && !w.addsTrait(base) {
		return nil
	}
	t := &linear{w: w, lag: -1, table: panel.Table{Unit: w.rows.Person, Time: w.turn, Y: make([]float64, n)}}
	rows.Sub(t.table.Y, w.rows.After, base)
	for j := range k {
		column := make([]float64, n)
		for i := range column {
			column[i] = slopes[i*k+j]
		}
		if slices.Min(column) == slices.Max(column) && column[0] != 0 {
			t.constants = append(t.constants, j)
			continue
		}
		if slices.Equal(column, w.rows.States) {
			t.lag = len(t.columns)
		}
		t.columns = append(t.columns, j)
		t.table.X, t.table.Names = append(t.table.X, column), append(t.table.Names, w.unknowns[j].Name)
	}
	if len(t.columns) == 0 {
		return nil
	}
	t.effects = map[string]panel.Effects{record.NoEffects: panel.None, record.OfPeople: panel.ByUnit, record.OfTimes: panel.ByTime, record.OfBoth: panel.TwoWay, record.ByChance: panel.ByUnit, record.ByChanceAndTime: panel.TwoWay}[w.spec.Data.Effects]
	t.byLevels(base)
	t.chosen()
	return t
}

// affine returns what the model predicts where all unknowns are 0, and its slopes in them, if these are the same wherever the unknowns are.
func (w *work) affine() (base, slopes []float64, ok bool) {
	k, n, width := w.f.Unknowns, len(w.turn), w.f.Width()
	theta, here := make([]float64, k), make([]float64, n*width)
	w.f.Rows(here, w.rows.States, theta, w.rows.Beside)
	for i := range n {
		base, slopes = append(base, here[i*width]), append(slopes, here[i*width+1:(i+1)*width]...)
	}
	for j := range theta {
		theta[j] = 0.3 + float64(0.4*float64(j%5)/3)
	}
	w.f.Rows(here, w.rows.States, theta, w.rows.Beside)
	for i := range n {
		sum, size := base[i], math.Abs(base[i])
		for j, v := range theta {
			if here[i*width+1+j] != slopes[i*k+j] { // false for NaN too
				return nil, nil, false
			}
			sum += float64(v * slopes[i*k+j])
			size += math.Abs(float64(v * slopes[i*k+j]))
		}
		if !(math.Abs(sum-here[i*width]) <= 1e-9*size) {
			return nil, nil, false
		}
	}
	return base, slopes, true
}

// addsTrait tells whether the trait is a single number that is added to the next state.
func (w *work) addsTrait(base []float64) bool {
	if w.own() != 1 || !w.namesTrait() {
		return false
	}
	beside, there := slices.Clone(w.rows.Beside), make([]float64, len(w.turn)*w.f.Width())
	for i := range w.turn {
		beside[i*w.f.Beside] = 1
	}
	w.f.Rows(there, w.rows.States, make([]float64, w.f.Unknowns), beside)
	for i, v := range base {
		if !(math.Abs(there[i*w.f.Width()]-v-1) <= 1e-9*(1+math.Abs(v))) {
			return false
		}
	}
	return true
}

// byLevels makes the table of all rows of the log, where the state before is a column and nothing known is added.
func (t *linear) byLevels(base []float64) {
	if t.lag < 0 || slices.ContainsFunc(base, func(v float64) bool { return v != 0 }) {
		return
	}
	l := t.w.log
	t.all = panel.Table{Unit: l.Person, Time: l.Turn, Y: l.States.Data}
	for j, x := range t.table.X {
		if j == t.lag {
			continue
		}
		column := make([]float64, l.Rows())
		for i, row := range t.w.pairs.After {
			column[row] = x[i]
		}
		t.all.X, t.all.Names = append(t.all.X, column), append(t.all.Names, t.table.Names[j])
	}
}

// chosen finds the columns that depend on what was chosen because of what people would do, and the instruments.
func (t *linear) chosen() {
	w := t.w
	l, d := w.log, w.spec.Data
	if len(l.Instruments.Names) == 0 {
		return
	}
	own, beside := w.own(), slices.Clone(w.rows.Beside)
	names := slices.Concat(l.Decision.Names, w.source.Beside)
	for i, name := range names {
		if d.Endogenous != nil && !slices.Contains(d.Endogenous, name) || d.Endogenous == nil && i >= len(l.Decision.Names) {
			continue
		}
		for r := range w.turn {
			at := &beside[r*w.f.Beside+own+i]
			*at += float64(1e-3 * (1 + math.Abs(*at)))
		}
	}
	k, width := w.f.Unknowns, w.f.Width()
	moved := make([]float64, len(w.turn)*width)
	w.f.Rows(moved, w.rows.States, make([]float64, k), beside)
	for c, j := range t.columns {
		for r := range w.turn {
			if moved[r*width+1+j] != t.table.X[c][r] {
				t.endogenous = append(t.endogenous, c)
				break
			}
		}
	}
	for z := range l.Instruments.Names {
		column := make([]float64, len(w.turn))
		for i, row := range w.pairs.After {
			if d.From == record.AsBefore {
				row = w.pairs.Before[i]
			}
			column[i] = l.Instruments.Row(row)[z]
		}
		t.instruments = append(t.instruments, column)
	}
}

// within says of what an estimate takes effects out.
func within(effects panel.Effects) string {
	return [...]string{panel.None: "no effects", panel.ByUnit: "within people", panel.ByTime: "within times", panel.TwoWay: "within people and times"}[effects]
}

// inside are the effects that are taken out by methods which take some out: of people where none are asked for.
func (t *linear) inside() panel.Effects { return cmp.Or(t.effects, panel.ByUnit) }

// estimates are those by all methods that make sense.
func (t *linear) estimates() (list []Linear) {
	inside := t.inside()
	list = append(list, t.by(Pooled, "least squares, no effects"), t.by(Within, within(inside)))
	if t.lag >= 0 && inside != panel.ByTime {
		if list[1].of != nil {
			list[1].Notes = append(list[1].Notes, t.nickell(&list[1]))
		}
		list = append(list, t.by(SplitPanel, "split-panel jackknife, "+within(inside)))
	}
	if len(t.all.Y) > 0 && inside != panel.ByTime {
		list = append(list, t.changes(inside == panel.TwoWay))
	}
	if len(t.instruments) > 0 {
		two := t.by(TwoStage, "two stages, "+within(t.effects))
		if two.of != nil {
			two.Instruments, two.WeakestF = len(t.instruments), Amount(two.of.Weakest)
			two.Notes = append(two.Notes, strength(two.of.Weakest))
		}
		list = append(list, two)
	}
	return list
}

// fit estimates a table with its instruments by a method.
func (t *linear) fit(method string, table panel.Table, instruments [][]float64) (*panel.Coefficients, error) {
	switch method {
	case Pooled:
		return panel.Fit(table, panel.Design{})
	case SplitPanel:
		return panel.Jackknife(table, panel.Design{Effects: t.inside()})
	case TwoStage:
		if len(t.endogenous) == 0 {
			return nil, errors.New("no column depends on what data.endogenous names")
		}
		return panel.Fit(table, panel.Design{Effects: t.effects, Endogenous: t.endogenous, Instruments: instruments})
	}
	return panel.Fit(table, panel.Design{Effects: t.inside()})
}

// dark are the unknowns that cannot be told once effects are taken out. A search could tell them only by the first time having no effect.
func (t *linear) dark(list []Linear) (names []string) {
	for _, l := range list {
		if l.Method == Within && t.effects != panel.None {
			names = append(names, l.blind...)
		}
	}
	return names
}

func strength(f float64) string {
	if f < 10 {
		return fmt.Sprintf("The instruments are weak: F is %.3g, below 10, so that values and errors cannot be trusted.", f)
	}
	return fmt.Sprintf("The instruments move what was chosen: F is %.3g.", f)
}

// nickell says how much too small the lag is within people.
func (t *linear) nickell(l *Linear) string {
	each := float64(len(t.table.Y)) / float64(l.of.Units)
	lag := l.of.Value[t.lag]
	return fmt.Sprintf("Within people %s is too small by about (1+%s)/T = %.2g, with %.3g pairs a person.", t.table.Names[t.lag], t.table.Names[t.lag], (1+lag)/each, each)
}

// by estimates by a method.
func (t *linear) by(method, title string) Linear {
	out := Linear{Method: method, Title: title, WeakestF: unknown(), SarganChance: unknown(), SerialChance: unknown()}
	c, err := t.fit(method, t.table, t.instruments)
	if err != nil {
		out.Fault = err.Error()
		if blind, is := errors.AsType[*panel.BlindError](err); is {
			out.blind = blind.Involved()
		}
		return out
	}
	t.say(&out, c)
	return out
}

// say writes coefficients down.
func (t *linear) say(out *Linear, c *panel.Coefficients) {
	out.of = c
	freedom := c.Units - 1
	if c.ByRows {
		freedom = c.Freedom
	}
	wide := distuv.StudentsT{Sigma: 1, Nu: float64(max(1, freedom))}.Quantile(0.975)
	one := func(name string, v, e float64) Inferred {
		return Inferred{Name: name, Value: Amount(v), Error: Amount(e), Low: Amount(v - float64(wide*e)), High: Amount(v + float64(wide*e))}
	}
	for j, name := range c.Names {
		out.Values = append(out.Values, one(name, c.Value[j], c.Error(j)))
		if t.lag >= 0 && j != t.lag && math.Abs(c.Value[t.lag]) < 1 {
			v, e := c.LongRun(t.lag, j)
			out.LongRun = append(out.LongRun, one(name, v, e))
		}
	}
}

// changes estimates from changes, with so few instruments that they are fewer than people where that can be.
func (t *linear) changes(twoWay bool) Linear {
	out := Linear{Method: ArellanoBond, Title: "from changes (Arellano–Bond)", WeakestF: unknown(), SarganChance: unknown(), SerialChance: unknown()}
	if last := t.w.log.Span(); last > mostTimes {
		out.Fault = fmt.Sprintf("more than %d times", mostTimes)
		return out
	}
	d, err := panel.Dynamics(t.all, t.table.Names[t.lag], t.thrifty(twoWay))
	if err != nil {
		out.Fault = err.Error()
		return out
	}
	order := lists.Of(t.table.Names, func(name string) int { return slices.Index(d.Names, name) }) // the lag comes first there
	c := d.Coefficients
	cov := mat.NewSymDense(len(order), nil)
	c.Names, c.Value = slices.Clone(t.table.Names), make([]float64, len(order))
	for i, a := range order {
		c.Value[i] = d.Value[a]
		for j, b := range order {
			cov.SetSym(i, j, d.Cov.At(a, b))
		}
	}
	c.Cov = cov
	t.say(&out, &c)
	out.Instruments, out.SarganChance, out.SerialChance = d.Instruments, Amount(d.SarganChance), Amount(d.SerialChance[1])
	out.Notes = t.verdicts(d)
	return out
}

// mostTimes is how many times a log may have for estimates with an instrument or an effect for each.
const mostTimes = 1000

// mostMoments is how many instruments are taken: beyond it estimates take long and say no more.
const mostMoments = 150

// thrifty is the richest of a few designs whose instruments are fewer than people, or else the poorest.
func (t *linear) thrifty(twoWay bool) panel.ByChanges {
	last := t.w.log.Span()
	others := len(t.all.X)
	if twoWay {
		others += last - 1
	}
	most := min(mostMoments, t.w.out.People-t.w.pairs.Alone)
	switch {
	case float64(float64(last)*float64(last-1)/2)+float64(others) < float64(most):
		return panel.ByChanges{TwoWay: twoWay, Steps: 2}
	case last-1+others < most:
		return panel.ByChanges{TwoWay: twoWay, Steps: 2, Collapse: true}
	case 3+others < most:
		return panel.ByChanges{TwoWay: twoWay, Steps: 2, Collapse: true, Oldest: 4}
	}
	return panel.ByChanges{TwoWay: twoWay, Steps: 1, Collapse: true, Oldest: 3}
}

// verdicts say what the tests of an estimate from changes mean.
func (t *linear) verdicts(d *panel.Dynamic) (notes []string) {
	notes = append(notes, fmt.Sprintf("%s for %d people; Sargan p = %.3g; correlation of changes of errors two turns apart p = %.3g.", phrase.Count(d.Instruments, "instrument"), d.Units, d.SarganChance, d.SerialChance[1]))
	if d.Instruments >= d.Units {
		notes = append(notes, "There are as many instruments as people or more, so that its tests say little.")
	}
	if d.SarganChance < 0.05 {
		notes = append(notes, "Sargan's test rejects the instruments.")
	}
	if d.SerialChance[1] < 0.05 {
		notes = append(notes, "Errors are correlated in time, so that older states are no instruments.")
	}
	return notes
}

// Package logs goes from a spec with unknown numbers and its log to estimates with their doubt, and to a spec that runs.
package logs

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/record"
)

// Options say how a fit is done.
type Options struct {
	Starts    int // further ones, drawn
	Bootstrap int // repeats by person; 0: none
	Seed      uint64
	Workers   int
	Log       *record.Recorded // that is taken in place of the file; nil: the file is read
	Method    string           // by which the answer is found: one of the methods of the linear table; "": what the spec asks for
}

// Inference is what a log says of a spec.
type Inference struct {
	Spec    *problem.Spec     `json:"-"`
	Log     *record.Recorded  `json:"-"`
	Fitted  *fit.Fitted       `json:"-"` // nil where the answer is one of the linear table
	Rows    int               `json:"rows"`
	Pairs   int               `json:"pairs"`
	People  int               `json:"people"`
	First   string            `json:"first"`
	Last    string            `json:"last"`
	Method  string            `json:"method"`
	Found   []Inferred        `json:"unknowns"`
	Cov     [][]float64       `json:"covariance,omitempty"` // of all unknowns in their order; nil where something cannot be told
	Spread  map[string]Amount `json:"spread,omitempty"`     // of the errors of one step, by entry of the state
	Tried   int               `json:"starts"`
	Agreed  int               `json:"agreed"`
	Failed  int               `json:"bootstrap_failed,omitempty"`
	Blind   []string          `json:"cannot_be_told,omitempty"`
	Linear  []Linear          `json:"linear,omitempty"` // by the usual methods for panels, where the model is linear
	Answer  *Response         `json:"answer,omitempty"`
	Law     *TraitLaw         `json:"traits,omitempty"` // of traits that are drawn
	Notes   []string          `json:"notes,omitempty"`
	Warn    []string          `json:"warnings,omitempty"`
	Draws   [][]float64       `json:"-"` // of all unknowns; nil where something cannot be told
	DrawOf  string            `json:"draws,omitempty"`
	Quality *Quality          `json:"quality,omitempty"`
	Apart   bool              `json:"-"` // errors of one person are taken as independent of each other, since people are too few
	Ahead   *Foreseen         `json:"-"` // what was predicted a turn ahead; nil where something cannot be told

	crowd  crowd
	source formula.Source
	width  int    // of its trait
	season string // what is called so in the spec that was fitted
	files  fs.FS  // that the spec names
	step   float64
}

// Inferred is what a log says of one number.
type Inferred struct {
	Name  string `json:"name"`
	Value Amount `json:"value"`
	Error Amount `json:"error"`
	Low   Amount `json:"low"` // of an interval that holds the number in 95 of 100 logs
	High  Amount `json:"high"`
	Note  string `json:"note,omitempty"`
}

// NothingUnknownError says that a spec leaves nothing to find.
type NothingUnknownError struct{ File string }

func (e *NothingUnknownError) Error() string {
	return fmt.Sprintf("%s: nothing is unknown; want a number of model.let that is \"?\", as in habit: \"? in [0, 1]\"", e.File)
}

// NoLogError says that a spec names no log.
type NoLogError struct{ File string }

func (e *NoLogError) Error() string {
	return fmt.Sprintf("%s: there is no section data; want one that says where the log is, with file, person, time, states and decision", e.File)
}

// Fit finds the unknown numbers of a spec from its log.
func Fit(ctx context.Context, s *problem.Spec, files fs.FS, o Options) (*Inference, error) {
	switch {
	case s.Data == nil:
		return nil, &NoLogError{s.File()}
	case len(s.Unknowns()) == 0:
		return nil, &NothingUnknownError{s.File()}
	}
	w := &work{ctx: ctx, spec: s, o: o, files: files, out: &Inference{Spec: s, files: files}}
	for _, step := range []func() error{
		w.read, w.compile, w.arrange, w.estimate, w.judge, w.draw, w.answer, w.predict, w.quality, w.rules,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return w.out, nil
}

// work is a fit on its way.
type work struct {
	ctx      context.Context
	spec     *problem.Spec
	o        Options
	log      *record.Recorded
	pairs    record.Pairs
	source   formula.Source
	f        *formula.Regressor // where the trait stands beside states
	unseen   *formula.Regressor // where it is to be found for everybody; nil: it is not
	unknowns []fit.Unknown
	declared []string
	laws     []fit.ErrorLaw // of errors; nil: normal
	files    fs.FS
	rows     fit.Log
	turn     []int    // of the later row of each pair
	dark     []string // unknowns that cannot be told once effects are taken out
	out      *Inference
}

// mostRead is how many bytes a log may have: a quarter of the memory, and not more than a gigabyte; 0: nobody knows.
func mostRead(have room.Supply) int64 {
	if !have.Known() {
		return 0
	}
	return max(1, min(1<<30, have.Bytes/4))
}

// read reads the log.
func (w *work) read() (err error) {
	if w.log = w.o.Log; w.log == nil {
		if w.log, err = w.spec.Data.Read(w.ctx, w.files, mostRead(room.Memory())); err != nil {
			return w.spec.FormulaMistakes(err)
		}
	}
	w.pairs = w.log.Pairs()
	out := w.out
	last := w.log.Span()
	out.Log, out.Rows, out.People, out.Pairs = w.log, w.log.Rows(), len(w.log.People), len(w.pairs.After)
	out.First, out.Last = w.log.When(0), w.log.When(last)
	for _, note := range w.log.Notes {
		out.Notes = append(out.Notes, "In "+w.spec.Data.File+" "+note+".")
	}
	if w.spec.Data.Kind != record.Panel {
		return nil
	}
	if w.pairs.Gaps > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s: rows of somebody that follow another by more than a turn make no pair.", phrase.Count(w.pairs.Gaps, "gap")))
	}
	if w.pairs.Alone > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d of %d people have no two rows a turn apart and say nothing.", w.pairs.Alone, out.People))
	}
	return nil
}

// compile makes a regressor of the formulas.
func (w *work) compile() (err error) {
	if w.source, err = w.spec.FitSource(w.files); err != nil {
		return err
	}
	w.out.source, w.out.width = w.source, len(formula.Columns(w.source.Trait))
	for _, u := range w.spec.Unknowns() {
		w.declared = append(w.declared, u.Declared(u.Name))
		for _, name := range u.Names(u.Name) {
			w.unknowns = append(w.unknowns, fit.Unknown{Name: name, Start: u.Start(), Lower: u.Lower, Upper: u.Upper, Mean: u.Mean, Deviation: u.Deviation})
		}
	}
	if w.f, err = w.source.Regress(w.declared); err == nil && w.ofPeople() && w.spec.Data.Kind == record.Panel {
		w.unseen, err = w.source.RegressTraits(w.declared)
	}
	if err != nil {
		return w.spec.FormulaMistakes(err)
	}
	return nil
}

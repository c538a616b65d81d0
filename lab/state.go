package lab

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/optimum"
)

const (
	trialKind    = "lab.Trial/3"
	solvedKind   = "lab.Solved/1"
	finishedKind = "lab.Finished/1"
	placeKind    = "lab.Place/1"
)

var _ wire.State = (*Trial)(nil)

// AppendBinary appends everything that is known of the trial.
func (t *Trial) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, trialKind)
	w.Int(t.Index)
	writeInts(w, t.K)
	t.writeColumns(w)
	w.Floats(t.Decision)
	w.Floats(t.Angles)
	t.Path.write(w)
	w.Float(t.Seconds)
	w.Bool(t.Finished)
	return w.Finish()
}

// writeColumns writes what every column is and its numbers.
func (t *Trial) writeColumns(w *wire.Writer) {
	w.Int(len(t.Columns))
	for i, c := range t.Columns {
		for _, text := range columnTexts(&c) {
			w.Bytes([]byte(*text))
		}
		w.Int(int(c.Better))
		w.Int(int(c.Scale))
		w.Bool(c.Relative)
		w.Floats(t.Values[i])
	}
}

// readColumns reads that.
func (t *Trial) readColumns(r *wire.Reader) {
	for range r.Count(8 * 12) {
		var c kedge.Column
		for _, text := range columnTexts(&c) {
			*text = string(r.Bytes())
		}
		c.Better, c.Scale, c.Relative = kedge.Direction(r.Int(math.MaxInt)), kedge.Scale(r.Int(math.MaxInt)), r.Bool()
		values := r.Floats()
		if len(values) != len(t.K) {
			r.Fail("column %s has %d numbers, want %d", c.Name, len(values), len(t.K))
			return
		}
		t.Columns, t.Values = append(t.Columns, c), append(t.Values, values)
	}
}

// columnTexts are the words of a column.
func columnTexts(c *kedge.Column) []*string {
	return []*string{&c.Name, &c.Unit, &c.Label, &c.Chart, &c.Title, &c.Symbols, &c.Meaning, &c.Bound}
}

// UnmarshalBinary makes t the saved trial. On an error t is unchanged.
func (t *Trial) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, trialKind)
	saved := Trial{Index: r.Int(math.MaxInt), Measured: Measured{K: readInts(r)}}
	saved.readColumns(r)
	saved.Decision, saved.Angles = someFloats(r), someFloats(r)
	saved.Path = readPath(r)
	saved.Seconds, saved.Finished = r.Float(), r.Bool()
	if err := r.Finish(); err != nil {
		return err
	}
	*t = saved
	return nil
}

func (p *Path) write(w *wire.Writer) {
	w.Bool(p != nil)
	if p == nil {
		return
	}
	writeInts(w, p.K)
	writeInts(w, p.People)
	w.Floats(p.States)
	w.Floats(p.Decisions)
}

func readPath(r *wire.Reader) *Path {
	if !r.Bool() {
		return nil
	}
	return &Path{K: readInts(r), People: readInts(r), States: r.Floats(), Decisions: r.Floats()}
}

func writeInts(w *wire.Writer, x []int) {
	w.Int(len(x))
	for _, v := range x {
		w.Int(v)
	}
}

func readInts(r *wire.Reader) []int {
	n := r.Count(8)
	x := make([]int, n)
	for i := range x {
		x[i] = r.Int(math.MaxInt)
	}
	return x
}

// someFloats reads a list that is nil when it is empty.
func someFloats(r *wire.Reader) []float64 {
	if x := r.Floats(); len(x) > 0 {
		return x
	}
	return nil
}

// solved is the answer of an offline search, or why there is none.
type solved struct {
	optimum.Search        // without the single starts
	what           string // was sought
	failure        string
}

func (s *solved) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, solvedKind)
	w.Bytes([]byte(s.what))
	w.Bytes([]byte(s.failure))
	w.Floats(s.Decision)
	w.Int(s.Steps)
	for _, v := range []float64{s.Loss, s.Residual, s.Spread, s.Residue} {
		w.Float(v)
	}
	return w.Finish()
}

func (s *solved) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, solvedKind)
	saved := solved{what: string(r.Bytes()), failure: string(r.Bytes())}
	saved.Decision, saved.Steps = someFloats(r), r.Int(math.MaxInt)
	for _, v := range []*float64{&saved.Loss, &saved.Residual, &saved.Spread, &saved.Residue} {
		*v = r.Float()
	}
	if err := r.Finish(); err != nil {
		return err
	}
	*s = saved
	return nil
}

// finished is a trial of an algorithm that has come to its end.
type finished struct {
	algorithm int
	carried   float64 // what it hands on to the next
	trial     Trial
}

func (f *finished) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, finishedKind)
	w.Int(f.algorithm)
	w.Float(f.carried)
	w.State(&f.trial)
	return w.Finish()
}

func (f *finished) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, finishedKind)
	saved := finished{algorithm: r.Int(math.MaxInt), carried: r.Float()}
	trial := r.Bytes()
	if err := r.Finish(); err != nil {
		return err
	}
	if err := saved.trial.UnmarshalBinary(trial); err != nil {
		return err
	}
	*f = saved
	return nil
}

// place says how far a trial is.
type place struct {
	run              uint64 // the checkpoint that it belongs to
	algorithm, trial int
	turns            int // taken
}

func (p *place) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, placeKind)
	w.Uint64(p.run)
	w.Int(p.algorithm)
	w.Int(p.trial)
	w.Int(p.turns)
	return w.Finish()
}

func (p *place) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, placeKind)
	saved := place{run: r.Uint64(), algorithm: r.Int(math.MaxInt), trial: r.Int(math.MaxInt), turns: r.Int(math.MaxInt)}
	if err := r.Finish(); err != nil {
		return err
	}
	*p = saved
	return nil
}

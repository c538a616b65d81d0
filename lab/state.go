package lab

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
	"github.com/kedge-opt/kedge/optimum"
)

const (
	trialKind    = "lab.Trial/2"
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
	w.Int(len(t.Metrics))
	for i := range t.Metrics {
		for _, v := range metricFields(&t.Metrics[i]) {
			w.Float(*v)
		}
	}
	w.Floats(t.Decision)
	w.Floats(t.Angles)
	t.Path.write(w)
	w.Float(t.Seconds)
	w.Bool(t.Finished)
	t.writeGroups(w)
	return w.Finish()
}

// writeGroups adds what was measured besides, group by group, each with its number.
func (t *Trial) writeGroups(w *wire.Writer) {
	if len(t.Metrics) == 0 {
		return
	}
	for number, g := range groups() {
		if g.fields(&t.Metrics[0]) == nil {
			continue
		}
		w.Int(number)
		for i := range t.Metrics {
			for _, v := range g.fields(&t.Metrics[i]) {
				w.Float(*v)
			}
		}
	}
}

// readGroups reads that, if it is there.
func (t *Trial) readGroups(r *wire.Reader) {
	for r.More() {
		g := groups()[r.Int(len(groups())-1)]
		for i := range t.Metrics {
			g.add(&t.Metrics[i])
			for _, v := range g.fields(&t.Metrics[i]) {
				*v = r.Float()
			}
		}
	}
}

// UnmarshalBinary makes t the saved trial. On an error t is unchanged.
func (t *Trial) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, trialKind)
	saved := Trial{Index: r.Int(math.MaxInt), K: readInts(r)}
	if n := r.Int(len(data)); n == len(saved.K) {
		saved.Metrics = make([]kedge.Metrics, n)
	} else {
		r.Fail("%d turns with %d measurements", len(saved.K), n)
	}
	for i := range saved.Metrics {
		for _, v := range metricFields(&saved.Metrics[i]) {
			*v = r.Float()
		}
	}
	saved.Decision, saved.Angles = someFloats(r), someFloats(r)
	saved.Path = readPath(r)
	saved.Seconds, saved.Finished = r.Float(), r.Bool()
	saved.readGroups(r)
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

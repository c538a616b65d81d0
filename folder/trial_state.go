package folder

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
)

const trialKind = "folder.Trial/1"

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
	saved.Decision, saved.Angles = r.SomeFloats(), r.SomeFloats()
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

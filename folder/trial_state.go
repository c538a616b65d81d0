package folder

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
)

const trialKind = "folder.Trial/2"

var _ wire.State = (*Trial)(nil)

// AppendBinary appends everything that is known of the trial.
func (t *Trial) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, trialKind, t.fields) }

// UnmarshalBinary makes t the saved trial. On an error t is unchanged.
func (t *Trial) UnmarshalBinary(data []byte) error { return wire.Restore(data, trialKind, t.fields) }

func (t *Trial) fields(f *wire.Fields) {
	f.Int(&t.Index, math.MaxInt)
	f.Ints(&t.K, math.MaxInt)
	t.columnFields(f)
	f.Floats(&t.Decision)
	f.Floats(&t.Angles)
	wire.Optional(f, &t.Path, func(p *Path) {
		f.Ints(&p.K, math.MaxInt)
		f.Ints(&p.People, math.MaxInt)
		f.Floats(&p.States)
		f.Floats(&p.Decisions)
	})
	f.Float(&t.Carried)
	f.Float(&t.Seconds)
	f.Bool(&t.Finished)
}

// column is what a column is and its numbers.
type column struct {
	kedge.Column
	values []float64
}

func (t *Trial) columnFields(f *wire.Fields) {
	var list []column
	for i, c := range t.Columns {
		list = append(list, column{c, t.Values[i]})
	}
	wire.List(f, &list, 8*12, func(c *column) {
		for _, text := range []*string{&c.Name, &c.Unit, &c.Label, &c.Chart, &c.Title, &c.Symbols, &c.Meaning, &c.Bound} {
			f.Text(text)
		}
		f.Int((*int)(&c.Better), math.MaxInt)
		f.Int((*int)(&c.Scale), math.MaxInt)
		f.Bool(&c.Relative)
		if f.Floats(&c.values); len(c.values) != len(t.K) {
			f.Fail("column %s has %d numbers, want %d", c.Name, len(c.values), len(t.K))
		}
	})
	f.Then(func() {
		t.Columns, t.Values = nil, nil
		for _, c := range list {
			t.Columns, t.Values = append(t.Columns, c.Column), append(t.Values, c.values)
		}
	})
}

package online_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/stream"
)

var errFaint = errors.New("faint")

// faint is a set that can be projected onto so many times.
type faint struct {
	kedge.Set
	left int
}

func (f *faint) Project(u []float64) error {
	if f.left--; f.left < 0 {
		return errFaint
	}
	return f.Set.Project(u)
}

// A set that fails while a rule takes a step is told of, whatever the rule, and the rule is as it was: the same turn can be told again.
func TestRulesTellErrorsOfTheirSet(t *testing.T) {
	for name, make := range rules() {
		told := 0
		for n := range 8 {
			rule := make()
			f := &faint{rule.Set, 1 + n}
			rule.Set = f
			d, err := rule.From([]float64{0.3, -0.2, 0.1})
			if err != nil {
				t.Fatal(name, err)
			}
			r, u := stream.New(2, "turns"), []float64{0, 0, 0}
			for k := range 12 {
				d.Ask(u)
				before, could, o := must(d.AppendBinary(nil)), f.left >= 0, observe(r, k, u)
				err := d.Tell(o)
				if failed := could && f.left < 0; failed != errors.Is(err, errFaint) || !failed && err != nil {
					t.Errorf("%s: the set fails in turn %d: %v, and the rule says %v", name, k, failed, err)
				}
				if err == nil {
					continue
				}
				told++
				if !bytes.Equal(must(d.AppendBinary(nil)), before) {
					t.Errorf("%s: turn %d failed and left traces", name, k)
				}
				if f.left = 1 << 20; d.Tell(o) != nil {
					t.Errorf("%s: turn %d is not taken again", name, k)
				}
				break
			}
		}
		if told == 0 {
			t.Errorf("%s never takes a step", name)
		}
	}
}

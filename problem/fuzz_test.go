package problem

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// damaged says what is wrong with how a document is answered: a mistake that is no *Mistake or says nothing, or a spec that
// does not survive being printed. "" is nothing.
func damaged(src []byte, over ...Overlay) string {
	if msg := disagreement(string(src)); msg != "" {
		return fmt.Sprintf("%q: %s", src, msg)
	}
	s, err := Parse(kind.Standard(), "x.yaml", src, over...)
	if err == nil {
		return lossy(s, src)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || s != nil {
		return fmt.Sprintf("%q gives %T %v and spec %v", src, err, err, s)
	}
	for _, one := range joined.Unwrap() {
		if e, ok := one.(*form.Mistake); !ok || e.File == "" || e.Msg == "" || e.Line < 0 || e.Line > bytes.Count(src, []byte("\n"))+1 {
			return fmt.Sprintf("%q gives %T %+v", src, one, one)
		}
	}
	return ""
}

// lossy says how a spec differs from itself printed and read back.
func lossy(s *Spec, src []byte) string {
	text := s.YAML()
	again, err := Parse(kind.Standard(), "again", text)
	switch {
	case err != nil:
		return fmt.Sprintf("%q prints\n%s\nwhich is not read: %v", src, text, err)
	case !same(s, again):
		return fmt.Sprintf("%q reads back as\n%+v\nwas\n%+v", src, again, s)
	case !bytes.Equal(text, again.YAML()):
		return fmt.Sprintf("%q prints\n%s\nthen\n%s", src, text, again.YAML())
	}
	return ""
}

// FuzzParse looks for documents and assignments that panic, give anything but *Errors, or do not survive printing.
func FuzzParse(f *testing.F) {
	for _, name := range Cases() {
		src, _ := Case(name)
		f.Add(src, "dynamics.lambda=0.3")
		if over, ok := Case(name + ".published"); ok {
			f.Add(over, "set.upper=[1, 2, .inf]")
		}
	}
	f.Add([]byte(small), "algorithms.vanilla.step=1e-3")
	f.Add([]byte(small), "set={kind: product, parts: [{size: 2, kind: half-space, normal: [1, 1], bound: 0}]}")
	f.Add([]byte(written), "model.let.a=[[1, 2], [3, 4]]")
	f.Add([]byte(written), "model.subject to=[0 <= q <= 1, sum(q) == 1]")
	f.Add([]byte("a: |\n  b\n- c\n? d"), "population.states={law: normal}")
	f.Fuzz(func(t *testing.T, src []byte, set string) {
		for _, over := range [][]Overlay{nil, {Assign(set)}, {Merge("y.yaml", src), Assign(set)}} {
			if msg := damaged(src, over...); msg != "" {
				t.Fatal(msg)
			}
		}
	})
}

package compare_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// partly is a method that kedge does not come with: it counts a share of the answer of the settled crowd.
type partly struct {
	kind.Answer
	Share float64
}

func (*partly) Word() form.Option {
	return form.Choice("partly", "Counts a share of the answer.", "∇ᵤΦ + share·∇ᵤh ∇ₚΦ")
}

func (m *partly) Facts() kind.Facts {
	return kind.Facts{
		Title: "A part of the composite gradient", Needs: online.Needs{Samples: true, Sensitivity: true},
		Limit: online.Optimal, Held: online.Optimal, Habits: m.Habits(),
	}
}

func (m *partly) Describe(f *form.Form, h *kind.Host) {
	m.Answer.Describe(f, h)
	form.Field(f, "share", &m.Share, form.Share().Or(0.5), form.Says("How much of the answer counts.", "", "0.5"))
}

func (m *partly) Build(r *online.Rule, _ *kind.Algorithm, s *kind.Site) (err error) {
	h := shared{m.Sensed(s.Model), m.Share}
	r.Gradient, err = s.Keep(&online.Composite{Objective: s.RowObjective(), Sensitivity: h, Dims: s.Dims()}, h)
	return err
}

// shared is a share of a sensitivity.
type shared struct {
	of    kedge.Sensitivity
	share float64
}

func (s shared) PullRows(gu, p, u, d, v []float64) error {
	g := make([]float64, len(gu))
	if err := s.of.PullRows(g, p, u, d, v); err != nil {
		return err
	}
	rows.AddScaled(gu, s.share, g)
	return nil
}

// A method that a program adds to the catalogue is read, explained, run and compared like those that kedge comes with: counting the
// whole answer it is composite to the last bit, counting half of it it ends elsewhere, and stable is where it ends counting none.
func TestForeignMethod(t *testing.T) {
	kinds := kind.Standard()
	kinds.Methods = append(kinds.Methods, &partly{})
	methods, err := compare.ParseMethods(kinds, "vanilla,composite,partly:share=1,partly,partly:share=0")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := problem.Case("lq2")
	subject := compare.Subject{Name: "lq2", Text: text, Over: []problem.Overlay{problem.Assign("iterations=2000")}}
	r, err := compare.Run(context.Background(), []compare.Subject{subject}, methods, compare.Terms{Kinds: kinds, Trials: 1, Points: 3})
	if err != nil {
		t.Fatal(err)
	}
	row := r.Problems[0].Rows
	if whole, composite := row[2], row[1]; !whole.Arrived || whole.Step != composite.Step || *whole.ToOptimal != *composite.ToOptimal {
		t.Errorf("counting the whole answer: %v from the optimum with step %v, composite %v with %v", whole.ToOptimal, whole.Step, composite.ToOptimal, composite.Step)
	}
	if half, none := row[3], row[4]; half.Arrived || none.Arrived || none.ToStable.Mean > row[0].ToStable.Mean+1e-6 || half.ToOptimal.Mean >= none.ToOptimal.Mean {
		t.Errorf("half of the answer ends %v from the optimum, none of it %v; from the stable point %v", half.ToOptimal, none.ToOptimal, none.ToStable)
	}
	groups := r.Problems[0].Groups()
	if i := slices.IndexFunc(groups, func(g compare.Group) bool { return g.Name == "samples and a sensitivity" }); i < 0 || len(groups[i].Rows) != 4 {
		t.Errorf("by what they need to know: %v", groups)
	}
	key, err := problem.Vocabulary(kinds).Explain("algorithms.share")
	if err != nil || key.Uses[0].Of != "kind partly" {
		t.Errorf("algorithms.share is explained as %+v (%v)", key, err)
	}
	if _, err := compare.ParseMethods(kind.Standard(), "partly"); err == nil || !strings.Contains(err.Error(), "there is no method") {
		t.Errorf("without it in the catalogue: %v", err)
	}
}

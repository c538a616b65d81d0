package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/sensitivity"
)

// CompositeMethod counts the answer of the settled crowd, as it is told, as it learns it, or as it is misled about it.
type CompositeMethod struct {
	Answer
	Learn Learn  // of sensitivity "learned": from what is observed
	Wrong *Wrong // how the sensitivity is spoiled, to study robustness; nil: it is not
}

// Word implements [form.Kind].
func (*CompositeMethod) Word() form.Option {
	return form.Choice("composite", "Counts the answer of the settled crowd.", "u⁺ = Π(u − η(∇ᵤΦ + ∇ᵤh ∇ₚΦ))")
}

// Facts implements [Method].
func (m *CompositeMethod) Facts() Facts {
	known := Facts{
		Title: "Composite gradient", Assembly: "Composite", Needs: informed(), Limit: online.Optimal, Held: online.Optimal,
		Proven: contracting + ", Φ̃ is smooth", Source: "[he2025, composite update]", Follows: true, Published: true, Certified: true, Habits: m.Habits(),
	}
	known.Learned, known.Draws, known.Wrong = m.learned(), m.learned(), m.Wrong
	known.Needs.Traits = m.learned() && (m.Learn.Form != sensitivity.Mean || m.Learn.Controls != sensitivity.NoControls)
	return known
}

// learned tells whether the sensitivity is learned, from perturbations of what is deployed.
func (m *CompositeMethod) learned() bool { return m.Sensitivity == "learned" }

// Describe implements [Method].
func (m *CompositeMethod) Describe(f *form.Form, h *Host) {
	m.describe(f, h, form.Choice("learned", "From the decisions that were deployed and the samples that were seen; the dynamics are not used.", ""))
	if m.learned() {
		f.Section("learn", form.Says("How the sensitivity is learned.", "", "{form: panel, dither: 0.1}"), m.Learn.describe)
	}
	form.Field(f, "wrong", &m.Wrong, form.Part((*Wrong).describe).Optional(), form.Says("Spoils the sensitivity on purpose, to study robustness.", "", "{scale: 0.5}"))
}

// Check implements [CheckedMethod].
func (m *CompositeMethod) Check(c *form.Check, _ *Algorithm, path string) {
	c.FailIf(m.learned() && m.Learn.Form == sensitivity.Conditional && m.Learn.Lag == sensitivity.State && c.Sound(path), form.Paths(path+".learn.lag", path+".learn.form"),
		"%s.learn.lag is state, but form is conditional, which wants filtered or naive", path)
}

// Build implements [Method].
func (m *CompositeMethod) Build(r *online.Rule, _ *Algorithm, s *Site) (err error) {
	if m.learned() {
		return m.Learn.build(r, s, m.Wrong)
	}
	h := m.Wrong.spoil(m.Sensed(s.Model))
	var e online.Estimator = &online.Composite{Objective: s.RowObjective(), Sensitivity: h, Dims: s.Dims()}
	if l, ok := h.(kedge.Learner); ok {
		e = online.NewLearning(s.RowObjective(), l, s.Dims())
	}
	r.Gradient, err = s.Keep(e, h)
	return err
}

// Spoiled implements [SpoiledMethod].
func (m *CompositeMethod) Spoiled(of kedge.Model) (right, wrong kedge.Sensitivity) {
	if m.learned() || m.Wrong.fresh().none() {
		return nil, nil
	}
	right = m.Sensed(of)
	return right, m.Wrong.fresh().spoil(right)
}

package online

import (
	"fmt"
	"strings"
)

// Needs is what a method must be given, turn by turn or beforehand.
type Needs struct {
	Samples     bool // states of sampled individuals, and derivatives of the loss
	Panel       bool // the same individuals in successive turns
	Values      bool // mean losses
	Sensitivity bool // how settled states answer the decision
	Model       bool // a family of laws that the population is known to follow
}

// String lists what is needed.
func (n Needs) String() string {
	var list []string
	for _, one := range []struct {
		needed bool
		name   string
	}{{n.Samples, "samples"}, {n.Panel, "panel"}, {n.Values, "values"}, {n.Sensitivity, "sensitivity"}, {n.Model, "model"}} {
		if one.needed {
			list = append(list, one.name)
		}
	}
	return strings.Join(list, ", ")
}

// Limit is where a method settles.
type Limit int

const (
	// Stable is the decision that is best for the population it leads to, as if that were given [perdomo2020].
	Stable Limit = iota
	// Myopic is the decision that is best if the population's answer within the turns that a decision is held were all of it. Of
	// two-point feedback, whose second decision meets the answer to the first, it is less still, see TwoPoint.
	Myopic
	// Optimal is the decision whose settled population is best.
	Optimal
)

// String returns the limit as a word.
func (l Limit) String() string { return [...]string{"stable", "myopic", "optimal"}[l] }

// Method is a known assembly of a rule.
type Method struct {
	Name     string // also the kind of an algorithm in specs
	Title    string
	Assembly string // the parts of the rule
	Needs    Needs
	Limit    Limit  // with decisions held for one turn, or as the method itself holds them
	Held     Limit  // with decisions held until the population has settled
	Proven   string // when it is known to get there
	Source   string // keys of docs/REFERENCES.md
}

const (
	contracting = "the population contracts"
	weak        = "the population answers less than the loss curves, εβ < γ"
	smooth      = "Φ̃ is smooth; δ → 0 with the step"
)

// Methods returns all methods. What a method does, it does under any step schedule, averaging and momentum.
func Methods() []Method {
	fromSamples, fromValues := Needs{Samples: true}, Needs{Values: true}
	fromModel, informed := Needs{Samples: true, Model: true}, Needs{Samples: true, Sensitivity: true}
	return []Method{
		{"vanilla", "Greedy stochastic gradient descent", "Vanilla", fromSamples, Stable, Stable, weak, "[mendlerdunner2020] [he2025, vanilla update]"},
		{"lazy", "Lazy deployment", "Vanilla, Inner: Polynomial", fromSamples, Stable, Stable, weak, "[mendlerdunner2020]"},
		{"repeated-gradient", "Repeated gradient descent", "Vanilla, Wait: Hold", fromSamples, Stable, Stable, weak, "[perdomo2020]"},
		{"repeated-risk", "Repeated risk minimization", "Retrain", fromSamples, Stable, Stable, weak, "[perdomo2020]"},
		{"delayed-risk", "Delayed repeated risk minimization", "Retrain, Wait: Hold", fromSamples, Stable, Stable, weak + ", and " + contracting, "[brown2022]"},
		{"epoch", "Epochs of one first-order step, blind to the answer", "Vanilla, Wait: Settling, Step: Diminishing", fromSamples, Stable, Stable, weak + ", and " + contracting, "[ray2022]"},
		{"composite", "Composite gradient", "Composite", informed, Optimal, Optimal, contracting + ", Φ̃ is smooth", "[he2025, composite update]"},
		{"epoch-composite", "Epochs of one first-order step", "Composite, Wait: Settling, Step: Diminishing", informed, Optimal, Optimal, contracting + ", Φ̃ is convex", "[ray2022]"},
		{"adam", "Composite gradient under Adam, projected", "Composite, Adam", informed, Optimal, Optimal, "as composite, with steps that diminish", "[kingma2015]"},
		{"storm", "Composite gradient with recursive momentum", "Recursive of Composite", Needs{Samples: true, Panel: true, Sensitivity: true}, Optimal, Optimal, "as composite", "[cutkosky2019]"},
		{"one-point", "One-point feedback", "OnePoint", fromValues, Myopic, Optimal, smooth, "[flaxman2005]"},
		{"two-point", "Two-point feedback", "TwoPoint", fromValues, Myopic, Optimal, smooth, "[agarwal2010]"},
		{"derivative-free", "One-point residual feedback", "DerivativeFree", fromValues, Myopic, Optimal, smooth, "[zhang2022] [he2025, derivative-free update]"},
		{"epoch-derivative-free", "Epochs of one-point feedback", "OnePoint, Wait: Settling, Step: Diminishing", fromValues, Optimal, Optimal, contracting + ", " + smooth, "[ray2022] [flaxman2005]"},
		{"performative", "Performative gradient descent, reparametrized", "Performative, Reparametrized", fromModel, Myopic, Optimal, "the decision moves the mean of the states alone", "[izzo2021]"},
		{"reinforce", "Performative gradient descent by scores", "Performative, Gaussian", Needs{Samples: true, Values: true, Model: true}, Myopic, Optimal, "states are normal, and the decision moves their mean alone", "[izzo2021]"},
		{"plug-in", "Two-stage plug-in", "PlugIn", fromModel, Myopic, Optimal, "a location family (or location–scale family) that is affine in the decision", "[miller2021]"},
	}
}

// MethodOf returns the method of a name.
func MethodOf(name string) (Method, bool) {
	for _, m := range Methods() {
		if m.Name == name {
			return m, true
		}
	}
	return Method{}, false
}

// Settles says in words where the method settles.
func (m Method) Settles() string {
	point := map[Limit]string{Stable: "the stable point", Myopic: "the myopic point", Optimal: "the optimum"}
	if m.Limit == m.Held {
		return "settles at " + point[m.Limit]
	}
	return "settles at " + point[m.Limit] + ", or at " + point[m.Held] + " if decisions are held until the crowd has settled"
}

// Table writes the methods as a table in Markdown.
func Table() string {
	var b strings.Builder
	b.WriteString("| kind | method | rule | needs | held 1 turn | held until settled | known when | source |\n|---|---|---|---|---|---|---|---|\n")
	for _, m := range Methods() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", m.Name, m.Title, m.Assembly, m.Needs, m.Limit, m.Held, m.Proven, m.Source)
	}
	return b.String()
}

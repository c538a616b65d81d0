package problem

import (
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Whoever adds a key or an option writes down what it means, with an example that the key takes.
func TestEveryKeyIsExplained(t *testing.T) {
	explained := evidence.For(t, evidence.Promise{Name: "explained", Text: "keys and options that are not explained, or whose example is refused"})
	faults := Vocabulary(kind.Standard()).Faults()
	for _, fault := range faults {
		t.Error(fault)
	}
	explained.Cases(len(faults), len(Vocabulary(kind.Standard()).Keys()))
}

func TestExplain(t *testing.T) {
	k, err := Vocabulary(kind.Standard()).Explain("algorithms.composite.at")
	want := form.Use{Of: "kind composite with sensitivity closed or implicit; kind epoch-composite with sensitivity closed or implicit; kind adam with sensitivity closed or implicit; kind storm with sensitivity closed or implicit", Type: "sample or settled", Default: "sample"}
	if err != nil || k.Path != "algorithms.at" || !slices.Equal(k.Uses, []form.Use{want}) {
		t.Errorf("got %+v, %v, want a key of %+v", k, err, want)
	}
	k, err = Vocabulary(kind.Standard()).Explain("population.angle")
	if err != nil || len(k.Uses) != 2 || k.Uses[0].Of != "law cap" || k.Uses[1].Of != "law bimodal" {
		t.Errorf("got %+v, %v, want one use a law", k, err)
	}
	k, err = Vocabulary(kind.Standard()).Explain("set.parts.1.of.0.radius")
	if err != nil || k.Uses[0].Of != "kind ball or l1-ball" || k.Meaning != "The radius of the ball." {
		t.Errorf("got %+v, %v", k, err)
	}
	k, err = Vocabulary(kind.Standard()).Explain("algorithms.0.batch")
	if err != nil || k.Uses[0].Like != "population.size" {
		t.Errorf("got %+v, %v", k, err)
	}
}

func TestExplainSuggests(t *testing.T) {
	for path, want := range map[string]string{
		"dynamics.lamda":      "unknown key dynamics.lamda, did you mean dynamics.lambda?",
		"lambda":              "unknown key lambda, did you mean dynamics.lambda or dynamics.heterogeneity.lambda?",
		"lamda":               "unknown key lamda, did you mean dynamics.lambda or dynamics.heterogeneity.lambda?",
		"kind":                "unknown key kind, did you mean data.kind, dynamics.kind, objective.kind, set.kind, constraints.kind, algorithms.kind or live.guardrails.kind?",
		"algorithms.stpe":     "unknown key algorithms.stpe, did you mean algorithms.step?",
		"algorithms.x.colour": "unknown key algorithms.colour, there are name, kind, step, schedule, delay, power, batch, clip, momentum, hold, contraction, average, rate-limit, trials, heed, dual-step, leak, play, anticipate, deploy, growth, sensitivity, at, norm, learn, wrong, scaling, decay, weight, delta, perturbed, first, carry, window, tries and family",
		"dynamics.lambda.one": "dynamics.lambda is a number from 0 to 1 and has no keys below it",
		"optimum.":            "a key is missing, there are starts and tolerance",
		"optimum.colour":      "unknown key optimum.colour, there are starts and tolerance",
	} {
		if _, err := Vocabulary(kind.Standard()).Explain(path); err == nil || err.Error() != want {
			t.Errorf("%s gives %v, want %s", path, err, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for begun, want := range map[string][]string{
		"dynamics.la":             {"dynamics.lambda", "dynamics.lambda1", "dynamics.lambda2"},
		"algorithms.composite.se": {"algorithms.composite.sensitivity"},
		"pop":                     {"population"},
		"set.of.0.ra":             {"set.of.0.radius"},
		"no.such":                 nil,
		"seed.x":                  nil,
	} {
		if got := Vocabulary(kind.Standard()).Complete(begun); !slices.Equal(got, want) {
			t.Errorf("%s is completed to %v, want %v", begun, got, want)
		}
	}
	if got := len(Vocabulary(kind.Standard()).Complete("")); got != 23 {
		t.Errorf("there are %d sections and keys at the top, want 23", got)
	}
}

// Every key comes once, behind the section it belongs to.
func TestKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	seen := map[string]bool{"": true}
	for _, k := range Vocabulary(kind.Standard()).Keys() {
		above := k.Path[:max(0, strings.LastIndexByte(k.Path, '.'))]
		if seen[k.Path] || !seen[above] {
			t.Errorf("%s comes twice or before %q", k.Path, above)
		}
		seen[k.Path] = true
		if again, err := Vocabulary(kind.Standard()).Explain(k.Path); err != nil || again.Meaning != k.Meaning {
			t.Errorf("%s is explained as %+v, %v", k.Path, again, err)
		}
	}
}

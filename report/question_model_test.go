package report

import (
	"os"
	"testing"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/question"
)

// A model is asked about in its author's words.
func TestModelQuestion(t *testing.T) {
	src, err := os.ReadFile("../examples/pricing.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := problem.Parse(kind.Standard(), "pricing.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"q[apples, pears, plums] in EUR: 0 <= q <= 15.",
		"500 individuals with a state p[3] that becomes habit*p + (1-habit)*(d - B @ q). Traits d[3] stay as they are: drawn by the law normal. " +
			"Here habit = 0.8, B is a 3×3 matrix, cost has 3 entries, usual has 3 entries and trust = 1.",
		"The mean of dot(p, q - cost) - trust*norm(q - usual)^2 over the population, to be maximized. Decisions are judged by the population that settles under them, not by the one they meet.",
	}
	got := question.Of(s)
	if len(got) != 4 { // sweeps and comparisons tell terms by their number
		t.Fatalf("%d terms, want 4", len(got))
	}
	for i, w := range want {
		if got[i].Text != w {
			t.Errorf("%s: %q, want %q", got[i].Name, got[i].Text, w)
		}
	}
}

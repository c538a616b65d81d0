package objective_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
)

type checker interface{ Check(kedge.Dims) error }

func TestCheckAcceptsWhatFits(t *testing.T) {
	for _, s := range subjects(t) {
		if err := s.of.(checker).Check(s.dim); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		unknown := &objective.Weighted{Weight: 1, Of: kedge.BatchedObjective(one{s.of}, s.dim)}
		if err := unknown.Check(s.dim); err != nil {
			t.Errorf("%s without a Check of its own: %v", s.name, err)
		}
	}
}

// one hides every ability but Eval.
type one struct{ kedge.Objective }

// Every mistake is named, and all of them at once.
func TestCheckNamesEveryMistake(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	dim := kedge.Dims{Decision: 3, State: 3, Trait: 1}
	quadratic, _ := objective.NewQuadratic(dim, nil, nil, nil, nil, nil)
	for _, c := range []struct {
		of   checker
		want []string
	}{
		{objective.Affinity{State: 4}, []string{"the state has 3 entries, want 4"}},
		{objective.Affinity{State: 2}, []string{"State is 2"}},
		{objective.Affinity{State: -1}, []string{"State is -1"}},
		{objective.Revenue{Entropy: nan, Sign: 7, State: 9}, []string{"Entropy is NaN", "Sign is 7", "the state has 3"}},
		{objective.Revenue{Entropy: -1}, []string{"Entropy is -1"}},
		{objective.Revenue{Entropy: inf}, []string{"Entropy is +Inf"}},
		{objective.Logistic{Features: 1, Ridge: -1}, []string{"Ridge is -1", "Features is 1", "the state has 3", "the trait has 1"}},
		{objective.Logistic{Features: 4}, []string{"Features is 4", "the state has 3", "the trait has 1"}},
		{objective.Sum{objective.Affinity{}, &objective.Weighted{Weight: 1, Of: objective.Affinity{State: 4}}}, []string{"part 1: the state has 3"}},
		{&objective.Weighted{Weight: inf, Of: objective.Affinity{State: 5}}, []string{"Weight is +Inf", "the state has 3"}},
		{&objective.Weighted{Weight: nan, Of: quadratic}, []string{"Weight is NaN"}},
	} {
		err := c.of.Check(dim)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: error %q does not say %q", c.of, err, want)
			}
		}
	}
	if err := quadratic.Check(kedge.Dims{Decision: 2, State: 4}); err == nil || strings.Count(err.Error(), "want 3") != 2 {
		t.Errorf("Quadratic: error %q does not name both lengths", err)
	}
}

func TestNewQuadraticNamesEveryMistake(t *testing.T) {
	_, err := objective.NewQuadratic(kedge.Dims{Decision: 1, State: 2}, []float64{math.NaN()}, []float64{1}, []float64{1, 2, 3, math.Inf(1)}, []float64{1, 2}, []float64{})
	var size *kedge.DimError
	var number *kedge.NotFiniteError
	if !errors.As(err, &size) || !errors.As(err, &number) {
		t.Fatalf("error %v is not made of typed errors", err)
	}
	for _, want := range []string{"R[0] is NaN", "S has 1", "Q[3] is +Inf", "r has 2", "c has 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	_, err = objective.NewQuadratic(kedge.Dims{Decision: 0, State: -1}, nil, nil, nil, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "Decision is 0") || !strings.Contains(err.Error(), "State is -1") {
		t.Errorf("error %v does not name both dimensions", err)
	}
}

// The constructor owns its numbers: changing the caller's changes nothing.
func TestNewQuadraticCopies(t *testing.T) {
	c := []float64{3}
	q, err := objective.NewQuadratic(kedge.Dims{Decision: 1, State: 1}, nil, nil, nil, nil, c)
	if err != nil {
		t.Fatal(err)
	}
	c[0] = 100
	within(t, "cᵀp", q.Eval(nil, nil, []float64{2}, []float64{1}, nil), 6, 0)
}

func TestWrongLengthsPanic(t *testing.T) {
	for _, s := range subjects(t) {
		p, u, d := make([]float64, s.dim.State), make([]float64, s.dim.Decision), make([]float64, s.dim.Trait)
		long := make([]float64, 9)
		for name, call := range map[string]func(){
			"p":          func() { s.of.Eval(nil, nil, long, u, d) },
			"gp":         func() { s.of.Eval(long, nil, p, u, d) },
			"gu":         func() { s.of.Eval(nil, long, p, u, d) },
			"u":          func() { s.of.Eval(nil, nil, p, long, d) },
			"broken row": func() { s.of.EvalRows(nil, nil, p[1:], u, d) },
			"gp of rows": func() { s.of.EvalRows(long, nil, p, u, d) },
			"gu of rows": func() { s.of.EvalRows(nil, long, p, u, d) },
			"d of rows":  func() { objective.Logistic{}.EvalRows(nil, nil, u, u, long) },
		} {
			if !panics(call) {
				t.Errorf("%s: a wrong length of %s does not panic", s.name, name)
			}
		}
	}
}

func panics(call func()) (did bool) {
	defer func() { did = recover() != nil }()
	call()
	return false
}

package study

import (
	"fmt"
	"slices"
	"strings"
)

// Statement is a numbered statement of the paper. Its theorems, lemmas and corollaries share one counter.
type Statement struct {
	Name   string // "Theorem 5"
	Says   string // in a few words
	Source string // the key in docs/REFERENCES.md
}

// Statements lists those of the paper, in its order. Those of its appendix are steps of proofs.
func Statements() []Statement {
	return []Statement{
		{"Lemma 1", "unbiased batches, their variance", "he2025, second moment"},
		{"Lemma 2", "W₁ ≤ V, and V contracts", "he2025, coupling recursion"},
		{"Theorem 3", "ΣW₁² by the steps taken", "he2025, distribution shift"},
		{"Lemma 4", "gradients err by at most L·W₁", "he2025, gradient bias"},
		{"Theorem 5", "mean E‖∇Φ̃‖² = O(T^−½)", "he2025, gradient bound"},
		{"Corollary 6", "mean E‖∇̂Φ̃‖² = O(T^−½)", "he2025, transient gradient bound"},
		{"Theorem 7", "mean E W₁ = O(T^−¼)", "he2025, distance bound"},
		{"Theorem 8", "mean ‖∇Φ̃‖², probability 1−τ", "he2025, gradient bound in probability"},
		{"Theorem 9", "mean W₁, probability 1−τ", "he2025, distance bound in probability"},
		{"Lemma 10", "∇Φ̃ᴺ of N people is near ∇Φ̃", "he2025, generalization error"},
		{"Theorem 11", "N people, T turns, by the law", "he2025, generalization bound"},
		{"Theorem 12", "where polarized people settle", "he2025, polarized steady state"},
	}
}

// Study returns the name of the study that measures the statement, empty when none does.
func (s Statement) Study() string {
	for _, one := range All() {
		if slices.Contains(one.Theorems, s.Name) {
			return one.Name
		}
	}
	return ""
}

// slug is the statement as a name of a study, as in theorem-11.
func (s Statement) slug() string { return strings.ReplaceAll(strings.ToLower(s.Name), " ", "-") }

// Find returns the study of a name, or of a statement of the paper as in theorem-11.
func Find(name string) (Study, error) {
	for _, s := range Statements() {
		if s.slug() == name {
			name = s.Study()
		}
	}
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
	}
	return Study{}, fmt.Errorf("there is no study %q; the studies are %s, and theorem-11 stands for the one that measures it", name, strings.Join(Names(), ", "))
}

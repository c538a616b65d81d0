package game_test

import (
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
)

// Players count individuals by weight: whole weights of any unit are as good as so many of them.
func TestPlayersWeigh(t *testing.T) {
	c := quarrel(t)
	counts := []float64{3, 1, 0, 2}
	p := []float64{0.4, 1, -0.3, 0.2, 7, 7, 1, -1}
	weighted := kedge.Observation{U: []float64{0.3, -0.2}, P: p, D: c.traits, W: []float64{1.5, 0.5, 0, 1}}
	repeated := kedge.Observation{U: weighted.U}
	for i, w := range counts {
		for range int(w) {
			repeated.P, repeated.D = append(repeated.P, kedge.Row(p, i, 2)...), append(repeated.D, kedge.Row(c.traits, i, 2)...)
		}
	}
	for name, e := range map[string]online.Estimator{
		"play":                       c.gradients(t, c.sensitivity, game.Simultaneous),
		"naive play":                 c.gradients(t, nil, game.Simultaneous),
		"best responses":             c.responses(t, game.Foresight{}, game.Simultaneous),
		"far-sighted best responses": c.responses(t, game.Foresight{Settler: c.dynamics, Sensitivity: c.sensitivity}, game.Simultaneous),
	} {
		g, want := make([]float64, 2), make([]float64, 2)
		for to, o := range map[*[]float64]kedge.Observation{&g: weighted, &want: repeated} {
			if err := e.Estimate(*to, o); err != nil {
				t.Fatal(name, err)
			}
		}
		if off := rows.Distance(g, want); off > 1e-9 || rows.Norm(g) < 0.01 {
			t.Errorf("%s: by weights %v, repeated %v", name, g, want)
		}
	}
}

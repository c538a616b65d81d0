package optimum

import "testing"

// The best reply of one player is looked for by four walks at least and eight at most, however many the search of the game takes. Every walk ends somewhere.
func TestWalksOfAReply(t *testing.T) {
	for starts, want := range map[int]int{0: 4, 4: 4, 7: 7, 8: 8, 9: 8, 20: 8} {
		h := tugging().table
		h.effort = Effort{Starts: starts}
		s, err := h.reply(0, []float64{0, 0})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Found) != want {
			t.Errorf("%d starts: %d walks, want %d", starts, len(s.Found), want)
		}
	}
}

// Players whose gradients have no value where they begin begin nowhere else.
func TestWherePlayersWithoutGradientsBegin(t *testing.T) {
	h := tugging().table
	for k := range 4 {
		h.game = tug{a: 0.5}
		if u := h.from([]float64{1, 30}, k); (u[0] == 1 && u[1] == 10) != (k == 0) {
			t.Errorf("round %d begins at %v", k, u)
		}
		h.game = fieldless{tug{a: 0.5}}
		if u := h.from([]float64{1, 30}, k); u[0] != 1 || u[1] != 10 {
			t.Errorf("round %d without gradients begins at %v", k, u)
		}
	}
}

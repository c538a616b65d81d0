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

package population

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// tiled is a dynamics that moves in tiles on every processor.
type tiled struct{ dynamics.Polarized }

func (tiled) Tiles() bool { return true }

// stores are all ways to keep the states of ten people with three numbers each.
func stores(t *testing.T) map[string]store {
	t.Helper()
	traits := make([]float64, 30)
	for i := range 10 {
		traits[3*i+i%3] = 1
	}
	config := Config{Dynamics: tiled{dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}}, Traits: kedge.Block{Data: traits, Width: 3}}
	c, err := Gather(config)
	if err != nil {
		t.Fatal(err)
	}
	tiles := c.tiled(config)
	if tiles == nil {
		t.Fatal("there are no tiles")
	}
	return map[string]store{"doubles": newStore(Float64, 10, 3), "singles": newStore(Float32, 10, 3), "tiles": tiles}
}

// A crowd is moved by one hand for every crew.Grain entries of its states, as many as there are workers at most, as the comment of Workers says.
func TestHandsOfACrowd(t *testing.T) {
	for _, c := range []struct{ people, workers, want int }{{crew.Grain / 2, 9, 1}, {crew.Grain, 9, 2}, {crew.Grain, 1, 1}, {3 * crew.Grain / 2, 9, 3}} {
		traits := make([]float64, 2*c.people)
		crowd, err := Gather(Config{Dynamics: dynamics.Func{Size: kedge.Dims{Decision: 1, State: 2, Trait: 2}, F: func(dst, p, _, _ []float64) { copy(dst, p) }}, Traits: kedge.Block{Data: traits, Width: 2}})
		if err != nil {
			t.Fatal(err)
		}
		crowd.Workers = c.workers
		if err := crowd.Respond(t.Context(), []float64{0}); err != nil || len(crowd.desks) != c.want {
			t.Errorf("%d people and %d workers: %d hands, want %d (%v)", c.people, c.workers, len(crowd.desks), c.want, err)
		}
	}
}

// viewed are all states of a store, in every way in which it tells them: as they are looked at, as a block, and as they are saved.
func viewed(t *testing.T, s store) [][]float64 {
	t.Helper()
	all := [][]float64{slices.Clone(s.View(make([]float64, 30), 0, 10))}
	if tiles, ok := s.(*eights); ok {
		all = append(all, slices.Clone(tiles.block()))
	}
	saved, err := wire.Append(nil, s.kind(), s.fields)
	if err != nil {
		t.Fatal(err)
	}
	again := newStore(Float64, 10, 3)
	if _, short := s.(*singles); short {
		again = newStore(Float32, 10, 3)
	}
	if err := wire.Restore(saved, s.kind(), again.fields); err != nil {
		t.Fatal(err)
	}
	return append(all, again.View(make([]float64, 30), 0, 10))
}

// What is written and what is put hold in every store from then on, whoever has looked before.
func TestStoresTellWhatIsPut(t *testing.T) {
	for name, s := range stores(t) {
		want := make([]float64, 30)
		for i := range want {
			want[i] = float64(1 + i)
		}
		check := func(when string) {
			for _, got := range viewed(t, s) {
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s states are %v, want %v", name, when, got, want)
				}
			}
		}
		x := s.next(make([]float64, 30), 0, 10)
		copy(x, want)
		s.keep(x, 0)
		s.swap()
		check("after a step")
		for _, i := range []int{0, 7, 8, 9} {
			copy(want[3*i:], []float64{-1, 0.5, float64(100 * i)})
			s.put(want[3*i:3*i+3], i)
			check("after one was put")
		}
	}
}

// Whoever is put after a decision was foreseen moves from there, and not from where people were.
func TestPutForgetsWhatWasForeseen(t *testing.T) {
	s := stores(t)["tiles"].(*eights)
	u, now := []float64{0.6, 0.3, -0.2}, make([]float64, 30)
	for i := range 10 {
		now[3*i+(i+1)%3] = 1
		s.put(now[3*i:3*i+3], i)
	}
	if !s.Foresee(u) {
		t.Fatal("nothing is foreseen")
	}
	if _, ok := s.AlignPeople(make([]float64, 10), 0); !ok || !s.ahead[0] {
		t.Fatal("people are not moved ahead")
	}
	copy(now[3*4:], []float64{0.8, 0, 0.6})
	s.put(now[3*4:3*5], 4)
	s.begin(u)
	if !s.move(u, 0) {
		t.Fatal("people do not move in tiles")
	}
	s.swap()
	want := make([]float64, 30)
	dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}.NextRows(want, now, u, s.traitsOf())
	if got := s.block(); !slices.Equal(got, want) {
		t.Errorf("people go to %v, want %v", got, want)
	}
}

// traitsOf are the traits of a store in tiles, as rows.
func (t *eights) traitsOf() []float64 {
	x := make([]float64, t.n*t.width)
	rows.Untile(x, t.traits, 0, t.width)
	return x
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/bench"
)

// measured is a run with round numbers.
func measured() map[string]Figures {
	turn := func(seconds, two float64) Figure {
		return Figure{Speed: bench.Speed{SecondsPerTurn: seconds, Best: seconds, TwoWorkers: two}}
	}
	step := func(ns float64) Figure { return Figure{Speed: bench.Speed{NsPerIndividual: ns, Best: ns}} }
	triad := func(gb float64) Figure { return Figure{Speed: bench.Speed{GBPerSecond: gb, Best: gb}} }
	return map[string]Figures{
		kedgeSide: {
			"polarized-vanilla-turn": turn(4e-5, 2e-5), "polarized-composite-turn": turn(6e-5, 3e-5),
			"polarized-step-1e6": step(48), "polarized-step-1e7": step(40), "triad-1e6": triad(20),
		},
		paperSide: {
			"polarized-vanilla-turn": turn(4e-3, 0), "polarized-composite-turn": turn(1e-2, 0), "choice-vanilla-turn": turn(1e-4, 0),
		},
		cSide: {"polarized-step-1e6": step(24), "triad-1e6": triad(40), "triad-1e7": triad(16)},
	}
}

// Everything here is worked out by hand from the numbers above.
func TestCompare(t *testing.T) {
	c := compare(measured())
	polarized := c.Studies["polarized"]
	for what, pair := range map[string][2]float64{
		"a ratio of turns":                 {c.Ratios["polarized-vanilla-turn"][paperSide], 100},
		"a ratio below one":                {c.Ratios["polarized-step-1e6"][cSide], 0.5},
		"a ratio of rates":                 {c.Ratios["triad-1e6"][cSide], 0.5},
		"kedge's share of a triad":         {c.Shares["polarized-step-1e6"][kedgeSide], 480. / 48 / 40},
		"C's share of a triad":             {c.Shares["polarized-step-1e6"][cSide], 480. / 24 / 40},
		"the share of the largest":         {c.Shares["polarized-step-1e7"][kedgeSide], 480. / 40 / 16},
		"a study by the paper":             {polarized.Seconds[paperSide], 160000 * (4e-3 + 1e-2)},
		"a study by kedge":                 {polarized.Seconds[kedgeSide], 160000 * 1e-4},
		"a study by kedge on two":          {polarized.KedgeTwoWorkers, 160000 * 5e-5},
		"its ratio":                        {polarized.Ratios[paperSide], 140},
		"its ratio on two":                 {polarized.RatiosTwo[paperSide], 280},
		"a study that was not measured":    {c.Studies["choice"].Seconds[paperSide], 0},
		"a ratio to what was not measured": {c.Ratios["choice-vanilla-turn"][paperSide], 0},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-12*pair[1] {
			t.Errorf("%s is %v, want %v", what, pair[0], pair[1])
		}
	}
}

// The turns of the choice study: 6000 of vanilla, 6000 of composite and 20 × 6000 of derivative-free.
func TestChoiceStudy(t *testing.T) {
	f := Figures{
		"choice-vanilla-turn": {Speed: bench.Speed{SecondsPerTurn: 1}}, "choice-composite-turn": {Speed: bench.Speed{SecondsPerTurn: 10}}, "choice-derivative-free-turn": {Speed: bench.Speed{SecondsPerTurn: 100}},
	}
	got := compare(map[string]Figures{fastSide: f}).Studies["choice"].Seconds[fastSide]
	if got != 6000+60000+12000000 {
		t.Errorf("the choice study takes %v", got)
	}
}

func TestTable(t *testing.T) {
	c := compare(measured())
	c.Missing = []string{"numpy-fast: not there"}
	var b bytes.Buffer
	if err := c.print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4000 (4000)", "100×", "140×", "280×", "25 %", "75 %", "–", "missing: numpy-fast: not there"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the table:\n%s", want, b.String())
		}
	}
}

// What is printed as JSON reads back as the same comparison.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	want := compare(measured())
	if err := show(&b, want, true); err != nil {
		t.Fatal(err)
	}
	var got comparison
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Studies["polarized"].RatiosTwo[paperSide] != want.Studies["polarized"].RatiosTwo[paperSide] ||
		got.Figures[cSide]["triad-1e7"] != want.Figures[cSide]["triad-1e7"] {
		t.Errorf("read back %+v", got)
	}
}

// Sides take turns, and one that fails is asked once and left out of what follows.
func TestPlay(t *testing.T) {
	var order []string
	good := func(name string) side {
		return side{name, func(context.Context) (Figures, error) {
			order = append(order, name)
			return Figures{"triad-1e6": {Speed: bench.Speed{GBPerSecond: float64(len(order)), Best: 1}}}, nil
		}}
	}
	bad := side{"bad", func(context.Context) (Figures, error) {
		order = append(order, "bad")
		return nil, errors.New("install it")
	}}
	figures, missing := play(t.Context(), []side{good("a"), bad, good("b")}, 3, io.Discard)
	if want := []string{"a", "bad", "b", "a", "b", "a", "b"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if len(figures) != 2 || figures["a"]["triad-1e6"].GBPerSecond != 4 || !slices.Equal(missing, []string{"bad: install it"}) {
		t.Errorf("figures %v, missing %v", figures, missing)
	}
}

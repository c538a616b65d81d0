package main

import (
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/bench"
)

func TestDecodeKeepsTheWorkloads(t *testing.T) {
	f, err := decode([]byte(`{
		"polarized-vanilla-turn": {"seconds_per_turn": 0.004, "best": 0.003, "two_workers": 0.002, "turns": 200, "allocations": 0},
		"triad-1e6": {"gb_per_second": 26, "best": 27, "individuals": 1000000},
		"memory": {"bytes_per_individual": 480},
		"version": "0.1.0"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Figure{bench.Speed{SecondsPerTurn: 0.004, Best: 0.003, TwoWorkers: 0.002}, bench.Size{Turns: 200}}
	if len(f) != 2 || f["polarized-vanilla-turn"] != want || f["triad-1e6"].GBPerSecond != 26 {
		t.Errorf("decoded %+v", f)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for what, text := range map[string]string{
		"decode figures:":                 `kedge: unknown command`,
		"none of the workloads":           `{"memory": {"bytes_per_individual": 480}}`,
		"decode triad-1e6: want the unit": `{"triad-1e6": {"ns_per_individual": 18, "best": 17}}`,
		"decode triad-1e7: want the unit": `{"triad-1e7": {"gb_per_second": 18, "ns_per_individual": 18, "best": 17}}`,
		"decode polarized-step-1e3: want": `{"polarized-step-1e3": {"ns_per_individual": -1, "best": 17}}`,
		"decode polarized-step-1e6: best": `{"polarized-step-1e6": {"ns_per_individual": 44}}`,
		"decode polarized-step-1e7: json": `{"polarized-step-1e7": {"ns_per_individual": "44"}}`,
	} {
		if _, err := decode([]byte(text)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("decode %s: error %v, want %q in it", text, err, what)
		}
	}
}

func TestMergeTakesMediansAndBests(t *testing.T) {
	round := func(step, best, two, triad float64) Figures {
		return Figures{
			"choice-vanilla-turn": {bench.Speed{SecondsPerTurn: step, Best: best, TwoWorkers: two}, bench.Size{Turns: 200}},
			"triad-1e6":           {Speed: bench.Speed{GBPerSecond: triad, Best: triad + 1}},
		}
	}
	rounds := []Figures{round(5, 4, 3, 20), round(1, 0.5, 1, 30), round(2, 1, 2, 10), {"triad-1e6": {Speed: bench.Speed{GBPerSecond: 40, Best: 41}}}}
	got := merge(rounds)
	if want := (Figure{bench.Speed{SecondsPerTurn: 2, Best: 0.5, TwoWorkers: 2}, bench.Size{Turns: 200}}); got["choice-vanilla-turn"] != want {
		t.Errorf("times merged to %+v, want %+v", got["choice-vanilla-turn"], want)
	}
	if want := (Figure{Speed: bench.Speed{GBPerSecond: 25, Best: 41}}); got["triad-1e6"] != want {
		t.Errorf("rates merged to %+v, want %+v", got["triad-1e6"], want)
	}
	if len(got) != 2 {
		t.Errorf("merged %d workloads, want the two that were measured", len(got))
	}
}

package main

import "github.com/kedge-opt/kedge/internal/bench"

// comparison is everything that comes out of a run.
type comparison struct {
	Turns   int                           `json:"turns"`
	Rounds  int                           `json:"rounds"`
	Missing []string                      `json:"missing,omitempty"`
	Figures map[string]Figures            `json:"figures"`     // by side
	Ratios  map[string]map[string]float64 `json:"ratios"`      // by workload and side: its time over kedge's
	Shares  map[string]map[string]float64 `json:"triad_share"` // by workload and side: traffic of a step over that of a triad
	Studies map[string]studyTimes         `json:"studies"`     // by case
}

// study is a full case study: so many turns of every workload.
type study struct {
	name  string
	turns map[string]float64
}

func studies() []study {
	return []study{
		{"polarized", map[string]float64{"polarized-vanilla-turn": 20 * 8000, "polarized-composite-turn": 20 * 8000}},
		{"choice", map[string]float64{
			"choice-vanilla-turn": 6000, "choice-composite-turn": 6000, "choice-derivative-free-turn": 20 * 6000}},
	}
}

// studyTimes are the seconds that the turns of a case study take by their medians, 0 where not all were measured, and how
// many times longer the others take than kedge.
type studyTimes struct {
	Seconds         map[string]float64 `json:"seconds"`           // by side, on one core
	KedgeTwoWorkers float64            `json:"kedge_two_workers"` // kedge with two trials side by side
	Ratios          map[string]float64 `json:"ratios"`
	RatiosTwo       map[string]float64 `json:"ratios_two_workers"` // the others on one core, as they are run, over kedge on two
}

func compare(figures map[string]Figures) comparison {
	c := comparison{
		Figures: figures,
		Ratios:  map[string]map[string]float64{},
		Shares:  map[string]map[string]float64{},
		Studies: map[string]studyTimes{},
	}
	for _, w := range workloads() {
		times := map[string]float64{}
		for name, f := range figures {
			if one, ok := f[w.name]; ok {
				times[name] = one.time(w.unit)
			}
		}
		put(c.Ratios, w.name, over(times, times[kedgeSide]))
	}
	for step, triad := range map[string]string{"polarized-step-1e6": "triad-1e6", "polarized-step-1e7": "triad-1e7"} {
		put(c.Shares, step, shares(figures, step, triad))
	}
	for _, s := range studies() {
		c.Studies[s.name] = s.times(figures)
	}
	return c
}

func put(table map[string]map[string]float64, name string, row map[string]float64) {
	if len(row) > 0 {
		table[name] = row
	}
}

// over returns the others' times over kedge's, nothing when kedge's is unknown.
func over(times map[string]float64, kedge float64) map[string]float64 {
	ratios := map[string]float64{}
	for name, t := range times {
		if name != kedgeSide && kedge > 0 && t > 0 {
			ratios[name] = t / kedge
		}
	}
	return ratios
}

// shares returns the memory traffic of a step over that of the fastest triad of the run. Bytes a
// nanosecond are GB/s.
func shares(figures map[string]Figures, step, triad string) map[string]float64 {
	fastest := 0.0
	for _, f := range figures {
		fastest = max(fastest, f[triad].GBPerSecond)
	}
	share := map[string]float64{}
	for name, f := range figures {
		if ns := f[step].NsPerIndividual; ns > 0 && fastest > 0 {
			share[name] = bench.StepBytes / ns / fastest
		}
	}
	return share
}

func (s study) times(figures map[string]Figures) studyTimes {
	t := studyTimes{Seconds: map[string]float64{}}
	for name, f := range figures {
		if sum := s.seconds(f, func(f Figure) float64 { return f.SecondsPerTurn }); sum > 0 {
			t.Seconds[name] = sum
		}
	}
	t.KedgeTwoWorkers = s.seconds(figures[kedgeSide], func(f Figure) float64 { return f.TwoWorkers })
	t.Ratios, t.RatiosTwo = over(t.Seconds, t.Seconds[kedgeSide]), over(t.Seconds, t.KedgeTwoWorkers)
	return t
}

// seconds adds up the turns of the study, 0 when one of its workloads was not measured.
func (s study) seconds(f Figures, of func(Figure) float64) float64 {
	sum := 0.0
	for name, turns := range s.turns {
		one := of(f[name])
		if one == 0 {
			return 0
		}
		sum += float64(turns * one)
	}
	return sum
}

package problem

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Need is an estimate of the memory that something takes, made of a spec before anybody is drawn.
type Need []Portion

// Portion is a part of it, and the key that drives it.
type Portion struct {
	Key   string
	What  string // as in "the traits of 1000 people"
	Bytes float64
}

// Bytes is the sum.
func (n Need) Bytes() (sum float64) {
	for _, p := range n {
		sum += p.Bytes
	}
	return sum
}

// MemoryError says that a spec asks for more memory than there is.
type MemoryError struct {
	Place form.Place // of the key
	Most  Portion    // what takes the most
	Need  float64    // bytes of everything, estimated
	Have  float64
	Of    string // what says how much there is
}

func (e *MemoryError) Error() string {
	at := e.Place.Mistake(e.Most.Key, "%s asks for too much: about %s of memory are needed, %s of it for %s, and %s are %s; %s, or say with --memory how much may be taken",
		e.Most.Key, room.Size(e.Need), room.Size(e.Most.Bytes), e.Most.What, room.Size(e.Have), e.Of, remedyOf(e.Most.Key))
	return at.Error()
}

// remedyOf says what takes less.
func remedyOf(key string) string {
	switch key {
	case "population.size":
		return "take fewer people, keep them as float32 (population.storage) or compute with fewer --workers, for every trial has a crowd of its own"
	case "record.every":
		return "measure fewer turns"
	}
	return "lower it"
}

// Fits returns a *MemoryError unless there is so much memory. Where nobody knows how much there is, everything fits.
func (s *Spec) Fits(n Need) error {
	have := room.Memory()
	if !have.Known() || n.Bytes() <= float64(have.Bytes) {
		return nil
	}
	most := slices.MaxFunc(n, func(a, b Portion) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return &MemoryError{Place: s.origin.PlaceOf(most.Key), Most: most, Need: n.Bytes(), Have: float64(have.Bytes), Of: have.Of}
}

const (
	program = 48e6 // bytes of the program itself, whatever it computes
	spare   = 1.5  // what waits to be collected, as a multiple of what is kept of a crowd; measured
)

// CrowdNeed is what the people take, who are drawn once for all trials.
func (s *Spec) CrowdNeed() Need {
	n, dim := float64(s.Population.Size), s.Dims()
	bytes := s.stored() * float64(dim.Trait)
	if s.Population.Traits == "regenerated" {
		bytes = 0
	}
	if kind.IsListed(s.Population.Law) {
		bytes += 8 * float64(dim.Trait)
	}
	if s.Population.ownStates() {
		bytes += s.stored() * float64(dim.State)
	}
	need := Need{
		{"population.size", "the program itself", program},
		{"population.size", fmt.Sprintf("the traits of %d people", s.Population.Size), spare * n * bytes},
	}
	if s.Generator == "numpy" {
		const generator = 2560 // bytes of its state
		trials := 0.0
		for _, a := range s.Algorithms {
			trials += float64(a.Trials)
		}
		need = append(need, Portion{"trials", fmt.Sprintf("the generators of %.0f trials", trials), trials * generator})
	}
	return need
}

// stored is how many bytes an entry takes.
func (s *Spec) stored() float64 {
	if s.Population.Storage == population.Float32 {
		return 4
	}
	return 8
}

// TrialNeed is what so many trials under way take, each with a crowd and a meter of its own.
func (s *Spec) TrialNeed(underway int) Need {
	n, dim := float64(s.Population.Size), s.Dims()
	state := float64(dim.State)
	crowd := 2 * s.stored() * state
	if s.Population.moves() {
		crowd += 2 * 8 * float64(dim.Trait)
	}
	if s.Population.Sampling == "without-replacement" {
		crowd += 8
	}
	const judged = 128 // people to a sum
	meter := 8 * float64(1+dim.Decision) / judged
	if s.Dynamics.Coupling > 0 || s.Model != nil && s.Model.mentions("crowd") {
		meter += 2 * 8 * state
	}
	if s.Record.W1 == "items" {
		meter += 3 * 8 * state
	}
	if s.Record.Theory && s.Record.Transport > 0 {
		meter += 8 * (float64(dim.Trait) + 2*state)
	}
	meter += float64(len(s.Constraints)) * (8*state + 32)
	batch := 0.0
	for _, a := range s.Algorithms {
		batch = max(batch, float64(a.Batch)*8*(4*state+2*float64(dim.Trait)))
	}
	all := float64(underway)
	return Need{
		{"population.size", fmt.Sprintf("the states of %d people in %d trials at a time", s.Population.Size, underway), spare * all * n * crowd},
		{"population.size", "what judges them", (all + 1) * n * meter},
		{"algorithms", "the samples", all * batch},
	}
}

package lab

import (
	"math"
	"sync/atomic"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
)

// Watch lets somebody look at a run while it runs: how far each method is and how its gap falls. Whoever computes only adds to
// counters, without waiting for anybody, and nothing that is watched comes back into the results.
type Watch struct {
	methods atomic.Pointer[[]*Watched]
}

// Methods returns the methods in the order of the spec, nil before their trials begin.
func (w *Watch) Methods() []*Watched {
	if list := w.methods.Load(); list != nil {
		return *list
	}
	return nil
}

// begin makes room for the methods of a result.
func (w *Watch) begin(r *folder.Result) {
	list := lists.Of(r.Runs, func(one folder.Run) *Watched {
		return &Watched{Name: one.Name, Trials: one.Planned, Turns: r.Iterations}
	})
	w.methods.Store(&list)
}

// watchBins is into how many pieces the turns are divided: finer than any terminal.
const watchBins = 512

// Watched is how far one algorithm is. It may be read at any time.
type Watched struct {
	Name   string
	Trials int // of the algorithm
	Turns  int // of a trial

	done atomic.Int64
	bins [watchBins]bin
}

// bin adds up the gaps that were measured within some turns.
type bin struct {
	count atomic.Int64
	sum   atomic.Uint64 // the bits of a float64
}

// Done returns how many turns all trials have taken together.
func (m *Watched) Done() int { return int(m.done.Load()) }

// Share returns how much of all turns is done.
func (m *Watched) Share() float64 { return float64(m.Done()) / (float64(m.Trials) * float64(m.Turns)) }

// Gap is the mean gap around one turn.
type Gap struct {
	Turn float64
	Mean float64 // over the trials so far
}

// Gaps returns how the gap falls over turns, averaged over the trials so far, as far as anything was measured.
func (m *Watched) Gaps() (list []Gap) {
	for i := range m.bins {
		if n := m.bins[i].count.Load(); n > 0 {
			turn := (float64(i) + 0.5) / watchBins * float64(m.Turns)
			list = append(list, Gap{turn, math.Float64frombits(m.bins[i].sum.Load()) / float64(n)})
		}
	}
	return list
}

// resumed takes what earlier processes did of a trial.
func (m *Watched) resumed(t *folder.Trial, turns int) {
	m.done.Add(int64(turns))
	for i, gap := range t.Of("gap") {
		m.measured(t.K[i], gap)
	}
}

// measured takes the gap at the start of turn k.
func (m *Watched) measured(k int, gap float64) {
	if math.IsNaN(gap) {
		return
	}
	b := &m.bins[min(watchBins-1, k*watchBins/max(1, m.Turns))]
	b.add(gap)
	b.count.Add(1)
}

// add tries until nobody else has added in between.
func (b *bin) add(x float64) {
	for {
		old := b.sum.Load()
		if b.sum.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+x)) {
			return
		}
	}
}

package sensitivity

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// layout says where what stands in a row of regressors: the decision first, then what corrects for the lag, then the rest.
type layout struct {
	n, s, t  int // entries of the decision, a state and a trait
	signals  int // entries of a signal: decision in three parts, controls, state
	controls int
	features int
	at       int // where the block that G is read from begins
	lagged   int // entries of the state before among the regressors, which follow the decision
}

func (c *Learning) layout() layout {
	l := layout{n: c.Dims.Decision, s: c.Dims.State, t: c.Dims.Trait}
	if c.Form == Panel {
		l.lagged = l.s
		l.features = l.n + l.s
		return l
	}
	l.controls = [...]int{NoControls: 0, Traits: l.t, Alignment: l.t + 3}[c.Controls]
	if c.Form == Conditional {
		l.controls = 0
	}
	switch c.Lag {
	case State:
		l.lagged = l.s
		l.features = l.n + l.s + 2*l.controls
	case Filtered:
		l.at = 2 * l.n
		l.features = 3*l.n + l.controls
	case Naive:
		l.features = l.n + l.controls
	}
	if c.Form == Conditional {
		l.features += l.t + l.n*l.t
	}
	l.signals = 3*l.n + l.controls + l.s
	return l
}

// crowded is how many traits are remembered, to know the means of controls.
const crowded = 16384

// past is what must be remembered of earlier turns to make rows of regressors.
type past struct {
	*layout
	config *Learning
	turns  int

	quick, slow []float64 // averages of decisions, by pole⁴ and by pole
	signal      []float64 // of this turn
	trend       []float64 // moving average of signals
	level       []float64 // the trend that this turn's signal was freed of
	before      []float64 // the signal of the turn before, without its trend: controls and state
	row         []float64
	mean        []float64 // of the trait, as seen so far

	crowd  []float64 // remembered traits, which are only added to
	counts []float64 // how much each of them counts; empty: all 1
	mass   float64   // of Conditional: how many individuals were seen, by weight
	usual  float64   // how many people the first mean was of

	u, p, d, step []float64 // of Panel: the last decision and sample, and the last change of every individual
	who           []uint64  // who they are, if that was told
	moved         []bool    // which changes are known
	spare         []float64 // for the changes of this turn
	moves         []bool
}

func newPast(l *layout, c *Learning) past {
	p := past{layout: l, config: c, row: make([]float64, l.features), u: make([]float64, l.n), mean: make([]float64, l.t)}
	p.quick, p.slow, p.signal, p.trend = make([]float64, l.n), make([]float64, l.n), make([]float64, l.signals), make([]float64, l.signals)
	p.level = make([]float64, l.signals)
	p.before = make([]float64, l.controls+l.s)
	return p
}

// see takes a turn and hands on the rows that can be made of it.
func (h *past) see(o kedge.Observation, n int, add func(f, y []float64, weight float64)) {
	if h.config.Form == Panel {
		h.follow(o, n, add)
	} else {
		h.look(o, n, add)
	}
	h.turns++
}

// look makes a row of the means of a sample, or one of every individual. All signals pass the same filter, s − trend, which
// removes what changes slowly and leaves a linear relation between signals as it is.
func (h *past) look(o kedge.Observation, count int, add func(f, y []float64, weight float64)) {
	h.sense(o, count)
	if h.turns == 0 {
		copy(h.trend, h.signal)
	}
	a := 1 / min(h.config.Trend, float64(h.turns+1))
	copy(h.level, h.trend)
	rows.AddScaled(h.signal, -1, h.level)
	rows.AddScaled(h.trend, a, h.signal)
	y := h.signal[len(h.signal)-h.s:]
	n := 3 * h.n
	controls, whole := h.signal[n:n+h.controls], h.signal[2*h.n:n]
	row := h.row[:0]
	switch h.config.Lag {
	case State:
		row = append(append(row, whole...), h.before[h.controls:]...)
		row = append(append(row, controls...), h.before[:h.controls]...)
	case Filtered:
		row = append(append(row, h.signal[:n]...), controls...)
	case Naive:
		row = append(append(row, whole...), controls...)
	}
	copy(h.before, h.signal[n:])
	switch {
	case h.turns < 2:
	case h.config.Form == Conditional:
		h.each(row, o, count, y, add)
	default:
		add(row, y, h.size(o, count))
	}
}

// size is how much the mean of a sample counts beside that of the first, which is not always of as many people.
func (h *past) size(o kedge.Observation, count int) float64 {
	people := kedge.EffectiveSize(o.W, count)
	if h.usual == 0 {
		h.usual = people
	}
	return people / h.usual
}

// sense writes the signal of a turn: the decision, the controls and the mean state. For Filtered the decision is split into what
// a quick average leaves, what a slow one leaves of that, and the slow one, which alone remains of a decision that is held.
func (h *past) sense(o kedge.Observation, count int) {
	n := h.n
	clear(h.signal)
	copy(h.signal[2*n:], o.U)
	if h.config.Lag == Filtered {
		fast := portable.Pow(h.config.Pole, 4)
		h.smooth(h.quick, o.U, fast)
		h.smooth(h.slow, o.U, h.config.Pole)
		copy(h.signal, o.U)
		rows.AddScaled(h.signal[:n], -1, h.quick)
		copy(h.signal[n:], h.quick)
		rows.AddScaled(h.signal[n:2*n], -1, h.slow)
		copy(h.signal[2*n:], h.slow)
	}
	h.control(h.signal[3*n:3*n+h.controls], o, count)
	mean(h.signal[len(h.signal)-h.s:], o.P, o)
}

// smooth takes u into an average.
func (h *past) smooth(average, u []float64, pole float64) {
	if h.turns == 0 {
		copy(average, u)
	}
	rows.Scale(average, pole)
	rows.AddScaled(average, 1-pole, u)
}

// mean writes the mean row of a block, of zeros before, by the weights of a sample.
func mean(dst, block []float64, o kedge.Observation) {
	n := kedge.Count(block, len(dst))
	for i := range n {
		rows.AddScaled(dst, o.Weight(i), kedge.Row(block, i, len(dst)))
	}
	rows.Scale(dst, 1/o.Total(n))
}

// control writes the controls of a sample, less what they are in the crowd that was seen so far.
func (h *past) control(dst []float64, o kedge.Observation, n int) {
	if h.controls == 0 {
		return
	}
	if h.config.Controls == Traits {
		mean(dst, o.D, o)
		return
	}
	h.remember(o, n)
	known := kedge.Observation{}
	if len(h.counts) > 0 {
		known.W = h.counts
	}
	sample, crowd := powers(o.D, o.U, o), powers(h.crowd, o.U, known)
	mean(dst[:h.t], o.D, o)
	for k := range sample {
		dst[h.t+k] = sample[k] - crowd[k]
	}
}

// remember keeps the first traits that are seen. Later ones would make the means of controls move from turn to turn, slowly, which
// is worse than a fixed error.
func (h *past) remember(o kedge.Observation, n int) {
	if o.W != nil && len(h.counts) == 0 && h.seen() < crowded {
		h.counts = slices.Repeat([]float64{1}, h.seen())
	}
	weighed := o.W != nil || len(h.counts) > 0
	for i := 0; i < n && h.seen() < crowded; i++ {
		if o.Weight(i) == 0 {
			continue
		}
		h.crowd = append(h.crowd, kedge.Row(o.D, i, h.t)...)
		if weighed {
			h.counts = append(h.counts, o.Weight(i))
		}
	}
}

// seen is how many traits are remembered.
func (h *past) seen() int { return len(h.crowd) / max(1, h.t) }

// powers are the means of dᵀu, (dᵀu)² and (dᵀu)³, by the weights of a sample.
func powers(d, u []float64, o kedge.Observation) (means [3]float64) {
	n := kedge.Count(d, len(u))
	for i := range n {
		x, weight := rows.Dot(kedge.Row(d, i, len(u)), u), o.Weight(i)
		means[0] += float64(weight * x)
		means[1] += float64(weight * x * x)
		means[2] += float64(weight * x * x * x)
	}
	total := o.Total(n)
	for i := range means {
		means[i] /= total
	}
	return means
}

// each makes a row of every individual: the regressors of the turn, the trait, and the products of both. What is filtered of a product dᵢu is the
// trend of its mean, which is that of u times the mean trait: dᵢu − d̄·T(u) = dᵢ(u − T(u)) + (dᵢ − d̄)T(u).
func (h *past) each(turn []float64, o kedge.Observation, n int, y []float64, add func(f, y []float64, weight float64)) {
	x, held, slow := turn[h.at:h.at+h.n], h.level[2*h.n:3*h.n], h.level[len(h.level)-h.s:]
	for i := range n {
		d, weight := kedge.Row(o.D, i, h.t), o.Weight(i)
		if weight == 0 {
			continue
		}
		h.mass += weight
		row := turn
		for j, v := range d {
			h.mean[j] += float64(weight*(v-h.mean[j])) / h.mass
			row = append(row, v-h.mean[j])
		}
		for j, v := range d {
			for k, w := range x {
				row = append(row, float64(v*w)+float64((v-h.mean[j])*held[k]))
			}
		}
		copy(y, kedge.Row(o.P, i, h.s))
		rows.AddScaled(y, -1, slow)
		add(row, y, weight)
	}
}

// follow makes rows of the changes of individuals that are seen three times in a row.
func (h *past) follow(o kedge.Observation, n int, add func(f, y []float64, weight float64)) {
	copy(h.row, o.U)
	rows.AddScaled(h.row[:h.n], -1, h.u)
	h.spare, h.moves = slices.Grow(h.spare[:0], len(o.P))[:len(o.P)], slices.Grow(h.moves[:0], n)[:n]
	clear(h.spare)
	places := h.places(o)
	for i := range n {
		j := h.place(o, i, places)
		if h.moves[i] = j >= 0; j < 0 {
			continue
		}
		step := kedge.Row(h.spare, i, h.s)
		copy(step, kedge.Row(o.P, i, h.s))
		rows.AddScaled(step, -1, kedge.Row(h.p, j, h.s))
		if weight := o.Weight(i); h.moved[j] && weight > 0 {
			copy(h.row[h.n:], kedge.Row(h.step, j, h.s))
			add(h.row, step, weight)
		}
	}
	h.step, h.spare, h.moved, h.moves = h.spare, h.step, h.moves, h.moved
	copy(h.u, o.U)
	h.p, h.d, h.who = append(h.p[:0], o.P...), append(h.d[:0], o.D...), append(h.who[:0], o.Who...)
}

// places returns where in the sample before everybody was, by who they are; nil where one of the two samples does not tell.
func (h *past) places(o kedge.Observation) map[uint64]int {
	if len(h.who) == 0 || o.Who == nil {
		return nil
	}
	all := make(map[uint64]int, len(h.who))
	for j, id := range h.who {
		all[id] = j
	}
	return all
}

// place returns where individual i of a sample was in the one before, −1 for nowhere. Where nobody tells who they are, it is one in the same place
// of a sample of the same size who has the same trait.
func (h *past) place(o kedge.Observation, i int, places map[uint64]int) int {
	if places != nil {
		if j, ok := places[o.Who[i]]; ok {
			return j
		}
		return -1
	}
	told := len(h.who) > 0 || o.Who != nil
	if !told && len(h.p) == len(o.P) && slices.Equal(kedge.Row(o.D, i, h.t), kedge.Row(h.d, i, h.t)) {
		return i
	}
	return -1
}

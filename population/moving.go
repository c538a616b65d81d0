package population

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/stream"
)

// Moving are the traits of a crowd that drift and of people who come and go. As rows they are the traits of the present step.
type Moving struct {
	Workers int // as in Crowd

	motion  Motion
	width   int // of a state
	step    int
	homes   kedge.Block
	traits  kedge.Block // the homes themselves where nothing swings
	walkers []pusher    // one a worker
	work    func(hand, i int) error

	pick    WithoutReplacement
	leavers []int
	rooms   [2]waitingRoom // of traits and of first states
}

var _ kedge.Rows = (*Moving)(nil)

// NewMoving returns the traits that move from the given ones, which are copied. States of newcomers have width entries.
func NewMoving(motion Motion, traits kedge.Rows, width int) (*Moving, error) {
	n, dim := traits.Size()
	if err := motion.check(n, dim, width); err != nil {
		return nil, err
	}
	m := &Moving{motion: motion, width: width, homes: kedge.Block{Data: make([]float64, n*dim), Width: dim}}
	copy(m.homes.Data, traits.View(m.homes.Data, 0, n))
	if err := checkRows("traits", m.homes.Data, 0, dim); err != nil {
		return nil, err
	}
	m.traits = m.homes
	if len(motion.Drift.Swing) > 0 {
		m.traits = kedge.Block{Data: make([]float64, n*dim), Width: dim}
		m.swing(0, n)
	}
	m.work = m.drift
	if c := &motion.Churn; c.Share > 0 {
		source := *motion.Leavers
		m.pick.Source = &source
		m.rooms = [2]waitingRoom{newWaitingRoom(c.Law, dim, motion.Arrivals), newWaitingRoom(c.States, width, motion.States)}
	}
	return m, nil
}

// Size returns how many individuals there are and the entries of a trait.
func (m *Moving) Size() (rows, width int) { return m.homes.Size() }

// View returns the traits themselves.
func (m *Moving) View(_ []float64, first, last int) []float64 { return m.traits.View(nil, first, last) }

// Bytes returns the memory that traits and homes take.
func (m *Moving) Bytes() int {
	if len(m.motion.Drift.Swing) > 0 {
		return 16 * len(m.homes.Data)
	}
	return 8 * len(m.homes.Data)
}

// Step returns how many steps the traits have taken.
func (m *Moving) Step() int { return m.step }

// Advance takes the traits one step on and returns who was replaced by a newcomer, lowest number first, until it is called
// again. A trait that is not finite is an error that names the individual; the traits are of no use then.
func (m *Moving) Advance() (arrived []int, err error) {
	n, dim := m.Size()
	m.step++
	hands := crew.Hands(m.Workers, n*dim)
	for len(m.walkers) < hands {
		w := pusher{w: make([]float64, dim)}
		if m.motion.Walks != nil {
			w.from = *m.motion.Walks
		}
		m.walkers = append(m.walkers, w)
	}
	if err := crew.Share(hands, (n+chunk-1)/chunk, m.work); err != nil {
		return nil, err
	}
	return m.replace()
}

// drift moves a chunk of homes and the traits with them.
func (m *Moving) drift(hand, i int) error {
	n, dim := m.Size()
	first, last := i*chunk, min((i+1)*chunk, n)
	d, with := &m.motion.Drift, &m.walkers[hand]
	homes := m.homes.View(nil, first, last)
	for row := range last - first {
		if len(d.Rate) == 0 && len(d.Walk) == 0 {
			break
		}
		x := kedge.Row(homes, row, dim)
		m.walk(x, first+row, with)
		m.mend(x)
	}
	return m.tell(first, last)
}

// walk moves the home of an individual.
func (m *Moving) walk(x []float64, individual int, with *pusher) {
	d := &m.motion.Drift
	for j := range x {
		x[j] += entry(d.Rate, j, 0)
	}
	if len(d.Walk) > 0 {
		with.push(x, d.Walk, m.step, individual)
	}
}

// swing puts the traits of individuals first … last−1 where the season has them.
func (m *Moving) swing(first, last int) {
	d := &m.motion.Drift
	if len(d.Swing) == 0 {
		return
	}
	dim, now := m.homes.Width, season(m.step, d.Period)
	for i := first; i < last; i++ {
		x := kedge.Row(m.traits.Data, i, dim)
		for j, home := range kedge.Row(m.homes.Data, i, dim) {
			x[j] = home + float64(entry(d.Swing, j, 0)*now)
		}
		m.mend(x)
	}
}

// tell tells individuals first … last−1 the season and the time, from which they must come out finite.
func (m *Moving) tell(first, last int) error {
	m.swing(first, last)
	dim := m.homes.Width
	for i := first; i < last && m.motion.Clock; i++ {
		m.homes.Data[(i+1)*dim-1] = float64(m.step)
		m.traits.Data[(i+1)*dim-1] = float64(m.step)
	}
	return checkRows("traits", m.traits.View(nil, first, last), first, dim)
}

func (m *Moving) mend(x []float64) {
	if m.motion.Mend != nil {
		m.motion.Mend(x)
	}
}

// replace lets those who leave at this step go and puts newcomers into their places.
func (m *Moving) replace() ([]int, error) {
	n, dim := m.Size()
	churn := &m.motion.Churn
	before := churn.left(n, m.step-1)
	m.leavers = slices.Grow(m.leavers[:0], n)[:min(n, churn.left(n, m.step)-before)]
	if len(m.leavers) == 0 {
		return nil, nil
	}
	m.pick.Source.(*stream.Stream).Seek(uint64(m.step))
	if err := m.pick.Pick(m.leavers, n); err != nil {
		return nil, err
	}
	for j, i := range m.leavers {
		home := kedge.Row(m.homes.Data, i, dim)
		copy(home, m.rooms[0].call(n+before+j))
		if err := m.tell(i, i+1); err != nil {
			return nil, err
		}
	}
	return m.leavers, nil
}

// first writes the first state of the j-th of those who have just arrived to p; who is its number in the crowd.
func (m *Moving) first(p []float64, j, who int) {
	n, dim := m.Size()
	if m.motion.Churn.States == nil {
		copy(p, kedge.Row(m.traits.Data, who, dim)[:m.width])
		return
	}
	copy(p, m.rooms[1].call(n+m.motion.Churn.left(n, m.step-1)+j))
}

// waitingRoom draws newcomers a few hundred at a time, which laws do faster than one by one.
type waitingRoom struct {
	law   Law
	dim   int
	from  stream.Stream
	block []float64
	first int // whom the block begins with; 0: it is empty
}

const waiting = 256

func newWaitingRoom(l Law, dim int, from *stream.Stream) waitingRoom {
	if l == nil {
		return waitingRoom{}
	}
	return waitingRoom{law: l, dim: dim, from: *from, block: make([]float64, waiting*dim)}
}

// call returns a newcomer by its number in the law, which is never 0.
func (r *waitingRoom) call(number int) []float64 {
	if r.first == 0 || number < r.first || number >= r.first+waiting {
		r.first = number
		r.law.Fill(r.block, r.dim, number, &r.from)
	}
	return kedge.Row(r.block, number-r.first, r.dim)
}

package panel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ByChanges says how a model with a lag is estimated from changes, which effects of units take no part in (Arellano and Bond, 1991): the y of
// two times ago and before moves the change of the lag, and the change of errors by nothing if errors are not correlated in time.
type ByChanges struct {
	TwoWay   bool // with effects of times
	Oldest   int  // the oldest y that instruments, so many times ago; 0: all
	Collapse bool // one instrument for each distance instead of one for each distance and time
	Steps    int  // 1 or 2; errors of two are Windmeijer's
}

// Dynamic is an estimate with a lag, the first of its coefficients, by moments.
type Dynamic struct {
	Coefficients
	Instruments  int
	Sargan       float64 // of more instruments than coefficients, at the weights of the second step
	SarganChance float64 // of one as large where all of them are valid
	Serial       [2]float64
	SerialChance [2]float64 // that changes of errors of distance 1 and 2 are as correlated by chance; of distance 2 it must not be small
}

// mostInstruments is how many there may be.
const mostInstruments = 4000

// change is the equations of a unit: changes of y and of all columns, and the instruments of each.
type change struct {
	y    []float64
	x    *mat.Dense
	z    *mat.Dense
	rows []int // of the table
	time []int
}

// Dynamics estimates y by its lag, called name, and the columns of a table.
func Dynamics(t Table, name string, d ByChanges) (*Dynamic, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if d.Steps != 1 && d.Steps != 2 {
		return nil, fmt.Errorf("%d steps: 1 or 2", d.Steps)
	}
	changes, names, err := t.changes(name, d)
	if err != nil {
		return nil, err
	}
	m, err := newMoments(changes)
	if err != nil { // of which no table is known
		return nil, err
	}
	out := &Dynamic{Instruments: m.instruments, Coefficients: Coefficients{Names: append([]string{name}, t.Names...), Units: len(changes), Weakest: math.Inf(1)}}
	k := len(out.Names)
	if m.instruments < len(names) {
		return nil, &ScarceError{m.instruments, len(names)}
	}
	first, err := m.step(m.first)
	if err != nil {
		return nil, &BlindError{names, make([]float64, len(names))}
	}
	errs := m.errors(first.value)
	meat := m.spread(errs)
	second := inverse(meat)
	robust := first.covariance(meat)
	last := first
	if d.Steps == 2 {
		if last, err = m.step(second); err != nil {
			return nil, err
		}
		errs2 := m.errors(last.value)
		robust = m.windmeijer(last, robust, errs, errs2)
		errs = errs2
	}
	out.Value = last.value[:k]
	out.Cov = mat.NewSymDense(k, nil)
	out.Cov.CopySym(robust.SliceSym(0, k))
	for i, c := range changes {
		out.Rows += len(c.y)
		out.Residuals = append(out.Residuals, errs[i]...)
	}
	out.Freedom = out.Rows - len(names)
	out.Sigma = math.Sqrt(dot(out.Residuals, out.Residuals) / 2 / float64(max(1, out.Freedom))) // a change is two errors
	moment := m.moment(errs)
	out.Sargan = mat.Inner(moment, second, moment)
	out.SarganChance = 1
	if over := m.instruments - len(names); over > 0 {
		out.SarganChance = distuv.ChiSquared{K: float64(over)}.Survival(out.Sargan)
	}
	for order := range 2 {
		out.Serial[order] = m.serial(order+1, last, robust, errs)
		out.SerialChance[order] = 2 * float64(distuv.UnitNormal.Survival(math.Abs(out.Serial[order])))
	}
	return out, nil
}

// changes makes the equations of every unit.
func (t Table) changes(name string, d ByChanges) (all []change, names []string, err error) {
	least, most := math.MaxInt, math.MinInt
	for _, at := range t.Time {
		least, most = min(least, at), max(most, at)
	}
	span := most - least + 1
	if len(t.Y) == 0 || span > 10*len(t.Y)+10 {
		return nil, nil, &ShapeError{"time", -1, "must go up by one from a time to the next"}
	}
	lay := layout{span: span, x: len(t.X), d: d}
	lay.count()
	if lay.instruments > mostInstruments {
		return nil, nil, fmt.Errorf("%d instruments, at most %d: say how old the oldest may be, or one for each distance (collapse)", lay.instruments, mostInstruments)
	}
	names = append([]string{name}, t.Names...)
	if d.TwoWay {
		for at := 2; at < span; at++ {
			names = append(names, fmt.Sprint("time ", least+at))
		}
	}
	var here []int // rows of a unit by time, -1: none
	flush := func() {
		if c, ok := t.changesOf(here, lay); ok {
			all = append(all, c)
		}
	}
	var unit int
	for i, r := range t.order() {
		if i == 0 || t.Unit[r] != unit {
			flush()
			unit, here = t.Unit[r], make([]int, span)
			for at := range here {
				here[at] = -1
			}
		}
		here[t.Time[r]-least] = r
	}
	flush()
	if len(all) < 2 {
		return nil, nil, &ScarceError{len(all), 2}
	}
	return all, names, nil
}

// layout is where instruments stand.
type layout struct {
	span, x     int
	d           ByChanges
	levels      int // instruments that are levels of y
	instruments int
	begin       []int // of each time; all at 0 where distances are collapsed
}

func (l *layout) count() {
	l.begin = make([]int, l.span)
	for at := 2; at < l.span; at++ {
		l.begin[at] = l.levels
		if !l.d.Collapse {
			l.levels += l.distances(at)
		}
	}
	if l.d.Collapse {
		l.levels = l.distances(l.span - 1)
	}
	l.instruments = l.levels + l.x
	if l.d.TwoWay {
		l.instruments += max(0, l.span-2)
	}
}

// distances is how many times before instrument the equation of a time.
func (l *layout) distances(at int) int {
	if l.d.Oldest > 0 {
		return max(0, min(at-1, l.d.Oldest-1))
	}
	return max(0, at-1)
}

func (t Table) changesOf(here []int, l layout) (change, bool) {
	var c change
	for at := 2; at < len(here); at++ {
		if here[at] >= 0 && here[at-1] >= 0 && here[at-2] >= 0 {
			c.time, c.rows = append(c.time, at), append(c.rows, here[at])
		}
	}
	if len(c.time) == 0 {
		return c, false
	}
	columns := 1 + l.x
	if l.d.TwoWay {
		columns += l.span - 2
	}
	c.x, c.z = mat.NewDense(len(c.time), columns, nil), mat.NewDense(len(c.time), l.instruments, nil)
	for i, at := range c.time {
		now, before, first := here[at], here[at-1], here[at-2]
		c.y = append(c.y, t.Y[now]-t.Y[before])
		c.x.Set(i, 0, t.Y[before]-t.Y[first])
		for j, x := range t.X {
			c.x.Set(i, 1+j, x[now]-x[before])
			c.z.Set(i, l.levels+j, x[now]-x[before])
		}
		for ago := 2; ago < 2+l.distances(at); ago++ {
			if r := here[at-ago]; r >= 0 {
				c.z.Set(i, l.begin[at]+ago-2, t.Y[r])
			}
		}
		if l.d.TwoWay {
			c.x.Set(i, 1+l.x+at-2, 1)
			c.z.Set(i, l.levels+l.x+at-2, 1)
		}
	}
	return c, true
}

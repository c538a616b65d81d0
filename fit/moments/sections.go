package moments

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/population"
)

// Exposure is what people met: decisions by time and group, and the noise of the model.
type Exposure struct {
	Dates  int                 // times are 0 to Dates−1
	Groups int                 // numbered from 0; people of a group met the same decisions. 0: one
	Beside []float64           // by time, then group: the entries of the decision, then others. What stands at a time moves people to the next; that of the last may be left out
	Noise  []population.Number // the laws of the model's noise, in the order of its declarations
	Copies int                 // of everybody where noise must be drawn, each with draws of its own; 0: 10
}

// Origin are people from whom the model goes on: with their states at the first time, and their traits.
type Origin struct {
	States, Traits []float64 // row by row
	Group          []int     // nil: all are of group 0
	Weight         []float64 // nil: all alike
	Everybody      bool      // there are no others, so that who is among them is not a matter of chance; false: they were sampled or drawn by a law
}

// Sections are samples of people at several times, others every time.
type Sections struct {
	Exposure
	Time   []int
	Group  []int     // nil: all are of group 0
	States []float64 // row by row
	Traits []float64 // row by row; nil: there are none. NaN: unknown, which only people from whom the model goes on must not have
	Weight []float64 // nil: all alike
	Start  *Origin   // nil: the model goes on from the people of a group's first time, and matches later ones
	Match  Match     // 0: what samples are large enough for
}

// Match says which moments are matched.
type Match int

const (
	Means   Match = 1 + iota // of entries of the state
	Traits                   // and of their products with traits, if those are known
	Squares                  // and of their products with each other
)

func (m Match) String() string {
	switch m {
	case Means:
		return "means"
	case Traits:
		return "means, and products of states with traits"
	default:
		return "means and second moments"
	}
}

// Aggregates are means, or totals with counts, of people nobody of whom is seen.
type Aggregates struct {
	Exposure
	Start Origin
	Time  []int
	Group []int     // nil: all are of group 0
	Mean  []float64 // row by row
	Count []float64 // nil: Mean holds means; otherwise totals of so many people, and means of more people count more
}

// groups is how many groups there are.
func (c Exposure) groups() int { return max(1, c.Groups) }

// groupOf is the group of a row.
func groupOf(group []int, i int) int {
	if group == nil {
		return 0
	}
	return group[i]
}

func wrong(row int, format string, args ...any) error {
	return &fit.InputError{Row: row, What: fmt.Sprintf(format, args...)}
}

// check refuses what does not fit the model.
func (c Exposure) check(f *formula.Roller, traits int) error {
	width := f.Beside - traits
	switch {
	case c.Dates < 2:
		return wrong(-1, "%d date tells nothing of how people move: at least two", c.Dates)
	case width < 0:
		return wrong(-1, "%d traits, the model takes %d numbers beside the state in all", traits, f.Beside)
	case len(c.Beside) != c.Dates*c.groups()*width && len(c.Beside) != (c.Dates-1)*c.groups()*width:
		return wrong(-1, "%d numbers of decisions for %d dates, %d groups and %d entries", len(c.Beside), c.Dates, c.groups(), width)
	case len(c.Noise) != len(f.Noise):
		return wrong(-1, "%d laws of noise, the model has %d", len(c.Noise), len(f.Noise))
	case c.Copies < 0 || c.Copies > 10000:
		return wrong(-1, "%d copies of everybody, want up to 10000", c.Copies)
	}
	for _, law := range c.Noise {
		if err := law.Check(); err != nil {
			return wrong(-1, "noise: %v", err)
		}
	}
	for i, v := range c.Beside {
		if bad(v) || math.Abs(v) > huge {
			return wrong(-1, "time %d, group %d: a number of the decision is %v%s", i/width/c.groups(), i/width%c.groups(), v, unitFor(v))
		}
	}
	return nil
}

// huge is what is too large for sums of squares of squares.
const huge = 1e60

func unitFor(v float64) string {
	if bad(v) {
		return ""
	}
	return ", too large to be squared: another unit"
}

func bad(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// people checks rows of people; it returns how many traits they have.
func (c Exposure) people(f *formula.Roller, states, traits []float64, group []int, weight []float64) (n, each int, err error) {
	n = len(states) / f.States
	if n == 0 || len(states) != n*f.States || len(traits)%n != 0 || group != nil && len(group) != n || weight != nil && len(weight) != n {
		return 0, 0, wrong(-1, "%d states, %d traits, %d groups and %d weights are not of the same rows", len(states), len(traits), len(group), len(weight))
	}
	for i, v := range states {
		if bad(v) || math.Abs(v) > huge {
			return 0, 0, wrong(i/f.States, "a state is %v%s", v, unitFor(v))
		}
	}
	for i, v := range weight {
		if bad(v) || v < 0 {
			return 0, 0, wrong(i, "its weight is %v", v)
		}
	}
	for i, g := range group {
		if g < 0 || g >= c.groups() {
			return 0, 0, wrong(i, "group %d, there are %d", g, c.groups())
		}
	}
	return n, len(traits) / n, nil
}

// check refuses samples that do not fit the model.
func (s Sections) check(f *formula.Roller, unknowns []fit.Unknown) error {
	n, traits, err := s.people(f, s.States, s.Traits, s.Group, s.Weight)
	if err != nil {
		return err
	}
	if len(s.Time) != n {
		return wrong(-1, "%d rows, %d times", n, len(s.Time))
	}
	if o := s.Start; o != nil {
		if err := o.check(f, s.Exposure); err != nil {
			return err
		}
		have := len(o.Traits) * f.States / len(o.States)
		if s.Traits != nil && traits != have {
			return wrong(-1, "%d traits, people at the start have %d", traits, have)
		}
		traits = have
	}
	if err := s.Exposure.check(f, traits); err != nil {
		return err
	}
	for i, t := range s.Time {
		if t < 0 || t >= s.Dates {
			return wrong(i, "time %d, there are %d", t, s.Dates)
		}
	}
	if len(unknowns) != f.Unknowns {
		return wrong(-1, "%d unknowns are described, the model has %d", len(unknowns), f.Unknowns)
	}
	return fit.CheckUnknowns(unknowns)
}

// tamed has weights whose squares and sums are numbers, in whatever unit they came: the largest is about 1.
func (s Sections) tamed() Sections {
	s.Weight = tamed(s.Weight)
	if s.Start != nil {
		start := *s.Start
		start.Weight = tamed(start.Weight)
		s.Start = &start
	}
	return s
}

// tamed scales weights by a power of two, which changes no bit of what they say.
func tamed(weight []float64) []float64 {
	if len(weight) == 0 {
		return nil
	}
	_, unit := math.Frexp(slices.Max(weight))
	return lists.Of(weight, func(w float64) float64 { return math.Ldexp(w, -unit) })
}

func (o Origin) check(f *formula.Roller, c Exposure) error {
	n, each, err := c.people(f, o.States, o.Traits, o.Group, o.Weight)
	if err != nil {
		return fmt.Errorf("people at the start: %w", err)
	}
	for i, v := range o.Traits {
		if bad(v) || math.Abs(v) > huge {
			return fmt.Errorf("people at the start: %w", wrong(i/each, "a trait is %v", v))
		}
	}
	if n < 2 && !o.Everybody {
		return wrong(-1, "one person at the start says nothing of how much people differ")
	}
	return nil
}

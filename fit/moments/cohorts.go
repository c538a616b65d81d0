package moments

import (
	"cmp"
	"math"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/rows"
)

// most is how many moments of a group are matched at most.
const most = 600

// newMarcher sorts people into groups and times, and chooses what of them is matched.
func newMarcher(f *formula.Roller, s Sections, unknowns []fit.Unknown, o fit.Options) (*marcher, error) {
	x, cells := sorted(f, s, unknowns, o, 0)
	if err := x.starts(); err != nil {
		return nil, err
	}
	if err := x.choose(s, cells); err != nil {
		return nil, err
	}
	x.listen()
	return x, nil
}

// sorted sorts rows by group and time, without those of times before one, and finds the cohorts.
func sorted(f *formula.Roller, s Sections, unknowns []fit.Unknown, o fit.Options, since int) (x *marcher, cells [][][]int) {
	x = &marcher{f: f, c: s.Exposure, unknowns: unknowns, o: o, copies: 1, traits: len(s.Traits) / len(s.Time)}
	if s.Start != nil {
		x.traits = len(s.Start.Traits) * f.States / len(s.Start.States)
	}
	cells = make([][][]int, s.groups())
	for g := range cells {
		cells[g] = make([][]int, s.Dates)
	}
	for i, t := range s.Time {
		if g := groupOf(s.Group, i); t >= since {
			cells[g][t] = append(cells[g][t], i)
		}
	}
	first := 0
	for g, dates := range cells {
		if c := x.cohort(s, g, dates); c != nil {
			c.first = first
			first += c.people()
			x.cohorts = append(x.cohorts, c)
		}
	}
	return x, cells
}

// listen finds whether noise must be drawn: the means of a linear model depend on that of noise alone.
func (x *marcher) listen() {
	if x.loud = len(x.f.Noise) > 0 && !(x.f.Affine && x.basis.match < Squares); x.loud {
		x.copies = cmp.Or(x.c.Copies, 10)
	}
}

// cohort has the people from whom the model goes on, and the times of targets; nil: of no later time was anybody of the group seen.
func (x *marcher) cohort(s Sections, g int, dates [][]int) *cohort {
	c := &cohort{group: g, since: -1}
	m := x.f.States
	if o := s.Start; o != nil {
		c.since, c.everybody = 0, o.Everybody
		for i := range len(o.States) / m {
			if groupOf(o.Group, i) == g {
				c.take(o.States[i*m:(i+1)*m], o.Traits[i*x.traits:(i+1)*x.traits], rows.Weight(o.Weight, i))
			}
		}
	}
	for t, seen := range dates {
		switch {
		case len(seen) == 0:
		case c.since < 0:
			c.since = t
			for _, i := range seen {
				c.take(s.States[i*m:(i+1)*m], s.Traits[i*x.traits:(i+1)*x.traits], rows.Weight(s.Weight, i))
			}
		default:
			c.targets = append(c.targets, target{time: t, people: len(seen)})
		}
	}
	if len(c.targets) == 0 {
		return nil
	}
	return c
}

func (g *cohort) take(state, trait []float64, weight float64) {
	g.states, g.traits, g.weight = append(g.states, state...), append(g.traits, trait...), append(g.weight, weight)
}

// starts checks those from whom the model goes on.
func (x *marcher) starts() error {
	if len(x.cohorts) == 0 {
		return wrong(-1, "no group was seen at two times: nothing can be told of how people move")
	}
	for _, g := range x.cohorts {
		total, _ := g.totals()
		switch {
		case total == 0:
			return wrong(-1, "group %d: nobody is there at the start, or nobody counts", g.group)
		case g.people() == 1 && !g.everybody:
			return wrong(-1, "group %d, time %d: one person says nothing of how much people differ", g.group, g.since)
		}
		for i, v := range g.traits {
			if bad(v) || math.Abs(v) > huge {
				return wrong(-1, "group %d: trait %d of person %d of the first sample is %v; those of the first must be known", g.group, i%x.traits, i/x.traits, v)
			}
		}
	}
	return nil
}

// choose decides which moments are matched, and computes those of samples.
func (x *marcher) choose(s Sections, cells [][][]int) error {
	try := []Match{Squares, Traits, Means}
	if s.Match != 0 {
		if s.Match < Means || s.Match > Squares {
			return wrong(-1, "moments of kind %d, want Means, Traits or Squares", s.Match)
		}
		try = []Match{s.Match}
	}
	traits := 0
	if s.Traits != nil && rows.Finite(s.Traits) { // those of everybody are known
		traits = x.traits
	}
	all := [][2][]float64{{s.States, s.Traits}}
	if s.Start != nil {
		all = append(all, [2][]float64{s.Start.States, s.Start.Traits})
	}
	for i, match := range try {
		x.basis = newBasis(match, x.f.States, traits, all...)
		if i == len(try)-1 || x.large() {
			break
		}
	}
	for e := range x.f.States {
		if u := x.basis.unit[e]; u < 1/huge {
			return wrong(-1, "entry %d of states differs by %v between people: another unit", e, u)
		}
	}
	size := 0 // of the group that was seen most often
	for _, g := range x.cohorts {
		size = max(size, len(g.targets)*x.basis.count())
	}
	if size > 4*most {
		return wrong(-1, "%d moments of a group, at most %d: fewer times or entries", size, 4*most)
	}
	for _, g := range x.cohorts {
		for i := range g.targets {
			if err := x.see(s, g, &g.targets[i], cells[g.group][g.targets[i].time]); err != nil {
				return err
			}
		}
	}
	return nil
}

// smallest is how many people the smallest sample has.
func (x *marcher) smallest() int {
	n := math.MaxInt
	for _, g := range x.cohorts {
		if !g.everybody {
			n = min(n, g.people())
		}
		for _, t := range g.targets {
			n = min(n, t.people)
		}
	}
	return n
}

// large tells whether samples are large enough for the moments.
func (x *marcher) large() bool {
	if x.basis.match == Squares && len(x.f.Noise) == 0 && x.f.Affine {
		return false // means do without the assumption that there is no noise, second moments do not
	}
	n := x.basis.count()
	for _, g := range x.cohorts {
		for _, t := range g.targets {
			if t.people < 2*many*n {
				return false
			}
		}
		if size := len(g.targets) * n; size > most || !g.everybody && g.people() < 2*size {
			return false
		}
	}
	return true
}

// see computes the moments of a sample and their covariance.
func (x *marcher) see(s Sections, g *cohort, t *target, sample []int) error {
	n, m := x.basis.count(), x.f.States
	t.mean, t.cov = make([]float64, n), make([]float64, n*n)
	z, own, side := make([]float64, m+x.traits), make([]float64, n), make([]float64, n)
	var total, total2 float64
	for _, i := range sample {
		w := rows.Weight(s.Weight, i)
		total += w
		total2 += float64(w * w)
		var traits []float64
		if x.basis.traits > 0 {
			traits = s.Traits[i*x.traits : (i+1)*x.traits]
		}
		x.basis.scaled(z, s.States[i*m:(i+1)*m], traits)
		x.basis.values(own, z)
		for j, v := range own {
			if bad(v) {
				return wrong(i, "moments of its state are no numbers: states in another unit")
			}
			t.mean[j] += float64(w * v)
			side[j] += float64(w * w * v)
		}
		outer(t.cov, own, w*w)
	}
	if len(sample) < 2 || total == 0 {
		return wrong(sample[0], "group %d, time %d: one person, or nobody who counts, says nothing of how much means vary", g.group, t.time)
	}
	rows.Scale(t.mean, 1/total)
	people := cohort{weight: make([]float64, len(sample))}
	people.center(&marched{mean: t.mean, cov: t.cov}, side, total, total2)
	return nil
}

package moments

import (
	"math"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
)

// most is how many moments of a group are matched at most.
const most = 600

// newMarcher sorts people into groups and times.
func newMarcher(f *formula.Roller, s Sections, unknowns []fit.Unknown, o fit.Options) (*marcher, error) {
	n := len(s.Time)
	x := &marcher{f: f, c: s.Exposure, unknowns: unknowns, o: o, copies: 1, traits: len(s.Traits) / n}
	cells := make([][][]int, s.groups()) // rows by group and time
	for g := range cells {
		cells[g] = make([][]int, s.Dates)
	}
	for i, t := range s.Time {
		g := groupOf(s.Group, i)
		cells[g][t] = append(cells[g][t], i)
	}
	if s.Start != nil {
		x.traits = len(s.Start.Traits) * f.States / len(s.Start.States)
	}
	for g, dates := range cells {
		if c := x.cohort(s, g, dates); c != nil {
			x.cohorts = append(x.cohorts, c)
		}
	}
	known, err := x.starts(s)
	if err != nil {
		return nil, err
	}
	if err := x.choose(s, cells, known); err != nil {
		return nil, err
	}
	x.loud = len(f.Noise) > 0 && !(f.Affine && x.basis.match < Squares)
	if x.loud {
		if x.copies = s.Copies; x.copies == 0 {
			x.copies = 10
		}
	}
	return x, nil
}

// cohort has the people from whom the model goes on, and the times of targets; nil: of no later time was anybody of the group seen.
func (x *marcher) cohort(s Sections, g int, dates [][]int) *cohort {
	c := &cohort{group: g, since: -1}
	m := x.f.States
	if o := s.Start; o != nil {
		c.since, c.everybody = 0, o.Everybody
		for i := range len(o.States) / m {
			if groupOf(o.Group, i) == g {
				c.take(o.States[i*m:(i+1)*m], o.Traits[i*x.traits:(i+1)*x.traits], weightOf(o.Weight, i))
			}
		}
	}
	for t, rows := range dates {
		switch {
		case len(rows) == 0:
		case c.since < 0:
			c.since = t
			for _, i := range rows {
				c.take(s.States[i*m:(i+1)*m], s.Traits[i*x.traits:(i+1)*x.traits], weightOf(s.Weight, i))
			}
		default:
			c.targets = append(c.targets, target{time: t, people: len(rows)})
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

// starts checks those from whom the model goes on; it tells whether traits of all others are known too.
func (x *marcher) starts(s Sections) (known bool, err error) {
	if len(x.cohorts) == 0 {
		return false, wrong(-1, "no group was seen at two times: nothing can be told of how people move")
	}
	first := 0
	for _, g := range x.cohorts {
		g.first = first
		first += g.people()
		total := 0.0
		for _, w := range g.weight {
			total += w
		}
		switch {
		case total == 0:
			return false, wrong(-1, "group %d: nobody is there at the start, or nobody counts", g.group)
		case g.people() == 1 && !g.everybody:
			return false, wrong(-1, "group %d, time %d: one person says nothing of how much people differ", g.group, g.since)
		}
		for i, v := range g.traits {
			if bad(v) || math.Abs(v) > huge {
				return false, wrong(-1, "group %d: trait %d of person %d of the first sample is %v; those of the first must be known", g.group, i%x.traits, i/x.traits, v)
			}
		}
	}
	known = s.Traits != nil && x.traits > 0
	for _, v := range s.Traits {
		known = known && !bad(v)
	}
	return known, nil
}

// choose decides which moments are matched, and computes those of samples.
func (x *marcher) choose(s Sections, cells [][][]int, known bool) error {
	try := []Match{Squares, Traits, Means}
	if s.Match != 0 {
		if s.Match < Means || s.Match > Squares {
			return wrong(-1, "moments of kind %d, want Means, Traits or Squares", s.Match)
		}
		try = []Match{s.Match}
	}
	rows := [][2][]float64{{s.States, s.Traits}}
	if s.Start != nil {
		rows = append(rows, [2][]float64{s.Start.States, s.Start.Traits})
	}
	for i, match := range try {
		traits := x.traits
		if !known {
			traits = 0
		}
		x.basis = newBasis(match, x.f.States, traits, rows...)
		if i == len(try)-1 || x.large() {
			break
		}
	}
	for e := range x.f.States {
		if u := x.basis.unit[e]; u < 1/huge {
			return wrong(-1, "entry %d of states differs by %v between people: another unit", e, u)
		}
	}
	if size := x.largest() * x.basis.count(); size > 4*most {
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

// largest is how many times the group has that was seen most often.
func (x *marcher) largest() (times int) {
	for _, g := range x.cohorts {
		times = max(times, len(g.targets))
	}
	return times
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
		people := g.people()
		for _, t := range g.targets {
			people += t.people
			if t.people < 2*many*n {
				return false
			}
		}
		if size := len(g.targets) * n; size > most || !g.everybody && g.people() < 2*size || people < many*size {
			return false
		}
	}
	return true
}

// see computes the moments of a sample and their covariance.
func (x *marcher) see(s Sections, g *cohort, t *target, rows []int) error {
	n, m := x.basis.count(), x.f.States
	t.mean, t.cov = make([]float64, n), make([]float64, n*n)
	z, own, side := make([]float64, m+x.traits), make([]float64, n), make([]float64, n)
	var total, total2 float64
	for _, i := range rows {
		w := weightOf(s.Weight, i)
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
	if len(rows) < 2 || total == 0 {
		return wrong(rows[0], "group %d, time %d: one person, or nobody who counts, says nothing of how much means vary", g.group, t.time)
	}
	scale(t.mean, 1/total)
	sample := cohort{weight: make([]float64, len(rows))}
	there := &marched{mean: t.mean, cov: t.cov}
	sample.center(there, side, total, total2)
	return nil
}

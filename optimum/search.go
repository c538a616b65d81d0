package optimum

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// searcher looks for the lowest place of a landscape.
type searcher struct {
	Effort
	land     *landscape
	extent   *extent
	screened []place // the decisions to start from, then those spread over the set; in own units
	given    int     // of these, the first so many were asked for
	worst    float64 // by how much losses differ, most of them
}

// smoothly is Find over a set without gaps.
func smoothly(ctx context.Context, f Function, set kedge.Set, starts [][]float64, o Effort) (*Search, error) {
	s := &searcher{Effort: o.filled(len(starts)), land: newLandscape(ctx, f, set, len(starts[0]))}
	if err := s.prepare(starts); err != nil {
		return nil, err
	}
	ends := lists.Of(s.beginnings(), func(from []float64) place { return s.land.descend(from, 0, coarsely, s.MaxSteps) })
	best := s.lowest(ends)
	if err := s.land.trouble(best); err != nil {
		return nil, err
	}
	best.jump = s.jumps(best)
	return s.report(best, ends), nil
}

// hardly is the Screen of a search that stays where it is told to start, and looks around for the units alone.
const hardly = -1

// coarsely is the part of the steepest gradient at which walks end of which only the best goes on.
const coarsely = 1e-7

// sharply is the part of the steepest gradient that the smallest mean of those nearby is to come to at a kink.
const sharply = 1e-9

// finely is how much further the best is followed than the tolerance asks for: where directions differ much in steepness, the flat ones
// need it.
const finely = 1e-4

// prepare finds the units and looks at the decisions to start from.
func (s *searcher) prepare(starts [][]float64) error {
	l := s.land
	first, err := l.inward(starts[0])
	if err != nil {
		return fmt.Errorf("project the start: %w", err)
	}
	if s.extent, err = l.survey(first); err != nil {
		return err
	}
	for _, u := range starts {
		v, err := l.inward(u)
		if err != nil {
			return fmt.Errorf("project a start: %w", err)
		}
		s.look(v)
	}
	s.given = len(s.screened)
	looks := max(s.Screen, 4*s.Starts-s.given, 8)
	if s.Screen == hardly {
		looks = 4
	}
	for k := range looks {
		if v, err := l.spread(s.extent, k); err == nil {
			s.look(v)
		}
		if l.ctx.Err() != nil {
			return l.ctx.Err()
		}
	}
	s.measure()
	return nil
}

// look evaluates at a decision.
func (s *searcher) look(u []float64) {
	g := make([]float64, len(u))
	s.screened = append(s.screened, place{u: u, loss: s.land.eval(g, u), steepest: rows.Norm(g)})
}

// measure makes the slope's unit what losses differ by over the length of the set, those of the lowest quarter if they do.
func (s *searcher) measure() {
	var losses []float64
	steep := 0.0
	for _, p := range s.screened {
		if !math.IsInf(p.loss, 0) {
			losses, steep = append(losses, p.loss), max(steep, p.steepest)
		}
	}
	if len(losses) == 0 {
		return
	}
	slices.Sort(losses)
	differ := 0.0
	for _, quarter := range []int{1, 2, 3} { // the lower ones say more of where the minimum is
		if differ == 0 {
			differ = losses[len(losses)*quarter/4] - losses[0]
		}
	}
	unit := cmp.Or(power(differ), power(steep), 1)
	s.land.slope = unit
	for i := range s.screened {
		s.screened[i].loss /= unit
	}
	s.worst = differ / unit
}

// beginnings chooses where walks begin: at the decisions given, at the lowest of those looked at that have no lower one nearby, and at
// some of the others, the first of the sequence, which say whether the rest was worth it.
func (s *searcher) beginnings() (list [][]float64) {
	list = lists.Of(s.screened[:s.given], func(p place) []float64 { return p.u })
	others := s.screened[s.given:]
	promising := s.hollows(others)
	for _, i := range promising[:min(len(promising), max(s.Starts-s.given, 2))] {
		list = append(list, others[i].u)
	}
	for i := 0; i < len(others) && len(list) < s.Starts; i++ {
		if !slices.Contains(promising, i) && !math.IsInf(others[i].loss, 1) {
			list = append(list, others[i].u)
		}
	}
	return list
}

// hollows are the numbers of the points that have no lower one nearby, the lowest first.
func (s *searcher) hollows(points []place) (list []int) {
	n := float64(max(len(points), 2))
	near := 1.2 * s.extent.diagonal() * portable.Pow(portable.Log(n)/n, 1/float64(len(s.extent.from)))
	if len(s.extent.from) == 1 {
		near = 2 * s.extent.diagonal() / n
	}
	for i, p := range points {
		lower := func(q place) bool { return q.loss < p.loss && rows.Distance(q.u, p.u) < near }
		if !math.IsInf(p.loss, 1) && !slices.ContainsFunc(points, lower) {
			list = append(list, i)
		}
	}
	return sortedBy(list, func(i int) float64 { return points[i].loss })
}

// sortedBy returns a list in the order of a number of every entry, worked out once.
func sortedBy[T any](list []T, of func(T) float64) []T {
	type ranked struct {
		one T
		by  float64
	}
	all := lists.Of(list, func(one T) ranked { return ranked{one, of(one)} })
	slices.SortStableFunc(all, func(p, q ranked) int { return cmp.Compare(p.by, q.by) })
	return lists.Of(all, func(r ranked) T { return r.one })
}

// diagonal is the length of the longest side of the box around the set, of what is looked at of one without an end.
func (e *extent) diagonal() float64 {
	longest := 0.0
	for i := range e.from {
		longest = max(longest, e.at(i, .9)-e.at(i, .1))
	}
	return longest
}

// finalists is how many places are gone on with.
const finalists = 4

// lowest goes on from the best places until each is as good as it gets, and returns the best of all. Where one was stuck, the lowest of
// the decisions looked at are tried by values alone as well.
func (s *searcher) lowest(ends []place) place {
	byLoss := func(p place) float64 { return p.loss }
	order := sortedBy(ends, byLoss)
	best, stuck, tried := order[0], false, 0
	for _, p := range order {
		if tried > 0 && s.same(p, best) {
			continue
		}
		p = s.finish(p, s.Tolerance)
		stuck = stuck || p.kink
		if p.loss < best.loss || p.kink && p.loss == best.loss {
			best = p
		}
		if tried++; tried == finalists {
			break
		}
	}
	if !best.kink && !stuck {
		return s.finish(best, s.Tolerance*finely)
	}
	looked := sortedBy(s.screened, byLoss)
	for _, p := range looked[:min(len(looked), 2*finalists)] {
		if q := s.land.poll(p, .1); q.loss < best.loss {
			best = s.finish(q, s.Tolerance)
		}
	}
	return best
}

// finish makes a place as good as it gets, to a part of the steepest gradient where it is smooth: by gradients, at a kink by those nearby, and then by looking around.
func (s *searcher) finish(p place, part float64) place {
	for round := range 6 {
		if !p.still(part) {
			if q := s.land.descend(p.u, p.steepest, part, s.MaxSteps); q.loss <= p.loss+float64(1e-15*math.Abs(p.loss)) {
				q.steps += p.steps
				p = q
			}
		}
		if math.IsInf(p.loss, 0) || endless(p) || s.land.over() {
			return p
		}
		if p.still(loose) {
			p.kink = false
			q := s.land.glance(p)
			if round == 5 || !(q.loss < p.loss-float64(1e-9*max(s.worst, math.Abs(p.loss)*1e-3))) {
				return p
			}
			p = q
			continue
		}
		before := p.loss
		p = s.land.sharpen(p, sharply)
		left := p.residual
		if q := s.land.poll(p, 1e-2); q.loss < p.loss {
			p.u, p.loss, p.steps, p.residual = q.u, q.loss, q.steps, math.Inf(1)
		}
		if before-p.loss <= 1e-10*max(s.worst, math.Abs(before)) || round == 5 {
			p.residual = left
			return p
		}
	}
	return p
}

// glance looks around a smooth minimum once, at three distances; whatever is lower shows that it was none.
func (l *landscape) glance(p place) place {
	best := p
	if len(p.u) > 16 {
		return best
	}
	g, u := make([]float64, len(p.u)), make([]float64, len(p.u))
	for _, r := range []float64{.3, 1e-2, 1e-4} {
		for axis := range p.u {
			for _, by := range []float64{r, -r} {
				if l.aside(u, p.u, axis, by) != nil {
					continue
				}
				if loss := l.eval(g, u); loss < best.loss {
					best = place{u: append([]float64(nil), u...), loss: loss, residual: math.Inf(1), steepest: p.steepest, steps: p.steps}
				}
			}
		}
	}
	return best
}

// same tells whether two places are one.
func (s *searcher) same(a, b place) bool {
	return rows.Distance(a.u, b.u) <= 2e-2*min(1, s.extent.diagonal()) && math.Abs(a.loss-b.loss) <= 1e-4*max(s.worst, 1e-300)
}

// report counts where walks ended.
func (s *searcher) report(best place, ends []place) *Search {
	out := &Search{Point: s.land.point(best), Residue: s.land.point(best).Residual, Range: max(s.worst, 1) * s.land.slope * s.land.length, land: s.land}
	var places []place
	n := 0
	for _, p := range ends {
		out.Found = append(out.Found, s.land.point(p))
		if math.IsInf(p.loss, 1) {
			out.Walls++
			continue
		}
		n++
		if !slices.ContainsFunc(places, func(q place) bool { return s.same(p, q) }) {
			places = append(places, p)
		}
		if s.same(p, best) {
			out.Here++
			out.Spread = max(out.Spread, (p.loss-best.loss)/max(s.worst, 1e-300))
		}
	}
	out.Basins = len(places)
	out.Missed = missed(len(places), n)
	return out
}

// missed is the chance that one more walk would end in a place not seen yet, when n have ended in so many [boender1987].
func missed(places, n int) float64 {
	if n < 2 {
		return 1
	}
	w := float64(places)
	return min(1, w*(w+1)/(float64(n)*float64(n-1)))
}

// downTo is Minimize over a set without gaps.
func downTo(ctx context.Context, f Function, set kedge.Set, start []float64, o Effort) (*Point, error) {
	o = o.filled(1)
	o.Screen = hardly
	s := &searcher{Effort: o, land: newLandscape(ctx, f, set, len(start))}
	if err := s.prepare([][]float64{start}); err != nil {
		return nil, err
	}
	best := s.finish(s.land.descend(s.screened[0].u, 0, o.Tolerance, o.MaxSteps), o.Tolerance*finely)
	if err := s.land.trouble(best); err != nil {
		return nil, err
	}
	p := s.land.point(best)
	if p.Residual > loose {
		return nil, &kedge.NotConvergedError{What: "optimum", Residual: p.Residual, Tolerance: o.Tolerance, Steps: p.Steps}
	}
	return &p, nil
}

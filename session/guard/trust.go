package guard

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/live"
)

// Verdicts on the model.
const (
	Trusted    = "trusted"
	Distrusted = "distrusted"
	Unsure     = "unsure"
)

// AnswerRatio is what part of the model's answer people show.
type AnswerRatio struct {
	Ratio   *float64 `json:"ratio,omitempty"` // nil: the decisions hardly differed
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Turns   int      `json:"turns"`   // of the window that is under way
	Verdict string   `json:"verdict"` // of the newest window that told
}

// AnswerPoint is the mean of people at a close, entry by entry: how far they are from where they would have settled under the first decision of
// the window, as they answered and as the model says.
type AnswerPoint struct {
	Seen []float32 `json:"seen"`
	Said []float32 `json:"said"`
	Who  []float32 `json:"who,omitempty"` // the mean of their traits
}

// Trusting is what is remembered of people's answer.
type Trusting struct {
	First   []float64     `json:"first,omitempty"` // decision of the window
	Points  []AnswerPoint `json:"points,omitempty"`
	Lag     int           `json:"lag,omitempty"`
	Who     []float64     `json:"who,omitempty"` // the sum of the means of traits at all closes
	Closes  int           `json:"closes,omitempty"`
	Verdict string        `json:"verdict,omitempty"`
	Ratio   *AnswerRatio  `json:"ratio,omitempty"` // of the newest whole window that told
}

const (
	mostLag      = 64   // steps that are looked back
	forgotten    = 1e-3 // of a difference between people is left then
	mostSensed   = 16   // entries of states that are compared
	mostAnswers  = 128  // people who are
	leastAnswers = 3    // closes of which a ratio is said
	leastTurns   = 3    // by which a ratio is said, as many as they are worth together
	errors99     = 2.6  // standard errors on either side
	leastLean    = 10   // people more than twice as many as traits, to weigh them by those
	ridge        = 0.01 // of the mean square of traits
)

// watchesAnswer tells whether there is a model to trust. Where people see each other nobody knows it from a sample.
func (g *Guard) watchesAnswer() bool {
	return g.Informed && g.Live.TrustWindow > 0 && !g.Model.Social && g.Model.RowSettler() != nil && g.Model.RowDynamics() != nil
}

// Distrusts tells whether people answer otherwise than the model says.
func (g *Guard) Distrusts() bool { return g.Trust != nil && g.Trust.Verdict == Distrusted }

// span is how many decisions before the newest are looked back at.
func (g *Guard) span() int {
	lag := mostLag
	if g.Trust != nil && g.Trust.Lag > 0 {
		lag = g.Trust.Lag
	}
	return (lag + g.Live.Steps() - 1) / g.Live.Steps()
}

// examineAnswer compares what people did with what the model says.
func (g *Guard) examineAnswer(o kedge.Observation, r *Report) {
	if !g.watchesAnswer() {
		return
	}
	was := *cmp.Or(g.Trust, &Trusting{})
	o = Few(o, mostAnswers, g.Dims)
	if was.Lag == 0 {
		r.Seen.Lag = g.lag(o.P, o.D, o.U)
	}
	first := was.First
	if first == nil {
		first = o.U
	}
	r.Seen.Answer = g.point(o.P, o.D, o.W, first)
	now := was.after(r.Seen.Answer, o.U, g)
	r.Ratio = now.said()
	if now.Verdict != Distrusted {
		return
	}
	words := "people answer otherwise than the model says"
	if q := now.Ratio; q != nil && q.Ratio != nil {
		words = fmt.Sprintf("people answer %s (%s … %s) of what the model says", phrase.Brief(*q.Ratio), phrase.Brief(*q.Low), phrase.Brief(*q.High))
	}
	r.Distrust = words
	if g.Live.TrustOtherwise == live.Hold {
		r.Concerns = append(r.Concerns, Concern{Words: words})
	}
}

// said is what is told of it at a close: the ratio of the window under way or, while that is not known, of the newest that told.
func (t *Trusting) said() *AnswerRatio {
	q := ratioOf(t.Points)
	if q.Ratio == nil && t.Ratio != nil {
		own := *t.Ratio
		own.Turns = len(t.Points)
		q = &own
	}
	q.Verdict = cmp.Or(t.Verdict, Unsure)
	return q
}

// after is what is remembered after a close.
func (t Trusting) after(point *AnswerPoint, u []float64, g *Guard) Trusting {
	if point == nil {
		return t
	}
	if t.First == nil {
		t.First = slices.Clone(u)
	}
	t.Closes++
	t.Who = slices.Clone(t.Who)
	for j, v := range point.Who {
		if j == len(t.Who) {
			t.Who = append(t.Who, 0)
		}
		t.Who[j] += float64(v)
	}
	t.Points = append(slices.Clone(t.Points), AnswerPoint{Seen: point.Seen, Said: point.Said})
	if len(t.Points) < g.Live.TrustWindow {
		return t
	}
	if q := ratioOf(t.Points); q.Ratio != nil {
		t.Ratio = q
		from, to := g.Live.TrustBetween[0], g.Live.TrustBetween[1]
		switch {
		case *q.Low >= from && *q.High <= to:
			t.Verdict = Trusted
		case *q.High < from || *q.Low > to:
			t.Verdict = Distrusted
		}
	}
	t.First, t.Points = nil, nil
	return t
}

// foldAnswer remembers it.
func (g *Guard) foldAnswer(s *Seen, u []float64) {
	if s.Answer == nil && s.Lag == 0 {
		return
	}
	now := *cmp.Or(g.Trust, &Trusting{})
	if s.Lag > 0 {
		now.Lag = s.Lag
	}
	now = now.after(s.Answer, u, g)
	g.Trust = &now
	g.Course = g.Course[max(0, len(g.Course)-g.span()-1):]
}

// lag is after how many steps people of the model who were somewhere else are as good as in one place.
func (g *Guard) lag(p, d, u []float64) int {
	dim := g.Dims
	step := g.Model.RowDynamics()
	here, there := slices.Clone(p), append(slices.Clone(p[dim.State:]), p[:dim.State]...) // where the next one is
	room := make([]float64, len(p))
	first := rows.Distance(here, there)
	if !(first > 0) {
		return mostLag
	}
	for m := 1; m < mostLag; m++ {
		for _, x := range []*[]float64{&here, &there} {
			step.NextRows(room, *x, u, d)
			*x, room = room, *x
		}
		if rows.Distance(here, there) <= forgotten*first {
			return m
		}
	}
	return mostLag
}

// point is where people are and where the model says they are, nil if it does not say.
func (g *Guard) point(p, d, w, first []float64) *AnswerPoint {
	if len(g.Course) == 0 {
		return nil
	}
	dim := g.Dims
	still, ok := g.settled(p, d, first)
	if !ok {
		return nil
	}
	said, ok := g.settled(p, d, g.Course[0])
	if !ok {
		return nil
	}
	step, room := g.Model.RowDynamics(), make([]float64, len(p))
	for _, u := range g.Course[1:] {
		for range g.Live.Steps() {
			step.NextRows(room, said, u, d)
			said, room = room, said
		}
	}
	at := &AnswerPoint{}
	mean := g.leaning(p, said, still, w, g.lean(len(p)/dim.State, d, w, at))
	for _, j := range kedge.Some(dim.State, mostSensed) {
		mx, my := mean[j], mean[dim.State+j]
		if !finite(mx, my) {
			return nil
		}
		at.Said, at.Seen = append(at.Said, short(mx)), append(at.Seen, short(my))
	}
	return at
}

// leaning are the means of how far people are from where they would stand still, as the model says and then as was seen, entry by entry, less
// what they must count less. All entries are added up at once, each in the order of MeanOf and rows.Dot.
func (g *Guard) leaning(p, said, still, w, lean []float64) []float64 {
	width := g.Dims.State
	mean, all, off := make([]float64, 2*width), 0.0, make([]float64, 2*width)
	lanes := [4][]float64{make([]float64, 2*width), make([]float64, 2*width), make([]float64, 2*width), make([]float64, 2*width)}
	for i := range len(p) / width {
		row := kedge.Row(still, i, width)
		rows.Sub(off[:width], kedge.Row(said, i, width), row)
		rows.Sub(off[width:], kedge.Row(p, i, width), row)
		all += rows.Weight(w, i)
		rows.AddScaled(mean, rows.Weight(w, i), off)
		rows.AddScaled(lanes[i%4], lean[i], off)
	}
	for j := range mean {
		mean[j] = mean[j]/all - ((lanes[0][j] + lanes[2][j]) + (lanes[1][j] + lanes[3][j]))
	}
	return mean
}

// lean is how much each of n people must count less than in their mean for that to be the mean of people with the traits of all closes: who is
// asked by chance makes a difference where the model is wrong about everybody in another way. It is the regression estimator of surveys.
func (g *Guard) lean(n int, d, w []float64, at *AnswerPoint) []float64 {
	which, factors := kedge.Some(g.Dims.Trait, mostSensed), make([]float64, n)
	k := len(which)
	if k == 0 {
		return factors
	}
	features, off, all := make([]float64, n*k), make([]float64, k), 0.0
	for i := range n {
		all += rows.Weight(w, i)
		for j, entry := range which {
			features[i*k+j] = d[i*g.Dims.Trait+entry]
		}
		rows.AddScaled(off, rows.Weight(w, i), features[i*k:(i+1)*k])
	}
	for j := range off {
		off[j] /= all
		at.Who = append(at.Who, short(off[j]))
	}
	if n < 2*k+leastLean || g.Trust == nil || g.Trust.Closes < leastAnswers {
		return factors
	}
	square := make([]float64, k*k)
	for i := range n {
		f := features[i*k : (i+1)*k]
		rows.Sub(f, f, off)
		for j := range f {
			rows.AddScaled(square[j*k:(j+1)*k], rows.Weight(w, i)*f[j], f)
		}
	}
	trace := 0.0
	for j := range k {
		trace += square[j*k+j]
	}
	for j := range k {
		square[j*k+j] += ridge * trace / float64(k)
		off[j] -= g.Trust.Who[j] / float64(g.Trust.Closes)
	}
	if at, _ := dense.Cholesky(square, k, 0); at < k {
		return factors
	}
	dense.SolveCholesky(square, off, k)
	for i := range n {
		factors[i] = float64(rows.Weight(w, i) * rows.Dot(features[i*k:(i+1)*k], off))
	}
	return factors
}

// settled is where people end up under a decision by the model.
func (g *Guard) settled(p, d, u []float64) ([]float64, bool) {
	states := slices.Clone(p)
	_, err := kedge.SettleRowsFrom(g.Model.RowSettler(), states, u, d)
	return states, err == nil
}

// ratioOf is the slope of what was seen on what was said, with an intercept for every entry and errors clustered by turn; it is unknown where
// too few turns were seen, or nothing was said to change.
func ratioOf(points []AnswerPoint) *AnswerRatio {
	q := &AnswerRatio{Turns: len(points)}
	if len(points) < leastAnswers {
		return q
	}
	n, width := float64(len(points)), len(points[0].Said)
	means, meansSeen := make([]float64, width), make([]float64, width)
	for _, one := range points {
		for j := range width {
			means[j] += float64(one.Said[j]) / n
			meansSeen[j] += float64(one.Seen[j]) / n
		}
	}
	xx, xy, fourth, size := 0.0, 0.0, 0.0, 0.0
	for _, one := range points {
		turn := 0.0
		for j := range width {
			x, y := float64(one.Said[j])-means[j], float64(one.Seen[j])-meansSeen[j]
			turn, xy = turn+float64(x*x), xy+float64(x*y)
			size += float64(means[j]*means[j]) + float64(meansSeen[j]*meansSeen[j])
		}
		xx, fourth = xx+turn, fourth+float64(turn*turn)
	}
	if !(xx*xx >= leastTurns*fourth) || xx <= 1e-12*size { // of a loop that stands still, all is said by a turn or two, or by rounding
		return q
	}
	beta, scores := xy/xx, 0.0
	for _, one := range points {
		score := 0.0
		for j := range width {
			x, y := float64(one.Said[j])-means[j], float64(one.Seen[j])-meansSeen[j]
			score += float64(x * (y - float64(beta*x)))
		}
		scores += float64(score * score)
	}
	off := errors99 * math.Sqrt(scores*n/(n-1)) / xx
	if !finite(beta, off) {
		return q
	}
	low, high := beta-off, beta+off
	q.Ratio, q.Low, q.High = &beta, &low, &high
	return q
}

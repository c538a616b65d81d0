package decide

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

// search finds what is best over the draws.
func (c *council) search(ctx context.Context) error {
	mean := make([]float64, len(c.Plug))
	for _, i := range c.seats {
		for j, v := range c.answer.Draws[i].Decision {
			mean[j] += v / float64(len(c.seats))
		}
	}
	starts := append([][]float64{c.Plug}, c.Starts...)
	if c.answer.Search != nil {
		starts = append(starts, c.answer.Search.Decision)
	}
	if c.Set.Project(mean) == nil {
		starts = append(starts, mean)
	}
	s, err := c.find(ctx, starts)
	if err != nil {
		return fmt.Errorf("find what is best over %d draws: %w", len(c.seats), err)
	}
	c.answer.Search = s
	return nil
}

// mostCurved is the longest decision for which the curvature of every world is worked out.
const mostCurved = 24

// find looks for what is best over the draws from several decisions. Worlds are dear to ask, and a criterion has kinks where one world takes the place of another:
// so every world is replaced by its paraboloid at a decision, what is best over those is found, and so on from there, until that is where it began.
func (c *council) find(ctx context.Context, starts [][]float64) (*optimum.Search, error) {
	if _, gaps := c.Set.(set.Discrete); gaps || len(c.Plug) > mostCurved {
		return optimum.Find(ctx, c, c.Set, starts, c.Effort)
	}
	out := &optimum.Search{}
	out.Loss = math.Inf(1)
	var refused error
	for _, u := range c.promising(starts) {
		p, err := c.descend(ctx, u)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			out.Walls++
			if refused == nil {
				refused = err
			}
			continue
		}
		out.Found = append(out.Found, *p)
		if p.Loss < out.Loss {
			out.Point = *p
		}
	}
	if len(out.Found) == 0 {
		return nil, refused
	}
	out.Residue = out.Residual
	var places [][]float64
	for _, p := range out.Found {
		near := func(q []float64) bool { return rows.Distance(p.Decision, q) <= 1e-4*(1+rows.MaxAbs(q)) }
		if near(out.Decision) {
			out.Here++
		}
		if !slices.ContainsFunc(places, near) {
			places = append(places, p.Decision)
		}
	}
	out.Basins, out.Missed = len(places), 1
	if n := float64(len(out.Found)); n > 1 {
		w := float64(out.Basins)
		out.Missed = min(1, w*(w+1)/(n*(n-1)))
	}
	return out, nil
}

// mostWalks is how many decisions searches begin at.
const mostWalks = 6

// promising are the best of the starts and of some of the decisions that are best under a draw, the first start among them.
func (c *council) promising(starts [][]float64) (list [][]float64) {
	all := slices.Clone(starts)
	for k := 0; k < len(c.seats); k += max(1, len(c.seats)/8) {
		all = append(all, c.answer.Draws[c.seats[k]].Decision)
	}
	value := make([]float64, len(all))
	for i, u := range all {
		_ = c.evaluate(u, false)
		value[i] = c.weigh()
	}
	order := kedge.Some(len(all), len(all))[1:]
	slices.SortStableFunc(order, func(a, b int) int { return byLoss(value[a], value[b]) })
	list = append(list, all[0])
	for _, i := range order[:min(len(order), mostWalks-1)] {
		list = append(list, all[i])
	}
	return list
}

// bowls are the paraboloids of all worlds at a decision.
type bowls struct {
	*council
	at      []float64
	value   []float64
	slope   [][]float64
	curve   [][]float64
	damping float64
	off     []float64
}

// Gradient implements [optimum.Function].
func (b *bowls) Gradient(g, u []float64) (float64, error) {
	n := len(u)
	far := 0.0
	for j := range u {
		b.off[j] = u[j] - b.at[j]
		far += float64(b.off[j] * b.off[j])
	}
	for i := range b.value {
		l := b.value[i]
		copy(b.council.slope[i], b.slope[i])
		for j, by := range b.off {
			bent := rows.Dot(b.curve[i][j*n:(j+1)*n], b.off)
			l += float64(by * (b.slope[i][j] + float64(bent/2)))
			b.council.slope[i][j] += bent
		}
		b.loss[i] = l
	}
	value := b.mix(g) + float64(b.damping*far/2)
	rows.AddScaled(g, b.damping, b.off)
	return value, nil
}

// descend goes from paraboloid to paraboloid.
func (c *council) descend(ctx context.Context, start []float64) (*optimum.Point, error) {
	u := slices.Clone(start)
	if err := c.Set.Project(u); err != nil {
		return nil, err
	}
	g := make([]float64, len(u))
	value, err := c.Gradient(g, u)
	if err != nil {
		return nil, err
	}
	p := &optimum.Point{Decision: u, Loss: value, Residual: 1, Steps: 1}
	damping := 0.0
	for range 40 {
		b, err := c.bend(p.Decision)
		if err != nil {
			return nil, err
		}
		p.Steps += 1 + len(u)
		steep := b.steepness()
		moved := false
		for range 25 {
			b.damping = damping
			s, err := optimum.Find(ctx, b, c.Set, [][]float64{p.Decision}, c.Effort)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil {
				p.Residual = rows.Distance(s.Decision, p.Decision) / (1e-300 + rows.MaxAbs(p.Decision) + rows.MaxAbs(s.Decision))
				p.Kink = s.Kink
				if p.Residual < 1e-9 || !(s.Loss < p.Loss) {
					return p, nil
				}
				value, err = c.Gradient(g, s.Decision)
				p.Steps++
				if err == nil && value < p.Loss {
					gained, promised := p.Loss-value, p.Loss-s.Loss
					p.Decision, p.Loss, moved = s.Decision, value, true
					if gained > promised/2 {
						damping /= 8
					}
					break
				}
				if err == nil && value-p.Loss <= 1e-13*math.Abs(p.Loss) {
					return p, nil
				}
			}
			damping = max(4*damping, 1e-3*steep)
		}
		if !moved {
			return p, nil
		}
	}
	return p, nil
}

// bend works out the paraboloids of all worlds at a decision, curvatures by differences of slopes.
func (c *council) bend(u []float64) (*bowls, error) {
	b := &bowls{council: c, at: slices.Clone(u), off: make([]float64, len(u))}
	if err := c.evaluate(u, true); err != nil {
		return nil, err
	}
	n := len(u)
	b.value = slices.Clone(c.loss)
	for _, s := range c.slope {
		b.slope, b.curve = append(b.slope, slices.Clone(s)), append(b.curve, make([]float64, n*n))
	}
	size := cmp.Or(max(rows.MaxAbs(u), 1e-3*rows.MaxAbs(c.Plug)), 1)
	for j := range n {
		for _, h := range []float64{1e-4 * size, -1e-4 * size} {
			v := slices.Clone(u)
			v[j] += h
			h = v[j] - u[j]
			if c.evaluate(v, true) != nil {
				continue
			}
			for i := range b.curve {
				for k := range n {
					b.curve[i][j*n+k] = (c.slope[i][k] - b.slope[i][k]) / h
				}
			}
			break
		}
	}
	for _, h := range b.curve {
		for j := range n {
			for k := range j {
				both := (h[j*n+k] + h[k*n+j]) / 2
				h[j*n+k], h[k*n+j] = both, both
			}
		}
	}
	return b, nil
}

// steepness is the largest curvature along an axis.
func (b *bowls) steepness() (most float64) {
	n := len(b.at)
	for _, h := range b.curve {
		for j := range n {
			most = max(most, math.Abs(h[j*n+j]))
		}
	}
	return cmp.Or(most, 1)
}

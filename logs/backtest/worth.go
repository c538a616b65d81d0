package backtest

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
)

// margins compares the composite rule with the others.
func (h *Retrospect) margins() {
	for _, rule := range []string{Done, Vanilla, Nothing} {
		var once, settled []Worth
		for _, o := range h.Dates {
			mine, other := o.of(Composite), o.of(rule)
			if mine == nil || other == nil || !mine.Settled.Value.Known() || !other.Settled.Value.Known() || !mine.Once.Value.Known() || !other.Once.Value.Known() {
				continue
			}
			once, settled = append(once, h.less(mine.Once, other.Once)), append(settled, h.less(mine.Settled, other.Settled))
		}
		if len(once) > 0 {
			h.Margins = append(h.Margins, Margin{rule, len(once), mean(once), mean(settled)})
		}
	}
}

// of is what a rule says, nil where it says nothing.
func (o *PastDate) of(rule string) *Verdict {
	i := slices.IndexFunc(o.Rules, func(v Verdict) bool { return v.Rule == rule && v.Decision != nil })
	if i < 0 {
		return nil
	}
	return &o.Rules[i]
}

// less is by how much one is better than another.
func (h *Retrospect) less(a, b Worth) Worth {
	sign := -1.0
	if h.Maximize {
		sign = 1
	}
	out := Worth{Value: logs.Amount(sign * float64(a.Value-b.Value))}
	for i := range min(len(a.drawn), len(b.drawn)) {
		out.drawn = append(out.drawn, sign*(a.drawn[i]-b.drawn[i]))
	}
	return out
}

// mean is that of several, draw by draw.
func mean(list []Worth) (out Worth) {
	n := float64(len(list))
	out.drawn = make([]float64, len(list[0].drawn))
	for _, w := range list {
		out.Value += w.Value / logs.Amount(n)
		for i := range out.drawn {
			out.drawn[i] += w.drawn[i] / n
		}
	}
	out.bound()
	return out
}

// fewest is how many draws an interval needs.
const fewest = 20

// bound finds the interval of draws. A draw without a finite value may be anything.
func (w *Worth) bound() {
	w.Low, w.High = logs.Amount(math.NaN()), logs.Amount(math.NaN())
	if len(w.drawn) < fewest {
		return
	}
	w.Low, w.High = logs.Ends(lists.Of(w.drawn, func(v float64) float64 {
		if !phrase.Finite(v) {
			return math.NaN()
		}
		return v
	}))
}

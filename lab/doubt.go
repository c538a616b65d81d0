package lab

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/decide"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
)

// What decisions are called that are judged over draws.
const (
	byFit      = "by the numbers of the spec"
	overDraws  = "over the draws"
	retraining = "where retraining settles"
)

// DecideOver finds what is best over the draws of a problem's numbers, where the best decision of its own numbers is known; nil without draws.
func DecideOver(ctx context.Context, p *problem.Problem, plug []float64, beside [][]float64, workers int, tell func(done, total int)) (*decide.Ruling, error) {
	worlds, err := p.Worlds(ctx, workers)
	if worlds == nil || err != nil {
		return nil, err
	}
	return decide.Over(ctx, decide.Matter{
		Worlds: worlds, Set: p.Set, Plug: plug, Starts: [][]float64{p.Start}, Beside: beside, Effort: p.Search.Few(4), Rule: p.Spec.Doubt.Rule(),
		Workers: workers, Progress: tell,
	})
}

// decideOver adds what is known over draws to the result.
func (r *run) decideOver(ctx context.Context) error {
	var beside [][]float64
	if r.result.Stable.Decision != nil {
		beside = append(beside, r.result.Stable.Decision)
	}
	a, err := DecideOver(ctx, r.problem, r.result.Optimum.Decision, beside, r.Workers, func(done, total int) {
		r.Progress.Draws.Store(int64(total))
		r.Progress.Drawn.Store(int64(done))
	})
	if none, is := errors.AsType[*decide.NoAnswerError](err); is {
		r.note("What is best over the draws cannot be told: %v.", none)
		return nil
	}
	if err != nil || a == nil {
		return err
	}
	r.result.OverDraws = r.overDraws(a)
	if a.Missing > 0 {
		r.note("Under %d of the %d draws no decision is best: %v. Means are over the others; in intervals these may be anything.", a.Missing, len(a.Draws), a.Why)
	}
	return nil
}

// overDraws is an answer as results have it.
func (r *run) overDraws(a *decide.Ruling) *folder.OverDraws {
	rule := r.problem.Spec.Doubt.Rule()
	out := &folder.OverDraws{Draws: len(a.Draws), Missing: a.Missing, Rule: string(rule.Kind), Costs: told(a.Costs), Stretch: told(a.Stretch)}
	if rule.Kind == decide.CVaR {
		out.Rule += fmt.Sprintf(" %v", rule.Part)
	}
	if a.Why != nil {
		out.Why = a.Why.Error()
	}
	out.Stakes = []folder.Stake{r.stake(byFit, a.Plug), r.stake(overDraws, a.Robust)}
	for _, c := range a.Beside {
		out.Stakes = append(out.Stakes, r.stake(retraining, c))
	}
	t := &r.meter.Optimum
	p := folder.Point{Decision: a.Robust.Decision, Exact: r.problem.ExactEntries(), Value: r.valued(a.Robust.Mean), Distance: t.Distance(a.Robust.Decision), Residual: a.Search.Residual, Starts: len(a.Search.Found), Evidence: folder.EvidenceOf(a.Search)}
	p.Sampling = &folder.Sampling{Value: out.Stakes[1].Within}
	for _, s := range a.Decision {
		if !s.Known() {
			p.Sampling.Low, p.Sampling.High, p.Sampling.Why = nil, nil, "too many draws have no best decision"
			break
		}
		p.Sampling.Low, p.Sampling.High = append(p.Sampling.Low, s.Low), append(p.Sampling.High, s.High)
	}
	if p.Sampling.Value == nil {
		p.Sampling.Why = "too many draws have no value"
	}
	out.Robust = p
	return out
}

// valued is a loss as it is reported.
func (r *run) valued(loss float64) float64 {
	if r.problem.Maximize {
		return -loss
	}
	return loss
}

// told is a number, nil where it cannot be told.
func told(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// stake is a decision judged over draws, as results have it.
func (r *run) stake(name string, c decide.Choice) folder.Stake {
	s := folder.Stake{Name: name, Decision: c.Decision, Mean: told(r.valued(c.Mean)), Tail: told(r.valued(c.Tail)), Regret: told(c.Regret), Most: told(c.Most)}
	if c.Reach.Known() {
		s.Within = &folder.Reach{Low: c.Reach.Low, High: c.Reach.High}
		if r.problem.Maximize {
			s.Within = &folder.Reach{Low: -c.Reach.High, High: -c.Reach.Low}
		}
	}
	return s
}

// stakes is the section that says what decisions are worth over draws.
func (r *run) stakes() (*folder.Section, error) {
	d := r.result.OverDraws
	if d == nil {
		return nil, nil
	}
	worst := "worst tenth"
	if rule := r.problem.Spec.Doubt.Rule(); rule.Kind == decide.CVaR {
		worst = "worst " + phrase.Percent(rule.Part)
	}
	s := &folder.Section{
		ID: "draws", Title: "What is not known", Columns: []string{"decision", "mean value", "95 of 100 draws", worst, "mean regret", "largest regret"},
		Text: fmt.Sprintf("The model as each of %s of its numbers has it. A regret is what a decision loses against the one that is best under a draw. "+
			"Draws carry the doubt of the fit and nothing else: not that of the form of the model, nor that of who happened to be there. "+
			"Intervals are of draws: what is truly best they hold less often, 183 times of 200 in simulated markets with short logs (docs/fitting.md).", phrase.Count(d.Draws, "draw")),
	}
	for _, one := range d.Stakes {
		within := "cannot be told"
		if one.Within != nil {
			within = folder.Brief(one.Within.Low) + " … " + folder.Brief(one.Within.High)
		}
		s.Rows = append(s.Rows, []string{one.Name, briefly(one.Mean), within, briefly(one.Tail), briefly(one.Regret), briefly(one.Most)})
	}
	for i, v := range d.Robust.Decision[:min(mostListed, len(d.Robust.Decision))] {
		line := fmt.Sprintf("%s: %s by the numbers of the spec, %s over the draws", nameOf(r.result.Names.Decision, i), folder.Brief(r.result.Optimum.Decision[i]), folder.Brief(v))
		if k := d.Robust.Sampling; k.Low != nil {
			line += fmt.Sprintf("; best under 95 of 100 draws within %s … %s", folder.Brief(k.Low[i]), folder.Brief(k.High[i]))
		}
		s.Text += "\n\n" + line + "."
	}
	if d.Costs != nil {
		s.Verdict = fmt.Sprintf("Under no draw does the decision over the draws lose more than %s against that of the numbers of the spec. %s", folder.Brief(max(0, *d.Costs)), d.Truly(folder.Brief))
	}
	return s, nil
}

// mostListed is how many entries of a decision are listed.
const mostListed = 20

func briefly(v *float64) string {
	if v == nil {
		return "cannot be told"
	}
	return folder.Brief(*v)
}

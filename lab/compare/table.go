package compare

import "github.com/kedge-opt/kedge/folder"

// Table has one row a method and problem; what is not known is empty.
func (r *Comparison) Table() folder.Table {
	t := folder.TableOf[pair]{Rows: r.pairs()}
	spread := func(name string, of func(p pair) *Range) {
		t.Spread(name, name+"_low", name+"_high", func(p pair) *folder.Spread { return (*folder.Spread)(of(p)) })
	}
	t.Text("problem", func(p pair) string { return p.on.Name })
	t.Text("method", func(p pair) string { return p.Method })
	t.Text("limit", func(p pair) string { return p.Limit })
	t.Text("verdict", func(p pair) string { return p.on.Verdict(p.Row) })
	spread("to_optimal", func(p pair) *Range { return p.ToOptimal })
	spread("to_stable", func(p pair) *Range { return p.ToStable })
	spread("to_target", func(p pair) *Range { return p.ToTarget })
	spread("value", func(p pair) *Range { return p.Value })
	spread("gap", func(p pair) *Range { return p.Gap })
	t.Number("tolerance", func(p pair) float64 { return p.on.Tolerance })
	t.Number("turns", func(p pair) float64 { return float64(p.on.Turns) })
	t.Number("deployments", func(p pair) float64 { return float64(p.Deployments) })
	t.Number("samples", func(p pair) float64 { return float64(p.Samples) })
	t.Number("trials", func(p pair) float64 { return float64(p.Trials) })
	t.Number("failed", func(p pair) float64 { return float64(p.Failed) })
	t.Number("step", func(p pair) float64 { return p.Step })
	t.Text("settings", func(p pair) string { return p.Settings })
	return t.Table
}

package lab

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/columns"
)

// metricColumns are the numbers of a row of the series, in the order of the file.
func metricColumns() []string {
	return []string{"value", "gap", "distance", "w1_own", "w1_optimal", "gradient", "gap_rollout", "distance_rollout", "trust"}
}

// metricFields are where those numbers are kept.
func metricFields(m *kedge.Metrics) [9]*float64 {
	return [9]*float64{&m.Value, &m.Gap, &m.Distance, &m.W1Own, &m.W1Optimal, &m.Gradient, &m.GapRef, &m.DistanceRef, &m.Trust}
}

// group is columns that a series has only where they were asked for.
type group struct {
	columns []string
	fields  func(m *kedge.Metrics) []*float64 // where the numbers are kept, nil where there are none
	add     func(m *kedge.Metrics)            // makes room for them
}

// groups are the columns that may follow, in the order of the file.
func groups() []group {
	list := []group{
		{[]string{"v", "v_bound", "w1_joint", "bias", "bias_by_w1", "bias_by_v"}, theoryFields, func(m *kedge.Metrics) { m.Theory = new(kedge.Theory) }},
		{[]string{"tracking", "regret"}, trackingFields, func(m *kedge.Metrics) { m.Tracking = new(kedge.Tracking) }},
	}
	for j := range mostConstraints {
		list = append(list, constraintGroup(j))
	}
	return append(list, group{[]string{"nash_residual", "nash_distance"}, nashFields, func(m *kedge.Metrics) { m.Nash = new(kedge.Nash) }})
}

func theoryFields(m *kedge.Metrics) []*float64 {
	t := m.Theory
	if t == nil {
		return nil
	}
	return []*float64{&t.V, &t.VBound, &t.W1, &t.Bias, &t.BiasByW1, &t.BiasByV}
}

func trackingFields(m *kedge.Metrics) []*float64 {
	t := m.Tracking
	if t == nil {
		return nil
	}
	return []*float64{&t.Error, &t.Regret}
}

// asked returns the groups that turns were measured for; in one run all turns were, or none.
func asked(m *kedge.Metrics) (list []group) {
	for _, g := range groups() {
		if g.fields(m) != nil {
			list = append(list, g)
		}
	}
	return list
}

// numbers appends the numbers of a row to dst.
func numbers(dst []float64, m *kedge.Metrics, of []group) []float64 {
	for _, v := range metricFields(m) {
		dst = append(dst, *v)
	}
	for _, g := range of {
		for _, v := range g.fields(m) {
			dst = append(dst, *v)
		}
	}
	return dst
}

// numberColumns are the columns that numbers fills.
func numberColumns(of []group) []string {
	list := metricColumns()
	for _, g := range of {
		list = append(list, g.columns...)
	}
	return list
}

func seriesColumns(of []group) []string {
	return append([]string{"algorithm", "trial", "k"}, numberColumns(of)...)
}

// asked returns the groups of columns of the result.
func (r *Result) asked() []group {
	for _, one := range r.Runs {
		for _, t := range one.Trials {
			if len(t.Metrics) > 0 {
				return asked(&t.Metrics[0])
			}
		}
	}
	return nil
}

// writeSeries writes one row a measured turn; what was not measured stays empty.
func (r *Result) writeSeries(w io.Writer) error {
	of := r.asked()
	if _, err := io.WriteString(w, strings.Join(seriesColumns(of), ",")+"\n"); err != nil {
		return err
	}
	var line []byte
	var row []float64
	for i := range r.Runs {
		one := &r.Runs[i]
		name := columns.AppendText(nil, one.Name)
		for _, t := range one.Trials {
			for j := range t.K {
				row = numbers(row[:0], &t.Metrics[j], of)
				line = appendStep(line[:0], name, t.Index, t.K[j], row)
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func appendStep(line, name []byte, trial, k int, row []float64) []byte {
	line = append(line, name...)
	line = strconv.AppendInt(append(line, ','), int64(trial), 10)
	line = strconv.AppendInt(append(line, ','), int64(k), 10)
	for _, v := range row {
		line = columns.AppendNumber(append(line, ','), v)
	}
	return append(line, '\n')
}

// writeParquet writes the same table as Parquet, trial by trial.
func (r *Result) writeParquet(w io.Writer) error {
	fields := []columns.Field{{Name: "algorithm", Kind: columns.Text}, {Name: "trial", Kind: columns.Whole}, {Name: "k", Kind: columns.Whole}}
	of := r.asked()
	for _, name := range numberColumns(of) {
		fields = append(fields, columns.Field{Name: name})
	}
	out := columns.NewWriter(w, fields...)
	for i := range r.Runs {
		for j := range r.Runs[i].Trials {
			if err := out.Write(r.Runs[i].Trials[j].table(r.Runs[i].Name, of)); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

// table is the series of one trial.
func (t *Trial) table(algorithm string, of []group) Table {
	n := len(t.K)
	c := make([]Column, 0, 19)
	c = append(c, Column{Name: "algorithm", Text: make([]string, n)}, Column{Name: "trial", Numbers: make([]float64, n)}, Column{Name: "k", Numbers: floats(t.K)})
	for _, name := range numberColumns(of) {
		c = append(c, Column{Name: name, Numbers: make([]float64, n)})
	}
	var row []float64
	for i := range n {
		c[0].Text[i], c[1].Numbers[i] = algorithm, float64(t.Index)
		row = numbers(row[:0], &t.Metrics[i], of)
		for j, v := range row {
			c[3+j].Numbers[i] = v
		}
	}
	return Table{Columns: c}
}

// readSeries adds the rows of a series to the runs of the result.
func (r *Result) readSeries(path string) error {
	t, err := ReadTable(path)
	if err != nil {
		return err
	}
	c := t.Columns
	asWritten := func(c Column, name string) bool { return c.Name == name && (c.Numbers == nil) == (name == "algorithm") }
	of := groupsIn(c)
	if want := seriesColumns(of); !slices.EqualFunc(c, want, asWritten) {
		return fmt.Errorf("%s: want the columns %v", path, want)
	}
	for i := range t.Rows() {
		var m kedge.Metrics
		for j, v := range metricFields(&m) {
			*v = c[3+j].Numbers[i]
		}
		at := 3 + len(metricColumns())
		for _, g := range of {
			g.add(&m)
			for _, v := range g.fields(&m) {
				*v, at = c[at].Numbers[i], at+1
			}
		}
		if err := r.addStep(c[0].Text[i], int(c[1].Numbers[i]), int(c[2].Numbers[i]), m); err != nil {
			return fmt.Errorf("%s: row %d: %w", path, i, err)
		}
	}
	return nil
}

// groupsIn returns the groups whose columns are there.
func groupsIn(c []Column) (list []group) {
	for _, g := range groups() {
		if slices.ContainsFunc(c, func(one Column) bool { return one.Name == g.columns[0] }) {
			list = append(list, g)
		}
	}
	return list
}

// addStep adds a measured turn. The rows of a trial follow each other, and so do the trials of an algorithm.
func (r *Result) addStep(name string, trial, k int, m kedge.Metrics) error {
	i := slices.IndexFunc(r.Runs, func(one Run) bool { return one.Name == name })
	if i < 0 {
		return fmt.Errorf("algorithm %q is not in %s", name, summaryFile)
	}
	one := &r.Runs[i]
	if n := len(one.Trials); n == 0 || one.Trials[n-1].Index != trial {
		one.Trials = append(one.Trials, Trial{Index: trial, Finished: true})
	}
	t := &one.Trials[len(one.Trials)-1]
	t.K, t.Metrics = append(t.K, k), append(t.Metrics, m)
	return nil
}

package lab

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/columns"
)

// metricColumns are the numbers of a row of the series, in the order of the file.
func metricColumns() []string {
	return []string{"value", "gap", "distance", "w1_own", "w1_optimal", "gradient", "gap_rollout", "distance_rollout"}
}

// metricFields are where those numbers are kept.
func metricFields(m *kedge.Metrics) [8]*float64 {
	return [8]*float64{&m.Value, &m.Gap, &m.Distance, &m.W1Own, &m.W1Optimal, &m.Gradient, &m.GapRef, &m.DistanceRef}
}

func seriesColumns() []string { return append([]string{"algorithm", "trial", "k"}, metricColumns()...) }

// writeSeries writes one row a measured turn; what was not measured stays empty.
func (r *Result) writeSeries(w io.Writer) error {
	if _, err := io.WriteString(w, strings.Join(seriesColumns(), ",")+"\n"); err != nil {
		return err
	}
	var line []byte
	for i := range r.Runs {
		one := &r.Runs[i]
		name := columns.AppendText(nil, one.Name)
		for _, t := range one.Trials {
			for j := range t.K {
				line = appendStep(line[:0], name, t.Index, t.K[j], &t.Metrics[j])
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func appendStep(line, name []byte, trial, k int, m *kedge.Metrics) []byte {
	line = append(line, name...)
	line = strconv.AppendInt(append(line, ','), int64(trial), 10)
	line = strconv.AppendInt(append(line, ','), int64(k), 10)
	for _, v := range metricFields(m) {
		line = columns.AppendNumber(append(line, ','), *v)
	}
	return append(line, '\n')
}

// writeParquet writes the same table as Parquet, trial by trial.
func (r *Result) writeParquet(w io.Writer) error {
	fields := []columns.Field{{Name: "algorithm", Kind: columns.Text}, {Name: "trial", Kind: columns.Whole}, {Name: "k", Kind: columns.Whole}}
	for _, name := range metricColumns() {
		fields = append(fields, columns.Field{Name: name})
	}
	out := columns.NewWriter(w, fields...)
	for i := range r.Runs {
		for j := range r.Runs[i].Trials {
			if err := out.Write(r.Runs[i].Trials[j].table(r.Runs[i].Name)); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

// table is the series of one trial.
func (t *Trial) table(algorithm string) Table {
	n := len(t.K)
	c := make([]Column, 0, 11)
	c = append(c, Column{Name: "algorithm", Text: make([]string, n)}, Column{Name: "trial", Numbers: make([]float64, n)}, Column{Name: "k", Numbers: floats(t.K)})
	for _, name := range metricColumns() {
		c = append(c, Column{Name: name, Numbers: make([]float64, n)})
	}
	for i := range n {
		c[0].Text[i], c[1].Numbers[i] = algorithm, float64(t.Index)
		for j, v := range metricFields(&t.Metrics[i]) {
			c[3+j].Numbers[i] = *v
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
	if !slices.EqualFunc(c, seriesColumns(), asWritten) {
		return fmt.Errorf("%s: want the columns %v", path, seriesColumns())
	}
	for i := range t.Rows() {
		var m kedge.Metrics
		for j, v := range metricFields(&m) {
			*v = c[3+j].Numbers[i]
		}
		if err := r.addStep(c[0].Text[i], int(c[1].Numbers[i]), int(c[2].Numbers[i]), m); err != nil {
			return fmt.Errorf("%s: row %d: %w", path, i, err)
		}
	}
	return nil
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

package lab

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge"
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
		name := quoted(one.Name)
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

// quoted is a text as CSV has it.
func quoted(name string) string {
	if !strings.ContainsAny(name, `",`) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func appendStep(line []byte, name string, trial, k int, m *kedge.Metrics) []byte {
	line = append(line, name...)
	line = strconv.AppendInt(append(line, ','), int64(trial), 10)
	line = strconv.AppendInt(append(line, ','), int64(k), 10)
	for _, v := range metricFields(m) {
		line = append(line, ',')
		if !math.IsNaN(*v) {
			line = strconv.AppendFloat(line, *v, 'g', -1, 64)
		}
	}
	return append(line, '\n')
}

// readSeries adds the rows of a series to the runs of the result.
func (r *Result) readSeries(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := csv.NewReader(f)
	lines.ReuseRecord = true
	head, err := lines.Read()
	if err != nil || !slices.Equal(head, seriesColumns()) {
		return fmt.Errorf("%s:1: want the columns %s (%v)", path, strings.Join(seriesColumns(), ","), err)
	}
	for {
		row, err := lines.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = r.readStep(row)
		}
		if err != nil {
			line, _ := lines.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
}

func (r *Result) readStep(row []string) error {
	trial, err := strconv.Atoi(row[1])
	if err != nil {
		return fmt.Errorf("trial: %w", err)
	}
	k, err := strconv.Atoi(row[2])
	if err != nil {
		return fmt.Errorf("k: %w", err)
	}
	var m kedge.Metrics
	for i, field := range metricFields(&m) {
		*field = math.NaN()
		if text := row[3+i]; text != "" {
			if *field, err = strconv.ParseFloat(text, 64); err != nil {
				return fmt.Errorf("%s: %w", metricColumns()[i], err)
			}
		}
	}
	return r.addStep(row[0], trial, k, m)
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

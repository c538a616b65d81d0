package folder

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/loop"
)

// Columns are those of the trials: every trial of a result has the same.
func (r *Result) Columns() []kedge.Column {
	for _, one := range r.Runs {
		for _, t := range one.Trials {
			if len(t.K) > 0 {
				return t.Columns
			}
		}
	}
	return loop.Standard()
}

// writeSeries writes one row a measured turn; what was not measured stays empty.
func (r *Result) writeSeries(w io.Writer) error {
	line := []byte("algorithm,trial,k")
	for _, c := range r.Columns() {
		line = append(append(line, ','), c.Name...)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return err
	}
	for _, one := range r.Runs {
		name := columns.AppendText(nil, one.Name)
		for _, t := range one.Trials {
			for row := range t.K {
				line = t.appendRow(line[:0], name, row)
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// appendRow appends a row of the series of a trial.
func (t *Trial) appendRow(line, algorithm []byte, row int) []byte {
	line = append(line, algorithm...)
	line = strconv.AppendInt(append(line, ','), int64(t.Index), 10)
	line = strconv.AppendInt(append(line, ','), int64(t.K[row]), 10)
	for _, values := range t.Values {
		line = columns.AppendNumber(append(line, ','), values[row])
	}
	return append(line, '\n')
}

// writeParquet writes the same table as Parquet, trial by trial.
func (r *Result) writeParquet(w io.Writer) error {
	fields := []columns.Field{{Name: "algorithm", Kind: columns.Text}, {Name: "trial", Kind: columns.Whole}, {Name: "k", Kind: columns.Whole}}
	for _, c := range r.Columns() {
		fields = append(fields, columns.Field{Name: c.Name})
	}
	out := columns.NewWriter(w, fields...)
	for _, one := range r.Runs {
		for _, t := range one.Trials {
			if err := out.Write(t.table(one.Name)); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

// table is the series of one trial.
func (t *Trial) table(algorithm string) Table {
	n := len(t.K)
	c := []Column{
		{Name: "algorithm", Text: slices.Repeat([]string{algorithm}, n)},
		{Name: "trial", Numbers: slices.Repeat([]float64{float64(t.Index)}, n)},
		{Name: "k", Numbers: numbers[float64](t.K)},
	}
	for i, values := range t.Values {
		c = append(c, Column{Name: t.Columns[i].Name, Numbers: values})
	}
	return Table{Columns: c}
}

// readSeries adds the rows of a series to the runs of the result, whatever columns it has. Foreign ones are described.
func (r *Result) readSeries(f io.ReaderAt, size int64, foreign []kedge.Column) error {
	t, err := ReadTable(f, size)
	if err != nil {
		return err
	}
	var algorithm []string
	var trial, k []float64
	var measured Measured
	for _, c := range t.Columns {
		switch {
		case c.Name == "algorithm":
			algorithm = c.Text
		case c.Name == "trial":
			trial = c.Numbers
		case c.Name == "k":
			k = c.Numbers
		case c.Numbers != nil:
			measured.Columns, measured.Values = append(measured.Columns, describe(c.Name, foreign)), append(measured.Values, c.Numbers)
		}
	}
	if algorithm == nil || trial == nil || k == nil {
		return errors.New("want the columns algorithm, trial and k, and numbers")
	}
	for from, beyond := 0, 0; from < len(k); from = beyond {
		for beyond = from + 1; beyond < len(k) && algorithm[beyond] == algorithm[from] && trial[beyond] == trial[from]; {
			beyond++
		}
		one := Trial{Index: int(trial[from]), Finished: true, Measured: Measured{K: numbers[int](k[from:beyond]), Columns: measured.Columns}}
		for _, values := range measured.Values {
			one.Values = append(one.Values, slices.Clip(values[from:beyond]))
		}
		if err := r.addTrial(algorithm[from], one); err != nil {
			return fmt.Errorf("row %d: %w", from, err)
		}
	}
	return nil
}

// describe returns the column of a name, among the foreign ones or as kedge knows it.
func describe(name string, foreign []kedge.Column) kedge.Column {
	if i := slices.IndexFunc(foreign, func(c kedge.Column) bool { return c.Name == name }); i >= 0 {
		return foreign[i]
	}
	return loop.Describe(name)
}

// addTrial adds a trial to its algorithm.
func (r *Result) addTrial(algorithm string, t Trial) error {
	i := slices.IndexFunc(r.Runs, func(one Run) bool { return one.Name == algorithm })
	if i < 0 {
		return fmt.Errorf("algorithm %q is not in %s", algorithm, summaryFile)
	}
	r.Runs[i].Trials = append(r.Runs[i].Trials, t)
	return nil
}

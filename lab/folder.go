package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/kedge-opt/kedge"
)

// Summary is the JSON form of a result; docs/formats/run.md describes it.
type Summary struct {
	Case       string                      `json:"case"`
	Seed       uint64                      `json:"seed"`
	Iterations int                         `json:"iterations"`
	Trials     int                         `json:"trials"`
	Partial    bool                        `json:"partial"`
	Optimum    Point                       `json:"optimum"`
	Stable     *Point                      `json:"stable"`
	Reference  *Reference                  `json:"reference,omitempty"`
	Algorithms map[string]SummaryAlgorithm `json:"algorithms"`
	Notes      []string                    `json:"notes"`
	Sections   []Section                   `json:"sections,omitempty"`
	Build      Build                       `json:"build"`
}

// SummaryAlgorithm is where an algorithm ended, over its trials.
type SummaryAlgorithm struct {
	Trials   int     `json:"trials"`
	Value    *Spread `json:"value"`
	Gap      *Spread `json:"gap"`
	Distance *Spread `json:"distance"`
	Seconds  float64 `json:"seconds"`
}

// Spread is mean, minimum and maximum over trials.
type Spread struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// SpreadOf returns the spread of x, nil when x is empty or holds a NaN.
func SpreadOf(x []float64) *Spread {
	if len(x) == 0 {
		return nil
	}
	s := Spread{Min: math.Inf(1), Max: math.Inf(-1)}
	for _, v := range x {
		s.Mean += v / float64(len(x))
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	}
	if math.IsNaN(s.Mean) || math.IsInf(s.Mean, 0) {
		return nil
	}
	return &s
}

// Final returns one metric after the last turn of every trial.
func (r *Run) Final(metric func(*kedge.Metrics) float64) []float64 {
	var out []float64
	for _, t := range r.Trials {
		if n := len(t.Metrics); n > 0 {
			out = append(out, metric(&t.Metrics[n-1]))
		}
	}
	return out
}

// Summarize returns the summary of a result.
func (r *Result) Summarize() *Summary {
	s := &Summary{
		Case: r.Case, Seed: r.Seed, Iterations: r.Iterations, Trials: r.Trials, Partial: r.Partial,
		Optimum: r.Optimum, Reference: r.Reference, Algorithms: map[string]SummaryAlgorithm{}, Notes: r.Notes, Sections: r.Sections, Build: r.Build,
	}
	if r.Stable.Decision != nil {
		s.Stable = &r.Stable
	}
	for i := range r.Runs {
		one := &r.Runs[i]
		s.Algorithms[one.Name] = SummaryAlgorithm{
			Trials:   len(one.Trials),
			Value:    SpreadOf(one.Final(func(m *kedge.Metrics) float64 { return m.Value })),
			Gap:      SpreadOf(one.Final(func(m *kedge.Metrics) float64 { return m.Gap })),
			Distance: SpreadOf(one.Final(func(m *kedge.Metrics) float64 { return m.Distance })),
			Seconds:  one.Seconds,
		}
	}
	return s
}

// ErrNotOurs says that an output folder holds something else than a result, which would be overwritten.
var ErrNotOurs = errors.New("the folder is not empty and holds no kedge result; choose another with --out")

// Usable tells whether results may go to dir: it does not exist, is empty or holds an earlier result. It changes nothing.
func Usable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || (err == nil && len(entries) == 0) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "summary.json")); err != nil {
		return fmt.Errorf("%s: %w", dir, ErrNotOurs)
	}
	return nil
}

// Save writes spec.yaml, series.csv and, last, summary.json: a folder with a summary is complete.
func (r *Result) Save(dir string) error {
	if err := errors.Join(Usable(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	return errors.Join(
		WriteFile(filepath.Join(dir, "spec.yaml"), func(w io.Writer) error {
			_, err := io.WriteString(w, r.Spec)
			return err
		}),
		WriteFile(filepath.Join(dir, "series.csv"), r.writeSeries),
		WriteFile(filepath.Join(dir, "summary.json"), func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(r.Summarize())
		}),
	)
}

// WriteFile writes a file so that it is there whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	b := bufio.NewWriterSize(f, 1<<16)
	err = errors.Join(write(b), b.Flush(), f.Sync(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

const seriesHeader = "algorithm,trial,k,value,gap,distance,w1_own,w1_optimal,gradient,gap_rollout,distance_rollout\n"

// writeSeries writes one row a measured turn; what was not measured stays empty.
func (r *Result) writeSeries(w io.Writer) error {
	if _, err := io.WriteString(w, seriesHeader); err != nil {
		return err
	}
	var line []byte
	for i := range r.Runs {
		one := &r.Runs[i]
		for _, t := range one.Trials {
			for j := range t.K {
				line = appendStep(line[:0], one.Name, t.Index, t.K[j], &t.Metrics[j])
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func appendStep(line []byte, name string, trial, k int, m *kedge.Metrics) []byte {
	line = append(line, name...)
	line = strconv.AppendInt(append(line, ','), int64(trial), 10)
	line = strconv.AppendInt(append(line, ','), int64(k), 10)
	for _, v := range [...]float64{m.Value, m.Gap, m.Distance, m.W1Own, m.W1Optimal, m.Gradient, m.GapRef, m.DistanceRef} {
		line = append(line, ',')
		if !math.IsNaN(v) {
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		}
	}
	return append(line, '\n')
}

// Package bench measures how fast this machine runs kedge: turns of case studies, steps of crowds, the memory they take, and
// how costs grow. It is what `kedge bench` prints and what bench/compare compares.
package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Speed is how fast a workload is. Exactly one of the three quantities is set, the one of the workload's unit; it is a median.
type Speed struct {
	SecondsPerTurn  float64 `json:"seconds_per_turn,omitempty"`  // of one trial, on one core
	NsPerIndividual float64 `json:"ns_per_individual,omitempty"` // on one core
	GBPerSecond     float64 `json:"gb_per_second,omitempty"`     // 24 bytes an entry of a triad
	Best            float64 `json:"best"`                        // in the same unit
	TwoWorkers      float64 `json:"two_workers,omitempty"`       // the same with two workers, all that is done counted
}

// Size is how much a workload does.
type Size struct {
	Turns       int `json:"turns,omitempty"`
	Individuals int `json:"individuals,omitempty"`
}

// Timing is what one workload came to; bench/README.md describes the JSON form.
type Timing struct {
	name string

	Speed
	TriadShare  float64 `json:"triad_share,omitempty"`
	Allocations float64 `json:"allocations"` // a turn or a call
	Size
}

// Median returns the middle of x, the mean of the two middles of an even number, 0 of nothing.
func Median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(n-1)/2] + x[n/2]) / 2
}

// Printer is what was measured; as JSON it is what bench/README.md describes.
type Printer interface {
	Print(w io.Writer) error // a table
}

// Timings are what the workloads came to, in the order they were measured in.
type Timings []Timing

// MarshalJSON writes the figures by workload.
func (list Timings) MarshalJSON() ([]byte, error) {
	byName := map[string]Timing{}
	for _, f := range list {
		byName[f.name] = f
	}
	return json.Marshal(byName)
}

// Print writes one row a workload.
func (list Timings) Print(w io.Writer) error {
	return printTable(w, tabwriter.AlignRight, list, "workload\tmedian\tbest\ttwo workers\tspeed-up\tturns/s\tGB/s\tof triad\tallocations\t", Timing.line)
}

// printTable writes a head and a line for each of a list, in columns.
func printTable[T any](w io.Writer, flags uint, list []T, head string, line func(T) string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', flags)
	fmt.Fprintln(t, head)
	for _, x := range list {
		fmt.Fprintln(t, line(x))
	}
	return t.Flush()
}

// line is a row of the table; what a workload does not have stays empty.
func (f Timing) line() string {
	value, unit, turns, rate := f.NsPerIndividual, " ns", "", ""
	switch {
	case f.SecondsPerTurn > 0:
		value, unit = f.SecondsPerTurn*1e6, " µs"
		turns = fmt.Sprintf("%.0f", 1/f.SecondsPerTurn)
		f.Best, f.TwoWorkers = f.Best*1e6, f.TwoWorkers*1e6
	case f.GBPerSecond > 0:
		value, unit = f.GBPerSecond, " GB/s"
		rate = fmt.Sprintf("%.1f", f.GBPerSecond)
	case f.TriadShare > 0:
		rate = fmt.Sprintf("%.1f", StepBytes/f.NsPerIndividual)
	}
	two, speedUp, share := "", "", ""
	if f.TwoWorkers > 0 {
		two, speedUp = fmt.Sprintf("%.4g%s", f.TwoWorkers, unit), fmt.Sprintf("%.2f×", value/f.TwoWorkers)
		if unit == " GB/s" {
			speedUp = fmt.Sprintf("%.2f×", f.TwoWorkers/value)
		}
	}
	if f.TriadShare > 0 {
		share = fmt.Sprintf("%.0f %%", 100*f.TriadShare)
	}
	return fmt.Sprintf("%s\t%.4g%s\t%.4g%s\t%s\t%s\t%s\t%s\t%s\t%.3g\t", f.name, value, unit, f.Best, unit, two, speedUp, turns, rate, share, f.Allocations)
}

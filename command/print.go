package command

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/kedge-opt/kedge/folder"
)

// printResult prints what a run found, as a table people read.
func printResult(w io.Writer, r *folder.Result, dir string) {
	st := styleOf(w)
	fmt.Fprintln(w, st.bold(fmt.Sprintf("%-18s %14s %12s %12s %8s", "", "value", "gap", "distance", "seconds")))
	row := func(name string, value, gap, distance float64, seconds string) {
		fmt.Fprintf(w, "%-18s %14.9g %12.3g %12.3g %8s\n", name, value, gap, distance, seconds)
	}
	row("optimum", r.Optimum.Value, 0, 0, "")
	if !math.IsNaN(r.Stable.Gap) {
		row("stable point", r.Stable.Value, r.Stable.Gap, r.Stable.Distance, "")
	}
	if ref := r.Reference; ref != nil {
		row(fmt.Sprintf("%d-step optimum", ref.Steps), ref.True.Value, ref.True.Gap, ref.True.Distance, "")
	}
	s := r.Summarize()
	for _, one := range r.Runs {
		a := s.Algorithms[one.Name]
		if a.Value == nil {
			fmt.Fprintf(w, "%-18s no finished trial\n", one.Name)
			continue
		}
		row(one.Name, a.Value.Mean, a.Gap.Mean, a.Distance.Mean, fmt.Sprintf("%.1f", one.Seconds))
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, st.faint("note:"), note)
	}
	fmt.Fprintln(w, st.faint("report:"), filepath.Join(dir, "report.html"))
}

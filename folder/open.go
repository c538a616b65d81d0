package folder

import (
	"context"
	"io"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/loop"
)

const largestSummary = 64 << 20

// Open reads the folder of a finished run back. The result is what was saved, but for the angles of trials that are not the
// last of their algorithm, which are not kept. Once the context is done, the error is its own.
func Open(ctx context.Context, dir string, trust Reading) (*Result, error) {
	s, err := openKind(ctx, dir, KindRun, trust)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	summary, err := s.readSummary()
	if err != nil {
		return nil, err
	}
	r := summary.result()
	r.Identity = s.Identity
	text, err := s.readText(specFile, largestSummary)
	if err != nil {
		return nil, err
	}
	r.Spec = string(text)
	return r, r.readData(s, summary.Columns)
}

// readData reads series, arrays and times. Folders inside a sweep have not all of them.
func (r *Result) readData(s *Sealed, foreign []kedge.Column) error {
	meter := loop.Meter{Maximize: r.Maximize} // which values are better, its name does not tell
	series := func(f io.ReaderAt, size int64) error {
		return r.readSeries(f, size, append(foreign, meter.Columns()...))
	}
	for _, part := range []struct {
		file string
		read func(f io.ReaderAt, size int64) error
	}{{parquetFile, series}, {arraysFile, r.readArrays}} {
		if !s.Has(part.file) {
			continue
		}
		if err := s.readSized(part.file, part.read); err != nil {
			return err
		}
	}
	if s.Has(timesFile) {
		return r.readTimes(s)
	}
	return nil
}

func (s *Sealed) readSummary() (*Summary, error) {
	summary := new(Summary)
	return summary, s.readJSON(summaryFile, largestSummary, summary)
}

// result is what a summary tells of its result.
func (s *Summary) result() *Result {
	r := &Result{
		Answer: s.Answer, Case: s.Case, Seed: s.Seed, Iterations: s.Iterations, Trials: s.Trials, Partial: s.Partial,
		Individuals: s.Individuals, Maximize: s.Maximize, Optimum: s.Optimum, Equilibrium: s.Equilibrium, Reference: s.Reference, OverDraws: s.OverDraws,
		Stable: s.StablePoint(), Rests: s.Rests, Notes: s.Notes,
		Sections: s.Sections, Diagnoses: s.Diagnoses,
	}
	if s.Names != nil {
		r.Names = *s.Names
	}
	r.Runs = lists.Of(s.Order, func(name string) Run { return Run{Name: name, Planned: s.Algorithms[name].Planned} })
	return r
}

// StablePoint is where retraining settles, NoPoint where that is not known.
func (s *Summary) StablePoint() Point {
	if s.Stable == nil {
		return NoPoint()
	}
	return *s.Stable
}

// times is the only file of a run that says when and how fast it was computed.
type times struct {
	Started    time.Time          `json:"started"`
	Finished   time.Time          `json:"finished"`
	Algorithms map[string]float64 `json:"seconds"`          // of computing, by algorithm
	Device     string             `json:"device,omitempty"` // that moved people: cpu, or a GPU
}

func (r *Result) times() times {
	t := times{r.Started.UTC().Truncate(time.Second), r.Finished.UTC().Truncate(time.Second), map[string]float64{}, r.Device}
	for _, one := range r.Runs {
		t.Algorithms[one.Name] = one.Seconds
	}
	return t
}

func (r *Result) readTimes(s *Sealed) error {
	var t times
	if err := s.readJSON(timesFile, largestSummary, &t); err != nil {
		return err
	}
	r.Started, r.Finished, r.Device = t.Started, t.Finished, t.Device
	for i := range r.Runs {
		r.Runs[i].Seconds = t.Algorithms[r.Runs[i].Name]
	}
	return nil
}

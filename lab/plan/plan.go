// Package plan looks before anything is computed: what would be run, what memory, disk and time that takes, and what it would replace.
package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/lab/study"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Outlook is what a command would do. What it says of memory, disk and time is estimated.
type Outlook struct {
	Command  string           `json:"command"`
	Name     string           `json:"name"`
	Folder   string           `json:"folder"`
	There    string           `json:"there"` // what the folder holds
	Cells    int              `json:"cells,omitempty"`
	Left     int              `json:"left,omitempty"` // cells that are not finished and in this shard
	Problems []OutlookProblem `json:"problems"`       // of a sweep the first cell that is left
	Memory   float64          `json:"memory_bytes"`
	Disk     float64          `json:"disk_bytes"`
	Seconds  float64          `json:"seconds,omitempty"` // of the trials; 0: nobody knows
	Workers  int              `json:"workers"`
}

// OutlookProblem is a problem that would be run.
type OutlookProblem struct {
	Name      string          `json:"name"`
	Seed      uint64          `json:"seed"`
	People    int             `json:"people"`
	Decisions int             `json:"decisions"` // numbers that are decided
	Turns     int             `json:"turns"`
	Every     int             `json:"every"`           // turns from one measurement to the next
	Notes     []string        `json:"notes,omitempty"` // why that was chosen, if nobody said it
	Methods   []OutlookMethod `json:"methods"`
}

// OutlookMethod is a method that would be run.
type OutlookMethod struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Trials int    `json:"trials"`
}

// moment is how long work is watched to see how fast it is, and writing about how many seconds it takes to write a result and its pages.
const (
	moment  = 150 * time.Millisecond
	writing = 0.7
)

// ReportDisk is what a report with figures takes on a disk at most, of those that there are, and StudyMemory what a study does.
const (
	ReportDisk  = 5e6
	StudyMemory = 300e6
)

// Run plans a run into a folder.
func Run(ctx context.Context, p *problem.Problem, dir string, workers int) *Outlook {
	made := begin("run", p.Name, folder.KindRun, dir, workers)
	made.Problems, made.Memory, made.Disk = []OutlookProblem{part(p.Name, p.Spec)}, lab.Need(p.Spec, workers).Bytes(), lab.DiskNeed(p.Spec)
	if pace, err := lab.NewPace(ctx, p, workers, moment); err == nil {
		made.Seconds = writing + pace.Seconds(p.Spec, 1)
	}
	return made
}

// Sweep plans the cells of a sweep that are left. Turns are measured in the first of them, and others scaled by their people and turns.
// Where that one cannot be built, which is a failure of its own, nobody knows the time.
func Sweep(ctx context.Context, w *family.Sweep, left []family.Cell, files fs.FS, dir string, workers int) (*Outlook, error) {
	made := begin("sweep", w.Name, folder.KindSweep, dir, workers)
	made.Cells, made.Left, made.Problems = len(w.Cells), len(left), []OutlookProblem{}
	made.Memory, made.Disk = lab.SweepNeed(w, workers).Bytes(), lab.SweepDiskNeed(w, left)
	if len(left) == 0 {
		return made, nil
	}
	made.Problems = append(made.Problems, part(left[0].ID, w.Spec(left[0])))
	first, err := problem.BuildWithin(ctx, w.Name, w.Spec(left[0]), files)
	if err != nil {
		return made, ctx.Err()
	}
	at := min(len(left), made.Workers) // cells are run at a time
	pace, err := lab.NewPace(ctx, first, made.Workers/at, moment)
	if err != nil {
		return made, ctx.Err()
	}
	made.Seconds = ofCells(w, left, pace.Seconds) / float64(at)
	made.Seconds += writing
	return made, nil
}

// ofCells is how long cells take one after the other, where some seconds were measured of a spec with the people of the first.
func ofCells(w *family.Sweep, left []family.Cell, seconds func(s *problem.Spec, repeat float64) float64) (sum float64) {
	first := float64(w.Spec(left[0]).Population.Size)
	for _, cell := range left {
		s := w.Spec(cell)
		sum += seconds(s, 1) * float64(s.Population.Size) / first
	}
	return sum
}

// Compare plans a comparison. Turns are measured with the algorithms of the specs.
func Compare(ctx context.Context, p *compare.Fixture, problems []compare.Subject, dir string, workers int) (*Outlook, error) {
	made := begin("compare", p.Name, folder.KindCompare, dir, workers)
	made.Memory, made.Disk = p.Need().Bytes(), ReportDisk*float64(len(problems))
	for i, s := range p.Specs {
		one := part(problems[i].Name, s)
		repeat := float64(p.Runs(i)) / max(1, lab.Trials(s))
		one.Methods = lists.Of(p.Problems[i].Rows, func(r compare.Row) OutlookMethod { return OutlookMethod{r.Method, r.Kind, r.Trials} })
		made.Problems = append(made.Problems, one)
		built, err := problem.BuildWithin(ctx, problems[i].Name, s, problems[i].Files)
		if err != nil {
			return nil, err
		}
		pace, err := lab.NewPace(ctx, built, workers, moment/time.Duration(len(p.Specs)))
		if err != nil {
			made.Seconds = 0
			return made, ctx.Err()
		}
		made.Seconds += pace.Seconds(s, repeat)
	}
	made.Seconds += writing
	return made, nil
}

// Study plans a study, whose time is not measured beforehand.
func Study(s study.Study, dir string, workers int) *Outlook {
	made := begin("study", s.Name, folder.KindStudy, dir, workers)
	made.Problems, made.Memory, made.Disk = []OutlookProblem{}, StudyMemory, ReportDisk
	return made
}

func begin(command, name string, kind folder.Kind, dir string, workers int) *Outlook {
	return &Outlook{Command: command, Name: name, Folder: dir, There: there(kind, dir), Workers: crew.Workers(workers)}
}

// there says what a folder holds.
func there(kind folder.Kind, dir string) string {
	m, err := folder.ReadManifest(dir)
	switch {
	case err == nil:
		return m.About()
	case errors.Is(err, folder.ErrUnfinished):
		return "no finished " + string(kind)
	}
	return "nothing"
}

// part is what would be run of a spec.
func part(name string, s *problem.Spec) OutlookProblem {
	return OutlookProblem{
		Name: name, Seed: s.Seed, People: s.Population.Size, Decisions: s.Dims().Decision, Turns: s.Iterations, Every: max(1, s.Record.Every), Notes: s.ChosenNotes(),
		Methods: lists.Of(s.Algorithms, func(a kind.Algorithm) OutlookMethod { return OutlookMethod{a.Name, form.NameOf(a.Method), a.Trials} }),
	}
}

// Lines are the plan in words.
func (p *Outlook) Lines() []string {
	lines := []string{fmt.Sprintf("kedge %s would write to %s, which holds %s", p.Command, p.Folder, p.There)}
	if p.Cells > 0 {
		lines = append(lines, fmt.Sprintf("%s, %s to compute", phrase.CountGrouped(p.Cells, "cell"), phrase.Grouped(p.Left)))
	}
	if p.Left > 1 {
		lines[len(lines)-1] += ", of which the first is"
	}
	for _, one := range p.Problems {
		every := phrase.CountGrouped(one.Every, "turn")
		if one.Every == 1 {
			every = "turn"
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s to decide, %s, measured every %s, seed %d", one.Name, phrase.People(one.People),
			phrase.Count(one.Decisions, "number"), phrase.CountGrouped(one.Turns, "turn"), every, one.Seed))
		for _, note := range one.Notes {
			lines = append(lines, "  "+note)
		}
		for _, m := range one.Methods {
			lines = append(lines, fmt.Sprintf("  %s (%s): %s", m.Name, m.Kind, phrase.CountGrouped(m.Trials, "trial")))
		}
	}
	return append(lines, "memory  about "+room.Size(p.Memory)+of(room.Memory()), "disk    about "+room.Size(p.Disk)+of(room.Disk(p.Folder)),
		"time    "+strings.TrimPrefix(p.time(), "time "), "all three are estimates; nothing was run or written")
}

// Line is what it takes, in one line.
func (p *Outlook) Line() string {
	return fmt.Sprintf("estimate: %s, %s of memory, %s of disk", p.time(), room.Size(p.Memory), room.Size(p.Disk))
}

// time says how long it takes.
func (p *Outlook) time() string {
	switch {
	case p.Cells > 0 && p.Left == 0:
		return "nothing is left to compute"
	case p.Seconds >= 1:
		return fmt.Sprintf("about %s on %s", phrase.Duration(p.Seconds), phrase.Count(p.Workers, "worker"))
	case p.Seconds > 0:
		return "about a second"
	case p.Command == "study":
		return "up to about a minute on two cores, some seconds with --quick (not measured)"
	}
	return "time unknown, for the first turns could not be measured"
}

// of says how much there is.
func of(s room.Supply) string {
	if !s.Known() {
		return ""
	}
	return ", " + room.Size(float64(s.Bytes)) + " " + s.Of
}

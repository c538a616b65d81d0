package lab

import (
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// BenchmarkSave saves one trial of a million individuals in twenty dimensions, as happens at every --checkpoint.
func BenchmarkSave(b *testing.B) {
	src, _ := problem.Case("polarized")
	s, err := problem.Parse(kind.Standard(), "polarized", src, problem.Assign("population.size=1000000"))
	if err != nil {
		b.Fatal(err)
	}
	p, err := problem.Build("polarized", s, nil)
	if err != nil {
		b.Fatal(err)
	}
	trial, err := p.Trial(1, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	dir, err := disk.Disk{}.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	if err := dir.Make(folder.CheckpointDir); err != nil {
		b.Fatal(err)
	}
	k := &keeper{dir: dir}
	a := &attempt{run: &run{keeper: k}, slot: &folder.Trial{}, trial: trial, rule: trial.Algorithm}
	for b.Loop() {
		a.save()
	}
	info, err := dir.Lstat(inCheckpoint("trial-0-0.bin"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}

package lab

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// Whichever step of a checkpoint fails on the disk is told, once, and the run ends as one without a checkpoint does.
func TestEveryFaultOfACheckpointIsTold(t *testing.T) {
	evidence.OneGoroutine(t)
	p := of(t, "lq2", "iterations=4", "optimum.starts=1", "algorithms=[{name: a, kind: composite, step: 0.1, trials: 2}]")
	planned := errors.New("a planned fault")
	want, err := Execute(t.Context(), p, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		left, met, armed := n, "", false
		d := disk.Disk{Before: func(s disk.Step) error {
			if !armed || met != "" {
				return nil
			}
			if left--; left >= 0 {
				return nil
			}
			met = string(s.Call) + " " + filepath.Base(s.Path)
			return planned
		}}
		taken, err := folder.KindRun.TakeOn(d, filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		armed = true
		var said []string
		got, err := Execute(t.Context(), p, Options{Workers: 1, Checkpoint: Checkpoint{In: taken, Every: time.Hour, Say: func(line string) { said = append(said, line) }}})
		armed = false
		taken.Release()
		if err != nil {
			t.Fatalf("%s fails: %v", met, err)
		}
		for i := range want.Runs[0].Trials {
			if a, b := got.Runs[0].Trials[i], want.Runs[0].Trials[i]; !reflect.DeepEqual(a.Decision, b.Decision) || !reflect.DeepEqual(a.Of("gap"), b.Of("gap")) {
				t.Errorf("%s fails: trial %d ends at %v, want %v", met, i, a.Decision, b.Decision)
			}
		}
		if met == "" {
			if len(said) > 0 || n < 10 {
				t.Errorf("after %d steps: %q", n, said)
			}
			return
		}
		if len(said) != 1 || !strings.HasPrefix(said[0], "cannot save a checkpoint: ") || !strings.Contains(said[0], planned.Error()) {
			t.Errorf("%s fails: %q", met, said)
		}
	}
}

// A stop that comes when everything but the optimum that moves is known, from an earlier process, is told all the same.
func TestStopsWhileTheOptimumIsFollowed(t *testing.T) {
	p := of(t, "lq2", "iterations=4", "optimum.starts=1", "population.drift={rate: [0.001, -0.002]}")
	k, _, _ := keeperIn(t, 2)
	solve := func(ctx context.Context) error {
		r := &run{Options: Options{Workers: 1, Progress: new(Progress), Watch: new(Watch)}, keeper: k, problem: p, result: newResult(p), leave: func() {}}
		return r.solve(ctx)
	}
	if err := solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := solve(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Who says nothing of how often a run is saved has it saved every 30 s, and who does as often as that.
func TestKeepersBeatBySeconds(t *testing.T) {
	for every, want := range map[time.Duration]time.Duration{0: 30 * time.Second, -1: 30 * time.Second, time.Nanosecond: time.Nanosecond, time.Minute: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			k := &keeper{stop: make(chan struct{})}
			go k.beat(every)
			synctest.Wait()
			begun := time.Now()
			for k.pulse.Load() == 0 && time.Since(begun) < 2*want {
				time.Sleep(max(1, want/10))
				synctest.Wait()
			}
			if took := time.Since(begun); k.pulse.Load() != 1 || took != want {
				t.Errorf("every %v: %d saves after %v, want one after %v", every, k.pulse.Load(), took, want)
			}
			close(k.stop)
		})
	}
}

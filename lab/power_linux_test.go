package lab_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/outage"
)

// A sweep whose disk loses its power again and again ends with the bytes of one that was left alone, and no cell that was
// finished is lost.
func TestSweepPowerLoss(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "sweep-power", Short: "none of it", Needs: "root and a loop device",
		Text: "a sweep of 100 cells whose disk lost its power 15 times: files that one left alone has otherwise; cells that were finished and are lost, two of which may have been on their way"})
	lost := 0
	if !evidence.Whole() {
		t.Skip("KEDGE_TORTURE=1 cuts the power of a loop device")
	}
	d, err := outage.New(t.TempDir(), t.TempDir())
	if err != nil {
		t.Skip("skipped: ", err)
	}
	t.Cleanup(d.Close)
	o := newOrdeal(t, 25)
	calm, cut := filepath.Join(o.dir, "calm"), filepath.Join(d.Dir, "cut")
	took := o.run(t, calm)
	for n := range 15 {
		c := o.start(t, cut)
		time.Sleep(time.Duration(o.random.Int64N(int64(took / 3))))
		before, _ := filepath.Glob(filepath.Join(cut, "cells", "[0-9a-f]*", "manifest.json"))
		if err := d.Cut(); err != nil {
			t.Fatal(err)
		}
		syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		c.Wait()
		if err := d.Restore(); err != nil {
			t.Fatal(err)
		}
		after, _ := filepath.Glob(filepath.Join(cut, "cells", "[0-9a-f]*", "manifest.json"))
		t.Logf("cut %d: %d cells finished, %d after", n+1, len(before), len(after))
		lost = max(lost, len(before)-len(after))
	}
	o.run(t, cut)
	same.Cases(sameTree(t, "after power cuts", cut, calm))
	same.AtMost("cells", float64(lost), 2) // that have been moved to their places and are not yet on disk
}

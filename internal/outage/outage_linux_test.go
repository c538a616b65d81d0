package outage

import (
	"os/exec"
	"testing"
	"time"
)

// A disk whose power was cut has power again also where somebody else had it mounted meanwhile.
func TestPowerReturnsOnceEverybodyHasLeft(t *testing.T) {
	d, err := Sized(t.TempDir(), t.TempDir(), 8)
	if err != nil {
		t.Skip("skipped: ", err)
	}
	t.Cleanup(d.Close)
	other := exec.Command("unshare", "--mount", "sh", "-c", "echo; sleep 1")
	out, err := other.StdoutPipe()
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Skip("skipped: ", err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := d.Cut(); err != nil {
		t.Fatal(err)
	}
	if err := d.Restore(); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(); err != nil {
		t.Error(err)
	}
	t.Logf("after %v", time.Since(began))
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
}

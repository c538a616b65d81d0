package command

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/outage"
)

// The disk of every command loses its power at a random moment, or just when the command has ended with 0: the folder holds the old result or
// the new one, after the end the new one, and the same command again ends with the bytes of one that was left alone.
func TestPowerCutsOfEveryCommand(t *testing.T) {
	a := newAttack(t, evidence.Promise{Name: "power", Short: "8 cuts", Needs: "root and a loop device",
		Text: "the disk (ext4) loses its power at a random moment of run, run with checkpoint, sweep, merge, report, compare, study, or after exit code 0: neither old nor new, not whole after 0, other bytes once the command is repeated, a file of the user lost"})
	d, err := outage.New(t.TempDir(), t.TempDir())
	if err != nil {
		t.Skip("skipped: ", err)
	}
	t.Cleanup(d.Close)
	w := workshopOf(t)
	blows := 8
	if evidence.Whole() {
		blows = 200
	}
	all := deeds()
	a.strike(blows, 1, func(n int, random *rand.Rand) (string, error) {
		dir, ours := filepath.Join(d.Dir, fmt.Sprint(n)), all[n%len(all)]
		ended, err := w.fell(ours, dir, random, d.Sync, func(c *writer) error {
			if random.IntN(3) == 0 {
				c.wait()
			} else {
				moment(c, dir, w.took[ours.name], random)
			}
			err := d.Cut()
			c.cmd.Process.Kill()
			if c.done.IsZero() {
				c.wait()
			}
			return errors.Join(err, d.Restore())
		})
		return ended, errors.Join(err, os.RemoveAll(dir))
	})
}

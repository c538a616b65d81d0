package command

import (
	"fmt"
	"io"
	"sync"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/spf13/cobra"
)

func (f *runFlags) checkpointFlags(c *cobra.Command) {
	fl := c.Flags()
	fl.DurationVar(&f.checkpoint, "checkpoint", 0, "save the run so often, as in 30s or 5m, and go on from what is saved (default never)")
	fl.BoolVar(&f.fresh, "fresh", false, "start over where a run that was stopped could go on")
}

// checkFolder tells whether the run may begin in a folder. With --fresh it removes a checkpoint from it.
func (f *runFlags) checkFolder(c *folder.Taken) error {
	switch {
	case f.checkpoint < 0:
		return fmt.Errorf("--checkpoint is %v, want a time above 0, as in --checkpoint 30s", f.checkpoint)
	case f.fresh:
		return lab.RemoveCheckpoint(c)
	case f.checkpoint == 0 && lab.HasCheckpoint(c):
		return fmt.Errorf("%s holds the checkpoint of a run that was stopped; go on with --checkpoint 30s, or start over with --fresh", c.Dir())
	}
	return nil
}

// checkpointIn is the checkpoint that the flags ask for.
func (f *runFlags) checkpointIn(c *folder.Taken, n *notes) lab.Checkpoint {
	if f.checkpoint == 0 {
		return lab.Checkpoint{}
	}
	return lab.Checkpoint{In: c, Every: f.checkpoint, Say: n.add}
}

// stopped is how a run with a checkpoint ends before its end.
func stopped(p *lab.Progress) error {
	share := 100 * p.Done.Load() / max(1, p.Total.Load())
	return coded{fmt.Errorf("stopped at %d %%; the same command goes on from there", share), exitInterrupted}
}

// notes are lines for the user of a run that someone may be watching: printed at once, or on a terminal when they are taken
// or at the end, for there others draw.
type notes struct {
	out   io.Writer
	quiet bool

	mu    sync.Mutex
	lines []string
}

func (n *notes) add(line string) {
	n.mu.Lock()
	n.lines = append(n.lines, line)
	n.mu.Unlock()
	if !page.TerminalOf(n.out).Rewrites {
		n.print()
	}
}

// take hands the lines over.
func (n *notes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines = nil
	return lines
}

// print prints the lines that nobody took.
func (n *notes) print() {
	if lines := n.take(); !n.quiet {
		say(n.out, lines...)
	}
}

package command

import (
	"fmt"
	"io"
	"sync"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/report/page"
)

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

// stopped is how a run with a checkpoint ends before its end.
func stopped(p *lab.Progress) error {
	share := 100 * p.Done.Load() / max(1, p.Total.Load())
	return exit.With(exit.Interrupted, fmt.Errorf("stopped at %d %%; the same command goes on from there", share))
}

// mostNotes is how many lines wait on a terminal.
const mostNotes = 100

// notes are lines for the user of a run or a sweep that someone may be watching: printed at once, or on a terminal when they are
// taken or at the end, for there others draw.
type notes struct {
	out   io.Writer
	quiet bool

	mu    sync.Mutex
	lines []string
}

func (n *notes) add(line string) {
	n.mu.Lock()
	if len(n.lines) < mostNotes {
		n.lines = append(n.lines, line)
	}
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

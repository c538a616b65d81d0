package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kedge-opt/kedge/lab"
)

// onATerminal is all that is written to a terminal of 60 columns and 12 rows, without colours.
func onATerminal(t *testing.T, show func(out *os.File)) string {
	t.Helper()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	here, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer here.Close()
	if err := unix.IoctlSetPointerInt(int(here.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	number, err := unix.IoctlGetInt(int(here.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	there, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetWinsize(int(there.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 60, Row: 12}); err != nil {
		t.Fatal(err)
	}
	heard := make(chan string)
	go func() {
		text, _ := io.ReadAll(here) // until nobody holds the other end
		heard <- string(text)
	}()
	show(there)
	there.Close()
	return strings.ReplaceAll(<-heard, "\r\n", "\n")
}

// What stands on a terminal when the work is over: the last line of a run below its notes, the head of a sweep without its rows, nothing of a study.
func TestShownOnATerminal(t *testing.T) {
	for _, c := range []struct {
		show       func(out *os.File)
		part, ends string
	}{
		{func(out *os.File) {
			n := &notes{out: out}
			n.add("saved")
			watch(out, turnsOf(300, 1200), n)()
		}, "saved\n\r██████", "░ " + " 25 %  300 of 1200 turns\033[K\n\033[J"},
		{func(out *os.File) {
			n := &notes{out: out}
			for i := range 120 { // of which a hundred are kept for the end
				n.add(fmt.Sprint("line ", i))
			}
			fmt.Fprintln(out, "the end")
			n.print()
			n.print()
		}, "the end\nline 0\n", "\nline 98\nline 99\n"},
		{func(out *os.File) { watchSweep(out, someSweep(t), new(lab.SweepProgress))() },
			"\033[K\n\r\033[K\n\rcell  step  hold\033[K\n\033[J", "\033[4A\rtiny: 0 of 0 cells done, 0 running, 0 failed\033[K\n\r" + strings.Repeat("░", 20) + "   0 %  looking what is finished\033[K\n\033[J"},
		{func(out *os.File) { progress, stop := watchPieces(out); progress(3, 4); stop() }, "\r" + strings.Repeat("█", 18) + strings.Repeat("░", 6) + " 3 of 4 runs measured\033[K\n", "\033[1A\033[J"},
	} {
		if got := onATerminal(t, c.show); !strings.Contains(got, c.part) || !strings.HasSuffix(got, c.ends) {
			t.Errorf("%q, want %q and at the end %q", got, c.part, c.ends)
		}
	}
}

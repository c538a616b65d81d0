package page

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// What a terminal can do is what it says of itself and what variables ask for; where it does not know its size, it has the usual one.
func TestWhatATerminalCanDo(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	for _, c := range []struct {
		term, plain, shades string
		columns, rows       uint16
		want                Terminal
	}{
		{"xterm", "", "", 0, 0, Terminal{Rewrites: true, Colour: true, Width: 80, Height: 24}}, {"xterm", "", "", 100, 0, Terminal{Rewrites: true, Colour: true, Width: 80, Height: 24}},
		{"xterm", "", "", 0, 30, Terminal{Rewrites: true, Colour: true, Width: 80, Height: 24}}, {"xterm-256color", "", "", 1, 1, Terminal{Rewrites: true, Colour: true, Shades: true, Width: 1, Height: 1}},
		{"xterm", "1", "truecolor", 132, 50, Terminal{Rewrites: true, Shades: true, Width: 132, Height: 50}}, {"dumb", "", "", 40, 20, Terminal{Width: 40, Height: 20}},
	} {
		t.Setenv("TERM", c.term)
		t.Setenv("NO_COLOR", c.plain)
		t.Setenv("COLORTERM", c.shades)
		if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: c.rows, Col: c.columns}); err != nil {
			t.Fatal(err)
		}
		if got := TerminalOf(terminal); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

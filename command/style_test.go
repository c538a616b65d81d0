package command

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A file or a pipe gets neither colours nor redrawn lines.
func TestStyleOfNoTerminal(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := style{width: 80, height: 24}
	if got := styleOf(file); got != want {
		t.Errorf("a file has %+v, want %+v", got, want)
	}
	if got := styleOf(new(bytes.Buffer)); got != want {
		t.Errorf("a buffer has %+v, want %+v", got, want)
	}
	if got := want.bad("x") + want.series(3, "y"); got != "xy" {
		t.Errorf("plain text is written as %q", got)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"λμν", 3, "λμν"}, {"λμνξ", 2, "λ…"}, {"ab", 0, ""}} {
		if got := fit(c.text, c.width); got != c.want {
			t.Errorf("fit(%q, %d) is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{-1: "░░░░", 0: "░░░░", 0.5: "██░░", 0.99: "███░", 1: "████", 2: "████"} {
		if got := bar(share, 4); got != want {
			t.Errorf("a bar of %v is %s, want %s", share, got, want)
		}
	}
}

// Drawing again goes up by as many rows as stand there, counted without colours and at the width of now.
func TestCanvasGoesUp(t *testing.T) {
	var b bytes.Buffer
	c, s := canvas{out: &b}, style{terminal: true, colour: true, width: 20, height: 10}
	c.draw(s, s.good("0123456789"), "ab")
	if strings.Contains(b.String(), "A") {
		t.Errorf("the first drawing moves the cursor up: %q", b.String())
	}
	b.Reset()
	c.draw(s, "x")
	if !strings.HasPrefix(b.String(), "\033[2A\rx") {
		t.Errorf("two lines are drawn over by %q", b.String())
	}
	c.draw(s, "0123456789", "ab")
	b.Reset()
	s.width = 4
	c.draw(s, "x")
	if !strings.HasPrefix(b.String(), "\033[4A\r") {
		t.Errorf("lines broken into 3 and 1 rows are drawn over by %q", b.String())
	}
}

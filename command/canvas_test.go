package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/report/page"
)

// Drawing again goes up by as many rows as stand there, counted without colours and at the width of now.
func TestCanvasGoesUp(t *testing.T) {
	var b bytes.Buffer
	c, s := canvas{out: &b}, page.Terminal{Rewrites: true, Colour: true, Width: 20, Height: 10}
	c.draw(s, s.Good("0123456789"), "ab")
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
	s.Width = 4
	c.draw(s, "x")
	if !strings.HasPrefix(b.String(), "\033[4A\r") {
		t.Errorf("lines broken into 3 and 1 rows are drawn over by %q", b.String())
	}
}

package command

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/report/page"
)

// watch shows how far a run is: a line that is drawn again and again on a terminal, otherwise a line now and then. Notes come
// above it. The returned function ends it and waits until the last line is out.
func watch(out io.Writer, p *lab.Progress, n *notes) (stop func()) {
	c, pace, next := &canvas{out: out}, new(pace), 10*time.Second
	end := repeat(200*time.Millisecond, func(spent time.Duration) {
		s := page.TerminalOf(out)
		switch line := progressLine(s, pace.look(p, time.Now())); {
		case s.Rewrites:
			c.print(s, n.take()...)
			c.draw(s, line)
		case spent >= next:
			fmt.Fprintln(out, line)
			next = spent + 10*time.Second
		}
	})
	return func() {
		end()
		if s := page.TerminalOf(out); !s.Rewrites {
			fmt.Fprintln(out, progressLine(s, pace.look(p, time.Now())))
		}
	}
}

// repeat calls show every so often and once more when the returned function is called.
func repeat(every time.Duration, show func(spent time.Duration)) (stop func()) {
	done, begun := make(chan struct{}), time.Now()
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				show(time.Since(begun))
			case <-done:
				show(time.Since(begun))
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// pace measures how fast turns are taken, from when the first of them was.
type pace struct {
	begun time.Time
	first int64 // turns that were done then
}

// progress is how far a run is at one moment.
type progress struct {
	done, total  int64
	drawn, draws int64
	rate         float64 // turns a second; 0 while unknown
}

func (p *pace) look(l *lab.Progress, now time.Time) progress {
	at := progress{done: l.Done.Load(), total: l.Total.Load(), drawn: l.Drawn.Load(), draws: l.Draws.Load()}
	if at.total > 0 && p.begun.IsZero() {
		p.begun, p.first = now, at.done
	}
	if spent := now.Sub(p.begun).Seconds(); at.total > 0 && spent > 0 {
		at.rate = float64(at.done-p.first) / spent
	}
	return at
}

func (p progress) share() float64 {
	if p.total == 0 {
		return 0
	}
	return float64(p.done) / float64(p.total)
}

// percent is a share in whole hundredths, 100 only of all.
func percent(share float64) int { return int(float64(100*share) + 1e-9) } // 29 of 100 is a little less in binary digits

// words says how far the run is and how long the rest will take, in as many words as fit.
func (p progress) words(width int) string {
	if p.total == 0 && p.draws > 0 {
		return page.Fit(fmt.Sprintf("deciding: %s of %s draws", phrase.Grouped(int(p.drawn)), phrase.Grouped(int(p.draws))), width)
	}
	if p.total == 0 {
		return page.Fit("finding the optimum", width)
	}
	done, rate, left := fmt.Sprintf("%s of %s turns", phrase.Grouped(int(p.done)), phrase.Grouped(int(p.total))), "", ""
	if p.rate > 0 {
		rate = ", " + rounded(p.rate) + " a second"
	}
	if p.rate > 0 && p.done < p.total {
		left = ", " + phrase.Duration(float64(p.total-p.done)/p.rate) + " left"
	}
	for _, words := range []string{done + rate + left, done + left, strings.TrimPrefix(left, ", ")} {
		if words != "" && page.PrintedWidth(words) <= width {
			return words
		}
	}
	return page.Fit(done, width)
}

// rounded writes a rate with three digits, or whole where it has more.
func rounded(rate float64) string {
	if rate >= 100 {
		return phrase.Grouped(int(rate + 0.5))
	}
	return fmt.Sprintf("%.3g", rate)
}

// progressLine fits into the width: the words first, then a bar in the room that is left.
func progressLine(s page.Terminal, p progress) string {
	line := fmt.Sprintf("%3d %%  ", percent(p.share()))
	line += p.words(s.Width - 1 - len(line))
	room := min(24, s.Width-1-page.PrintedWidth(line)-1)
	if !s.Rewrites || room < 8 {
		return line
	}
	return s.Series(0, page.Bar(p.share(), room)) + " " + line
}

// canvas is a few lines at the end of a terminal that are drawn again and again. What is printed after the last time goes
// below them.
type canvas struct {
	out   io.Writer
	drawn []int // widths of the lines that stand there
}

// draw replaces the lines. They must be no wider than the terminal; those that are too many for its height are left out.
func (c *canvas) draw(s page.Terminal, lines ...string) {
	lines = lines[:min(len(lines), s.Height-1)]
	var b strings.Builder
	if up := c.rows(s.Width); up > 0 {
		fmt.Fprintf(&b, "\033[%dA", up)
	}
	c.drawn = c.drawn[:0]
	for _, line := range lines {
		b.WriteString("\r" + line + "\033[K\n")
		c.drawn = append(c.drawn, page.PrintedWidth(line))
	}
	b.WriteString("\033[J")
	io.WriteString(c.out, b.String())
}

// print puts lines that stay above those that are drawn next.
func (c *canvas) print(s page.Terminal, lines ...string) {
	if len(lines) == 0 {
		return
	}
	c.draw(s)
	say(c.out, lines...)
}

// rows counts the rows that the drawn lines take now: a terminal made narrower has broken them.
func (c *canvas) rows(width int) (n int) {
	for _, w := range c.drawn {
		n += max(1, (w+width-1)/width)
	}
	return n
}

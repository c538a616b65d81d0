package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/lab"
)

// watch shows how far a run is: a line that is drawn again and again on a terminal, otherwise a line now and then. Notes come
// above it. The returned function ends it and waits until the last line is out.
func watch(out io.Writer, p *lab.Progress, n *notes) (stop func()) {
	every, c := 10*time.Second, &canvas{out: out}
	if styleOf(out).terminal {
		every = 200 * time.Millisecond
	}
	return repeat(every, func(spent time.Duration) {
		s := styleOf(out)
		if line := progressLine(s, p, spent); s.terminal {
			c.print(s, n.take()...)
			c.draw(s, line)
		} else {
			fmt.Fprintln(out, line)
		}
	})
}

// repeat calls show at every so many seconds and once more when the returned function is called.
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

// state says in words how far the run is and how long the rest will take.
func state(p *lab.Progress, spent time.Duration) (share float64, words string) {
	done, total := p.Done.Load(), p.Total.Load()
	if total == 0 {
		return 0, "finding the optimum"
	}
	share = float64(done) / float64(total)
	rate := float64(done) / spent.Seconds()
	words = fmt.Sprintf("%d of %d turns, %s a second", done, total, rounded(rate))
	if done > 0 && done < total {
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		words += ", " + left.Round(time.Second).String() + " left"
	}
	return share, words
}

// rounded writes a rate with three digits, or whole where it has more.
func rounded(rate float64) string {
	if rate >= 100 {
		return fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("%.3g", rate)
}

// progressLine fits into the width: the words first, then a bar in the room that is left.
func progressLine(s style, p *lab.Progress, spent time.Duration) string {
	share, words := state(p, spent)
	line := fmt.Sprintf("%3.0f %%  %s", 100*share, words)
	room := min(24, s.width-1-len([]rune(line))-1)
	if !s.terminal || room < 8 {
		return fit(line, s.width-1)
	}
	return s.series(0, bar(share, room)) + " " + line
}

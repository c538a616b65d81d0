package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/lab"
	"golang.org/x/term"
)

// watch shows how far a run is: a bar that redraws itself on a terminal, otherwise a plain line now and then. The
// returned function ends it and waits until the last line is out.
func watch(out *os.File, p *lab.Progress) (stop func()) {
	every, show := 10*time.Second, plainLine
	if term.IsTerminal(int(out.Fd())) {
		every, show = 200*time.Millisecond, barLine
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		begun := time.Now()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				show(out, p, time.Since(begun))
			case <-done:
				show(out, p, time.Since(begun))
				endBar(out)
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

func plainLine(out *os.File, p *lab.Progress, spent time.Duration) {
	share, words := state(p, spent)
	fmt.Fprintf(out, "%3.0f %%  %s\n", 100*share, words)
}

func barLine(out *os.File, p *lab.Progress, spent time.Duration) {
	share, words := state(p, spent)
	const cells = 24
	full := int(share * cells)
	bar := strings.Repeat("█", full) + strings.Repeat("░", cells-full)
	line := fmt.Sprintf("%s %3.0f %%  %s", bar, 100*share, words)
	width, _, err := term.GetSize(int(out.Fd()))
	if runes := []rune(line); err == nil && width > 0 && len(runes) >= width {
		line = string(runes[:width-1])
	}
	fmt.Fprintf(out, "\r\033[K%s", line)
}

// endBar leaves the bar's line.
func endBar(out *os.File) {
	if term.IsTerminal(int(out.Fd())) {
		fmt.Fprintln(out)
	}
}

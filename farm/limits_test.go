package farm

import (
	"testing"
	"time"
)

// Limits are those that were chosen: hosts of one layout must agree on them.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ got, want int64 }{
		"letters of a secret, six bits each":         {leastSecret, (256 + 5) / 6},
		"bytes of an address":                        {mostAddress, 4096},
		"cells of a bundle":                          {mostBundled, 32},
		"cells that are published without waiting":   {window, 1024},
		"looks at which a queue is not listed":       {mostCalm, 10},
		"who write results":                          {writers, 64},
		"bytes of a result":                          {mostResult, 1_073_741_824},
		"bytes of an input":                          {mostInput, 4_294_967_296},
		"bytes of a part":                            {partSize, 524_288},
		"bytes of a message besides":                 {headRoom, 65_536},
		"how often a question is asked":              {mostAsked, 4},
		"tries among others":                         {mostAmong, 5},
		"tries alone":                                {mostAlone, 2},
		"how long an answer may take":                {int64(usualWait), 5 * int64(time.Second)},
		"how long a server may take to begin":        {int64(readyWait), 10 * int64(time.Second)},
		"how long workers may take to answer a roll": {int64(rollWait), 700 * int64(time.Millisecond)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}

// As many messages may wait for a worker as four times its cells and 16 more, and as many results as it has cells, or as go into a bundle.
func TestWhatMayWait(t *testing.T) {
	b := newBench(t)
	for workers, want := range map[int][2]int{1: {20, 32}, 2: {24, 32}, 32: {144, 32}, 33: {148, 33}, 40: {176, 40}} {
		a, err := newAssignment(b.h.nc, b.h.key, b.h.meta, WorkerOptions{Workers: workers}, "me", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{cap(a.out), cap(a.done)}; got != want {
			t.Errorf("%d workers: %d, want %d", workers, got, want)
		}
		a.leave()
	}
}

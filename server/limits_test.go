package server

import (
	"math"
	"runtime/debug"
	"testing"
)

// Ballast is there where memory has no limit, and asking changes none. Not in parallel: the limit is the whole program's.
func TestBallastHeedsALimit(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	if got := len(Ballast()); got != 64<<20 {
		t.Errorf("%d bytes without a limit, want 64 MiB", got)
	}
	if now := debug.SetMemoryLimit(8 << 30); now != math.MaxInt64 {
		t.Errorf("asked for ballast, the limit is %d", now)
	}
	if got := len(Ballast()); got != 0 {
		t.Errorf("%d bytes beside a limit", got)
	}
}

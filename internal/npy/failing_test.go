package npy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/npy"
)

var errDisk = errors.New("the disk is gone")

// brittle takes so many writes and fails from then on; it notes the longest.
type brittle struct{ left, longest int }

func (b *brittle) Write(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errDisk
	}
	b.longest = max(b.longest, len(p))
	return len(p), nil
}

// An array of 20,000 entries is a header and three pieces of at most 64 KiB; a write that fails, whichever, is told with what was being written.
func TestWriteTellsErrors(t *testing.T) {
	a := npy.Array{Shape: []int{20000}, Data: upTo(20000)}
	for left, want := range []string{"write header", "write entries", "write entries", "write entries", ""} {
		b := &brittle{left: left}
		err := npy.Write(b, a)
		if want == "" && (err != nil || b.longest != 64<<10) {
			t.Errorf("%v; the longest piece has %d bytes, want 65536", err, b.longest)
		}
		if want != "" && (!errors.Is(err, errDisk) || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("after %d writes: %v, want %s", left, err, want)
		}
	}
}

// Package saved is a loop as it is written down, so that it need not be worked out of all its events again.
package saved

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge/internal/wire"
)

const kind = "session.Loop/1"

// Snapshot is what a loop was after one of its events.
type Snapshot struct {
	Seq  int               // of the event
	Head [sha256.Size]byte // its hash
	Body []byte            // all of the loop besides its rule, in JSON
	Rule []byte            // what the rule remembers
}

// Append appends the snapshot of a loop.
func (s *Snapshot) Append(b []byte, loop string) ([]byte, error) {
	return wire.Append(b, kind, func(f *wire.Fields) { s.describe(f, loop) })
}

// ErrUnsound is of a snapshot that is not what was written.
var ErrUnsound = errors.New("what was saved of the loop is damaged")

// Read reads the snapshot of a loop.
func Read(data []byte, loop string) (s Snapshot, err error) {
	if err = wire.Restore(data, kind, func(f *wire.Fields) { s.describe(f, loop) }); err != nil {
		err = fmt.Errorf("%w: %w", ErrUnsound, err)
	}
	return s, err
}

// describe lists the fields; a sum of their own stands at the end, for nothing else notices a bit that turned.
func (s *Snapshot) describe(f *wire.Fields, loop string) {
	head := s.Head[:]
	f.Int(&s.Seq, 1<<53)
	f.Bytes(&head)
	f.Bytes(&s.Body)
	f.Bytes(&s.Rule)
	sum := digest(loop, s.Seq, head, s.Body, s.Rule)
	f.Bytes(&sum)
	if f.Reading() {
		if string(sum) != string(digest(loop, s.Seq, head, s.Body, s.Rule)) {
			f.Fail("the sum of the saved loop is wrong")
			return
		}
		copy(s.Head[:], head)
	}
}

func digest(loop string, seq int, parts ...[]byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d\n", loop, seq)
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return h.Sum(nil)
}

package conform

import (
	"bytes"
	"encoding"
)

// transfer takes the saved state of one object into another, which must refuse it torn or lengthened and be untouched by
// that, and in the end save the same bytes. It tells false when the two cannot be saved and loaded.
func transfer(from, to any, untouched func()) (done bool) {
	a, saves := from.(encoding.BinaryAppender)
	b, loads := to.(encoding.BinaryUnmarshaler)
	if !saves || !loads {
		return false
	}
	state, err := a.AppendBinary(nil)
	succeeds(err)
	for _, bad := range [][]byte{nil, state[:len(state)/2], state[:len(state)-1], append(bytes.Clone(state), 0)} {
		if b.UnmarshalBinary(bad) == nil {
			fail("%d bytes of a state of %d were accepted", len(bad), len(state))
		}
	}
	untouched()
	succeeds(b.UnmarshalBinary(state))
	if s, ok := to.(encoding.BinaryAppender); ok {
		again, err := s.AppendBinary(nil)
		succeeds(err)
		if !bytes.Equal(again, state) {
			fail("a restored state of %d bytes is saved as %d others", len(state), len(again))
		}
	}
	return true
}

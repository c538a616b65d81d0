package conform

import (
	"bytes"
	"encoding"
	"fmt"
)

// transfer takes the saved state of one object into another, which must refuse it torn or lengthened and be untouched by
// that, and in the end save the same bytes. It tells false when the two cannot be saved and loaded.
func transfer(from, to any, untouched func() error) (done bool, err error) {
	a, saves := from.(encoding.BinaryAppender)
	b, loads := to.(encoding.BinaryUnmarshaler)
	if !saves || !loads {
		return false, nil
	}
	state, err := a.AppendBinary(nil)
	if err != nil {
		return true, err
	}
	for _, bad := range [][]byte{nil, state[:len(state)/2], state[:len(state)-1], append(bytes.Clone(state), 0)} {
		if b.UnmarshalBinary(bad) == nil {
			return true, fmt.Errorf("%d bytes of a state of %d were accepted", len(bad), len(state))
		}
	}
	if err := untouched(); err != nil {
		return true, err
	}
	if err := b.UnmarshalBinary(state); err != nil {
		return true, err
	}
	return true, sameState(b, state)
}

// sameState tells whether an object that was restored saves what it was restored from.
func sameState(restored any, state []byte) error {
	s, ok := restored.(encoding.BinaryAppender)
	if !ok {
		return nil
	}
	again, err := s.AppendBinary(nil)
	if err == nil && !bytes.Equal(again, state) {
		err = fmt.Errorf("a restored state of %d bytes is saved as %d others", len(state), len(again))
	}
	return err
}

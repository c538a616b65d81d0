package saved

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
)

// A snapshot is read as it was written, for its own loop alone; one of which a bit has turned, at any place, is refused.
func TestSnapshotsAreWhatWasWritten(t *testing.T) {
	s := Snapshot{Seq: 7, Head: [32]byte{1, 2, 3}, Body: []byte(`{"a":1}`), Rule: []byte("rule")}
	text, err := s.Append(nil, "shop")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(text, "shop")
	if err != nil || got.Seq != 7 || got.Head != s.Head || !bytes.Equal(got.Body, s.Body) || !bytes.Equal(got.Rule, s.Rule) {
		t.Errorf("%+v came back as %+v, %v", s, got, err)
	}
	if _, err := Read(text, "other"); !errors.Is(err, ErrUnsound) {
		t.Errorf("the snapshot of another loop: %v", err)
	}
	for bit := range 8 * len(text) {
		turned := bytes.Clone(text)
		turned[bit/8] ^= 1 << (bit % 8)
		if _, err := Read(turned, "shop"); !errors.Is(err, ErrUnsound) {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
}

// The sum of a snapshot is SHA-256 of the name and the number, a line each, and of every part after a line with its length: no two snapshots have one text.
func TestSumOfASnapshot(t *testing.T) {
	want := sha256.Sum256([]byte("shop\n7\n3\nabc0\n12\n{\"a\": \"bcd\"}"))
	if got := digest("shop", 7, []byte("abc"), nil, []byte(`{"a": "bcd"}`)); !bytes.Equal(got, want[:]) {
		t.Errorf("%x, want %x", got, want)
	}
}

// Events are numbered up to 2⁵³, as JSON has them: a snapshot after a later one is damaged.
func TestNumbersBeyondAllEventsAreDamaged(t *testing.T) {
	for seq, isSound := range map[int]bool{1 << 53: true, 1<<53 + 1: false} {
		s := Snapshot{Seq: seq, Body: []byte("{}"), Rule: []byte("rule")}
		text, err := s.Append(nil, "shop")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Read(text, "shop"); errors.Is(err, ErrUnsound) == isSound || isSound && got.Seq != seq {
			t.Errorf("after event %d: %+v, %v", seq, got, err)
		}
	}
}

// What is read of any bytes is refused, or written as those bytes; within 4 times their length and a MB of memory.
func FuzzRead(f *testing.F) {
	s := Snapshot{Seq: 7, Head: [32]byte{1, 2, 3}, Body: []byte(`{"a":1}`), Rule: []byte("rule")}
	text, err := s.Append(nil, "shop")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:20])
	f.Fuzz(func(t *testing.T, in []byte) {
		var s Snapshot
		var err error
		most := int64(4*len(in) + 1<<20)
		if got := heap.Taken(most, func() { s, err = Read(in, "shop") }); got > most {
			t.Errorf("%d bytes took %d of memory", len(in), got)
		}
		if err != nil {
			if !errors.Is(err, ErrUnsound) {
				t.Errorf("untyped error %v", err)
			}
			return
		}
		if again, err := s.Append(nil, "shop"); err != nil || !bytes.Equal(again, in) {
			t.Errorf("%x was read and is written as %x, %v", in, again, err)
		}
	})
}

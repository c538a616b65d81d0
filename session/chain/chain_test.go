package chain_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session/chain"
)

// part writes a part of an event the way the format says: its length in eight bytes, and itself.
func part(h hash.Hash, b []byte) {
	binary.Write(h, binary.LittleEndian, uint64(len(b)))
	h.Write(b)
}

func number(h hash.Hash, n int64) {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, n)
	part(h, b.Bytes())
}

// The hash of an event is that of its parts as docs/formats has them, whatever their sizes.
func TestSumIsOfAllParts(t *testing.T) {
	for _, size := range []int{0, 1, 300, 800, 1 << 10, 5 << 10, 1 << 20} {
		l := chain.Link{Prev: chain.Hash{1, 2, 3}, Loop: "shop", Seq: 7, At: time.Unix(1, 2000), Kind: "batch", Actor: "kedge_Ab", K: 214, Ref: "b/am", Body: bytes.Repeat([]byte("x"), size)}
		h := sha256.New()
		part(h, l.Prev[:])
		part(h, []byte(l.Loop))
		number(h, int64(l.Seq))
		number(h, l.At.UnixNano())
		part(h, []byte(l.Kind))
		part(h, []byte(l.Actor))
		number(h, int64(l.K))
		part(h, []byte(l.Ref))
		part(h, l.Body)
		if got := l.Sum(); !bytes.Equal(got[:], h.Sum(nil)) {
			t.Errorf("a body of %d bytes: %s, want %x", size, got, h.Sum(nil))
		}
	}
}

// A hash reads back from its text, and nothing else does.
func TestHashesReadBack(t *testing.T) {
	want := chain.Hash(sha256.Sum256([]byte("kedge")))
	text, err := want.MarshalText()
	if err != nil || string(text) != want.String() {
		t.Fatalf("%s, %v", text, err)
	}
	var got chain.Hash
	if err := got.UnmarshalText(text); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"", string(text[1:]), string(text) + "0", "x" + string(text[1:])} {
		if got.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if err := got.UnmarshalText([]byte("abc")); err == nil || err.Error() != "a hash has 64 digits, not 3" {
		t.Errorf("three digits: %v", err)
	}
}

// The hash of an event that is no longer than most takes no memory: journals are checked by the million events.
func TestSumsOfMostEventsTakeNoMemory(t *testing.T) {
	l := chain.Link{Loop: "shop", Seq: 7, Kind: "batch", Actor: "kedge_Ab", K: 214, Ref: "b/am", Body: bytes.Repeat([]byte("x"), 700)}
	if n := testing.AllocsPerRun(100, func() { l.Sum() }); n != 0 {
		t.Errorf("%g pieces of memory", n)
	}
}

package npy

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
)

// Limits are those that were chosen.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ got, want int }{
		"bytes of a header": {maxHeader, 65_536}, "dimensions": {maxRank, 32}, "bytes that are read at a time": {chunkSize, 65_536}, "bytes of a directory": {largestDirectory, 196_608},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", name, c.got, c.want)
		}
	}
}

// A directory may be read to its last byte and no further.
func TestDirectoriesAreReadToTheirEnd(t *testing.T) {
	d := &directory{strings.NewReader("0123456789"), 5}
	three := make([]byte, 3)
	if n, err := d.ReadAt(three, 2); n != 3 || err != nil || string(three) != "234" {
		t.Errorf("%d bytes %q, %v", n, three, err)
	}
	if n, err := d.ReadAt(three[:2], 8); n != 2 || err != nil || string(three[:2]) != "89" {
		t.Errorf("%d bytes %q, %v", n, three, err)
	}
	if n, err := d.ReadAt(three[:1], 0); n != 0 || err == nil || err.Error() != "npy: directory of more than 196608 bytes" {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// An array that is longer than a directory may be is read, packed or not.
func TestArraysLongerThanADirectory(t *testing.T) {
	long := Array{Shape: []int{30_000}, Data: make([]float64, 30_000)}
	long.Data[29_999] = 7
	var b bytes.Buffer
	if err := WriteZip(&b, Named{"a", long}, Named{"b", long}); err != nil {
		t.Fatal(err)
	}
	list, err := ReadZip(bytes.NewReader(b.Bytes()), int64(b.Len()), intake.Limits{})
	if err != nil || len(list) != 2 || len(list[1].Data) != 30_000 || list[1].Data[29_999] != 7 {
		t.Errorf("%d arrays, %v", len(list), err)
	}
}

// All members of an archive may unpack to as many bytes together as may be read, and not to one more; nothing is unpacked where none is left. An array of one
// entry has a header of 128 bytes and 8 more.
func TestMembersTogether(t *testing.T) {
	var b bytes.Buffer
	one := Array{Shape: []int{1}, Data: []float64{3}}
	if err := WriteZip(&b, Named{"a", one}, Named{"b", one}); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]string{272: "", 271: "read entries: unexpected EOF", 136: "unpacks to more than the limit", 137: "read magic"} {
		list, err := ReadZip(bytes.NewReader(b.Bytes()), int64(b.Len()), intake.Limits{Bytes: most})
		if want == "" && (err != nil || len(list) != 2 || list[1].Data[0] != 3) || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `member "b"`)) {
			t.Errorf("%d bytes: %v, %v, want %q", most, list, err, want)
		}
	}
}

package emulated

import (
	"testing"
	"unsafe"
)

// addressOf is where a word lies.
func addressOf(word *uint64) uintptr { return uintptr(unsafe.Pointer(word)) }

// Beside what is taken there are 1024 words on either side that are nobody's, and what others have left is in it.
func TestRoomBesideMemory(t *testing.T) {
	for _, bytes := range []int{1, 7, 8, 9, 16, 8000, 8001} {
		for _, isHost := range []bool{false, true} {
			d := New()
			from := d.take(bytes, isHost)
			s := d.memory[0]
			if words := (bytes + 7) / 8; s.from != from || len(s.data) != bytes || len(s.whole) != words+2048 || from != uint64(addressOf(&s.whole[1024])) {
				t.Errorf("%d bytes lie in %d words", bytes, len(s.whole))
			}
			if want := map[bool]byte{true: 0, false: 0xa5}[isHost]; s.data[0] != want || s.data[bytes-1] != want {
				t.Errorf("%d bytes begin as %x, want %x", bytes, s.data[0], want)
			}
		}
	}
}

// Memory of the process that was given back is lent again, to the process alone; that of a device is not.
func TestMemoryIsLentAgain(t *testing.T) {
	d := New()
	first := d.take(100, true)
	kept := d.memory[0].whole
	kept[clearance] = 77
	if code := d.giveBack(first, true); code != 0 || len(d.memory) != 0 {
		t.Fatal(code, len(d.memory))
	}
	if d.take(96, true) == first {
		t.Error("as memory of another length")
	}
	if again := d.take(100, true); again != first || kept[clearance] != 77 {
		t.Error("other memory, or it was cleared")
	}
	if d.take(100, true) == first {
		t.Error("twice at a time")
	}
	d.giveBack(first, true)
	slab := d.take(100, false)
	if slab == first || kept[clearance] != 77 {
		t.Error("memory of the process is a device's")
	}
	if d.giveBack(slab, false); len(d.spare) != 0 {
		t.Errorf("%d pieces of a device are kept", len(d.spare))
	}
}

// Of several pieces each is found by any of its bytes, also when others were given back, up to its end and not beyond.
func TestPiecesOfMemory(t *testing.T) {
	d := New()
	var from []uint64
	for range 5 {
		from = append(from, d.take(40, false))
	}
	if d.giveBack(from[0], false) != 0 || d.giveBack(from[3], false) != 0 || d.Taken() != 120 {
		t.Errorf("%d bytes are taken", d.Taken())
	}
	for i, at := range from {
		isThere := i != 0 && i != 3
		for _, x := range []struct {
			offset, bytes int
			reached       bool
		}{{0, 40, true}, {0, 0, true}, {39, 1, true}, {40, 0, true}, {8, 32, true}, {8, 33, false}, {40, 1, false}, {41, 0, false}, {-1, 1, false}, {-1, 0, false}} {
			data, _ := d.reach(at+uint64(x.offset), x.bytes)
			if reached := data != nil; reached != (x.reached && isThere) || reached && len(data) != x.bytes {
				t.Errorf("piece %d: %+v is reached: %t, %d bytes", i, x, reached, len(data))
			}
		}
	}
	if code := d.move(from[1]+40, from[2]+40, 0, false, false); code != 0 {
		t.Errorf("no bytes at the end: %d", code)
	}
}

// All that a device has can be taken, and not a byte more; memory of the process is not counted. What it can compute is told by major and minor.
func TestAllOfADevice(t *testing.T) {
	c := opened(t)
	c.Bytes, c.Major, c.Minor = 64, 8, 6
	for attribute, want := range map[uintptr]uint64{75: 8, 76: 6, 74: 0, 77: 0} {
		if c.is(0, "cuDeviceGetAttribute", c.first(), attribute, 0); c.out[0] != want {
			t.Errorf("attribute %d is %d, want %d", attribute, c.out[0], want)
		}
	}
	c.is(codeNoRoom, "cuMemAlloc_v2", c.first(), 65)
	c.is(0, "cuMemHostAlloc", c.first(), 65, 3)
	c.is(0, "cuMemAlloc_v2", c.first(), 64)
	c.is(codeNoRoom, "cuMemAlloc_v2", c.first(), 1)
	c.is(0, "cuMemHostAlloc", c.first(), 1, 3)
	c.is(codeInvalid, "cuMemHostAlloc", c.first(), 0, 3)
	if c.Taken() != 64 {
		t.Errorf("%d bytes are taken", c.Taken())
	}
}

package batch

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
)

// asked notes how much it is asked for.
type asked struct {
	io.Reader
	sizes []int
}

func (a *asked) Read(p []byte) (int, error) {
	a.sizes = append(a.sizes, len(p))
	return a.Reader.Read(p)
}

// Of a message 4 KiB are read at first, and of one that goes on four times as much each time, up to 64 KiB.
func TestHowMuchIsReadAtATime(t *testing.T) {
	text := `{"p":[` + strings.TrimSuffix(strings.Repeat("[1],", 50_000), ",") + `]}`
	from := &asked{Reader: strings.NewReader(text)}
	if _, err := Read(from, JSON, kedge.Dims{State: 1}, Most{Rows: 50_000, Bytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if want := []int{4096, 16_384, 65_536, 65_536, 65_536, 65_536}; !slices.Equal(from.sizes[:min(6, len(from.sizes))], want) {
		t.Errorf("%d, want %d and so on", from.sizes, want)
	}
}

// A reader that may give so many bytes asks for one more, which says that there are too many, and then says so again.
func TestReadersThatMayGiveSoMuch(t *testing.T) {
	from := &asked{Reader: strings.NewReader("0123456789")}
	l := &limited{from, 5, 5}
	p := make([]byte, 4)
	if n, err := l.Read(p); n != 4 || err != nil || l.left != 1 {
		t.Errorf("%d, %v, %d left", n, err, l.left)
	}
	for range 2 {
		var f *Flaw
		if n, err := l.Read(p); n != 0 || !errors.As(err, &f) || *f != (Flaw{TooLarge, "", "the batch has more than 5 bytes"}) {
			t.Errorf("%d, %v", n, err)
		}
	}
	if want := []int{4, 2}; !slices.Equal(from.sizes, want) {
		t.Errorf("asked for %d, want %d", from.sizes, want)
	}
	whole := &limited{strings.NewReader("01234"), 5, 5}
	if text, err := io.ReadAll(whole); err != nil || string(text) != "01234" {
		t.Errorf("%q, %v", text, err)
	}
}

// A table of people has room for its numbers, of 8 bytes, for 80 bytes an id, and for 1 MiB besides.
func TestRoomForTables(t *testing.T) {
	for _, c := range []struct {
		dim  kedge.Dims
		most int
		want int64
	}{{kedge.Dims{State: 1}, 0, 1_048_576}, {kedge.Dims{State: 1}, 1, 1_048_576 + 16 + 80}, {kedge.Dims{State: 3, Trait: 2}, 10, 1_048_576 + 480 + 800}} {
		if got := (&builder{dim: c.dim, most: c.most}).room(); got != c.want {
			t.Errorf("%+v, %d rows: %d bytes, want %d", c.dim, c.most, got, c.want)
		}
	}
}

// hesitant gives nothing so many times before it gives all.
type hesitant struct {
	times int
	io.Reader
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.times--; h.times >= 0 {
		return 0, nil
	}
	return h.Reader.Read(p)
}

// A reader may give nothing 99 times in a row, and not once more.
func TestReadersThatHesitate(t *testing.T) {
	for times, want := range map[int]error{99: nil, 100: io.ErrNoProgress} {
		if _, err := Read(&hesitant{times, strings.NewReader(`{"p":[[1]]}`)}, JSON, kedge.Dims{State: 1}, Most{Rows: 1, Bytes: 100}); err != want {
			t.Errorf("%d times: %v, want %v", times, err, want)
		}
	}
}

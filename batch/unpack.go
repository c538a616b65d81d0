package batch

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"math"

	"github.com/kedge-opt/kedge/internal/intake"
)

// Unpack takes gzip off a message that may unpack to Ratio times its size.
func Unpack(r io.Reader, lim Most) io.Reader {
	return &unpacker{packed: &counted{from: r}, lim: intake.Limits{Bytes: math.MaxInt64, Ratio: lim.Ratio}}
}

type counted struct {
	from io.Reader
	n    int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

type unpacker struct {
	packed *counted
	lim    intake.Limits
	gzip   *gzip.Reader
	out    int64
}

func (u *unpacker) Read(p []byte) (n int, err error) {
	if u.gzip == nil {
		u.gzip, err = gzip.NewReader(u.packed)
	}
	if err == nil {
		n, err = u.gzip.Read(p)
	}
	u.out += int64(n)
	switch {
	case u.out > u.lim.Unpacked(u.packed.n):
		return 0, flaw(TooLarge, "", "%d bytes of gzip unpack to more than %d times their size", u.packed.n, u.lim.Ratio)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF), isCorrupt(err):
		return 0, flaw(Malformed, "", "the body is not gzip: %v", err)
	case u.gzip == nil && err == io.EOF:
		return 0, flaw(Malformed, "", "the body is empty, and not gzip")
	}
	return n, err
}

func isCorrupt(err error) bool {
	var at flate.CorruptInputError
	return errors.As(err, &at)
}

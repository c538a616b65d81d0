package batch

import (
	"bytes"
	"fmt"
	"io"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/intake"
)

// Parse reads people of known dimensions as JSON that is at hand. A batch that is wrong is a *Flaw.
func Parse(text []byte, dim kedge.Dims, lim Most) (t Told, err error) {
	defer recovered(&err)
	if int64(len(text)) > lim.Bytes {
		return t, flaw(TooLarge, "", "the batch has more than %d bytes", lim.Bytes)
	}
	b := &builder{dim: dim, most: lim.Rows}
	readObject(&scanner{have: text, fault: io.EOF}, b)
	return b.whole(), nil
}

// recovered is the error that readers throw.
func recovered(err *error) {
	switch v := recover().(type) {
	case nil:
	case *Flaw:
		*err = v
	case stopped:
		*err = v.error
	default:
		panic(v)
	}
}

// Read reads people of known dimensions in some format. A batch that is wrong is a *Flaw; any other error is the reader's.
func Read(r io.Reader, f Format, dim kedge.Dims, lim Most) (t Told, err error) {
	defer recovered(&err)
	b := &builder{dim: dim, most: lim.Rows}
	in := &limited{from: r, left: lim.Bytes, most: lim.Bytes}
	switch f {
	case JSON:
		readObject(newScanner(in), b)
	case Lines:
		readLines(newScanner(in), b)
	case CSV:
		b.table(mustCSV(in, lim))
	case Parquet, NPZ:
		data, err := io.ReadAll(in)
		if err != nil {
			panic(stopped{err})
		}
		room := intake.Limits{Bytes: b.room(), Ratio: lim.Ratio}
		if f == NPZ {
			b.arrays(bytes.NewReader(data), room)
		} else {
			b.parquet(bytes.NewReader(data), room)
		}
	default:
		return t, fmt.Errorf("no format is called %s", f)
	}
	return b.whole(), nil
}

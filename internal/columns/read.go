package columns

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"

	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// ReadParquet reads a flat table of numbers and texts: plain, dictionary and byte-split encodings, uncompressed or by
// Snappy, gzip or Zstandard. Numbers come as float64; an integer that no float64 holds exactly is refused. A number that is
// null is NaN, a text that is null is empty.
//
// Nothing a file says of itself is believed. It is decoded once to check it, and only then is memory taken for the table: a
// file that is refused costs at most four times its size plus 1 MB, and, where pages are compressed, the 8 MB that the
// largest page of a small file and its dictionary may unpack to.
func ReadParquet(r io.ReaderAt, size int64, lim intake.Limits) (Table, error) {
	x, err := open(r, size, lim)
	if err != nil {
		return Table{}, err
	}
	t := Table{Columns: make([]Column, len(x.footer.leaves))}
	for i, l := range x.footer.leaves {
		t.Columns[i].Name = l.name
	}
	if err := t.Check(); err != nil {
		return Table{}, err
	}
	for i, l := range x.footer.leaves {
		if l.isText() {
			t.Columns[i].Text = make([]string, x.footer.rows)
		} else {
			t.Columns[i].Numbers = make([]float64, x.footer.rows)
		}
	}
	err = x.decode(func(column int) target {
		return target{text: t.Columns[column].Text, numbers: t.Columns[column].Numbers, stride: 1}
	})
	if err != nil {
		return Table{}, err
	}
	return t, nil
}

// ReadMatrix reads a Parquet file of numbers alone: its rows one after the other, and how many columns they have.
func ReadMatrix(r io.ReaderAt, size int64, lim intake.Limits) (rows []float64, width int, err error) {
	x, err := open(r, size, lim)
	if err != nil {
		return nil, 0, err
	}
	for _, l := range x.footer.leaves {
		if l.isText() {
			return nil, 0, wrong("column %q holds texts, want numbers alone", l.name)
		}
	}
	width = len(x.footer.leaves)
	rows = make([]float64, int(x.footer.rows)*width)
	err = x.decode(func(column int) target { return target{numbers: rows[min(column, len(rows)):], stride: width} })
	return rows, width, err
}

// reader reads one file. Its room is as large as the largest page.
type reader struct {
	src              io.ReaderAt
	size             int64
	footer           *footer
	message          message
	at               page   // whose header is read
	header           fields // of it
	head             []byte
	packed, unpacked []byte
	words            []byte // the dictionary's page
	dictionary       dictionary
	zstd             *zstd.Decoder
	gzip             gzip.Reader
	source           bytes.Reader // of gzip
	scan             scan
}

// open reads the footer, then the headers of all pages, then all values, and keeps nothing but the footer.
func open(src io.ReaderAt, size int64, lim intake.Limits) (*reader, error) {
	f, err := readFooter(src, size)
	if err != nil {
		return nil, err
	}
	r := &reader{src: src, size: size, footer: f, message: newMessage(nil)}
	r.header = r.at.fields()
	columns := int64(len(f.leaves))
	if most := lim.Unpacked(size) / 8; f.rows > most/columns {
		return nil, wrong("%d rows of %d columns in %d bytes, at most %d entries are read", f.rows, columns, size, most)
	}
	if err := r.measure(); err != nil {
		return nil, err
	}
	return r, r.decode(func(int) target { return target{} })
}

// measure takes room for the largest pages.
func (r *reader) measure() error {
	var packed, unpacked, words, ends int64
	err := r.footer.visit(func(column int, _ int64, c chunk) error {
		return r.pages(c, func(p page, _ int64) error {
			if c.codec != 0 {
				packed = max(packed, p.packed)
			}
			if p.is(format.DictionaryPage) {
				words = max(words, p.unpacked)
				if r.footer.leaves[column].isText() {
					ends = max(ends, min(p.values, p.unpacked/4))
				}
			} else {
				unpacked = max(unpacked, p.unpacked)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	if both := unpacked + words + 4*ends; both > r.largestPage() {
		return wrong("page and dictionary of %d bytes, at most %d are unpacked", both, r.largestPage())
	}
	r.packed, r.unpacked, r.words = make([]byte, packed), make([]byte, unpacked), make([]byte, words)
	r.dictionary.ends = make([]uint32, 0, ends)
	return nil
}

// target is where the values of a column go; a target without room only has them checked.
type target struct {
	text    []string
	numbers []float64
	stride  int
}

// decode reads every value of the file.
func (r *reader) decode(to func(column int) target) error {
	return r.footer.visit(func(column int, first int64, c chunk) error {
		x := &r.scan
		*x = scan{reader: r, leaf: &r.footer.leaves[column], target: to(column), row: int(first)}
		if err := r.pages(c, func(p page, at int64) error { return x.page(c, p, at) }); err != nil {
			return because("column "+x.leaf.name, err)
		}
		return nil
	})
}

// scan reads the pages of one column in one row group. It is used again for the next, for files may have very many.
type scan struct {
	*reader
	leaf *leaf
	target
	row   int
	ready bool   // the dictionary has been read
	last  string // the text before: equal texts share their bytes

	level      hybrid // what the page at hand is read by
	plain      plain
	split      split
	references references
}

// plainDictionary is the older name of dictionary encoding, which files of many writers still carry.
const plainDictionary format.Encoding = 2

func (x *scan) page(c chunk, p page, at int64) error {
	encoding := format.Encoding(p.encoding)
	if p.is(format.DictionaryPage) {
		if x.ready || encoding != format.Plain && encoding != plainDictionary {
			return wrong("a second dictionary, or one of encoding %d", p.encoding)
		}
		x.ready = true
		body := x.words[:p.unpacked]
		if err := x.unpack(body, c, p, at); err != nil {
			return err
		}
		return x.dictionary.open(body, int(p.values), x.leaf.width())
	}
	body := x.unpacked[:p.unpacked]
	if err := x.unpack(body, c, p, at); err != nil {
		return err
	}
	body, err := x.levels(p, body)
	if err != nil {
		return err
	}
	v, err := x.values(p, body)
	if err != nil {
		return err
	}
	return x.rows(int(p.values), v)
}

// levels opens the definition levels, 1 where there is a value, and returns what follows them.
func (x *scan) levels(p page, body []byte) ([]byte, error) {
	n := uint64(p.levels)
	if !x.leaf.optional {
		x.level = hybrid{run: math.MaxUint64, value: 1}
		return body[n:], nil
	}
	if p.is(format.DataPage) {
		if len(body) < 4 {
			return nil, wrong("page without levels")
		}
		n = uint64(binary.LittleEndian.Uint32(body))
		body = body[4:]
	}
	if n > uint64(len(body)) {
		return nil, wrong("page with %d bytes of levels in %d", n, len(body))
	}
	x.level = hybrid{rest: body[:n], width: 1}
	return body[n:], nil
}

// values opens the values of a page.
func (x *scan) values(p page, body []byte) (values, error) {
	width := x.leaf.width()
	switch format.Encoding(p.encoding) {
	case format.Plain:
		x.plain = plain{body, width}
		return &x.plain, nil
	case format.ByteStreamSplit:
		if width > 0 {
			x.split = split{all: body, width: width, count: len(body) / width}
			return &x.split, nil
		}
	case plainDictionary, format.RLEDictionary:
		return x.refer(body)
	}
	return nil, wrong("values of encoding %d; want plain, dictionary or byte-split ones", p.encoding)
}

// refer opens values that a dictionary has.
func (x *scan) refer(body []byte) (values, error) {
	switch {
	case !x.ready:
		return nil, wrong("page that refers to a dictionary that is not there")
	case len(body) == 0: // nothing but nulls
		x.plain = plain{}
		return &x.plain, nil
	case body[0] > 32:
		return nil, wrong("page that refers to a dictionary by numbers of %d bits", body[0])
	}
	x.references = references{&x.dictionary, hybrid{rest: body[1:], width: uint(body[0])}}
	return &x.references, nil
}

// rows reads n rows.
func (x *scan) rows(n int, v values) error {
	for range n {
		level, ok := x.level.next()
		var b []byte
		if ok && level == 1 {
			b, ok = v.next()
		}
		if ok {
			ok = x.put(b, level == 1)
		}
		if !ok {
			return wrong("row %d: no value, or none that a float64 holds", x.row)
		}
		x.row++
	}
	return nil
}

// put stores a value, or its absence.
func (x *scan) put(b []byte, there bool) bool {
	if x.leaf.isText() {
		if x.text != nil && there {
			if x.last != string(b) {
				x.last = string(b)
			}
			x.text[x.row] = x.last
		}
		return true
	}
	v, ok := math.NaN(), true
	if there {
		v, ok = x.leaf.number(b)
	}
	if x.numbers != nil {
		x.numbers[x.row*x.stride] = v
	}
	return ok
}

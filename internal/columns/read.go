package columns

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
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
func ReadParquet(r io.ReaderAt, size int64, lim intake.Limits) (read Table, err error) {
	defer intake.Catch(&err)
	x := open(r, size, lim)
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
	x.decode(func(column int) target {
		return target{text: t.Columns[column].Text, numbers: t.Columns[column].Numbers, stride: 1}
	})
	return t, nil
}

// ReadMatrix reads a Parquet file of numbers alone: its rows one after the other, and how many columns they have.
func ReadMatrix(r io.ReaderAt, size int64, lim intake.Limits) (rows []float64, width int, err error) {
	defer intake.Catch(&err)
	x := open(r, size, lim)
	for _, l := range x.footer.leaves {
		if l.isText() {
			refuse("column %q holds texts, want numbers alone", l.name)
		}
	}
	width = len(x.footer.leaves)
	rows = make([]float64, int(x.footer.rows)*width)
	x.decode(func(column int) target { return target{numbers: rows[min(column, len(rows)):], stride: width} })
	return rows, width, nil
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
	most             int64 // bytes of texts
}

// open reads the footer, then the headers of all pages, then all values, and keeps nothing but the footer.
func open(src io.ReaderAt, size int64, lim intake.Limits) *reader {
	f := readFooter(src, size)
	r := &reader{src: src, size: size, footer: f, message: newMessage(nil)}
	r.header = r.at.fields()
	width, most := int64(0), lim.Unpacked(size)
	for _, l := range f.leaves {
		width += 8
		if l.isText() {
			width += 8 // a text is known by its place and its length
		}
	}
	if f.rows > most/width {
		panic(because(fmt.Sprintf("%d rows of %d columns in %d bytes, at most %d bytes are read", f.rows, len(f.leaves), size, most), intake.ErrTooLarge))
	}
	r.most = most - f.rows*width
	r.measure()
	r.decode(func(int) target { return target{} })
	return r
}

// measure takes room for the largest pages.
func (r *reader) measure() {
	var packed, unpacked, words, ends int64
	r.footer.visit(func(column int, _ int64, c chunk) {
		r.pages(c, func(p page, _ int64) {
			if c.codec != 0 {
				packed = max(packed, p.packed)
			}
			if !p.is(format.DictionaryPage) {
				unpacked = max(unpacked, p.unpacked)
				return
			}
			words = max(words, p.unpacked)
			if r.footer.leaves[column].isText() {
				ends = max(ends, min(p.values, p.unpacked/4))
			}
		})
	})
	if both := unpacked + words + 4*ends; both > r.largestPage() {
		refuse("page and dictionary of %d bytes, at most %d are unpacked", both, r.largestPage())
	}
	r.packed, r.unpacked, r.words = make([]byte, packed), make([]byte, unpacked), make([]byte, words)
	r.dictionary.ends = make([]uint32, 0, ends)
}

// target is where the values of a column go; a target without room only has them checked.
type target struct {
	text    []string
	numbers []float64
	stride  int
}

// decode reads every value of the file.
func (r *reader) decode(to func(column int) target) {
	left := r.most
	r.footer.visit(func(column int, first int64, c chunk) {
		x := &r.scan
		*x = scan{reader: r, leaf: &r.footer.leaves[column], target: to(column), row: int(first), left: &left}
		if err := try(func() { r.pages(c, func(p page, at int64) { x.page(c, p, at) }) }); err != nil {
			panic(because("column "+x.leaf.name, err))
		}
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
	same  []byte // the same, where none are kept
	left  *int64 // bytes that texts may still take

	level      hybrid // what the page at hand is read by
	plain      plain
	split      split
	references references
}

// plainDictionary is the older name of dictionary encoding, which files of many writers still carry.
const plainDictionary format.Encoding = 2

func (x *scan) page(c chunk, p page, at int64) {
	encoding := format.Encoding(p.encoding)
	if p.is(format.DictionaryPage) {
		if x.ready || encoding != format.Plain && encoding != plainDictionary {
			refuse("a second dictionary, or one of encoding %d", p.encoding)
		}
		x.ready = true
		body := x.words[:p.unpacked]
		x.unpack(body, c, p, at)
		x.dictionary.open(body, int(p.values), x.leaf.width())
		return
	}
	body := x.unpacked[:p.unpacked]
	x.unpack(body, c, p, at)
	v := x.values(encoding, x.levels(p, body))
	for range p.values {
		x.one(v)
	}
}

// levels opens the definition levels, 1 where there is a value, and returns what follows them.
func (x *scan) levels(p page, body []byte) []byte {
	n := uint64(p.levels)
	if !x.leaf.optional {
		x.level = hybrid{run: math.MaxUint64, value: 1}
		return body[n:]
	}
	if p.is(format.DataPage) {
		if len(body) < 4 {
			refuse("page without levels")
		}
		n = uint64(binary.LittleEndian.Uint32(body))
		body = body[4:]
	}
	if n > uint64(len(body)) {
		refuse("page with %d bytes of levels in %d", n, len(body))
	}
	x.level = hybrid{rest: body[:n], width: 1}
	return body[n:]
}

// values opens the values of a page.
func (x *scan) values(encoding format.Encoding, body []byte) values {
	width := x.leaf.width()
	switch {
	case encoding == format.Plain:
		x.plain = plain{body, width}
		return &x.plain
	case encoding == format.ByteStreamSplit && width > 0:
		x.split = split{all: body, width: width, count: len(body) / width}
		return &x.split
	case encoding == plainDictionary || encoding == format.RLEDictionary:
		return x.refer(body)
	}
	refuse("values of encoding %d; want plain, dictionary or byte-split ones", encoding)
	return nil
}

// refer opens values that a dictionary has.
func (x *scan) refer(body []byte) values {
	switch {
	case !x.ready:
		refuse("page that refers to a dictionary that is not there")
	case len(body) == 0: // nothing but nulls
		x.plain = plain{}
		return &x.plain
	case body[0] > 32:
		refuse("page that refers to a dictionary by numbers of %d bits", body[0])
	}
	x.references = references{&x.dictionary, hybrid{rest: body[1:], width: uint(body[0])}}
	return &x.references
}

// one reads the value of a row.
func (x *scan) one(v values) {
	level, ok := x.level.next()
	var b []byte
	if ok && level == 1 {
		b, ok = v.next()
	}
	if !ok || !x.put(b, level == 1) {
		refuse("row %d: no value, or none that a float64 holds", x.row)
	}
	x.row++
}

// keep stores a text, or counts what storing it would take: a file that repeats two long texts in turn unpacks to any length.
func (x *scan) keep(b []byte) {
	if x.text != nil {
		if x.last != string(b) {
			x.last = string(b)
		}
		x.text[x.row] = x.last
		return
	}
	if !bytes.Equal(x.same, b) {
		x.same = append(x.same[:0], b...)
		if *x.left -= int64(len(b)); *x.left < 0 {
			panic(because(fmt.Sprintf("texts of more than %d bytes", x.most), intake.ErrTooLarge))
		}
	}
}

// put stores a value, or its absence.
func (x *scan) put(b []byte, there bool) bool {
	if x.leaf.isText() {
		if there {
			x.keep(b)
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

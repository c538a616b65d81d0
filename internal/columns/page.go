package columns

import (
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Kinds of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// page is the header of a page.
type page struct {
	kind             int32
	unpacked, packed int32 // bytes
	values           int32
	encoding         int32
	levels, repeats  int32 // of version 2: bytes of definition and repetition levels, which are never compressed
	stored           bool  // of version 2: the values are not compressed either
}

const longestHeader = 64 << 10

// pages calls visit for every page of a chunk, with the offset of its body.
func (r *reader) pages(c chunk, visit func(p page, body int64) error) error {
	at := c.data
	if 0 < c.dictionary && c.dictionary < c.data {
		at = c.dictionary
	}
	if at < int64(len(magic)) || c.size < 0 || c.size > r.size-at {
		return wrong("metadata: a column lies outside the file")
	}
	values := int64(0)
	for end := at + c.size; at < end; {
		p, n, err := r.header(at, end)
		if err != nil {
			return err
		}
		if err := r.checkPage(c, p, end-at-n); err != nil {
			return err
		}
		if p.kind != dictionaryPage {
			values += int64(p.values)
		}
		if values > c.values {
			break
		}
		if err := visit(p, at+n); err != nil {
			return err
		}
		at += n + int64(p.packed)
	}
	if values != c.values {
		return wrong("the pages have other numbers of values than the metadata")
	}
	return nil
}

// checkPage demands sizes that the file can hold and memory may be taken for.
func (r *reader) checkPage(c chunk, p page, left int64) error {
	known := p.kind == dataPage || p.kind == dictionaryPage || p.kind == dataPageV2
	switch {
	case !known:
		return wrong("page of the unknown kind %d", p.kind)
	case p.packed < 0 || int64(p.packed) > left || p.values < 0 || int64(p.values) > max(c.values, int64(p.unpacked)):
		return wrong("page of %d values in %d bytes, where %d are left", p.values, p.packed, left)
	case p.unpacked < 0 || int64(p.unpacked) > r.largestPage():
		return wrong("page of %d bytes, at most %d are unpacked", p.unpacked, r.largestPage())
	case p.repeats != 0 || p.levels < 0 || p.levels > min(p.packed, p.unpacked):
		return wrong("page with %d bytes of levels and %d of repetitions", p.levels, p.repeats)
	case c.codec == 0 && p.packed != p.unpacked:
		return wrong("page of %d bytes that says it unpacks to %d without a codec", p.packed, p.unpacked)
	}
	return nil
}

// largestPage is how much memory a page and a dictionary may take.
func (r *reader) largestPage() int64 { return max(8<<20, 2*r.size) }

// header reads the header of the page at an offset and returns its length.
func (r *reader) header(at, end int64) (p page, n int64, err error) {
	for _, most := range []int64{512, longestHeader} {
		window := r.window(min(most, end-at))
		if _, err := r.src.ReadAt(window, at); err != nil {
			return p, 0, &Error{"read a page", err}
		}
		t := &thrift{rest: window}
		p = page{kind: -1, packed: -1, unpacked: -1, encoding: -1}
		p.read(t)
		if err = t.err; err == nil {
			return p, int64(len(window) - len(t.rest)), nil
		}
	}
	return p, 0, err
}

// window is room for n bytes.
func (r *reader) window(n int64) []byte {
	if int64(len(r.head)) < n {
		r.head = make([]byte, n)
	}
	return r.head[:n]
}

func (p *page) read(t *thrift) {
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftI32:
			p.kind = t.int32()
		case id == 2 && kind == thriftI32:
			p.unpacked = t.int32()
		case id == 3 && kind == thriftI32:
			p.packed = t.int32()
		case (id == 5 || id == 7) && kind == thriftStruct:
			p.readFirst(t)
		case id == 8 && kind == thriftStruct:
			p.readSecond(t)
		default:
			return false
		}
		return true
	})
}

// readFirst reads what data pages of version 1 and dictionary pages have in common.
func (p *page) readFirst(t *thrift) {
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftI32:
			p.values = t.int32()
		case id == 2 && kind == thriftI32:
			p.encoding = t.int32()
		default:
			return false
		}
		return true
	})
}

func (p *page) readSecond(t *thrift) {
	t.fields(func(id int16, kind byte) bool {
		switch {
		case id == 1 && kind == thriftI32:
			p.values = t.int32()
		case id == 4 && kind == thriftI32:
			p.encoding = t.int32()
		case id == 5 && kind == thriftI32:
			p.levels = t.int32()
		case id == 6 && kind == thriftI32:
			p.repeats = t.int32()
		case id == 7:
			p.stored = kind == thriftFalse
		default:
			return false
		}
		return id != 7
	})
}

// unpack reads the body of a page into dst, which is as long as the page unpacks to.
func (r *reader) unpack(dst []byte, c chunk, p page, at int64) error {
	plain := int(p.levels)
	if c.codec == 0 || p.stored {
		plain = int(p.packed)
	}
	if plain > len(dst) {
		return wrong("page of %d bytes that says it unpacks to %d", p.packed, p.unpacked)
	}
	if _, err := r.src.ReadAt(dst[:plain], at); err != nil {
		return &Error{"read a page", err}
	}
	if plain == int(p.packed) && plain == len(dst) {
		return nil
	}
	raw := r.packed[:int(p.packed)-plain]
	if _, err := r.src.ReadAt(raw, at+int64(plain)); err != nil {
		return &Error{"read a page", err}
	}
	return r.decompress(dst[plain:], raw, c.codec)
}

// decompress fills dst exactly.
func (r *reader) decompress(dst, src []byte, codec int32) error {
	var got []byte
	var err error
	switch codec {
	case 1:
		if n, e := snappy.DecodedLen(src); e != nil || n != len(dst) {
			return &Error{"a page is no Snappy of the length it says", e}
		}
		got, err = snappy.Decode(dst, src)
	case 2:
		return r.gunzip(dst, src)
	case 6:
		if r.zstd == nil {
			r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
		}
		if err == nil {
			got, err = r.zstd.DecodeAll(src, dst[:0:len(dst)])
		}
	default:
		return wrong("pages are compressed by codec %d; want none, Snappy, gzip or Zstandard", codec)
	}
	if err != nil || len(got) != len(dst) {
		return &Error{"a page does not unpack to the length it says", err}
	}
	copy(dst, got)
	return nil
}

func (r *reader) gunzip(dst, src []byte) error {
	r.source.Reset(src)
	err := r.gzip.Reset(&r.source)
	if err == nil {
		_, err = io.ReadFull(&r.gzip, dst)
	}
	if err != nil {
		return &Error{"a page does not unpack to the length it says", err}
	}
	return nil
}

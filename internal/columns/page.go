package columns

import (
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// page is the header of a page.
type page struct {
	kind             format.PageType
	unpacked, packed int32 // bytes
	values           int32 // nulls among them
	encoding         format.Encoding
	levels, repeats  int32 // of version 2: bytes of definition and repetition levels, which are never compressed
	stored           bool  // of version 2: the values are not compressed either
}

// pageHeader is what is wanted of the structure that a header is made of [parquet, Thrift].
type pageHeader struct {
	Kind       format.PageType `thrift:"1"`
	Unpacked   int32           `thrift:"2"`
	Packed     int32           `thrift:"3"`
	First      firstHeader     `thrift:"5"`
	Dictionary firstHeader     `thrift:"7"`
	Second     secondHeader    `thrift:"8"`
}

// firstHeader is what data pages of version 1 and dictionary pages have in common.
type firstHeader struct {
	Values   int32           `thrift:"1"`
	Encoding format.Encoding `thrift:"2"`
}

type secondHeader struct {
	Values   int32             `thrift:"1"`
	Encoding format.Encoding   `thrift:"4"`
	Levels   int32             `thrift:"5"`
	Repeats  int32             `thrift:"6"`
	Packed   thrift.Null[bool] `thrift:"7"`
}

func (h *pageHeader) page() page {
	p := page{kind: h.Kind, unpacked: h.Unpacked, packed: h.Packed, values: h.First.Values, encoding: h.First.Encoding}
	switch h.Kind {
	case format.DictionaryPage:
		p.values, p.encoding = h.Dictionary.Values, h.Dictionary.Encoding
	case format.DataPageV2:
		p.values, p.encoding = h.Second.Values, h.Second.Encoding
		p.levels, p.repeats, p.stored = h.Second.Levels, h.Second.Repeats, h.Second.Packed.Valid && !h.Second.Packed.V
	}
	return p
}

const longestHeader = 64 << 10

// pages calls visit for every page of a chunk, with the offset of its body.
func (r *reader) pages(c chunk, visit func(p page, body int64) error) error {
	at := c.Data
	if 0 < c.Dictionary && c.Dictionary < c.Data {
		at = c.Dictionary
	}
	if at < int64(len(magic)) || c.Size < 0 || c.Size > r.size-at {
		return wrong("metadata: a column lies outside the file")
	}
	values := int64(0)
	for end := at + c.Size; at < end; {
		p, n, err := r.pageAt(at, end)
		if err != nil {
			return err
		}
		if err := r.checkPage(c, p, end-at-n); err != nil {
			return err
		}
		if p.kind != format.DictionaryPage {
			values += int64(p.values)
		}
		if values > c.Values {
			break
		}
		if err := visit(p, at+n); err != nil {
			return err
		}
		at += n + int64(p.packed)
	}
	if values != c.Values {
		return wrong("the pages have other numbers of values than the metadata")
	}
	return nil
}

// checkPage demands sizes that the file can hold and memory may be taken for.
func (r *reader) checkPage(c chunk, p page, left int64) error {
	known := p.kind == format.DataPage || p.kind == format.DictionaryPage || p.kind == format.DataPageV2
	switch {
	case !known:
		return wrong("page of the unknown kind %d", p.kind)
	case p.packed < 0 || int64(p.packed) > left || p.values < 0 || int64(p.values) > max(c.Values, int64(p.unpacked)):
		return wrong("page of %d values in %d bytes, where %d are left", p.values, p.packed, left)
	case p.unpacked < 0 || int64(p.unpacked) > r.largestPage():
		return wrong("page of %d bytes, at most %d are unpacked", p.unpacked, r.largestPage())
	case p.repeats != 0 || p.levels < 0 || p.levels > min(p.packed, p.unpacked):
		return wrong("page with %d bytes of levels and %d of repetitions", p.levels, p.repeats)
	case c.Codec == 0 && p.packed != p.unpacked:
		return wrong("page of %d bytes that says it unpacks to %d without a codec", p.packed, p.unpacked)
	}
	return nil
}

// largestPage is how much memory a page and a dictionary may take.
func (r *reader) largestPage() int64 { return max(8<<20, 2*r.size) }

// pageAt reads the header of the page at an offset and returns its length.
func (r *reader) pageAt(at, end int64) (p page, n int64, err error) {
	for _, most := range []int64{512, longestHeader} {
		window := r.window(min(most, end-at))
		if _, err := r.src.ReadAt(window, at); err != nil {
			return p, 0, because("read a page", err)
		}
		r.thrift.ResetBytes(window)
		if err = (walk{r.thrift, len(window)}).value(thrift.STRUCT, 0); err == nil {
			return r.parse(window)
		}
	}
	return p, 0, err
}

// parse decodes a header that has been walked over.
func (r *reader) parse(window []byte) (p page, n int64, err error) {
	r.thrift.ResetBytes(window)
	r.header = pageHeader{}
	if err := r.decoder.Decode(&r.header); err != nil {
		return p, 0, because("header of a page", err)
	}
	return r.header.page(), int64(r.thrift.BytesRead()), nil
}

// window is room for n bytes.
func (r *reader) window(n int64) []byte {
	if int64(len(r.head)) < n {
		r.head = make([]byte, n)
	}
	return r.head[:n]
}

// unpack reads the body of a page into dst, which is as long as the page unpacks to.
func (r *reader) unpack(dst []byte, c chunk, p page, at int64) error {
	plain := int(p.levels)
	if c.Codec == 0 || p.stored {
		plain = int(p.packed)
	}
	if plain > len(dst) {
		return wrong("page of %d bytes that says it unpacks to %d", p.packed, p.unpacked)
	}
	if _, err := r.src.ReadAt(dst[:plain], at); err != nil {
		return because("read a page", err)
	}
	if plain == int(p.packed) && plain == len(dst) {
		return nil
	}
	raw := r.packed[:int(p.packed)-plain]
	if _, err := r.src.ReadAt(raw, at+int64(plain)); err != nil {
		return because("read a page", err)
	}
	return r.decompress(dst[plain:], raw, c.Codec)
}

// decompress fills dst exactly.
func (r *reader) decompress(dst, src []byte, codec format.CompressionCodec) error {
	var got []byte
	var err error
	switch codec {
	case format.Snappy:
		if n, e := snappy.DecodedLen(src); e != nil || n != len(dst) {
			return because("a page is no Snappy of the length it says", e)
		}
		got, err = snappy.Decode(dst, src)
	case format.Gzip:
		r.source.Reset(src)
		if err = r.gzip.Reset(&r.source); err == nil {
			_, err = io.ReadFull(&r.gzip, dst)
		}
		got = dst
	case format.Zstd:
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
		return because("a page does not unpack to the length it says", err)
	}
	copy(dst, got)
	return nil
}

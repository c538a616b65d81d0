package npy

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 64 << 10
)

// header is what the first bytes of an array say of the rest.
type header struct {
	descr   string
	fortran bool
	shape   []int
}

// readHeader reads magic, version, length and dictionary.
func readHeader(r io.Reader) header {
	var start [12]byte
	fill(r, start[:8], "magic")
	if string(start[:6]) != magic {
		refuse("does not start with the NumPy magic string")
	}
	major, minor := start[6], start[7]
	if major < 1 || major > 3 || minor != 0 {
		refuse("format version %d.%d, want 1.0, 2.0 or 3.0", major, minor)
	}
	width := 4
	if major == 1 {
		width = 2
	}
	fill(r, start[8:8+width], "header length")
	size := binary.LittleEndian.Uint32(start[8:])
	if size > maxHeader {
		refuse("header of %d bytes, at most %d are read", size, maxHeader)
	}
	text := make([]byte, size)
	fill(r, text, "header")
	return parseHeader(string(text))
}

// fill reads len(b) bytes or says what they would have been.
func fill(r io.Reader, b []byte, what string) {
	_, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		panic(because("read "+what, err))
	}
}

// parseHeader reads the dictionary: 'descr', 'fortran_order' and 'shape' in any order, once each, and nothing else.
func parseHeader(text string) (h header) {
	p := parser{rest: text}
	seen := map[string]bool{}
	p.want("{")
	for !p.take("}") {
		key := p.text()
		p.want(":")
		if seen[key] {
			refuse("header: key %q appears twice", key)
		}
		seen[key] = true
		p.field(&h, key)
		if !p.take(",") {
			p.want("}")
			break
		}
	}
	if p.skip(); p.rest != "" {
		refuse("header: bytes after the dictionary")
	}
	if len(seen) != 3 {
		refuse("header: want 'descr', 'fortran_order' and 'shape'")
	}
	return h
}

// parser consumes the text of a header from the left.
type parser struct{ rest string }

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// missing refuses a header that goes on with something else.
func (p *parser) missing(what string) {
	refuse("header: want %s before %q", what, p.rest[:min(20, len(p.rest))])
}

// take skips white space and then s, if it is there.
func (p *parser) take(s string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, s)
	p.rest = rest
	return ok
}

func (p *parser) want(s string) {
	if !p.take(s) {
		p.missing(strconv.Quote(s))
	}
}

// text reads a string between single or double quotes; escapes do not occur in what is accepted.
func (p *parser) text() string {
	p.skip()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		p.missing("a string")
	}
	s, rest, closed := strings.Cut(p.rest[1:], p.rest[:1])
	if !closed {
		refuse("header: string without an end")
	}
	p.rest = rest
	return s
}

func (p *parser) field(h *header, key string) {
	switch key {
	case "descr":
		if p.take("[") {
			refuse("header: structured arrays are not read")
		}
		h.descr = p.text()
	case "fortran_order":
		h.fortran = p.take("True")
		if !h.fortran {
			p.want("False")
		}
	case "shape":
		h.shape = p.shape()
	default:
		refuse("header: unknown key %q", key)
	}
}

// shape reads a tuple of sizes: "()", "(3,)" or "(3, 4)".
func (p *parser) shape() (shape []int) {
	p.want("(")
	for !p.take(")") {
		shape = append(shape, p.size())
		if !p.take(",") {
			if p.want(")"); len(shape) == 1 {
				refuse("header: shape is a number, want a tuple")
			}
			break
		}
	}
	return shape
}

func (p *parser) size() int {
	p.skip()
	digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
	n, err := strconv.Atoi(p.rest[:digits])
	if err != nil {
		p.missing("a size")
	}
	p.rest = p.rest[digits:]
	return n
}

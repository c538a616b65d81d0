package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/session"
)

// formType is what curl -d says of any body.
const formType = "application/x-www-form-urlencoded"

// deep tells whether JSON has more levels than may be, from its brackets outside of texts.
func deep(text []byte, most int) bool {
	level, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if level++; level > most {
				return true
			}
		case c == ']' || c == '}':
			level--
		}
	}
	return false
}

// read decodes one JSON value of the body into v, strictly. An empty body is nothing.
func (c *call) read(v any) error {
	text, err := c.text(c.limits.Body)
	if err != nil || len(text) == 0 {
		return err
	}
	return c.decode(text, v)
}

// mostAhead is how many bytes are set aside for a body that says how long it is.
const mostAhead = 64 << 10

// text is the body of a message in JSON, which may have so many bytes.
func (c *call) text(most int64) ([]byte, error) {
	if kind, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type")); kind != "" && kind != "application/json" && kind != formType {
		return nil, problem(unsupported, kind+" is not application/json")
	}
	if packed := c.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		return nil, problem(unsupported, fmt.Sprintf("the encoding %q is taken for batches alone", packed))
	}
	if c.ContentLength == 0 {
		return nil, nil
	}
	in, err := c.body(most)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.Grow(int(min(max(c.ContentLength, 0), mostAhead)) + bytes.MinRead)
	_, err = text.ReadFrom(&meter{in, c})
	return text.Bytes(), err
}

// decode reads one JSON value, strictly.
func (c *call) decode(text []byte, v any) error {
	if deep(text, c.limits.Depth) {
		return problem(session.Malformed, fmt.Sprintf("lists and objects are more than %d deep", c.limits.Depth))
	}
	if key := intake.Repeated(text); key != "" {
		return problem(session.Malformed, fmt.Sprintf("the key %.40q is there twice", key))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return unreadable(err, text)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return problem(session.Malformed, "something stands behind the message")
	}
	return nil
}

// setApart takes the object that is the value of a key of an object out of a message, which is left with null there: what is large is read by
// who knows its shape, and only once. Without such a value, or where the text is none that would be taken, the message is left as it is.
func setApart(text []byte, key string) (part, rest []byte) {
	level, from, begin := 0, -1, 0
	quoted, named := false, false // within a text; after the key
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; quoted {
				begin = i + 1
			} else if from < 0 {
				named = string(text[begin:i]) == key
			}
		case quoted:
		case c == '{' || c == '[':
			if level++; level == 2 && named && from < 0 {
				if from = i; c != '{' {
					return nil, text
				}
			}
		case c == '}' || c == ']':
			if level--; level == 1 && from >= 0 {
				rest = append(make([]byte, 0, from+len("null")+len(text)-i), text[:from]...)
				rest = append(append(rest, "null"...), text[i+1:]...)
				return text[from : i+1], rest
			}
		case c == ',':
			named = false
		}
	}
	return nil, text
}

// pointerTo is where in a message a value ends at some byte, by RFC 6901.
func pointerTo(text []byte, offset int64) string {
	type level struct {
		isList bool
		n      int // tokens so far
		key    string
	}
	var path []level
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		at, isDelim := token.(json.Delim)
		if isDelim && (at == ']' || at == '}') {
			path = path[:len(path)-1]
			continue
		}
		if n := len(path); n > 0 {
			top := &path[n-1]
			if top.n%2 == 0 { // of a list nobody asks for it
				top.key, _ = token.(string)
			}
			top.n++
		}
		if d.InputOffset() >= offset {
			break
		}
		if isDelim {
			path = append(path, level{isList: at == '['})
		}
	}
	pointer := ""
	for _, l := range path {
		if l.isList {
			pointer += "/" + strconv.Itoa(l.n-1)
		} else {
			pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(l.key)
		}
	}
	return pointer
}

// unreadable says what is wrong with a message, with a pointer where one is known.
func unreadable(err error, text []byte) error {
	if kind, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		name, pointer := session.Malformed, pointerTo(text, kind.Offset)
		detail := pointer + " is " + strings.NewReplacer("array", "a list", "bool", "true or false", "number", "a number", "object", "an object", "string", "a text").Replace(kind.Value)
		if literal, isNumber := strings.CutPrefix(kind.Value, "number "); isNumber && kind.Type.Kind().String() == "float64" {
			name, detail = session.NotFinite, fmt.Sprintf("%s is %s, which is no finite number", pointer, literal)
		} else if isNumber {
			detail = fmt.Sprintf("%s is %s, want a whole number of 64 bits", pointer, literal)
		}
		p := problem(name, detail)
		p.Errors = []session.Fault{{Pointer: pointer, Detail: detail}}
		return p
	}
	return problem(session.Malformed, err.Error())
}

// people is a batch as clients write it in JSON.
type people struct {
	Epoch      string      `json:"epoch,omitempty"`
	ObservedAt *time.Time  `json:"observed_at,omitempty"`
	P          [][]float64 `json:"p"`
	D          [][]float64 `json:"d,omitempty"` // null for a person without a trait
	W          []float64   `json:"w,omitempty"`
	ID         []string    `json:"id,omitempty"`
}

// formats are those of batches that are sent.
func formats() []batch.Format {
	return []batch.Format{batch.JSON, batch.Lines, batch.Parquet, batch.NPZ}
}

// readBatch reads people in any of the formats.
func (c *call) readBatch(dim kedge.Dims) (t batch.Told, err error) {
	text, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type"))
	format := batch.Format(text)
	if text == "" || text == formType {
		format = batch.JSON
	}
	if !slices.Contains(formats(), format) {
		return t, problem(unsupported, fmt.Sprintf("%q is none of %v", text, formats()))
	}
	lim := c.limits.of(format)
	in, err := c.body(lim.Bytes)
	if err != nil {
		return t, err
	}
	switch packed := c.Header.Get("Content-Encoding"); {
	case packed == "" || packed == "identity":
	case packed == "gzip" && format.IsText():
		in = batch.Unpack(in, lim)
	default:
		return t, problem(unsupported, fmt.Sprintf("%s is not taken in the encoding %q; JSON and NDJSON may be in gzip", format, packed))
	}
	if t, err = batch.Read(&meter{in, c}, format, dim, lim); err != nil {
		return t, c.misread(err, "", dim)
	}
	q := c.query()
	t.Epoch = cmp.Or(t.Epoch, q.Get("epoch"))
	if at := q.Get("observed_at"); at != "" && t.ObservedAt.IsZero() {
		if t.ObservedAt, err = time.Parse(time.RFC3339, at); err != nil {
			return t, problem(session.Malformed, "observed_at: "+err.Error())
		}
	}
	return t, nil
}

// misread is why a batch cannot be read. Where another server has removed the loop, and made one of other numbers, it may be sent again.
func (c *call) misread(err error, below string, as kedge.Dims) error {
	if dim, fault := c.host.LatestDims(c.Context(), c.loop); fault != nil {
		return fault
	} else if dim != as {
		return session.ErrConflict
	}
	return flawed(err, below)
}

// flawed is what is wrong with a batch as a problem; its pointers are below a part of the message.
func flawed(err error, below string) error {
	var flaw *batch.Flaw
	if !errors.As(err, &flaw) {
		return err
	}
	p := problem(flaw.Kind, flaw.Detail+"; nothing was stored")
	if flaw.Pointer != "" {
		p.Errors = []session.Fault{{Pointer: below + flaw.Pointer, Detail: flaw.Detail}}
	}
	return p
}

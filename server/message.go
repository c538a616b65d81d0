package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session"
)

// Allowance on what clients send. GET /version shows them.
type Allowance struct {
	Body    int64 `json:"body_bytes"`
	Batch   int64 `json:"batch_bytes"`
	Rows    int   `json:"rows_a_batch"`
	AllRows int   `json:"rows_a_decision"`
	Batches int   `json:"batches_a_decision"`
	AtWork  int   `json:"requests_at_work"`
	Loops   int   `json:"loops"`
}

// DefaultLimits are those of a server that nobody gave others.
func DefaultLimits() Allowance {
	return Allowance{Body: 1 << 20, Batch: 32 << 20, Rows: session.MostRows, AllRows: session.MostOfAllRows, Batches: session.MostBatches, AtWork: 512, Loops: 100_000}
}

// decode reads one JSON value into v, strictly. An empty body is nothing.
func decode(w http.ResponseWriter, r *http.Request, most int64, v any) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "" && kind != "application/json" && kind != "application/x-www-form-urlencoded" {
		return problem(unsupported, kind+" is not application/json")
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		return unreadable(err, nil)
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
			if !top.isList && top.n%2 == 0 {
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
			pointer += "/" + l.key
		}
	}
	return pointer
}

// unreadable says what is wrong with a message, with a pointer where one is known.
func unreadable(err error, text []byte) error {
	var large *http.MaxBytesError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &large):
		return err
	case errors.As(err, &kind):
		name, pointer := session.Malformed, pointerTo(text, kind.Offset)
		detail := fmt.Sprintf("%s is a %s", pointer, kind.Value)
		if strings.HasPrefix(kind.Value, "number") {
			name, detail = session.NotFinite, fmt.Sprintf("%s is %s, which is no finite number", pointer, strings.TrimPrefix(kind.Value, "number "))
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

// person is a line of NDJSON.
type person struct {
	P  []float64 `json:"p"`
	D  []float64 `json:"d,omitempty"`
	W  *float64  `json:"w,omitempty"`
	ID *string   `json:"id,omitempty"`
}

// readBatch reads people in any of the formats.
func readBatch(w http.ResponseWriter, r *http.Request, limits Allowance, dim kedge.Dims) (epoch string, b session.Batch, err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	epoch = r.URL.Query().Get("epoch")
	if at := r.URL.Query().Get("observed_at"); at != "" {
		t, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return "", b, problem(session.Malformed, "observed_at: "+err.Error())
		}
		b.ObservedAt = t
	}
	switch kind {
	case "application/x-ndjson":
		err = readLines(http.MaxBytesReader(w, r.Body, limits.Batch), &b, limits, dim)
	case "", "application/json", "application/x-www-form-urlencoded":
		var m people
		if err = decode(w, r, limits.Batch, &m); err == nil {
			if m.Epoch != "" {
				epoch = m.Epoch
			}
			if m.ObservedAt != nil {
				b.ObservedAt = *m.ObservedAt
			}
			err = m.fill(&b, dim)
		}
	default:
		err = problem(unsupported, kind+" is not application/json or application/x-ndjson")
	}
	return epoch, b, err
}

func (m *people) fill(b *session.Batch, dim kedge.Dims) error {
	if m.W != nil {
		b.W = m.W
	}
	if m.ID != nil {
		for _, id := range m.ID {
			b.Who = append(b.Who, session.WhoIs(id))
		}
	}
	if m.D != nil && len(m.D) != len(m.P) {
		return short("/d", len(m.D), len(m.P), "rows, one a row of p")
	}
	for i, row := range m.P {
		var d []float64
		if m.D != nil {
			d = m.D[i]
		}
		if err := add(b, i, row, d, m.D != nil, dim); err != nil {
			return err
		}
	}
	return nil
}

// add adds a person.
func add(b *session.Batch, i int, p, d []float64, traits bool, dim kedge.Dims) error {
	if len(p) != dim.State {
		return short(fmt.Sprintf("/p/%d", i), len(p), dim.State, "numbers")
	}
	b.P = append(b.P, p...)
	switch {
	case d != nil && len(d) != dim.Trait:
		return short(fmt.Sprintf("/d/%d", i), len(d), dim.Trait, "numbers")
	case d != nil:
		b.D = append(b.D, d...)
	case traits:
		b.D, b.Missing = append(b.D, make([]float64, dim.Trait)...), append(b.Missing, i)
	}
	return nil
}

func short(pointer string, got, want int, what string) error {
	p := problem(session.DimensionMismatch, fmt.Sprintf("%s has %d, want %d %s; nothing was stored", pointer, got, want, what))
	p.Errors = []session.Fault{{Pointer: pointer, Detail: p.Detail}}
	return p
}

// readLines reads one person a line.
func readLines(r io.Reader, b *session.Batch, limits Allowance, dim kedge.Dims) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), int(limits.Body))
	var all []person
	for lines.Scan() {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		if len(all) >= limits.Rows {
			return problem(session.TooLarge, fmt.Sprintf("more than %d rows in a batch", limits.Rows))
		}
		var one person
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err := d.Decode(&one)
		if err == nil && d.More() {
			err = errors.New("something stands behind the person")
		}
		if err != nil {
			return problem(session.Malformed, fmt.Sprintf("line %d: %v", len(all)+1, err))
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		return unreadable(err, nil)
	}
	traits, weighted, known := false, false, false
	for _, one := range all {
		traits, weighted, known = traits || one.D != nil, weighted || one.W != nil, known || one.ID != nil
	}
	for i, one := range all {
		if err := add(b, i, one.P, one.D, traits, dim); err != nil {
			return err
		}
		if weighted {
			if one.W == nil {
				return short(fmt.Sprintf("/%d/w", i), 0, 1, "weight, as others have")
			}
			b.W = append(b.W, *one.W)
		}
		if known {
			if one.ID == nil {
				return short(fmt.Sprintf("/%d/id", i), 0, 1, "id, as others have")
			}
			b.Who = append(b.Who, session.WhoIs(*one.ID))
		}
	}
	return nil
}

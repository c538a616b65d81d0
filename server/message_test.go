package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// What is set apart of a message is what encoding/json finds there, and what is left says the rest.
func TestPartsAreSetApart(t *testing.T) {
	for _, c := range []struct{ text, part string }{
		{`{"k":1,"batch":{"p":[[1,2],[3,4]],"d":null},"ask":true}`, `{"p":[[1,2],[3,4]],"d":null}`},
		{` { "batch" : {} } `, `{}`},
		{`{"batch":{"a":"}]\\\"}{"},"k":2}`, `{"a":"}]\\\"}{"}`},
		{`{"deployment":{"batch":{"p":[]}},"batch":{"q":{"batch":{}}}}`, `{"q":{"batch":{}}}`},
		{`{"name":"batch","close":{"x":{}}}`, ""},
		{`{"batch":null,"close":{}}`, ""},
		{`{"batch":[{}]}`, ""},
		{`{"batch":"batch","deployment":{"u":[1]}}`, ""},
		{`{"b\u0061tch":{}}`, ""}, // left to encoding/json
		{`[{"batch":{}}]`, ""},
		{`["batch",{}]`, ""},
		{`{"batch":{"p":[[1`, ""},
		{``, ""},
	} {
		part, rest := setApart([]byte(c.text), "batch")
		if string(part) != c.part {
			t.Errorf("%s: %s is set apart, want %s", c.text, part, c.part)
		}
		if c.part == "" {
			if string(rest) != c.text {
				t.Errorf("%s is left as %s", c.text, rest)
			}
			continue
		}
		var whole, left map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.text), &whole); err != nil || string(whole["batch"]) != c.part {
			t.Fatalf("%s has %s, %v", c.text, whole["batch"], err)
		}
		whole["batch"] = json.RawMessage("null")
		if err := json.Unmarshal(rest, &left); err != nil || !maps.EqualFunc(whole, left, func(a, b json.RawMessage) bool { return slices.Equal(a, b) }) {
			t.Errorf("%s is left as %s, %v", c.text, rest, err)
		}
	}
}

// Where in a message a value ends that is wrong is told by RFC 6901, lists by numbers and objects by keys.
func TestPointers(t *testing.T) {
	const text = `{"a": [1, {"b": "x", "c": [true, "d"]}], "e": {"f": null}}`
	for part, want := range map[string]string{`1`: "/a/0", `"x"`: "/a/1/b", `true`: "/a/1/c/0", `"d"`: "/a/1/c/1", `null`: "/e/f"} {
		if got := pointerTo([]byte(text), int64(strings.Index(text, part)+len(part))); got != want {
			t.Errorf("%s is at %s, want %s", part, got, want)
		}
	}
	const odd = `{"labels": {"a/b": "x", "~1": 7}}` // RFC 6901, 4: what would be taken for the end of a key, or for a sign of it, is written as one
	for part, want := range map[string]string{`"x"`: "/labels/a~1b", `7`: "/labels/~01"} {
		if got := pointerTo([]byte(odd), int64(strings.Index(odd, part)+len(part))); got != want {
			t.Errorf("%s is at %s, want %s", part, got, want)
		}
	}
	if got := pointerTo([]byte(`{"a": `), 99); got != "" {
		t.Error(got)
	}
}

// Bodies of all requests together may be as large as is allowed, and not a byte larger.
func TestBodiesTogether(t *testing.T) {
	for most, fits := range map[int64]bool{10: true, 9: false} {
		s := &Server{limits: Allowance{Held: most}}
		one, two := &call{Server: s}, &call{Server: s}
		_, err := io.ReadAll(&meter{strings.NewReader("01234"), one})
		_, other := io.ReadAll(&meter{strings.NewReader("56789"), two})
		if err != nil || (other == nil) != fits || one.held != 5 || two.held != 5 || s.held.Load() != 10 {
			t.Errorf("%d bytes: %v, %v, of %d", most, err, other, s.held.Load())
		}
	}
}

// failing is a body that ends with an error.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// A body that is too long is told as that, and one that does not come to its end as that.
func TestHowBodiesEnd(t *testing.T) {
	for _, c := range []struct {
		err error
		typ string
	}{
		{io.EOF, ""}, {&http.MaxBytesError{Limit: 7}, session.TooLarge}, {io.ErrUnexpectedEOF, session.Malformed}, {os.ErrDeadlineExceeded, tooSlow},
	} {
		p := &paced{from: failing{c.err}, out: http.NewResponseController(httptest.NewRecorder()), began: time.Now(), limits: &Allowance{Header: time.Second, Pace: 1000}}
		_, err := p.Read(make([]byte, 1))
		if c.typ == "" && err != io.EOF || c.typ != "" && problemOf(err).Type != "/problems/"+c.typ {
			t.Errorf("%v is told as %v, want %s", c.err, err, c.typ)
		}
	}
}

// unread is a journal whose events cannot be read.
type unread struct{ session.Journal }

var errUnread = errors.New("the disk is gone")

func (unread) Read(context.Context, string, int, func(session.Event) error) error { return errUnread }

// That events cannot be read is not taken for a broken chain.
func TestUnreadIsNotBroken(t *testing.T) {
	if err := linked(t.Context(), unread{}, session.Tip{Loop: "shop", Seq: 3}); err != errUnread {
		t.Error(err)
	}
}

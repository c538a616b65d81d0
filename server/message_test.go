package server

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
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

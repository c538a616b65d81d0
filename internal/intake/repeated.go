package intake

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Decode reads the first value of a JSON text, and refuses fields that it has no place for.
func Decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// Repeated is a key that an object of a JSON text has twice, the outermost in whatever case; "" if there is none, or the text is not JSON. Decoders take the
// last one, and do not tell cases apart in the names of fields; further in, keys may be words of users.
func Repeated(text []byte) string {
	type level struct {
		keys map[string]bool // nil: a list
		next bool            // a key is next
	}
	var open []level
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		within := len(open) - 1
		if key, is := token.(string); is && within >= 0 && open[within].next {
			name := key
			if within == 0 {
				name = strings.ToLower(key)
			}
			if open[within].keys[name] {
				return key
			}
			open[within].keys[name], open[within].next = true, false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{map[string]bool{}, true})
			continue
		case json.Delim('['):
			open = append(open, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:within]
		}
		if within = len(open) - 1; within >= 0 { // a value has ended
			open[within].next = open[within].keys != nil
		}
	}
}

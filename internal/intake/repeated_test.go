package intake_test

import (
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
)

// By hand: keys count by object, texts of lists and values do not.
func TestRepeatedKeys(t *testing.T) {
	for text, want := range map[string]string{
		`{"u":[1],"u":[2]}`: "u", `{"u":1,"U":2}`: "U", `{"a":{"b":1,"c":{},"b":2}}`: "b", `[{"a":1},{"a":[],"b":{"x":0},"a":null}]`: "a", `{"a":[["x"],{}],"b":"a","a":0}`: "a",
		`{"a":"b","b":"a"}`: "", `{"labels":{"team":"x","Team":"y"}}`: "", `{"a":{"a":{"a":1}},"b":["a","a","b"]}`: "", `["a","a",{"a":"a"}]`: "", `{"a":[{"b":1},{"b":2}],"b":1}`: "",
		``: "", `1`: "", `"a"`: "", `{"a":1,`: "", `{"a" 1, "a": 2}`: "", `{}{`: "", `]`: "",
	} {
		if got := intake.Repeated([]byte(text)); got != want {
			t.Errorf("%s has %q twice, want %q", text, got, want)
		}
	}
}

func TestDecodeIsStrict(t *testing.T) {
	var into struct{ A int }
	if err := intake.Decode([]byte(`{"a":3}`), &into); err != nil || into.A != 3 {
		t.Errorf("%v and %d, want 3", err, into.A)
	}
	if err := intake.Decode([]byte(`{"a":3,"b":4}`), &into); err == nil {
		t.Error("a field that there is no place for was taken")
	}
}

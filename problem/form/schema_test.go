package form

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A schema with what JSON has no word for is a mistake of whoever describes the key: it says so, and nothing is written.
func TestSchemasThatCannotBeWritten(t *testing.T) {
	for want, wrong := range map[string]Schema{"much": {Minimum: "much"}, "+Inf": {Enum: []any{math.Inf(1)}}} {
		c := Finite()
		c.Schema = wrong
		v := NewVocabulary(func(f *Form) {
			var size float64
			Field(f, "size", &size, c, Says("How large.", "", "1"))
		})
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasPrefix(said, "form: the schema is not written: ") || !strings.Contains(said, want) {
					t.Errorf("it says %q, want what is wrong with %s", said, want)
				}
			}()
			text := v.Schema("A", "B")
			t.Errorf("%s is written: %s", want, text)
		}()
	}
}

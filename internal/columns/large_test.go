package columns

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
)

// An honest table of repetitions takes few bytes on disk and any number in memory: it is refused before that is taken. Two long texts in
// turn were once copied for every row.
func TestRepetitionsAreCountedFirst(t *testing.T) {
	const rows = 20_000
	long := []string{strings.Repeat("a", 5000), strings.Repeat("b", 5000)}
	texts, alike, ones := make([]string, rows), make([]string, rows), make([]float64, rows)
	for i := range texts {
		texts[i], alike[i] = long[i%2], long[i*2/rows]
	}
	for name, table := range map[string]Table{
		"numbers": {Columns: []Column{{Name: "x", Numbers: ones}, {Name: "y", Numbers: ones}}},
		"texts":   {Columns: []Column{{Name: "x", Text: texts}}},
		"halves":  {Columns: []Column{{Name: "x", Text: alike}}}, // equal texts share their bytes
	} {
		var b bytes.Buffer
		if err := table.WriteParquet(&b); err != nil {
			t.Fatal(err)
		}
		whole := int64(rows * 16)
		whole += map[string]int64{"texts": rows * 5000, "halves": 2 * 5000}[name]
		read := func(most int64) error {
			_, err := ReadParquet(bytes.NewReader(b.Bytes()), int64(b.Len()), intake.Limits{Bytes: most, Ratio: math.MaxInt64})
			return err
		}
		if err := read(whole); err != nil {
			t.Errorf("%s, %d bytes on disk, %d in memory: %v", name, b.Len(), whole, err)
		}
		if err := read(whole - 1); !errors.Is(err, intake.ErrTooLarge) {
			t.Errorf("%s: %d bytes of at most %d: %v", name, whole, whole-1, err)
		}
	}
}

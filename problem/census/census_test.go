package census

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
)

// Whole numbers are called by their digits up to 2⁵³, all others as Go writes them shortest.
func TestLabels(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", -3: "-3", 1e6: "1000000", -1e6: "-1000000", 1<<53 - 1: "9007199254740991", 1 - 1<<53: "-9007199254740991", 1 << 53: "9.007199254740992e+15", -1 << 53: "-9.007199254740992e+15", 1e300: "1e+300",
		0.1: "0.1", 1500000.5: "1.5000005e+06", math.Inf(1): "+Inf",
	} {
		if got := Label(v); got != want {
			t.Errorf("%g is called %s, want %s", v, got, want)
		}
	}
}

// A column that several formulas name, in whatever order, is read once: two columns of five numbers take 80 bytes.
func TestColumnsAreReadOnce(t *testing.T) {
	all := files(t)
	for most, fits := range map[int64]bool{80: true, 79: false} {
		p, err := (&Query{File: "c.csv", Traits: []string{"w", "age", "w", "age + w"}}).Gather(Gathering{Files: all, Most: most})
		if fits && (err != nil || p.Size() != 5) || !fits && !errors.Is(err, intake.ErrTooLarge) {
			t.Errorf("%d bytes: %+v, %v", most, p, err)
		}
	}
}

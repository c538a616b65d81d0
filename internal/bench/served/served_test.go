package served

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/bench"
)

// Every figure of the service is measured, whatever it comes to here.
func TestEveryFigureIsMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("starts services for seconds")
	}
	small := Trial{Rounds: 1, Span: 200 * time.Millisecond, Small: true}
	for name, measure := range map[string]func(context.Context) ([]Rated, error){
		"tells": small.tells, "paced": small.paced, "turns": small.turns, "watchers": small.watchers, "replay": small.replay, "database": small.database,
	} {
		t.Run(name, func(t *testing.T) {
			list, err := measure(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				if m.Absent == "" && !(m.Value > 0) && !strings.Contains(m.Name, "missed") {
					t.Errorf("%s: %g %s", m.Name, m.Value, m.Unit)
				}
			}
		})
	}
}

// A figure over its bar is called short, one that could not be measured says why.
func TestTheTableSaysWhatIsShort(t *testing.T) {
	var table bench.Printer = Table{
		atLeast("fast", "/s", []float64{10, 30, 20}, "slow", []float64{1, 2, 4}, 8),
		atMost("slow", "ms", []float64{10, 30, 20}, "fast", []float64{1, 2, 4}, 8),
		{Name: "gone", Beside: "other", Bar: "≥ 1×", Absent: "not here"},
	}
	var b bytes.Buffer
	if err := table.Print(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{"figure", "10×", "10×", "not here"} { // the median of 10/1, 30/2 and 20/4
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %s in it", i, lines[i], want)
		}
	}
	if !strings.Contains(lines[1], "met") || !strings.Contains(lines[2], "short") {
		t.Errorf("verdicts:\n%s", b.String())
	}
}

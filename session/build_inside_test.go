package session

import (
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
)

// Another build says so in the log; with another arithmetic the loop is paused until somebody resumes it.
func TestAnotherBuildSaysSo(t *testing.T) {
	const spec = `
iterations: 100
model: {decision: "q[1]", state: "p[1]", trait: "d[1]", next: 0.5*p + 0.5*(d - q), maximize: "dot(p, q)", subject to: 0 <= q <= 20}
population: {size: 10, law: normal, mean: [10], deviation: [1]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1}, cap: {norm: .inf}, safe: [4]}
`
	for _, c := range []struct {
		name   string
		to     folder.Build
		kinds  []Kind // of the events of the next ask
		paused bool
	}{
		{"the same", folder.Build{Version: "1", Numeric: 2}, []Kind{Opened}, false},
		{"another version", folder.Build{Version: "2", Numeric: 2}, []Kind{BuildChanged, Opened}, false},
		{"another arithmetic", folder.Build{Version: "2", Numeric: 3}, []Kind{BuildChanged, ModeChanged, Opened}, true},
	} {
		l := New("shop", Standard)
		l.own = folder.Build{Version: "1", Numeric: 2}
		now := time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)
		if _, _, err := l.Do(now, "test", Create{Spec: spec, Mode: Live, Epoch: "e"}, nil); err != nil {
			t.Fatal(err)
		}
		l.own = c.to
		_, events, err := l.Do(now, "test", Ask{}, nil)
		if err != nil || len(events) != len(c.kinds) || (l.mode == Paused) != c.paused {
			t.Fatalf("%s: %d events, mode %s, %v", c.name, len(events), l.mode, err)
		}
		for i, e := range events {
			if e.Kind != c.kinds[i] {
				t.Errorf("%s: event %d is %s, want %s", c.name, i+1, e.Kind, c.kinds[i])
			}
		}
		if _, events, err := l.Do(now, "test", Switch{To: Live, Reason: "looked at"}, nil); err != nil || l.mode != Live || l.build != c.to {
			t.Errorf("%s: resumed with %d events, mode %s, %v", c.name, len(events), l.mode, err)
		}
	}
}

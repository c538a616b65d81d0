package session

import (
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
)

// narrow is a loop of one number.
const narrow = `
iterations: 100
model: {decision: "q[1]", state: "p[1]", trait: "d[1]", next: 0.5*p + 0.5*(d - q), maximize: "dot(p, q)", subject to: 0 <= q <= 20}
population: {size: 10, law: normal, mean: [10], deviation: [1]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1}, cap: {norm: .inf}, safe: [4]}
`

// Another build says so in the log; with another arithmetic the loop is paused until somebody resumes it.
func TestAnotherBuildSaysSo(t *testing.T) {
	for _, c := range []struct {
		name   string
		was    int // the arithmetic
		to     folder.Build
		kinds  []Kind // of the events of the next ask
		paused bool
	}{
		{"the same", 2, folder.Build{Version: "1", Numeric: 2}, []Kind{Opened}, false},
		{"another version", 2, folder.Build{Version: "2", Numeric: 2}, []Kind{BuildChanged, Opened}, false},
		{"another arithmetic", 2, folder.Build{Version: "2", Numeric: 3}, []Kind{BuildChanged, ModeChanged, Opened}, true},
		{"an arithmetic that nobody has written down", 0, folder.Build{Version: "2", Numeric: 3}, []Kind{BuildChanged, Opened}, false},
	} {
		l := New("shop", Standard)
		l.own = folder.Build{Version: "1", Numeric: c.was}
		now := time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)
		if _, _, err := l.Do(now, "test", Create{Spec: narrow, Mode: Live, Epoch: "e"}, nil); err != nil {
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

// A loop that is decided again goes by the builds that its events name, and by its own where they name none.
func TestLoopsGoByTheirBuilds(t *testing.T) {
	own, old, later := folder.Build{Version: "9", Numeric: 9}, folder.Build{Version: "1", Numeric: 2}, folder.Build{Version: "3", Numeric: 4}
	l := New("shop", Standard)
	l.own, l.build = own, later
	for _, c := range []struct {
		kind Kind
		body string
		want folder.Build
	}{
		{Created, `{"spec":""}`, own}, {Created, `[]`, own}, {Opened, `{"build":{"version":"1","numeric":2}}`, own}, {Created, `{"build":{"version":"1","numeric":2}}`, old}, {BuildChanged, `{}`, later},
	} {
		l.GoBy(&Event{Kind: c.kind, Body: []byte(c.body)})
		if l.own != c.want {
			t.Errorf("%s %s: it goes by %+v, want %+v", c.kind, c.body, l.own, c.want)
		}
	}
}

// Another arithmetic pauses what decides or learns; what is paused, killed or archived stays as it is.
func TestAnotherArithmeticPausesWhatDecides(t *testing.T) {
	now := time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)
	for mode, then := range map[Mode]Mode{Live: Paused, Shadow: Paused, Paused: Paused, Killed: Killed, Ended: Ended} {
		l := New("shop", Standard)
		l.own = folder.Build{Version: "1", Numeric: 2}
		l.Do(now, "test", Create{Spec: narrow, Mode: Live, Epoch: "e"}, nil)
		if mode == Ended {
			l.Do(now, "test", Archive{}, nil)
		} else {
			l.Do(now, "test", Switch{To: mode}, nil)
		}
		l.own = folder.Build{Version: "1", Numeric: 3}
		_, events, err := l.Do(now, "test", Pass{}, nil)
		want := 1
		if mode == Ended {
			want = 0
		} else if then != mode {
			want = 2
		}
		if err != nil || l.mode != then || len(events) != want || want > 0 && (events[0].Actor != "kedge" || l.who != "test") {
			t.Errorf("%s is %s after %d events, %v", mode, l.mode, len(events), err)
		}
		if want == 2 && !strings.Contains(string(events[1].Body), "kedge now computes with arithmetic 3, the loop was run with 2") {
			t.Errorf("%s", events[1].Body)
		}
	}
}

package hub

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
)

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Watchers of random scripts see what they saw when this was recorded: events, loops that changed, who is behind, who is woken and when.
func TestScriptsAreAsRecorded(t *testing.T) {
	var lines []string
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) { lines = append(lines, script(seed)...) })
	}
	evidence.AsRecorded(t, "testdata/scripts.txt", lines)
}

func script(seed uint64) (lines []string) {
	random, h := rand.New(rand.NewPCG(seed, 5)), New()
	names, next, leave := []string{"shop", "b", "_server", ""}, map[string]int{}, []func(){}
	begun := time.Now()
	for range 250 {
		name, said := names[random.IntN(len(names))], ""
		switch k := random.IntN(9); {
		case k == 0:
			crowd := 1
			if random.IntN(8) == 0 {
				crowd = 60
			}
			for range crowd {
				if out, ok := h.Watch(name, 150); ok {
					leave = append(leave, out)
				} else {
					said += "full "
				}
			}
		case k == 1 && len(leave) > 0:
			for range min(len(leave), 1+random.IntN(20)) {
				i := random.IntN(len(leave))
				leave[i]()
				leave = slices.Delete(leave, i, i+1)
			}
		case k == 2:
			h.Forget(name)
			said = fmt.Sprint("gone ", h.Gone(name) != nil && closed(h.Gone(name)))
		case k == 3:
			after, wanted := h.Heard(session.Tip{Loop: name, Seq: next[name] + random.IntN(4)})
			said = fmt.Sprint("heard ", after, wanted)
		case k == 4:
			time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
		case name != "":
			var events []session.Event
			for range 1 + random.IntN(3) {
				next[name]++
				body := []byte(`{}`)
				switch random.IntN(25) {
				case 0:
					body = []byte(`{`)
				case 1:
					next[name] += 3
				case 2:
					body = []byte(`"` + strings.Repeat("x", RingBytes/(1+random.IntN(3))) + `"`)
				}
				events = append(events, session.Event{Seq: next[name], Body: body})
			}
			var changed <-chan struct{}
			if h.rings[name] != nil {
				_, changed, _ = h.After(name, 0)
			}
			_, _, moved, _ := h.Moved(0)
			h.Tell(name, events)
			said = fmt.Sprint("told ", next[name], changed != nil && closed(changed), closed(moved))
		}
		lines = append(lines, fmt.Sprint(seed, " ", name, " ", said, " ", h.Watching(), " ", state(h, next), " ", time.Since(begun)))
	}
	for _, out := range leave {
		out()
	}
	time.Sleep(time.Second)
	return append(lines, fmt.Sprint(h.Watching(), len(h.Watched())))
}

// state is what watchers of all loops would see from some places on.
func state(h *Hub, next map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(slices.Values(h.Watched())) {
		for _, after := range []int{0, next[name] - 2, next[name] - 1, next[name]} {
			events, _, behind := h.After(name, after)
			first, bytes := 0, 0
			for _, e := range events {
				bytes += len(e.Text)
			}
			if len(events) > 0 {
				first = events[0].Seq
			}
			list = append(list, fmt.Sprint(after, ":", len(events), " ", first, " ", bytes, behind))
		}
	}
	heads, now, _, behind := h.Moved(max(0, h.fleet.first+len(h.fleet.heads)-3))
	list = append(list, fmt.Sprint(now, behind))
	for _, name := range slices.Sorted(maps.Keys(heads)) {
		list = append(list, fmt.Sprint(name, heads[name].Seq))
	}
	return strings.Join(list, ", ")
}

// Events that fill a ring to the last byte are in it, after a gap too; a byte more, and the oldest is not.
func TestRingsAreFilledToTheLastByte(t *testing.T) {
	of := func(seq, length int) session.Event {
		empty, err := Encode(session.Event{Seq: seq, Body: []byte(`""`)})
		if err != nil {
			t.Fatal(err)
		}
		return session.Event{Seq: seq, Body: []byte(`"` + strings.Repeat("x", length-len(empty.Text)) + `"`)}
	}
	for more, want := range []int{2, 1} {
		h := New()
		leave, _ := h.Watch("shop", 1)
		defer leave()
		h.Tell("shop", []session.Event{{Seq: 2}})
		h.Tell("shop", []session.Event{of(11, RingBytes/2+more), of(12, RingBytes/2)})
		if events, _, behind := h.After("shop", 12-want); behind || len(events) != want {
			t.Errorf("%d bytes too many: %d events, want %d; behind: %v", more, len(events), want, behind)
		}
		h.Tell("shop", []session.Event{of(13, RingBytes+more)})
		if events, _, behind := h.After("shop", 12); len(events) != 1-more || behind != (more > 0) {
			t.Errorf("one event, %d bytes too many: %d events, behind: %v", more, len(events), behind)
		}
	}
}

// 49 watchers are woken at once; from 50 on, for whom it takes a millisecond, they wait for what follows.
func TestFiftyAreACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New()
		for n := 1; n <= 50; n++ {
			h.Watch("shop", 50)
			_, changed, _ := h.After("shop", 0)
			if h.Tell("shop", []session.Event{{Seq: n}}); closed(changed) != (n < 50) {
				t.Errorf("%d watchers are woken: %v", n, closed(changed))
			}
		}
		time.Sleep(time.Second)
		for range 4000 { // for whom it takes longer than anybody waits
			h.Watch("shop", 5000)
		}
		_, changed, _ := h.After("shop", 0)
		begun := time.Now()
		h.Tell("shop", []session.Event{{Seq: 51}})
		if <-changed; time.Since(begun) != 50*time.Millisecond {
			t.Errorf("a large crowd is woken after %v", time.Since(begun))
		}
	})
}

// What is kept of a loop and of all loops, in numbers: 256 events, and 4,096 changes.
func TestHowMuchIsKept(t *testing.T) {
	h := New()
	leave, _ := h.Watch("shop", 2)
	defer leave()
	all, _ := h.Watch("", 2)
	defer all()
	for seq := 1; seq <= 5000; seq++ {
		h.Tell("shop", []session.Event{{Seq: seq}})
	}
	events, _, behind := h.After("shop", 5000-256)
	_, _, out := h.After("shop", 5000-257)
	_, now, _, late := h.Moved(5000 - 4096)
	if _, _, _, later := h.Moved(5000 - 4097); len(events) != 256 || behind || !out || now != 5000 || late || !later {
		t.Errorf("%d events, behind: %v, %v; %d changes, behind: %v, %v", len(events), behind, out, now, late, later)
	}
}

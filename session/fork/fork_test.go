package fork_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/fork"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/plan"
	"github.com/kedge-opt/kedge/store"
)

const shop = `
iterations: 100
model: {decision: "q[2]", state: "p[2]", trait: "d[2]", next: "0.5*p + 0.5*(d - q)", maximize: "dot(p, q)", subject to: "0 <= q <= 20"}
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
start: {law: values, values: [3, 3]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1, ids: optional}, cap: {norm: 0.5}, safe: [4, 4], approval: beyond, beyond: 0.3, guardrails: [{name: complaints, kind: external, most: 9, action: warn}]}
`

// frail is a journal whose calls fail after some.
type frail struct {
	session.Journal
	left, appends int
}

var errDisk = errors.New("the disk is gone")

func (f *frail) fails() error {
	if f.left--; f.left < 0 {
		return errDisk
	}
	return nil
}

func (f *frail) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	f.appends++
	if err := f.fails(); err != nil {
		return func() error { return err }
	}
	return f.Journal.Append(loop, after, events, state)
}

func (f *frail) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Journal.Read(ctx, loop, after, visit)
}

func (f *frail) Decision(loop string, k int) ([]session.Event, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Journal.Decision(loop, k)
}

func (f *frail) Find(loop string, k int, ref string) (*session.Event, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Journal.Find(loop, k, ref)
}

func (f *frail) Blob(loop string, sum session.Hash) ([]byte, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Journal.Blob(loop, sum)
}

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// crowd is a batch of people.
func crowd(seed uint64, n int) (b session.Batch) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		b.P, b.D = append(b.P, 4+r.Float64(), 4), append(b.D, 9, 8+r.Float64())
	}
	return b
}

// lived is a loop that much has happened to, in a journal of its own; so many people have answered its first decision.
func lived(t *testing.T, people int) (*frail, *session.Fleet, *clock) {
	t.Helper()
	j, c := &frail{Journal: store.NewMemory(), left: 1 << 30}, &clock{time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	h := session.NewFleet(j, c, session.Standard, nil)
	do := func(command session.Command) any {
		t.Helper()
		c.now = c.now.Add(time.Hour)
		reply, err := h.Do(t.Context(), "shop", "test", command)
		if err != nil {
			t.Fatalf("%T: %v", command, err)
		}
		return reply
	}
	do(session.Create{Spec: shop, Mode: session.Live, Epoch: "first"})
	for k := 1; k <= 8; k++ {
		a := do(session.Ask{}).(session.Offer)
		if a.State == session.IsProposed {
			do(session.Approve{K: k})
			a = do(session.Ask{}).(session.Offer)
		}
		do(session.Deploy{K: k, U: a.U})
		b := crowd(uint64(k), 2)
		switch k {
		case 1:
			rest := people
			for ; rest > session.MostRows; rest -= session.MostRows {
				do(session.Tell{K: k, ID: fmt.Sprint("before-", rest), Batch: crowd(uint64(rest), session.MostRows)})
			}
			do(session.Tell{K: k, ID: "half", Batch: crowd(0, rest/2)})
			b = crowd(uint64(k), rest/2)
		case 5:
			b.Who = []uint64{7, 8}
		}
		do(session.Once{Word: fmt.Sprint("word-", k), Of: session.Tell{K: k, ID: "all", Batch: b}})
		do(session.TellMetric{K: k, Name: "complaints", Metered: guard.Metered{Value: float64(k)}})
		switch k {
		case 3:
			do(session.Abandon{K: k, Reason: "rain"})
		case 4: // which ends the decision
			do(session.Revise{Spec: strings.Replace(shop, "step: 0.05", "step: 0.1", 1), Reason: "faster", Revision: 1})
		case 5:
			do(session.Close{K: k})
			do(session.SetPin{U: []float64{3, 4}, UntilK: 6})
		case 6:
			do(session.Close{K: k})
			do(session.Switch{To: session.Paused, Reason: "look"})
			do(session.Switch{To: session.Live, Reason: "on"})
		default:
			do(session.Close{K: k})
		}
	}
	late := crowd(9, 1)
	late.Who = []uint64{9}
	do(session.Tell{K: 8, ID: "late", Batch: late})
	return j, h, c
}

func slower(spec string) (string, error) {
	return plan.Edit(kind.Standard(), spec, []string{"algorithms.composite.step=0.01"})
}

func same(spec string) (string, error) { return spec, nil }

var sums = regexp.MustCompile(`"(epoch|hash|build|state|of)":"[^"]*"`)

// told are the events of a loop.
func told(t *testing.T, j session.Journal, loop string) (list []string) {
	t.Helper()
	if err := j.Read(t.Context(), loop, 0, func(e session.Event) error {
		body := sums.ReplaceAllString(string(e.Body), "")
		if e.Kind == session.Created {
			body = ""
		}
		list = append(list, fmt.Sprintf("%d %s %s %s %d %q %.160s", e.Seq, e.At.Format(time.TimeOnly), e.Actor, e.Kind, e.K, e.Ref, strings.Join(evidence.Rounded(body), " ")))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// Forks of a loop that much has happened to are what they were when this was recorded, from whatever decision on.
func TestForksAsRecorded(t *testing.T) {
	j, h, c := lived(t, 2)
	c.now = c.now.Add(time.Hour)
	got := told(t, j, "shop")
	for _, k := range []int{1, 4, 8} {
		for name, edit := range map[string]func(string) (string, error){"same": same, "slower": slower} {
			name = fmt.Sprint(name, "-", k)
			j.appends = 0
			s, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: k, Set: []string{"x=1"}}, name, edit)
			if err != nil || s.Mode != session.Shadow || s.K != 8 {
				t.Fatalf("%s: %+v, %v", name, s, err)
			}
			if j.appends != 1 {
				t.Errorf("%s is written in %d parts", name, j.appends)
			}
		}
	}
	for _, name := range []string{"same-1", "slower-1", "slower-4", "slower-8"} {
		got = append(append(got, name+":"), told(t, j, name)...)
	}
	evidence.AsRecorded(t, "testdata/forks.txt", got)
}

// many are people who are more than a fork holds before it writes: 4 numbers of 8 bytes each, of 16 MiB.
const many = 600_000

// A fork keeps what it changes when the loop is revised later on.
func TestForksOfLoopsThatAreRevisedLater(t *testing.T) {
	_, h, _ := lived(t, 2)
	s, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 2}, "x", slower)
	if err != nil || s.Revision != 3 || s.Epoch == "" || s.Epoch == "first" {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := h.Look(t.Context(), "x", func(l *session.Loop) error {
		if !strings.Contains(l.Spec(), "step: 0.01") {
			t.Errorf("the spec is %s", l.Spec())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// What cannot be forked is refused before anything is written, though much of it would be by then.
func TestForksThatAreRefused(t *testing.T) {
	j, h, c := lived(t, many)
	odd := errors.New("no such key")
	refuses := func(of, name string, k int, edit func(string) (string, error), want string) {
		t.Helper()
		_, err := fork.Fork(t.Context(), h, session.Forking{Of: of, AtK: k}, name, edit)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s from %d: %v, want %s", of, k, err, want)
		}
		if list := told(t, j, "x"); len(list) > 0 {
			t.Fatalf("%s from %d has written %d events", of, k, len(list))
		}
	}
	refuses("shop", "shop", 1, same, "name-taken: there is a loop shop already")
	refuses("shop", "x", 0, same, "not-found: loop shop has decisions from 1 to 8, none is 0")
	refuses("shop", "x", 9, same, "not-found: loop shop has decisions from 1 to 8, none is 9")
	refuses("nobody", "x", 1, same, "not-found: there is no loop nobody")
	for _, k := range []int{1, 2, 5, 8} { // of which the first was proposed, and the others opened
		refuses("shop", "x", k, func(string) (string, error) { return "", odd }, odd.Error())
		refuses("shop", "x", k, func(string) (string, error) { return "nonsense", nil }, "bad-spec: ")
		refuses("shop", "x", k, func(s string) (string, error) {
			return strings.Replace(s, "samples: {least: 1", "samples: {least: 0", 1), nil
		}, "bad-spec: ")
	}
	refuses("shop", "x", 2, func(s string) (string, error) { // where the loop is revised later
		return s, map[bool]error{true: odd}[strings.Contains(s, "step: 0.1,")]
	}, odd.Error())
	refuses("shop", "x", 2, func(s string) (string, error) { return strings.Replace(s, "step: 0.1,", "step: -1,", 1), nil }, "bad-spec: ")
	gone := "not-found: the people of decision %d of loop shop were dropped, so that nothing can be learned from them again"
	for _, one := range []struct {
		who uint64
		k   int
	}{{9, 8}, {7, 5}} {
		c.now = c.now.Add(time.Hour)
		if _, err := h.Do(t.Context(), "shop", "test", session.Erase{Who: one.who}); err != nil {
			t.Fatal(err)
		}
		refuses("shop", "x", 8, same, fmt.Sprintf(gone, one.k))
	}
	c.now = c.now.AddDate(0, 6, 0)
	if _, err := h.Do(t.Context(), "shop", "test", session.Compact{}); err != nil {
		t.Fatal(err)
	}
	refuses("shop", "x", 8, same, fmt.Sprintf(gone, 1))
}

// What happens to a loop while it is forked is not fed: the fork is of how it stood.
func TestForksOfLoopsThatGoOn(t *testing.T) {
	j, h, _ := lived(t, 2)
	_, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 8}, "x", func(spec string) (string, error) {
		if _, err := h.Do(t.Context(), "shop", "test", session.SetPin{U: []float64{3, 4}, Reason: "meanwhile"}); err != nil {
			t.Error(err)
		}
		return spec, nil
	})
	if err != nil || strings.Contains(strings.Join(told(t, j, "x"), " "), "meanwhile") || !strings.Contains(strings.Join(told(t, j, "shop"), " "), "meanwhile") {
		t.Errorf("%v: %v", err, told(t, j, "x"))
	}
}

// Whatever call of the journal fails, the fork does, and nothing that was not written is said to be.
func TestForksOnADiskThatFails(t *testing.T) {
	j, h, _ := lived(t, 2)
	for left := 0; left < 300; left++ {
		j.left = left
		s, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 4}, fmt.Sprint("x", left), slower)
		calls := left - j.left
		j.left = 1 << 30
		if err == nil {
			events := told(t, j, fmt.Sprint("x", left))
			if left < 10 || calls != left || !strings.Contains(events[len(events)-1], "fork mode") || s.Mode != session.Shadow {
				t.Errorf("a fork is made by %d calls of %d, and ends with %s", calls, left, events[len(events)-1])
			}
			return
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("after %d calls: %v", left, err)
		}
	}
	t.Fatal("it always fails")
}

// A decision that is proposed and that nobody has approved can be forked from, and what cannot be made of it is refused before anything is written.
func TestForksOfProposals(t *testing.T) {
	j, c := store.NewMemory(), &clock{time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	h := session.NewFleet(j, c, session.Standard, nil)
	spec := strings.Replace(shop, "approval: beyond, beyond: 0.3", "approval: always", 1)
	for _, command := range []session.Command{session.Create{Spec: spec, Mode: session.Live, Epoch: "first"}, session.Ask{}} {
		if _, err := h.Do(t.Context(), "shop", "test", command); err != nil {
			t.Fatal(err)
		}
	}
	if list := strings.Join(told(t, j, "shop"), "\n"); !strings.Contains(list, " proposed 1 ") || strings.Contains(list, " opened 1 ") {
		t.Fatalf("the loop has %s", list)
	}
	_, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 1}, "x", func(string) (string, error) { return "nonsense", nil })
	if list := told(t, j, "x"); !session.IsRefusal(err, session.BadSpec) || len(list) > 0 {
		t.Errorf("%v, and %d events are written", err, len(list))
	}
	edits := 0
	s, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 1}, "x", func(spec string) (string, error) { edits++; return slower(spec) })
	if err != nil || s.Revision != 2 || edits != 2 {
		t.Errorf("%+v, %v, after %d edits", s, err, edits)
	}
}

// A spec is edited once to try it and once to have it, and so is every one that the loop is given later on: at decision 4, here.
func TestHowOftenASpecIsEdited(t *testing.T) {
	_, h, _ := lived(t, 2)
	for k, want := range map[int]int{1: 4, 3: 4, 4: 4, 5: 2, 8: 2} {
		edits := 0
		if _, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: k}, fmt.Sprint("x", k), func(spec string) (string, error) { edits++; return spec, nil }); err != nil || edits != want {
			t.Errorf("from decision %d: %d edits, want %d, %v", k, edits, want, err)
		}
	}
}

// A loop that was rolled back is forked with that; and whatever call of the journal fails, that is said.
func TestForksOfLoopsThatWentBack(t *testing.T) {
	j, h, _ := lived(t, 2)
	if _, err := h.Do(t.Context(), "shop", "test", session.RollBack{K: 2, Reason: "back"}); err != nil {
		t.Fatal(err)
	}
	for left := 0; left < 100; left++ {
		j.left = left
		s, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 8}, fmt.Sprint("x", left), same)
		if j.left = 1 << 30; err == nil {
			list := told(t, j, fmt.Sprint("x", left))
			if !strings.Contains(strings.Join(list, "\n"), " rolled-back ") || s.Mode != session.Shadow {
				t.Errorf("the fork has %v", list)
			}
			return
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("after %d calls: %v", left, err)
		}
	}
	t.Error("it always fails")
}

// An edit that fails is an error whenever it does; one that fails on a spec that the fork never has is none.
func TestEditsThatFail(t *testing.T) {
	odd := errors.New("no such key")
	for n := range 5 {
		_, h, _ := lived(t, 2)
		left := n
		_, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 2}, "x", func(spec string) (string, error) {
			if left--; left == -1 { // this once
				return "", odd
			}
			return slower(spec)
		})
		if (n < 4) != errors.Is(err, odd) { // tried with both specs, and made of both
			t.Errorf("after %d edits: %v", n, err)
		}
	}
	_, h, _ := lived(t, 2)
	if _, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 5}, "x", func(spec string) (string, error) {
		return spec, map[bool]error{true: odd}[strings.Contains(spec, "step: 0.05,")]
	}); err != nil {
		t.Error(err)
	}
}

// blobs is a journal that gives so many blobs back and no more.
type blobs struct {
	session.Journal
	left int
}

func (b *blobs) Blob(loop string, sum session.Hash) ([]byte, error) {
	if b.left--; b.left < 0 {
		return nil, errOdd
	}
	return b.Journal.Blob(loop, sum)
}

var errOdd = errors.New("the disk is odd")

// People who cannot be read, at first or when what they are for happens again, were not dropped: it is said why, and nothing goes on without them.
func TestPeopleWhoCannotBeRead(t *testing.T) {
	j, _, c := lived(t, 17_000) // more than are kept at hand
	b := &blobs{j, 1 << 30}
	h, batches := session.NewFleet(b, c, session.Standard, nil), 0
	for _, line := range told(t, j, "shop") {
		if strings.Contains(line, " batch") {
			batches++
		}
	}
	if err := h.Look(t.Context(), "shop", func(*session.Loop) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for calls, want := range map[int]string{0: "", batches: "", batches + 2: "of loop shop, closed: batch "} { // all of them are looked at, and then told: the first two before the first close
		b.left = calls
		if _, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 2}, fmt.Sprint("x", calls), same); !errors.Is(err, errOdd) || session.IsRefusal(err, session.NotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("after %d blobs: %v", calls, err)
		}
	}
}

// People who are dropped while a loop is forked are missed when their turn comes.
func TestPeopleAreDroppedMeanwhile(t *testing.T) {
	for calls, who := range map[int]uint64{1: 7, 2: 9} {
		_, h, _ := lived(t, 2)
		left := calls
		_, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 8}, "x", func(spec string) (string, error) {
			if left--; left == 0 {
				if _, err := h.Do(t.Context(), "shop", "test", session.Erase{Who: who}); err != nil {
					t.Error(err)
				}
			}
			return spec, nil
		})
		if !session.IsRefusal(err, session.NotFound) || !strings.Contains(err.Error(), "were dropped") {
			t.Errorf("at edit %d: %v", calls, err)
		}
	}
}

// Of a large loop what is fed is written before all of it is, as soon as it is more than 16 MiB.
func TestLargeForksAreWrittenInParts(t *testing.T) {
	parts := map[int]int{}
	for _, people := range []int{2, 500_000, many} {
		j, h, _ := lived(t, people)
		j.appends = 0
		if _, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 8}, "x", same); err != nil {
			t.Fatal(err)
		}
		parts[people] = j.appends
	}
	if parts[2] != parts[500_000] || parts[many] != parts[2]+1 {
		t.Errorf("written in so many parts: %v", parts)
	}
}

package postgres

import (
	"net/http"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
)

// removed takes a loop out of the database, as the server does for whoever asks for that.
func removed(t *testing.T, j *Database, h *session.Fleet, loop string) {
	t.Helper()
	own, err := chronicle.Open(t.Context(), j, wall{}, session.OfServer, func(session.Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Do(t.Context(), loop, "test", session.Archive{Reason: "over"}); err != nil {
		t.Fatal(err)
	}
	err = h.Dismiss(t.Context(), loop, func(l *session.Loop) error {
		return own.Write(t.Context(), "test", func(_ time.Time) (chronicle.Notice, error) {
			s := l.Status()
			return chronicle.Notice{Kind: chronicle.LoopRemoved, Body: s.Loop, Removes: session.Tip{Loop: loop, Seq: s.Seq, Hash: s.Hash}}, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A loop that one server removes is gone on all of them, and one that is made anew under its name is shown by all of them, whoever had looked at the old one.
func TestALoopThatIsRemovedIsGoneOnAllServers(t *testing.T) {
	url, ctx := emptied(t, running(t)), t.Context()
	var hosts [2]*session.Fleet
	var journals [2]*Database
	for i := range hosts {
		journals[i] = opened(t, url)
		hosts[i] = session.NewFleet(journals[i], wall{}, session.Standard, nil)
	}
	shows := func(h *session.Fleet) (epoch string, err error) {
		err = h.Look(ctx, "shop", func(l *session.Loop) error { epoch = l.Status().Epoch; return nil })
		return epoch, err
	}
	create := func(epoch string) {
		t.Helper()
		if _, err := hosts[0].Do(ctx, "shop", "test", session.Create{Spec: shop, Mode: session.Live, Epoch: epoch}); err != nil {
			t.Fatal(err)
		}
	}
	create("first")
	if epoch, err := shows(hosts[1]); epoch != "first" || err != nil {
		t.Fatalf("epoch %s, %v", epoch, err)
	}
	removed(t, journals[0], hosts[0], "shop")
	if epoch, err := shows(hosts[1]); !session.IsRefusal(err, session.NotFound) {
		t.Errorf("the other server shows a loop that was removed, of epoch %s, %v", epoch, err)
	}
	create("second")
	shows(hosts[1])
	removed(t, journals[0], hosts[0], "shop")
	for _, epoch := range []string{"third", "fourth"} { // each as long as the one before
		create(epoch)
		if is, err := shows(hosts[1]); is != epoch || err != nil {
			t.Errorf("the other server shows epoch %s, %v, want %s", is, err, epoch)
		}
		removed(t, journals[0], hosts[0], "shop")
	}
}

// A loop that is made anew on one server, of people with other numbers, takes batches of those on all of them at once. Else they would be refused for good, or be
// A loop that is removed by one server and made anew there, of people of fewer numbers, takes its batches on the other: who is told to try again is heard.
func TestALoopMadeAnewTakesItsOwnBatchesOnAllServers(t *testing.T) {
	url, ctx := emptied(t, running(t)), t.Context()
	all := []*replica{replicaOf(t, url), replicaOf(t, url)}
	tells := func(row string) {
		t.Helper()
		status, said := 0, answer{}
		for range 2 {
			if status, said = all[1].send(t, "PUT", "decisions/1/batches/am", `{"p":[`+row+`],"d":[`+row+`]}`); status != http.StatusServiceUnavailable {
				break
			}
		}
		if status != http.StatusCreated {
			t.Errorf("%s: %d %v", row, status, said)
		}
	}
	for _, c := range []struct{ spec, row string }{{shop, "[7,8]"}, {single, "[7]"}, {shop, "[7,8]"}} {
		if _, err := all[0].Create(ctx, "shop", c.spec, session.Live); err != nil {
			t.Fatal(err)
		}
		l := all[0].Loop("shop")
		d, err := l.Ask(ctx)
		if err == nil {
			_, err = l.Deploy(ctx, d.K, d.U)
		}
		if err != nil {
			t.Fatal(err)
		}
		tells(c.row)
		if _, err = l.Archive(ctx); err == nil {
			_, err = l.Remove(ctx, "over", false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// single is a loop of people with one number.
const single = `
iterations: 100
model: {decision: q, state: p, trait: d, next: "0.5*p + 0.5*(d - q)", maximize: "p * q", subject to: "0 <= q <= 20"}
population: {size: 10, law: normal, mean: 10, deviation: 1}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1}, cap: {norm: 0.5}, safe: [4]}
`

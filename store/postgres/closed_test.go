package postgres

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/session"
)

// Who asks where a loop is while the journal is closed is told so, and does not wait for ever: a service that ends would not come to its end.
func TestNobodyWaitsForAJournalThatIsClosed(t *testing.T) {
	j := opened(t, emptied(t, running(t)))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 1)
	go func() { told <- second(j.Tip("shop")()) }()
	select {
	case err := <-told:
		if err == nil || err.Error() != "the journal is closed" {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for ever")
	}
}

// Who wants to look after deadlines waits for a connection by himself: what happens to loops is written meanwhile.
func TestWhoWantsToKeepHouseHoldsNobodyUp(t *testing.T) {
	j := opened(t, emptied(t, running(t)))
	dials := make(chan struct{})
	j.config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { // to a machine that does not answer
		close(dials)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go j.Keeper(ctx)
	<-dials
	written := make(chan error, 1)
	go func() {
		c := &journal.Chain{Loop: "shop"}
		written <- j.Append("shop", 0, []session.Event{c.Next(0, "", nil)}, nil)()
	}()
	select {
	case err := <-written:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(3 * time.Second):
		t.Error("nothing is written")
	}
}

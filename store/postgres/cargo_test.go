package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/kedge-opt/kedge/session"
)

// By hand: the events of all groups are one statement and their blobs another; what else a group has is a statement of its own, and what nobody has is none.
func TestStatementsOfAWrite(t *testing.T) {
	names := map[string]string{insert: "insert", blobs: "blobs", drop: "drop", outdate: "outdate", state: "state"}
	of := func(requests ...*request) *group {
		g := &group{requests: requests, was: head{1, 4, []byte{4}}, now: head{1, 4, []byte{4}}}
		for _, r := range requests {
			g.now.seq += len(r.events)
		}
		return g
	}
	raised, late := []session.Event{{Kind: session.Raised}}, []session.Event{{Kind: session.DeployedLate, K: 1}}
	blob, sums, newest := []wrapped{{sum: []byte{7}}}, [][]byte{{8}}, []byte("state")
	for _, c := range []struct {
		groups []*group
		want   string
		asked  int // of how many states it is asked whether they are still of their loop
	}{
		{nil, "", 0}, {[]*group{of(&request{})}, "", 0}, {[]*group{of(&request{state: newest})}, "state", 1},
		{[]*group{of(&request{state: newest}), of(&request{state: newest}, &request{state: newest})}, "state state", 2},
		{[]*group{of(&request{events: raised})}, "insert", 0}, {[]*group{of(&request{events: raised}), of(&request{events: raised}, &request{events: raised})}, "insert", 0},
		{[]*group{of(&request{events: raised, state: newest})}, "state insert", 0}, {[]*group{of(&request{events: late}, &request{events: late})}, "outdate outdate insert", 0},
		{[]*group{of(&request{blobs: blob}), of(&request{blobs: blob}, &request{blobs: blob})}, "blobs", 0}, {[]*group{of(&request{drops: sums}), of(&request{drops: sums}, &request{drops: sums})}, "drop drop", 0},
		{[]*group{of(&request{events: late, blobs: blob, drops: sums, state: newest}), of(&request{state: newest})}, "outdate drop state state insert blobs", 1},
	} {
		var b pgx.Batch
		var all cargo
		for _, g := range c.groups {
			all.add(&b, g)
		}
		all.put(&b)
		var got []string
		asked := 0
		for _, q := range b.QueuedQueries {
			got = append(got, names[q.SQL])
			if q.Fn != nil {
				asked++
			}
		}
		if !slices.Equal(got, strings.Fields(c.want)) || asked != c.asked {
			t.Errorf("%q and %d asked, want %s and %d", got, asked, c.want, c.asked)
		}
	}
}

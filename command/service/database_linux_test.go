package service

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/cluster"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
)

// aLifeInADatabase are commands in the order in which they are typed: DB, EMPTY and LAST are new databases, at BAD there is none.
const aLifeInADatabase = `
loop create shop SHOP --db DB --mode live
ask shop --db DB
deploy shop 1 1 2 --db DB
tell shop 1 am am.ndjson --db DB
close shop 1 --db DB
replay shop --db DB
replay nobody --db DB
backup --db DB
backup b.kedge --db DB
loop create shop SHOP --data d --mode live
ask shop --data d
backup b.kedge --data d
restore b.kedge --db EMPTY
restore b.kedge --db EMPTY
restore --db EMPTY
replay shop --db EMPTY
restore --db BAD
replay shop --db BAD
restore missing --db LAST
restore --db LAST
serve --db DB --state-dir am.txt --listen 127.0.0.1:0
serve --db DB --listen 0.0.0.0:0
`

// Commands make, read, check and restore what is in a database, and say where one is not what they need, as when that was last read; a service on one keeps
// the marks of kills in a folder of its own.
func TestDatabasesAreAsRecorded(t *testing.T) {
	path, err := filepath.Abs("testdata/databases.txt")
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Start(cluster.Memory())
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("no PostgreSQL in /usr/lib/postgresql")
	}
	defer c.Remove()
	inFolder(t)
	urls := map[string]string{}
	for _, name := range []string{"DB", "EMPTY", "LAST"} {
		if urls[name], err = c.Database(name); err != nil {
			t.Fatal(err)
		}
	}
	bad := "postgres://nobody@127.0.0.1:1/x"
	into, back := strings.NewReplacer("DB", urls["DB"], "EMPTY", urls["EMPTY"], "LAST", urls["LAST"], "BAD", bad), strings.NewReplacer(urls["DB"], "DB", urls["EMPTY"], "EMPTY", urls["LAST"], "LAST", bad, "BAD")
	var text strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(aLifeInADatabase), "\n") {
		line = strings.ReplaceAll(into.Replace(line), "_", "%5F") // which typed takes for a blank
		text.WriteString(back.Replace(strings.ReplaceAll(typed(t.Context(), "", line), "%5F", "_")))
	}
	for _, at := range []string{"DB", "LAST"} {
		_, found, err := VerifyLogs(t.Context(), []string{urls[at]})
		text.WriteString(back.Replace(fmt.Sprintf("verify %s: %v, %v\n", at, found, err)))
	}
	address, stop := started(t, "serve --state-dir kept/deep --listen 127.0.0.1:0 --db "+urls["DB"])
	if _, err := client.Open(address).Loop("shop").Switch(t.Context(), "kill", "wrong"); err != nil {
		t.Error(err)
	}
	said, err := stop()
	text.WriteString(back.Replace(fmt.Sprintf("%s%v\n", said, err)))
	if info, err := os.Stat("kept/deep/kill.map"); err != nil || info.Size() == 0 {
		t.Errorf("the marks of kills: %v", err)
	}
	evidence.AsRecorded(t, path, masked(regexp.MustCompile(`_[0-9]{15,}`).ReplaceAllString(text.String(), "")))
}

// Nobody who may ask whether a service is ready learns where its database is.
func TestReadinessKeepsSecrets(t *testing.T) {
	for _, c := range []struct{ health, want error }{{nil, nil}, {fmt.Errorf("host db: %w", session.ErrLost), session.ErrLost}, {context.Canceled, context.Canceled}} {
		if got := readiness(ailing{err: c.health})(); got != c.want {
			t.Errorf("%v is told as %v", c.health, got)
		}
	}
}

// ailing is a journal of some health.
type ailing struct {
	ledger
	err error
}

func (a ailing) Health() error { return a.err }

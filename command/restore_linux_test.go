package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A service moves to PostgreSQL by its backup: what comes next is what comes next in the folder, in another epoch. That needs a database without loops and
// a backup that is sound; without a backup, what pg_restore has put into a database begins another epoch.
func TestABackupIsRestoredIntoADatabase(t *testing.T) {
	dir, url := t.TempDir(), database(t, clustered(t))
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(code int, input string, args ...string) said {
		t.Helper()
		got := typed(t, input, args...)
		if got.code != code {
			t.Fatalf("kedge %v: %+v", args, got)
		}
		return got
	}
	if err := os.WriteFile(at("shop.yaml"), []byte(shopSpec), 0o600); err != nil {
		t.Fatal(err)
	}
	data := []string{"--data", at("data")}
	for _, command := range []string{"loop create shop " + at("shop.yaml") + " --mode live", "ask shop", "deploy shop 1 3 3", "tell shop 1 am", "close shop 1", "loop create other " + at("shop.yaml")} {
		run(0, `{"p":[7,5],"d":[10,8]}`+"\n"+`{"p":[6.5,5.25],"d":[9.5,8]}`+"\n", append(strings.Fields(command), data...)...)
	}
	run(0, "", append([]string{"backup", at("monday.kedge")}, data...)...)
	spoiled, err := os.ReadFile(at("monday.kedge"))
	if err != nil {
		t.Fatal(err)
	}
	spoiled[len(spoiled)/2] ^= 1
	if err := os.WriteFile(at("spoiled.kedge"), spoiled, 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitFailed, "", "restore", at("spoiled.kedge"), "--db", url)
	if got := run(0, "", "restore", at("monday.kedge"), "--db", url); got.out != "restored 2 chains, 6 events, 1 batch or state; every loop begins another epoch\n" {
		t.Errorf("restored: %+v", got)
	}
	if got := run(exitFailed, "", "restore", at("monday.kedge"), "--db", url); !strings.Contains(got.complaint, "has loops already") {
		t.Errorf("restored again: %+v", got)
	}
	run(0, "", "verify", url)
	epochs := map[string]bool{}
	asked := func(where ...string) any {
		t.Helper()
		text := run(0, "", append([]string{"ask", "shop", "--json"}, where...)...).out
		var of struct{ Epoch string }
		if err := json.Unmarshal([]byte(text), &of); err != nil || epochs[of.Epoch] {
			t.Errorf("the epoch is %q again, %v", of.Epoch, err)
		}
		epochs[of.Epoch] = true
		return timeless(t, text)
	}
	if in, there := asked(data...), asked("--db", url); !reflect.DeepEqual(in, there) {
		t.Errorf("the folder decides\n%v, the database\n%v", in, there)
	}
	run(0, "", "restore", "--db", url)
	asked("--db", url)
	run(0, "", "replay", "shop", "--db", url)
}

package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/spf13/cobra"
)

// smallShop is a loop that closes with two people and whose third decision waits for nobody.
const smallShop = `
iterations: 5
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  next: 0.5*p + 0.5*(d - 0.5*q)
  maximize: dot(p, q) - norm(q - 2)^2
  subject to: 0 <= q <= 5
population: {size: 4, dim: 2, law: normal, mean: 4, deviation: 1}
start: {law: values, values: [1, 2]}
algorithms: [{name: composite, step: 0.1, batch: 2}]
live:
  samples: {least: 2}
  cap: {norm: 0.5}
  safe: [1, 1]
  APPROVAL
  guardrails: [{name: churn, kind: external, most: 3}]
`

// typed types a line as it is told to a shell, without quotes, in a folder; RAW stands for standard input.
func typed(ctx context.Context, in, line string) string {
	root := &cobra.Command{Use: "kedge", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(Commands(kind.Standard())...)
	args := strings.Fields(line)
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "_", " ")
	}
	var out bytes.Buffer
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetIn(strings.NewReader(in))
	err := root.ExecuteContext(ctx)
	text := "$ kedge " + line + "\n" + out.String()
	var coded exit.Coded
	switch {
	case errors.As(err, &coded):
		text += fmt.Sprintf("exit %d: %v\n", coded.Code, err)
	case err != nil:
		text += fmt.Sprintf("refused: %v\n", err)
	}
	return text
}

// What differs from run to run: times, hashes, epochs, keys and sizes.
var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}[:-][0-9]{2}[:-][0-9]{2}(\.[0-9]+)?( UTC|Z)?`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"}, {regexp.MustCompile(`kedge_[A-Za-z0-9_-]{2,}`), "KEY"}, {regexp.MustCompile(`("epoch": ?"|epoch )[A-Za-z0-9-]+`), "${1}EPOCH"},
	{regexp.MustCompile(`exit 1: .*(deadline exceeded|connection refused).*`), "exit 1: no answer"}, {regexp.MustCompile(`process [0-9]+`), "process P"},
	{regexp.MustCompile(`127\.0\.0\.1:[0-9]+`), "ADDRESS"}, {regexp.MustCompile(`[0-9.]+(µs|ms|s) ago`), "AGO"},
}

// masked is a text without what differs from run to run.
func masked(text string) []string {
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.with)
	}
	return evidence.Rounded(text)
}

// aLifeOfLoops are commands in the order in which they are typed; SHOP is a spec, and blanks within an argument are underscores.
const aLifeOfLoops = `
loop list --data d
loop create shop SHOP --data d
loop create shop SHOP --data d --mode live
loop create asks ASKS --data d --mode live
loop create other missing.yaml --data d
loop create other SHOP --data d --mode asleep
loop create BAD SHOP --data d
loop create shop SHOP --data d --server http://x
loop list --data d
loop list --data d --json
loop show shop --data d
loop show shop --data d --json
loop show nobody --data d
ask shop --data d
ask shop --data d --json
ask nobody --data d
loop promote shop --data d --reason as_agreed
ask shop --data d
deploy shop 2 1 x --data d
deploy shop 0 1 2 --data d
deploy shop x 1 2 --data d
deploy shop 2 1 2 --data d
deploy shop 2 1 2 --data d
deploy shop 9 1 2 --data d
deploy shop 1 1 2 --data e
tell shop 2 am am.ndjson --data d
tell shop 2 am am.ndjson --data d
tell shop 2 pm pm.json --data d --json
tell shop 2 csv c.csv --data d
tell shop 2 csv bad.csv --data d
tell shop 2 txt am.txt --data d
tell shop 2 gone gone.json --data d
tell shop 2 in --data d
tell shop 2 dash - --data d
tell shop 2 --data d
tell shop x am am.ndjson --data d
tell shop 2 --metric churn=2.5 --data d
tell shop 2 --metric churn=2.5,0.1 --data d
tell shop 2 --metric churn=2.5,0.1,100 --data d
tell shop 2 --metric churn=2.5,0.1,100,3 --data d
tell shop 2 --metric churn --data d
tell shop 2 --metric =3 --data d
tell shop 2 --metric churn=x --data d
tell shop 2 am --metric churn=1 --data d
close shop 2 --data d
close shop 2 --data d --json
close shop x --data d
ask shop --data d
deploy shop 3 1.2 2.2 --data d
tell shop 3 am am.ndjson --data d
close shop 3 --data d
loop explain shop 3 --data d
loop rollback shop 2 --data d --reason complaints
close shop 4 --data d
ask shop --data d
abandon shop 4 --data d --reason closed
abandon shop x --data d
abandon shop 4 --data d
ask shop --data d
deploy shop 5 9 9 --data d
tell shop 5 one one.json --data d
close shop 5 --data d
ask shop --data d
loop health shop --data d
loop explain shop 4 --data d
loop explain shop 0 --data d
loop explain shop 44 --data d
loop guardrails shop rails.yaml --data d --last 1
loop guardrails shop rails.yaml --data d
loop guardrails shop none.yaml --data d
loop guardrails shop am.txt --data d
loop guardrails shop missing.yaml --data d
loop pin shop 2 2 --data d --reason sale
loop pin shop 2 z --data d
loop pin shop 2 99 --data d
ask shop --data d
loop unpin shop --data d
loop pin shop 2 2 --until 9 --data d
loop show shop --data d
loop unpin shop --data d
loop rollback shop 2 --data d --reason complaints
loop rollback shop safe --data d
loop rollback shop baseline --ramp --data d
loop rollback shop nowhere --data d
loop rollback shop 77 --data d
loop pause shop --data d
ask shop --data d
loop resume shop --data d
loop kill shop --data d --reason wrong
ask shop --data d
loop resume shop --data d
loop resume shop --data d --reason right
loop shadow shop --data d
kill --data d
kill shop --all --data d
kill shop --data d --reason bad
kill --all --data d --reason bad
ask asks --data d
loop resume asks --data d --reason on
ask asks --data d
loop approve asks 1 --data d
loop approve asks x --data d
loop approve asks 2 --data d --reason seen
loop reject asks 2 --data d
loop reject asks y --data d
ask asks --data d
fork shop --data d --at 2 --set algorithms.composite.step=0.2
fork shop --data d --at 2 --name again --simulate
fork shop --data d --set x
fork shop --data d --set live.note=words
erase shop --data d --who a
erase shop --data d --who nobody
erase shop --data d
ask shop --data d
ask shop --data d --json
export shop out.tar --data d
export shop out.tar --data d
export shop out --data d
export nobody no.tar --data d
replay shop --data d
replay out.tar
replay out --json
replay nobody --data d
replay shop --data gone
backup --data d
backup b.kedge
backup b.kedge --data d
backup b.kedge --data d
backup c.kedge --data gone
backup --db postgres://u:secret@127.0.0.1:1/x
restore b.kedge --data r
restore b.kedge --data r
restore
restore missing --data r2
restore b.kedge --db nothing
replay shop --db nothing
loop show shop --data r
import out.tar --data i
import out --data i2
import out.tar --data i
import am.txt --data i
import missing --data i
repair --data r
repair --data r --json
repair --data gone
loop remove shop --data d
loop remove shop --data d --reason done
loop archive shop --data d
loop archive shop --data d
ask shop --data d
loop remove shop --data d --reason done --dry-run
loop remove shop --data d --reason done
loop remove shop --data d --reason done
key create --data d --rights read,_ask --loops a,b-* --expires 90d
key list --data d
key create --data d --rights admin --expires 2099-01-31T00:00:00Z
key create --data d --rights all
key create --data d --rights ask --expires soon
key create --data d --rights ask --expires -3d
key create --data d --rights ask --expires 0s
key revoke kedge_zz --data d
key revoke x --data d
ask asks --db nothing
ask asks --db http://u:secret@h/x?password=y
ask asks --server http://127.0.0.1:1
ask asks --key-file gone
ask asks --key-file empty.txt
watch asks --server http://127.0.0.1:1
watch --server http://127.0.0.1:1
converse asks --data gone
serve --log xml
serve --key-rate 0
serve --key-bytes 0.5
serve --data d --listen nowhere
serve --data d --otlp ftp://x
serve --data d --otlp http://
serve --data d --otlp :
serve --data d --tls-cert a
serve --data d --tls-cert a --tls-key b
serve --data am.txt --listen 127.0.0.1:0
serve --db nothing
demo --speed 0
demo --speed 1001
demo --speed -1
demo --for -1s
demo --port -1
demo --port 65536
demo --listen 0.0.0.0:0
demo --listen unix:x
demo --listen x
demo --keep d --listen 127.0.0.1:0
demo --keep am.txt
demo --port 1 --listen 127.0.0.1:0
demo extra
ask
ask a b
deploy shop 1
tell shop
tell shop 1 a b c
close shop
abandon shop
watch a b
converse
backup a b --data d
restore a b
repair a
replay
replay a b
export shop
import
import a b
fork
fork a b
erase --who a
kill a b
key create a
key list a
key revoke
loop create a
loop create a b c
loop list a
loop show
loop pin shop
loop rollback shop
loop remove
loop promote
loop approve shop
loop health
loop guardrails shop
loop explain shop
loop unpin
loop archive
serve a
serve --key-rate 1 --key-bytes 1 --listen nowhere
verify
`

// nobody is where no service listens.
const nobody = "http://127.0.0.1:1"

// inFolder makes a folder with files to tell and works there.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"SHOP": strings.Replace(smallShop, "APPROVAL", "", 1), "ASKS": strings.Replace(smallShop, "APPROVAL", "approval: always", 1),
		"am.ndjson": `{"p": [1, 2], "d": [4, 4]}` + "\n" + `{"p": [2, 1], "d": [3, 5]}` + "\n", "pm.json": `{"p": [[1, 1]], "d": [[4, 4]]}`, "one.json": `{"p": [[1, 1]], "d": [[4, 4]]}`, "c.csv": "p.0,p.1,d.0,d.1\n1,2,3,4\n", "bad.csv": "p.0,q\n1,2\n",
		"am.txt": "words", "empty.txt": " \n", "rails.yaml": "- {name: low, of: 'mean(p[0])', least: 5}\n", "none.yaml": "[]",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(keyVariable, "")
}

// What commands say to good and bad arguments, and the codes they end with, are as when they were last read.
func TestCommandsAreAsRecorded(t *testing.T) {
	path, err := filepath.Abs("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	var text strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(aLifeOfLoops), "\n") {
		most := time.Minute
		if strings.Contains(line, nobody) {
			most = 50 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), most)
		text.WriteString(typed(ctx, `{"p": [3, 3], "d": [4, 4]}`, line))
		cancel()
	}
	evidence.AsRecorded(t, path, masked(text.String()))
}

// aConversation is what a program says to a loop, line by line.
const aConversation = `{"status": {}}
{"ask": {}}

{"ask": {}, "tell": {}}
{}
nonsense
{"dance": {}}
{"deploy": {"u": [1, 2]}}
{"deploy": {"k": 0, "u": [1, 2]}}
{"deploy": {"k": "x", "u": [1, 2]}}
{"deploy": {"k": 1, "u": [1, 2]}}
{"tell": {"k": 1, "p": [[1, 2], [2, 1]], "d": [[4, 4], [3, 5]]}}
{"tell": {"k": 1, "batch": "", "p": [[1, 2]]}}
{"tell": {"k": 1, "batch": "a b/c", "p": [[1, 2], [2, 1]], "d": [[4, 4], [3, 5]]}}
{"tell": {"k": 1, "batch": "am", "p": [[1, 2], [2, 1]], "d": [[4, 4], [3, 5]]}}
{"close": {"k": 1}}
{"ask": {}}
{"abandon": {"k": 2, "reason": "shut"}}
{"close": {"k": 2}}
{"close": {"k": 1, "expect": {"rows": 99}}}
{"status": {"k": 3}}
`

// A conversation on a folder, and one with a service that is watched meanwhile, go as they went when they were last read.
func TestConversationsAreAsRecorded(t *testing.T) {
	path, err := filepath.Abs("testdata/conversations.txt")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	lines := masked(typed(t.Context(), "", "loop create shop SHOP --data d --mode live") + typed(t.Context(), aConversation, "converse shop --data d") + typed(t.Context(), `{"ask": {}}`, "converse nobody --data d"))
	r := &reach{kinds: kind.Standard(), source: source{data: "d"}}
	j, err := r.source.open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	setup := setupOf(j, &r.source, r.kinds)
	setup.Owner = "test"
	service := server.New(setup)
	web := httptest.NewServer(service)
	defer web.Close()
	for _, line := range []string{"loop list", "ask shop", "backup", "backup x.kedge", "kill --all", "watch nobody", "ask shop --data d"} {
		if strings.Contains(line, "--data") {
			lines = append(lines, masked(typed(t.Context(), "", line))...)
			continue
		}
		lines = append(lines, masked(typed(t.Context(), "", line+" --server "+web.URL))...)
	}
	for _, line := range []string{"watch shop --after 0", "watch --after 2 --json"} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &counted{most: 6, full: cancel}
		root := &cobra.Command{Use: "kedge", SilenceErrors: true, SilenceUsage: true}
		root.AddCommand(Commands(kind.Standard())...)
		root.SetArgs(append(strings.Fields(line), "--server", web.URL))
		root.SetOut(out)
		err := root.ExecuteContext(ctx)
		cancel()
		lines = append(append(lines, fmt.Sprint("$ kedge ", line, ": ", err)), masked(strings.Join(out.lines, ""))...)
	}
	service.Stop()
	lost := httptest.NewServer(http.NotFoundHandler())
	defer lost.Close()
	lines = append(lines, masked(typed(t.Context(), `{"ask": {}}`, "converse shop --server "+lost.URL)+typed(t.Context(), "", "watch --server "+lost.URL))...)
	evidence.AsRecorded(t, path, lines)
}

// counted keeps the first lines that are written, and says when it has them.
type counted struct {
	lines []string
	most  int
	full  func()
}

func (c *counted) Write(b []byte) (int, error) {
	if len(c.lines) < c.most {
		c.lines = append(c.lines, string(b))
	}
	if len(c.lines) == c.most {
		c.full()
	}
	return len(b), nil
}

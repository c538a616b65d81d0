package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
)

// recordedCommands are command lines that between them say most of what kedge says on a terminal, in the order in which they are typed. RUN, small and so on are written below.
const recordedCommands = `
version --help
spec explain
spec explain dynamics
spec explain dynamics.lambda --json
spec explain algorithms.step
spec explain nothing
spec show lq2 --set iterations=3
spec show lq2 --set iterations=x
spec show nothing
spec schema nothing
check lq2
check lq2 --json
check lq2 --set dynamics.a=[[1.5,0],[0,0.5]]
check lq2 --set objective.decision=-40
certify lq2
certify lq2 --json
certify lq2 --algorithm vanilla --set iterations=100
certify lq2 --algorithm nobody
certify lq2 --Q 1,x
certify choice --set population.size=20 --set iterations=100
run lq2 --dry-run
run lq2 --print-spec --iterations 7
run lq2 --out a0 --certify --iterations 5
run nothing
run lq2 --set iterations=-1
run lq2 --set iteration=3
run lq2 --trials 0
run lq2 --iterations 3 extra
run lq2 --out a --iterations 40 --trials 2 --no-check
run lq2 --out a --iterations 40 --trials 2 --no-check
run lq2 --out b --iterations 40 --trials 2 --set algorithms.composite.step=0.05 --tag second
run scalar-pricing --out c --iterations 30 --json
run small.yaml --out d
run wrong.yaml --out e
run missing.yaml --out e
runs . --case scalar-pricing
runs . --tag second
runs tag a first again
runs untag a again
runs . --tag first --verify
verify a
verify a b c --json
verify nothing
report a --out ra
report a b --out rab
report nothing
plot a --out a.svg
plot a --y distance --out a2.svg
plot a --y nothing --out a3.svg
plot a b --out ab.svg
compare lq2 --iterations 40 --trials 2 --points 3 --out m --methods vanilla,composite
compare lq2 --methods nobody --out m2
sweep grid.yaml --dry-run
sweep grid.yaml --out s
sweep grid.yaml --out s
sweep grid.yaml --out s1 --shard 1/2
sweep grid.yaml --out s2 --shard 2/2
merge s3 s1 s2
merge s4 s1
sweep wrong-grid.yaml --out s5
report s --out rs
plot s --out s.svg
verify s s3
plot s --x algorithms.composite.step --by hold --out heat.svg
plot a --kind hist --x gap --where k=last --out hist.svg
plot a --facet algorithm --band quantiles --rename vanilla=retraining --title Gaps --out facet.svg
plot a --where k=x --out none.svg
study
study nothing
study shift --quick --trials 4 --out st
design lq2
design draws.yaml --noise 0.3 --turns 3
design draws.yaml --noise 0.3 --turns 3 --json
cite
cite --format bibtex
cite --format nothing
simulate lq2 --help
fit small.yaml
fit examples/fitting/shop.yaml --out f --starts 1
fit examples/fitting/shop.yaml --out f2 --starts 1 --json
fit examples/fitting/shop.yaml --out f3 --method nothing
run f/fitted.yaml --out rf --iterations 3
backtest examples/fitting/shop.yaml --draws 5 --starts 1 --out bt
backtest examples/fitting/shop.yaml --from 0.8 --draws 5 --starts 1 --most-change 0.1 --out bt2 --json
backtest examples/fitting/shop.yaml --from nothing --out bt3
run draws.yaml --out dr --iterations 2
new --help
nothing
ru
run --nothing
`

const recordedSmall = `
iterations: 20
trials: 2
model: {decision: "q[2]", state: p, trait: d, next: "0.5*p + 0.5*(d - q[0] - 0.5*q[1])", maximize: "p*(q[0] + q[1]) - q[1]^2", subject to: [q >= 0, q <= 5]}
population: {size: 6, dim: 1, law: values, values: [[3], [4], [5], [6], [7], [8]]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 3}, {name: retrained, kind: vanilla, step: 0.05, batch: 3}]
record: {every: 5}
`

// passing are words that differ from run to run: times, rates, sizes, and what the machine has.
var passing = regexp.MustCompile(`(?m)^.*\b(took|rate:|workers|cores|time  |estimate:|seconds|a second|individual steps|of memory|MB|GB|started|finished|built|go1\.).*$\n?|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?|\b\d+(\.\d+)? (ms|s|min|kB)\b|\b0\.1\.0\b|^.*"(go\w*|revision|modified)": .*$\n?`)

// printed is what a command prints, and complains of; progress, which depends on how fast it is, is neither.
func printed(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	root := newRoot(kind.Standard())
	var b bytes.Buffer
	root.SetOut(&b)
	root.SetErr(io.Discard)
	root.SetArgs(args)
	if err := root.ExecuteContext(t.Context()); err != nil {
		return b.String() + complaint(err), exitCode(err)
	}
	return b.String(), 0
}

// What kedge says on a terminal is what it said when it was last looked at, command by command, with exit codes.
func TestCommandsSayWhatIsRecorded(t *testing.T) {
	shop := map[string]string{}
	for _, name := range []string{"shop.yaml", "shop.csv"} {
		text, err := os.ReadFile(filepath.Join("../examples/fitting", name))
		if err != nil {
			t.Fatal(err)
		}
		shop[name] = string(text)
	}
	record, err := filepath.Abs("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("examples/fitting", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range shop {
		write(t, filepath.Join("examples/fitting", name), text)
	}
	write(t, "small.yaml", recordedSmall)
	write(t, "wrong.yaml", strings.ReplaceAll(recordedSmall, "law: values", "law: value")+"nothing: 3\n")
	write(t, "grid.yaml", "base: lq2\nset: {iterations: 20, trials: 1}\nover:\n  algorithms.composite.step: [0.05, 0.1]\n  hold: [1, 2]\n")
	write(t, "draws.yaml", "iterations: 2\nmodel: {decision: q, state: p, trait: d, let: {habit: 0.5, b: 1}, next: habit*p + (1-habit)*(d - b*q), maximize: p*q, subject to: [q >= 0, q <= 10]}\n"+
		"population: {size: 2, dim: 1, law: values, values: [[3], [5]]}\nstart: {law: values, values: [1]}\nalgorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]\ndraws: d.csv\nuncertain: 8\n")
	write(t, "d.csv", "b,habit\n0.8,0.5\n1,0.6\n1.8,0.7\n1,0.4\n1.2,0.5\n0.9,0.5\n1.1,0.55\n1.3,0.45\n")
	write(t, "wrong-grid.yaml", "base: lq2\nover:\n  holds: [1, 2]\n")
	var got []string
	for line := range strings.Lines(strings.TrimSpace(recordedCommands)) {
		line = strings.TrimSpace(line)
		out, code := printed(t, strings.Fields(line)...)
		got = append(got, fmt.Sprintf("$ kedge %s: exit code %d", line, code))
		got = append(got, strings.Split(strings.TrimSpace(passing.ReplaceAllString(out, "")), "\n")...)
	}
	evidence.AsRecorded(t, record, got)
}

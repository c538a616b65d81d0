package estimate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// panel is a model whose numbers all the usual methods find too.
const panel = `
model:
  decision: q
  state: p
  trait: d
  let: {habit: "? in [0, 1]", pull: "?"}
  next: habit*p + pull*q + d
  maximize: p - q^2
  subject to: -5 <= q <= 5
data: {file: log.csv, person: who, time: week, decision: q, states: p, effects: person}
`

// typedLines are command lines.
const typedLines = `
fit panel.yaml --out found
fit panel.yaml --out found --quiet --method jackknife
fit panel.yaml --out found --json --method ols --bootstrap 3
fit panel.yaml --method arellano-bond --out found
fit panel.yaml --method 2sls --out two
fit a.yaml --starts 1
fit a.yaml --starts 0 --out other
fit a.yaml --starts 0 --out other --overwrite
fit a.yaml --starts 0 --out empty
fit a.yaml --starts 0 --out ../outside
fit a.yaml --starts 0 --out HERE/below --set data.where=week>2
fit steady.yaml --starts 0 --out still
fit a.yaml --starts 0 --out a.yaml
fit a.yaml --starts -1
fit a.yaml --starts 10001
fit a.yaml --bootstrap -1
fit a.yaml --bootstrap 100001
fit a.yaml --method best
fit a.yaml --set nothing=1
fit missing.yaml
fit nolog.yaml
fit
fit a b
backtest a.yaml --starts 0 --draws 5 --from 0.7
backtest panel.yaml --starts 0 --draws 0 --from 6 --every 2 --most-change 0.5 --out back
backtest panel.yaml --starts 0 --draws 3 --from 0.8 --out back --json --workers 1
backtest panel.yaml --starts 0 --draws 3 --from 0.8 --out back --quiet
backtest panel.yaml --out other
backtest panel.yaml --every 0
backtest panel.yaml --draws -1
backtest panel.yaml --draws 401
backtest panel.yaml --most-change -1
backtest panel.yaml --most-change 0
backtest panel.yaml --most-change Inf
backtest panel.yaml --most-change NaN
backtest panel.yaml --from never
backtest steady.yaml --starts 0 --out none
backtest missing.yaml
backtest
`

var repeats = regexp.MustCompile(`kedge (fit|backtest) [^<\n]*--out again`)

// What fits and looks back print, the files that they leave, the commands that repeat them and what they refuse are as when they were last read.
func TestCommandsAreAsRecorded(t *testing.T) {
	path, err := filepath.Abs("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"in/a.yaml": spec, "in/panel.yaml": panel, "in/log.csv": logOf(false), "in/still.csv": logOf(true), "in/steady.yaml": strings.Replace(spec, "log.csv", "still.csv", 1), "in/nolog.yaml": strings.Replace(spec, "log.csv", "gone.csv", 1), "in/other/diary.txt": "mine", "in/empty/.keep": "",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove("in/empty/.keep")
	t.Chdir("in")
	var text strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(typedLines), "\n") {
		text.WriteString("$ kedge " + line + "\n" + run(t.Context(), strings.ReplaceAll(line, "HERE", filepath.Join(here, "in"))))
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"fit a.yaml --out gone", "backtest a.yaml --out gone"} {
		text.WriteString("stopped: " + run(stopped, line))
	}
	evidence.AsRecorded(t, path, evidence.Rounded(strings.ReplaceAll(text.String(), here, "HERE")))
}

// run types a line; at its end is what lies in its folder, and how it is repeated.
func run(ctx context.Context, line string) string {
	args := strings.Fields(line)
	for _, c := range Commands(kind.Standard()) {
		if c.Name() != args[0] {
			continue
		}
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(io.Discard) // progress, which depends on how fast it is
		c.SetArgs(args[1:])
		c.SilenceErrors, c.SilenceUsage = true, true
		err := c.ExecuteContext(ctx)
		text := out.String()
		if strings.Contains(line, "--json") {
			text = fmt.Sprintf("%.400s\n", text)
		}
		var coded exit.Coded
		switch {
		case errors.As(err, &coded):
			text += fmt.Sprintf("exit %d: %v, because of %v\n", coded.Code, err, errors.Unwrap(coded) == coded.Err)
		case err != nil:
			return text + fmt.Sprintf("refused: %v\n", err)
		}
		return text + lying(c.Flags().Lookup("out").Value.String())
	}
	return "there is no such command\n"
}

// lying is what lies in a folder.
func lying(folder string) (text string) {
	found, _ := os.ReadDir(folder)
	for _, one := range found {
		text += " " + one.Name()
		if content, err := os.ReadFile(filepath.Join(folder, one.Name())); err == nil && strings.HasSuffix(one.Name(), ".html") {
			text += " [" + string(repeats.Find(content)) + "]"
		}
	}
	return folder + ":" + text + "\n"
}

// Words about what was found, and flags with what they are unless they are given, are as when they were last read.
func TestWordsAreAsRecorded(t *testing.T) {
	s, err := problem.Parse(kind.Standard(), "a.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	s.Data.Errors = []string{"normal", "poisson"}
	linear := []logs.Linear{{Method: logs.Pooled, Title: "least squares", Fault: "it broke"}, {Method: logs.Within, Title: "within", Notes: []string{"", "a note"}, Values: []logs.Inferred{{Name: "a", Value: 1, Error: 0.5}}}}
	var lines []string
	for _, method := range []string{logs.Matching, logs.LeastSquares, logs.Pooled, logs.Within, logs.Likelihood, "else"} {
		e := &logs.Inference{Spec: s, Method: method, Linear: linear, Tried: 1, Agreed: 1, First: "1", Last: "9", Rows: 12345, Pairs: 1, People: 1}
		lines = append(lines, method+": "+headline(e)+" "+how(e))
	}
	wide := linear[1]
	for range 7 {
		wide.Values = append(wide.Values, wide.Values[0])
	}
	for _, list := range [][]logs.Linear{nil, linear[:1], linear, {wide, linear[0]}} {
		for _, p := range compared(&logs.Inference{Linear: list}) {
			lines = append(lines, fmt.Sprintf("%+v", p))
		}
	}
	for _, out := range []string{"a", "./a/../b", "/x", "../c", "", "."} {
		lines = append(lines, fmt.Sprintf("%q is called %q", out, folderIn(out)))
	}
	for _, name := range []string{"fit-x.svg", "x.svg", "fitted.yaml", "people.csv", "draws.csv", "fit.json"} {
		lines = append(lines, fmt.Sprint(name, " is of a fit: ", isOfAFit(name)))
	}
	for _, c := range Commands(kind.Standard()) {
		lines = append(append(lines, c.Name()), strings.Split(strings.TrimRight(c.Flags().FlagUsages(), "\n"), "\n")...)
	}
	if one, all := (&fitFlags{workers: 3}).hands(), (&fitFlags{}).hands(); one != 3 || all < 1 {
		t.Error(one, all)
	}
	evidence.AsRecorded(t, "testdata/words.txt", lines)
}

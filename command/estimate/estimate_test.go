package estimate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

const spec = `
model:
  decision: q
  state: p
  trait: d
  let: {habit: "? in [0, 1]", pull: "?"}
  next: habit*p + pull*q*d
  maximize: p - q^2
  subject to: -5 <= q <= 5
data: {file: log.csv, person: who, time: week, decision: q, states: p, traits: one}
`

// logOf is a log of a habit of 0.5 and a pull of 2; steady: decisions never move.
func logOf(steady bool) string {
	if steady {
		return logFrom(10)
	}
	return logFrom(0)
}

// logFrom is a log in which decisions move from a week on.
func logFrom(first int) string {
	s := stream.New(5, "test", "estimate")
	var b strings.Builder
	b.WriteString("who,week,q,p,one\n")
	for i := range 24 {
		p := s.Normal()
		for t := range 10 {
			q := s.Normal()
			if t < first {
				q = 0
			}
			p = 0.5*p + 2*q + 0.3*s.Normal()
			fmt.Fprintf(&b, "c%d,%d,%v,%v,1\n", i, t, q, p)
		}
	}
	return b.String()
}

// called runs a command of the package in a folder with a spec and a log, and tells the code that its error has.
func called(t *testing.T, log string, args ...string) (out string, code int, err error) {
	t.Helper()
	var b strings.Builder
	code, err = calledInto(t, &b, log, args...)
	return b.String(), code, err
}

// calledInto lets it print somewhere.
func calledInto(t *testing.T, out io.Writer, log string, args ...string) (code int, err error) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.yaml": spec, "log.csv": log} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range Commands(kind.Standard()) {
		if c.Name() != args[0] {
			continue
		}
		c.SetOut(out)
		c.SetErr(out)
		c.SetArgs(args[1:])
		c.SilenceErrors, c.SilenceUsage = true, true
		err = c.ExecuteContext(t.Context())
		var coded exit.Coded
		switch {
		case errors.As(err, &coded):
			code = coded.Code
		case err != nil:
			code = 64 // as the command gives all other errors
		}
		return code, err
	}
	t.Fatalf("there is no %s", args[0])
	return 0, nil
}

// What is printed as JSON is what is written, with the numbers that made the log; and the folder has all that the help says.
func TestFitWritesWhatItSays(t *testing.T) {
	out, code, err := called(t, logOf(false), "fit", "a.yaml", "--json", "--starts", "1", "--out", "found")
	if err != nil || code != 0 {
		t.Fatal(code, err)
	}
	var got struct {
		Unknowns []struct {
			Name             string
			Value, Low, High float64
		}
		Pairs int
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.5, 2} {
		if u := got.Unknowns[i]; !(u.Low < want && want < u.High && u.Low < u.Value && u.Value < u.High) {
			t.Errorf("%+v, made with %v", u, want)
		}
	}
	if got.Pairs != 24*9 {
		t.Errorf("%d pairs", got.Pairs)
	}
	for _, name := range []string{"fit.json", "fitted.yaml", "people.csv", "draws.csv", "fit.html"} {
		if text, err := os.ReadFile(filepath.Join("found", name)); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, _ := os.ReadFile("found/fit.json"); string(text) != out {
		t.Error("fit.json is not what was printed")
	}
}

// A log that does not tell ends with 1, dashes and no spec.
func TestFitOfWhatCannotBeTold(t *testing.T) {
	out, code, err := called(t, logOf(true), "fit", "a.yaml", "--starts", "1", "--out", "found")
	if code != 1 || !strings.Contains(err.Error(), "pull cannot be told") || !strings.Contains(out, "–") {
		t.Errorf("%d, %v\n%s", code, err, out)
	}
	if _, err := os.Stat("found/fitted.yaml"); err == nil {
		t.Error("there is a spec all the same")
	}
}

// What is wrong with a log is one line with the file, the row and what to do.
func TestFitRefusesLogs(t *testing.T) {
	for log, want := range map[string][]string{
		"who,week,q,p,one\na,1,1,1,1\na,1,1,2,1\n": {"log.csv", "rows 1 and 2", "data.where"},
		"who,week,q,p,one\na,1,1,1,1\na,2,1,,1\n":  {"log.csv", "row 2", "leave such rows out"},
		"who,week,q,p,one\na,soon,1,1,1\n":         {"log.csv", "row 1", "want a number, or a date"},
		"who,week,q,p\na,1,1,1\n":                  {"log.csv", "no column one"},
	} {
		for _, command := range []string{"fit", "backtest"} {
			_, code, err := called(t, log, command, "a.yaml", "--out", "found")
			if code != 64 || strings.Contains(fmt.Sprint(err), "\n") {
				t.Errorf("%s of %q: %d, %v", command, log, code, err)
			}
			for _, part := range want {
				if !strings.Contains(fmt.Sprint(err), part) {
					t.Errorf("%s of %q: %v, want %q in it", command, log, err, part)
				}
			}
			if _, err := os.Stat("found"); err == nil {
				t.Errorf("%s of %q leaves a folder", command, log)
			}
		}
	}
}

// A look back has JSON with every date, and leaves folders alone that hold something else.
func TestBacktestWritesWhatItSays(t *testing.T) {
	out, code, err := called(t, logOf(false), "backtest", "a.yaml", "--json", "--starts", "0", "--draws", "20", "--from", "0.7", "--out", "back")
	if err != nil || code != 0 {
		t.Fatal(code, err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) == 0 {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile("back/backtest.json"); string(text) != out {
		t.Error("backtest.json is not what was printed")
	}
	for _, name := range []string{"backtest.csv", "backtest.html", "backtest-rules.svg"} {
		if text, err := os.ReadFile(filepath.Join("back", name)); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range Commands(kind.Standard()) {
		if err := os.MkdirAll("other", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("other/diary.txt", []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		c.SetArgs([]string{"a.yaml", "--out", "other"})
		c.SilenceErrors, c.SilenceUsage = true, true
		if err := c.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "--overwrite") {
			t.Errorf("%s into a folder of others: %v", c.Name(), err)
		}
	}
}

package command

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program of the user's simulates people; what it does wrong is said with its turn, and nothing hangs.
func TestPopulationsOfPrograms(t *testing.T) {
	python, dir := pythonOf(t), t.TempDir()
	people := func(program string, more ...string) said {
		t.Helper()
		args := []string{"simulate", "../examples/people/shop.yaml", "--data", filepath.Join(dir, "data"), "--population", python + " " + program}
		return typed(t, "", append(args, more...)...)
	}
	rounds := filepath.Join(dir, "rounds.csv")
	got := people("../examples/people/people.py", "--iterations", "40", "--rounds", rounds)
	table, err := os.ReadFile(rounds)
	if err != nil || got.code != 0 || strings.Count(string(table), "\n") != 81 || !strings.Contains(got.out, "composite: 40 decisions, 40 steps; at last ") {
		t.Fatalf("%+v, %v", got, err)
	}
	var apples, pears float64 // the best prices are half of what people want on average: 5 and 4, to the tenth that 200 people are off
	for line := range strings.Lines(string(table)) {
		if cells := strings.Split(strings.TrimSpace(line), ","); cells[0] == "composite" {
			json.Unmarshal([]byte(cells[7]), &apples)
			json.Unmarshal([]byte(cells[8]), &pears)
		}
	}
	if math.Abs(apples-5) > 0.15 || math.Abs(pears-4) > 0.15 {
		t.Errorf("ends at %g, %g; want about 5, 4", apples, pears)
	}
	for name, one := range map[string][2]string{
		"dies":    {"input(); input(); raise SystemExit('out of customers')", "turn 1: it ended: exit status 1; it said: out of customers"},
		"leaves":  {"input()", "turn 1: it ended"},
		"sleeps":  {"import time; time.sleep(60)", "did not answer for 300ms (--patience)"},
		"babbles": {"print('hello', flush=True)\nfor l in open(0): pass", "answered hello, which is no line of the protocol"},
		"reports": {"input(); input(); print('{\"error\": \"no stock\"}', flush=True)\nfor l in open(0): pass", "turn 1: it reports: no stock"},
		"nobody":  {"input(); input(); print('{\"p\": []}', flush=True)\nfor l in open(0): pass", "with nobody"},
		"short":   {"input(); input(); print('{\"p\": [[1]], \"d\": [[1, 1]]}', flush=True)\nfor l in open(0): pass", "/p/0"},
	} {
		file := filepath.Join(dir, name+".py")
		if err := os.WriteFile(file, []byte(one[0]+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := people(file, "--prefix", name, "--patience", map[bool]string{true: "300ms", false: "20s"}[name == "sleeps"]); got.code != exitFailed || !strings.Contains(got.complaint, one[1]) {
			t.Errorf("%s: %+v, want %q", name, got, one[1])
		}
	}
	if got := people("x", "--prefix", "none", "--population", "no-such-program"); got.code != exitFailed || !strings.Contains(got.complaint, "does not start") {
		t.Errorf("no program: %+v", got)
	}
}

// A program in another language drives a loop over standard input and output.
func TestConverse(t *testing.T) {
	python, data := pythonOf(t), filepath.Join(t.TempDir(), "data")
	if got := typed(t, "", "loop", "create", "shop", "../examples/people/shop.yaml", "--mode", "live", "--data", data); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	kedge, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "../examples/people/drive.py", "30", kedge, "converse", "shop", "--data", data).CombinedOutput()
	var u []float64
	if json.Unmarshal(out, &u) != nil || err != nil || len(u) != 2 || math.Hypot(u[0]-5, u[1]-4) > 0.2 { // the best prices, as above
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(typed(t, `{"ask": {}}
{"close": {"k": 31}}
{"close": {"k": 99}}
{"close": {}}
{"sing": {}}

nonsense
{"ask": {}, "status": {}}
{"tell": {"k": 31, "batch": "x", "p": [[1, 2]], "colour": 1}}
{"status": {}}
`, "converse", "shop", "--data", data).out), "\n")
	for i, want := range []string{`{"ask":{`, "not-deployed", "not-found", "needs k", "none of ask", "line 7", "one key", "colour", `{"status":{`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Fatalf("line %d of %d: no %q in %q", i+1, len(lines), want, lines)
		}
	}
}

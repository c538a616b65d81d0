package command

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
)

// shopFit fits the shop of examples/fitting in a folder of its own and returns the name of the spec that it writes.
func shopFit(t *testing.T) string {
	t.Helper()
	from, err := filepath.Abs("../examples/fitting")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("examples/fitting", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shop.yaml", "shop.csv"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join("examples/fitting", name), string(text))
	}
	if out, code := command(t, "fit", "examples/fitting/shop.yaml", "--starts", "0", "--out", "fit", "--quiet"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	put(t, "grid.yaml", "base: fit/fitted.yaml\nset: {trials: 1, iterations: 10, optimum.starts: 1}\nover: {model.let.margin: [0.4, 0.5]}\n")
	put(t, "draws.yaml", "base: fit/fitted.yaml\nset: {trials: 1, iterations: 10, optimum.starts: 1, uncertain: 20}\nover: {decide: [mean, regret]}\n")
	return "fit/fitted.yaml"
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Whatever takes a spec takes the one that a fit writes, as it is, and asks for draws are heeded or refused with the key and the remedy. Every command whose usage
// names a spec is here.
func TestCommandsTakeAFitAndHeedDraws(t *testing.T) {
	file := shopFit(t)
	plain := "--set uncertain=0 --set decide=null"
	cases := map[string]struct {
		args    []string // with --dry-run where the same with draws is really run
		draws   []string // in place of --set uncertain=20 --set decide=regret
		heeds   string   // what draws add to what is printed; "": they are refused
		refused string
	}{
		"run":      {args: []string{"run", file, "--iterations", "10", "--trials", "1", "--no-check", "--out", "OUT", "--dry-run"}, heeds: "of 20 draws"},
		"check":    {args: []string{"check", file}, heeds: "under all 20"},
		"certify":  {args: []string{"certify", file}, refused: plain},
		"compare":  {args: []string{"compare", file, "--iterations", "10", "--trials", "1", "--points", "1", "--out", "OUT"}, refused: plain},
		"sweep":    {args: []string{"sweep", "grid.yaml", "--out", "OUT", "--dry-run"}, draws: []string{"sweep", "draws.yaml", "--out", "OUT"}, heeds: "2 cells"},
		"simulate": {args: []string{"simulate", file, "--data", "svc", "--iterations", "3", "--trials", "1", "--no-check", "--out", "OUT", "--dry-run"}, heeds: "of 20 draws"},
		"loop":     {args: []string{"loop", "create", "shop", file, "--data", "svc2"}, draws: []string{"loop", "create", "doubted", "doubted.yaml", "--data", "svc2"}, refused: plain},
		"design":   {args: []string{"design", file, "--noise", "2", "--turns", "1", "--people", "4", "--set", "uncertain=6"}, refused: "--set decide=mean"},
		"backtest": {args: []string{"backtest", "examples/fitting/shop.yaml", "--every", "8", "--draws", "20", "--starts", "0", "--out", "OUT"}, refused: plain},
		"fit":      {args: []string{"fit", "examples/fitting/shop.yaml", "--starts", "0", "--out", "OUT"}, heeds: "to run"},
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	put(t, "doubted.yaml", string(text)+"uncertain: 20\ndecide: regret\n")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := func(args []string, out string) []string {
				return strings.Fields(strings.ReplaceAll(strings.Join(args, " "), "OUT", out))
			}
			if out, code := command(t, in(c.args, "plain-"+name)...); code != 0 {
				t.Errorf("exit code %d: %s", code, out)
			}
			args := append(slices.DeleteFunc(in(c.args, "drawn-"+name), func(s string) bool { return s == "--dry-run" }), "--set", "uncertain=20", "--set", "decide=regret")
			if c.draws != nil {
				args = in(c.draws, "drawn-"+name)
			}
			if name == "simulate" {
				args = append(args, "--prefix", "drawn")
			}
			out, code := command(t, args...)
			out = strings.Join(strings.Fields(out), " ")
			if c.heeds != "" && (code != 0 || !strings.Contains(out, c.heeds)) {
				t.Errorf("with draws: exit code %d, no %q in %s", code, c.heeds, out)
			}
			if c.refused != "" && (code == 0 || !strings.Contains(out, c.refused) || !strings.Contains(out, "is 20, but") && !strings.Contains(out, "decide is regret, but")) {
				t.Errorf("with draws: exit code %d, no refusal with %q in %s", code, c.refused, out)
			}
		})
	}
	sweptDraws(t, "drawn-sweep")
	fitted, err := os.ReadFile("drawn-fit/fitted.yaml")
	if err != nil || !strings.Contains(string(fitted), "uncertain: 20\ndecide: regret\n") {
		t.Errorf("a fit forgets what is to be decided: %v\n%s", err, fitted)
	}
	if out, code := command(t, "check", "drawn-fit/fitted.yaml"); code != 0 {
		t.Errorf("exit code %d: %s", code, out)
	}
	inTable(t, cases["run"].args[0], func(name string) bool { _, ok := cases[name]; return ok })
}

// sweptDraws looks for what is best over draws in the table and the page of a sweep.
func sweptDraws(t *testing.T, dir string) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "table.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatal(err, rows)
	}
	at := map[string]int{}
	for j, name := range rows[0] {
		at[name] = j
	}
	mean, regret := rows[1][at["over_draws_discount"]], rows[3][at["over_draws_discount"]]
	if mean == "" || regret == "" || mean == regret {
		t.Errorf("the decision by the mean is %q, by regret %q", mean, regret)
	}
	if page := readPage(t, dir); !strings.Contains(page, "Over draws") {
		t.Error("the page says nothing of draws")
	}
}

// inTable tells of commands whose usage names a spec that a table does not have.
func inTable(t *testing.T, known string, has func(name string) bool) {
	t.Helper()
	if !has(known) {
		t.Fatal("the table is empty")
	}
	without := map[string]bool{"new": true, "spec": true, "bench": true, "worker": true, "tell": true} // they run nothing of a spec, or what others made of it
	for _, c := range newRoot(kind.Standard()).Commands() {
		if use := c.Use; (strings.Contains(use, ".yaml") || strings.Contains(use, "SPEC") || strings.Contains(use, "FILE")) && !has(c.Name()) && !without[c.Name()] {
			t.Errorf("kedge %s takes a spec: does it heed uncertain and decide?", use)
		}
	}
}

// A log of people of whom nothing fixed is known is fitted without model.trait, and what is written runs.
func TestAFitNeedsNoTrait(t *testing.T) {
	shopFit(t)
	put(t, "bare.yaml", `
model:
  decision: discount
  state: spend
  let: {habit: "? in [0, 1]", base: "?", pull: "?"}
  next: habit*spend + (1-habit)*(base + pull*discount)
  maximize: spend*(0.5 - discount)
  subject to: 0 <= discount <= 0.4
data: {file: examples/fitting/shop.csv, person: customer, time: week, step: week, decision: discount, states: spend, missing: drop}
`)
	for _, args := range [][]string{{"fit", "bare.yaml", "--starts", "0", "--out", "bare"}, {"run", "bare/fitted.yaml", "--iterations", "5", "--out", "ran"}} {
		if out, code := command(t, append(args, "--quiet")...); code != 0 {
			t.Errorf("%s: exit code %d: %s", args, code, out)
		}
	}
	out, code := command(t, "fit", "bare.yaml", "--starts", "0", "--out", "heavy", "--set", "data.errors=student 4")
	if out = strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(out, "likeliest numbers under student 4 errors a step ahead") || !strings.Contains(out, "Errors of spend are taken as Student's with 4 degrees of freedom") {
		t.Errorf("exit code %d: %s", code, out)
	}
	text, err := os.ReadFile("bare.yaml")
	if err != nil {
		t.Fatal(err)
	}
	put(t, "bare.yaml", strings.Replace(string(text), "states: spend,", "states: spend, effects: person,", 1))
	if out, code := command(t, "fit", "bare.yaml", "--out", "none"); code != 64 || strings.TrimSpace(out) != "bare.yaml:2: model.trait is missing, want a name and a length, such as d[20]" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

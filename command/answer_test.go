package command

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

const fruit = `
iterations: 40
trials: 3
model:
  decision: q[apples, pears] in EUR
  state: p[2]
  trait: d[2]
  let: {B: [[2, 0.5], [0, 1]], cost: [1, 2]}
  next: 0.5*p + 0.5*(d - B @ q)
  maximize: dot(p, q - cost)
population: {size: 60, law: normal, mean: [10, 8], deviation: [2, 3]}
algorithms: [{name: vanilla, step: 0.02, batch: 10}, {name: composite, step: 0.02, batch: 10}]
names: {value: profit in EUR a week}
optimum: {starts: 2}
`

// The decision with its names, units and intervals comes first wherever a result is told: in the terminal, on the page, in Markdown, in
// summary.json and with --json; clients/python tests the sixth place. Every method's is in the series, the summary, the page and tables of sweeps.
func TestTheAnswerComesFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("fruit.yaml", []byte(fruit), 0o666); err != nil {
		t.Fatal(err)
	}
	told, code := command(t, "run", "fruit.yaml", "--out", "out")
	if code != 0 {
		t.Fatal(told)
	}
	printed, code := command(t, "run", "fruit.yaml", "--out", "out", "--json", "--quiet")
	if code != 0 {
		t.Fatal(printed)
	}
	var line struct{ Summary folder.Summary }
	if err := json.Unmarshal([]byte(printed), &line); err != nil {
		t.Fatal(err)
	}
	summary := line.Summary
	if saved := read(t, "out/summary.json"); strings.Index(saved, `"answer"`) > 10 || !strings.Contains(printed, `"answer"`) {
		t.Error("summary.json does not begin with the answer, or --json has none")
	}
	answer := summary.Answer
	for i, name := range []string{"apples", "pears"} {
		e := answer.Decision[i]
		if e.Name != name || e.Unit != "EUR" || e.Low == nil || !(*e.Low < e.Value && e.Value < *e.High) {
			t.Errorf("entry %d of the answer is %+v", i, e)
		}
		for method, a := range summary.Algorithms {
			if d := a.Decision[i]; d.Name != name || d.Unit != "EUR" || d.Low == nil || !(d.Min <= d.Mean && d.Mean <= d.Max) {
				t.Errorf("entry %d of %s is %+v", i, method, d)
			}
		}
	}
	if answer.Value.Name != "profit" || answer.Value.Low == nil || answer.Retraining == nil || !(answer.Retraining.Lost > 0) {
		t.Errorf("value %+v, retraining %+v", answer.Value, answer.Retraining)
	}
	page, markdown := html.UnescapeString(read(t, "out/report.html")), read(t, "out/report.md")
	for place, text := range map[string]string{"terminal": strings.Join(strings.Fields(told), " "), "page": page, "Markdown": markdown} {
		said := answer.Text
		if place == "terminal" {
			said = strings.Join(strings.Fields(said), " ")
		}
		if i := strings.Index(text, said); i < 0 || strings.Index(text, "composite") < i {
			t.Errorf("the %s does not begin with %q", place, said)
		}
		for _, word := range []string{"profit is", "Plain retraining", "95 of 100"} {
			if !strings.Contains(text, word) {
				t.Errorf("the %s does not say %q", place, word)
			}
		}
	}
	if !strings.Contains(page, "apples, in EUR") || !strings.Contains(markdown, "| pears, in EUR |") {
		t.Error("the tables of decisions do not name their entries")
	}
	head, _, _ := strings.Cut(read(t, "out/series.csv"), "\n")
	if !strings.HasSuffix(head, ",apples,pears") {
		t.Errorf("the series has the columns %s", head)
	}
	if out, code := command(t, "plot", "out", "--y", "apples", "--out", "fig.svg"); code != 0 || !strings.Contains(read(t, "fig.svg"), "apples") {
		t.Errorf("a plot by name: %s", out)
	}
}

func TestSweepTablesHaveDecisions(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"fruit.yaml": fruit, "sweep.yaml": "base: fruit.yaml\nover: {population.deviation: [1, 2]}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, code := command(t, "sweep", "sweep.yaml", "--out", "out"); code != 0 {
		t.Fatal(out)
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, "out/table.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if head := strings.Join(rows[0], ","); !strings.Contains(head, "apples_mean,apples_min,apples_max,pears_mean") {
		t.Errorf("the table has the columns %s", head)
	}
	if len(rows) != 5 {
		t.Errorf("%d rows", len(rows))
	}
}

// The answer of whole numbers is whole, no check takes the set for broken, and a method whose steps are too short to reach the next number at once
// gets there all the same: after 300 steps of 0.1 it deploys one of the best two of each line.
func TestTheAnswerIsWhole(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "examples", "buses.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("buses.yaml", src, 0o666); err != nil {
		t.Fatal(err)
	}
	told, code := command(t, "run", "buses.yaml", "--trials", "1", "--set", "algorithms.composite.step=0.1", "--out", "out")
	if code != 0 || !strings.Contains(told, "Set north = 5 buses, south = 3 buses.\n") || strings.Contains(told, "check failed") || !strings.Contains(told, "all 79 decisions") {
		t.Errorf("exit code %d:\n%s", code, told)
	}
	if page := read(t, "out/report.md"); !strings.Contains(page, "all of them whole numbers") || !strings.Contains(page, "| north, in buses | 5 |") {
		t.Error("the page does not say that decisions are whole numbers")
	}
	text, err := os.ReadFile(filepath.Join("out", "series.csv"))
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "composite,0,300,") {
			last = strings.TrimSpace(line)
		}
	}
	if !slices.ContainsFunc([]string{",5,3", ",5,2", ",4,3", ",4,2"}, func(end string) bool { return strings.HasSuffix(last, end) }) {
		t.Errorf("composite ends with %s", last)
	}
}

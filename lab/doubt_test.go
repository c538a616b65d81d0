package lab_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// A price for people who settle at d − b q: under a draw b the best is d̄/2b, with d̄ = 4, and on the average of b = 0.8, 1 and 1.8 it is d̄/2.4. The numbers of the
// spec, b = 1, call for 2. Habits of 1 never settle.
func TestRunsDecideOverDraws(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "d.csv"), []byte("b,habit\n0.8,0.5\n1,0.6\n1.8,0.7\n1,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(more string, uncertain string) (*lab.Progress, []string, float64) {
		s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(strings.Replace(habitsInDoubt, "uncertain: 4", "uncertain: "+uncertain, 1)+more))
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build("shop", s, os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		progress := new(lab.Progress)
		r, err := lab.Execute(t.Context(), p, lab.Options{Workers: 2, Progress: progress})
		if err != nil {
			t.Fatal(err)
		}
		d := r.OverDraws
		if len(r.Sections) == 0 || r.Sections[len(r.Sections)-1].ID != "draws" || len(d.Stakes) != 3 {
			t.Fatalf("sections %v, stakes %v", r.Sections, d.Stakes)
		}
		if math.Abs(d.Stakes[0].Decision[0]-2) > 1e-6 {
			t.Errorf("the numbers of the spec call for %v, by hand 2", d.Stakes[0].Decision)
		}
		if uncertain == "3" {
			// d̄q − bq² is best with d̄²/4b: 5, 4, 2.2222; the mean over draws of what 4/2.4 earns is 4·4/2.4 − 1.2·(4/2.4)² = 10/3.
			if k := d.Robust.Sampling; k.Why != "" || !(k.Low[0] > 4/3.6-1e-9 && k.High[0] < 2.5+1e-9) {
				t.Errorf("within %v … %v, by hand 1.111 to 2.5", k.Low, k.High)
			}
			if more == "" && (math.Abs(d.Robust.Value-10.0/3) > 1e-6 || math.Abs(*d.Stakes[1].Regret-((5+4+20.0/9)/3-10.0/3)) > 1e-6) {
				t.Errorf("it earns %v and regrets %v", d.Robust.Value, *d.Stakes[1].Regret)
			}
		} else if d.Missing != 1 || d.Robust.Sampling.Why == "" {
			t.Errorf("%d missing, %+v", d.Missing, d.Robust.Sampling)
		}
		return progress, r.Notes, d.Robust.Decision[0]
	}
	progress, _, mean := run("", "3")
	if math.Abs(mean-4/2.4) > 1e-6 || progress.Draws.Load() != 3 || progress.Drawn.Load() != 3 {
		t.Errorf("best on the average at %v, by hand %v; %d draws done", mean, 4/2.4, progress.Drawn.Load())
	}
	// The worst draw is b = 1.8 at all prices, and that of the largest regrets is between 0.8 and 1.8 where 0.8(q − 2.5)² = 1.8(q − 1.111)².
	if _, _, worst := run("decide: cvar 0.3\n", "3"); math.Abs(worst-4/3.6) > 1e-6 {
		t.Errorf("best in the worst case at %v, by hand %v", worst, 4/3.6)
	}
	a, b := math.Sqrt(0.8), math.Sqrt(1.8)
	if _, _, regret := run("decide: regret\n", "3"); math.Abs(regret-(a*2.5+b*4/3.6)/(a+b)) > 1e-6 {
		t.Errorf("least regret at %v, by hand %v", regret, (a*2.5+b*4/3.6)/(a+b))
	}
	if _, notes, _ := run("", "4"); !strings.Contains(strings.Join(notes, "\n"), "Under 1 of the 4 draws no decision is best") {
		t.Errorf("notes: %v", notes)
	}
}

package command

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plotted is a folder with two small runs and a sweep.
func plotted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, seed := range []string{"1", "2"} {
		args := append([]string{"run", "polarized", "--quiet", "--seed", seed, "--out", filepath.Join(dir, "run"+seed)}, tiny...)
		if out, code := command(t, args...); code != 0 {
			t.Fatal(out)
		}
	}
	file := filepath.Join(dir, "sweep.yaml")
	text := "base: lq2\nset: {trials: 2, iterations: 20}\nover:\n  algorithms.composite.step: [0.05, 0.1]\n  algorithms.vanilla.step: [0.05, 0.1]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := command(t, "sweep", file, "--quiet", "--out", filepath.Join(dir, "sweep")); code != 0 {
		t.Fatal(out)
	}
	return dir
}

// Runs and sweeps, alone and together, become files of the asked kind; what is wrong is said and nothing is written.
func TestPlot(t *testing.T) {
	dir := plotted(t)
	t.Chdir(dir)
	for _, c := range []struct {
		args, holds string
	}{
		{"run1", ">turn k<"}, {"run1 run2 --where algorithm=composite", ">run2<"}, {"run1 --kind hist --x gap --where k=last", ">number of rows<"},
		{"run1/. --y distance --size 8x5cm", `width="226.77pt" height="141.73pt"`}, {"sweep", ">step (vanilla)<"}, {"run1 --title T --xlabel week --ylabel loss --rename vanilla=retraining", ">retraining<"},
		{"sweep --kind line --x algorithms.composite.step --by algorithm", ">final relative gap to the optimum<"},
	} {
		args := append([]string{"plot", "--out", "p.svg", "--out", "p.PNG", "--out", "p.pdf"}, strings.Fields(c.args)...)
		if out, code := command(t, args...); code != 0 || out != "wrote p.svg\nwrote p.PNG\nwrote p.pdf\n" {
			t.Errorf("plot %s: exit code %d, %s", c.args, code, out)
		}
		for file, magic := range map[string]string{"p.svg": "<svg", "p.PNG": "\x89PNG", "p.pdf": "%PDF"} {
			if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), magic) || file == "p.svg" && !strings.Contains(string(data), c.holds) {
				t.Errorf("plot %s: %s does not hold %q: %v", c.args, file, c.holds, err)
			}
			os.Remove(file)
		}
	}
	for args, want := range map[string]string{
		"run1 --out p.jpg": "--out p.jpg: want a name that ends in .svg, .png or .pdf", "run1 --size big": "--size big: want a width and a height",
		"nothere": "nothere", "run1 --y gapp": "did you mean gap?", "run1 --kind heat": "two keys", "": "requires at least 1 arg",
	} {
		if out, code := command(t, append([]string{"plot"}, strings.Fields(args)...)...); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("plot %s: exit code %d, %s", args, code, out)
		}
	}
	for dirs, want := range map[string]string{"run1": "gap distance", "run2 sweep": "gap distance", "sweep": "algorithms.vanilla.step", "": "", "nothere": "", "nothere run1": ""} {
		words, directive := offered(t, append(append([]string{"plot"}, strings.Fields(dirs)...), "--y", "")...)
		text := strings.Join(words, " ")
		if directive != ":4" || !strings.Contains(text, want) || (want == "") != (text == "") || slices.Contains(words, "decision") != slices.Contains(words, "u_0") {
			t.Errorf("columns of %q are completed as %q %s", dirs, words, directive)
		}
	}
	if out, code := command(t, "plot", "run1", "--out", "nothere/p.svg"); code != exitFailed {
		t.Errorf("writing into no folder: exit code %d, %s", code, out)
	}
	if left, _ := filepath.Glob("p*"); left != nil {
		t.Errorf("mistakes left %v", left)
	}
}

// A centimetre is 72/2.54 points.
func TestPaperSizes(t *testing.T) {
	for text, want := range map[string][2]float64{
		"": {}, "8x5cm": {226.77, 141.73}, "8x5": {226.77, 141.73}, "80x50mm": {226.77, 141.73}, "3.5x2in": {252, 144}, "420×300pt": {420, 300},
		"100x3000pt": {100, 3000}, "3000x100pt": {3000, 100}, "100x100": {2834.65, 2834.65}, // from 100 to 3000 points
	} {
		w, h, err := paperSize(text)
		if err != nil || math.Abs(w-want[0]) > 0.01 || math.Abs(h-want[1]) > 0.01 {
			t.Errorf("%s is %g × %g, %v", text, w, h, err)
		}
	}
	for _, text := range []string{"8", "8x", "x5", "-8x5cm", "NaNxNaN", "1x1cm", "infxinf", "9e99x1in", "8x5furlong", "99.9x300pt", "300x99.9pt", "3000.1x300pt", "300x3000.1pt", "8x5xcm"} {
		if w, h, err := paperSize(text); err == nil {
			t.Errorf("%s is %g × %g", text, w, h)
		}
	}
}

func TestShortNames(t *testing.T) {
	for _, c := range [][2][]string{
		{{"runs/a", "runs/b/"}, {"a", "b"}}, {{"x/runs/a", "y/runs/a"}, {"x/runs/a", "y/runs/a"}}, {{"a", "a"}, {"a", "a"}}, {{"."}, {"."}}, {{"a/b", "b"}, {"a/b", "b"}},
	} {
		if got := shortNames(c[0]); !slices.Equal(got, c[1]) {
			t.Errorf("%v are called %v, want %v", c[0], got, c[1])
		}
	}
}

// Whatever a series holds can be drawn, under words of its own.
func TestPlotDrawsEveryColumn(t *testing.T) {
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for file, columns := range map[string]map[string]string{
		"limits":      {"tracking": "tracking error, ‖u − u*‖", "regret": "dynamic regret", "u_0": "entry 0 of the decision", "trait_0": "mean of trait 0 in the sample"},
		"constraints": {"excess_1": "excess over bound 1", "multiplier_1": "multiplier 1"},
		"duopoly":     {"nash_distance": "relative distance to equilibrium", "nash_residual": "residual of the equilibrium’s conditions"},
	} {
		args := []string{"run", filepath.Join(examples, file+".yaml"), "--quiet", "--out", file, "--iterations", "20", "--trials", "1", "--set", "record.every=1", "--set", "optimum.starts=1"}
		if file == "limits" {
			args = append(args, "--set", "record.decisions=true", "--set", "record.traits=true")
		}
		if out, code := command(t, args...); code != 0 {
			t.Fatal(out)
		}
		for column, label := range columns {
			out, code := command(t, "plot", file, "--y", column, "--out", "p.svg")
			text, _ := os.ReadFile("p.svg")
			if code != 0 || !strings.Contains(strings.ReplaceAll(string(text), "&#39;", "’"), label) {
				t.Errorf("%s of %s is not drawn as %q: exit code %d, %s", column, file, label, code, out)
			}
		}
	}
}

package command

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

func TestSpecExplain(t *testing.T) {
	text, code := command(t, "spec", "explain", "dynamics.lambda")
	for _, want := range []string{"p⁺ ∝ λp", "kind polarized", "a number from 0 to 1", "--set dynamics.lambda=0.4"} {
		if code != 0 || !strings.Contains(text, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, text)
		}
	}
	text, code = command(t, "spec", "explain", "algorithms.composite.step")
	if code != 0 || !strings.Contains(text, "--set algorithms.0.step=0.005") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	text, code = command(t, "spec", "explain", "dynamics.lamda")
	if code != exitUsage || !strings.Contains(text, "did you mean dynamics.lambda?") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

// No line is wider than the 80 columns that are taken where there is no terminal.
func TestExplanationsFit(t *testing.T) {
	v := problem.Vocabulary(kind.Standard())
	for _, k := range v.Keys() {
		var text strings.Builder
		found, err := v.Explain(k.Path)
		if err == nil {
			err = explain(&text, v, found, true)
		}
		if err != nil {
			t.Errorf("%s: %v", k.Path, err)
		}
		for line := range strings.Lines(text.String()) {
			if page.PrintedWidth(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("line too wide: %s", line)
			}
		}
	}
}

func TestSpecExplainLists(t *testing.T) {
	text, code := command(t, "spec", "explain")
	if n := strings.Count(text, "\n"); code != 0 || n != len(problem.Vocabulary(kind.Standard()).Keys()) {
		t.Errorf("exit code %d, %d lines, want one of %d keys each", code, n, len(problem.Vocabulary(kind.Standard()).Keys()))
	}
	var keys []form.Key
	text, _ = command(t, "spec", "explain", "--json")
	if err := json.Unmarshal([]byte(text), &keys); err != nil || len(keys) != len(problem.Vocabulary(kind.Standard()).Keys()) {
		t.Errorf("%v, %d keys", err, len(keys))
	}
}

func TestSpecShowAndSchema(t *testing.T) {
	src, _ := problem.Case("polarized")
	if text, code := command(t, "spec", "show", "polarized"); code != 0 || text != string(src) {
		t.Errorf("exit code %d, the case is not shown as it is", code)
	}
	if text, code := command(t, "spec", "show", "polarized", "--set", "dynamics.lambda=2"); code != exitUsage || !strings.Contains(text, "want a number from 0 to 1") {
		t.Errorf("exit code %d: %s", code, text)
	}
	if text, code := command(t, "spec", "schema", "--sweep"); code != 0 || text != string(family.Schema()) {
		t.Errorf("exit code %d, the schema of sweeps is not what package problem has", code)
	}
	if text, code := command(t, "spec", "explain", "--sweep", "seeds"); code != 0 || !strings.Contains(text, "type      common or own") || strings.Contains(text, "--set") {
		t.Errorf("exit code %d, a key of sweeps is explained by\n%s", code, text)
	}
	if text, code := command(t, "spec", "schema"); code != 0 || text != string(problem.Schema(kind.Standard())) {
		t.Errorf("exit code %d, the schema is not what package spec has", code)
	}
}

// offered returns what the shell is told to offer, without descriptions.
func offered(t *testing.T, args ...string) (words []string, directive string) {
	t.Helper()
	text, code := command(t, append([]string{"__complete"}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(word, ":") {
			return words, word
		}
		words = append(words, word)
	}
	return words, ""
}

// Directives of cobra: 2 no space behind, 4 no files, 8 files of these endings, 16 folders.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args      string
		want      []string
		directive string
	}{
		{"run po", []string{"polarized"}, ":4"},
		{"run mine", []string{"yaml", "yml"}, ":8"},
		{"run --out ", nil, ":16"},
		{"run --set dynamics.la", []string{"dynamics.lambda=", "dynamics.lambda1=", "dynamics.lambda2="}, ":6"},
		{"run --set dyn", []string{"dynamics."}, ":6"},
		{"run --set generator=", []string{"generator=kedge", "generator=numpy"}, ":4"},
		{"run --set algorithms.composite.sens", []string{"algorithms.composite.sensitivity="}, ":6"},
		{"spec explain set.rad", []string{"set.radius"}, ":4"},
		{"spec show ch", []string{"choice"}, ":4"},
		{"run lq2 ", nil, ":4"}, // it takes one case
		{"run lq2 po", nil, ":4"},
		{"spec explain set.radius set.rad", nil, ":4"},
		{"sweep ", []string{"yaml", "yml"}, ":8"},
		{"sweep grid.yaml ", nil, ":4"},
		{"report ", nil, ":16"},
		{"report one ", nil, ":16"}, // it takes many folders
		{"devices ", nil, ":4"},
		{"plot one --kind ", []string{"line", "scatter", "hist", "heat"}, ":4"},
		{"run lq2 --device ", []string{"auto", "cpu", "gpu"}, ":4"},
		{"cite --format ", []string{"text", "bibtex", "cff"}, ":4"},
		{"run --set nothing.such=", nil, ":6"},
	} {
		words, directive := offered(t, strings.Split(c.args, " ")...)
		if !slices.Equal(words, c.want) || directive != c.directive {
			t.Errorf("kedge %s<TAB> offers %q %s, want %q %s", c.args, words, directive, c.want, c.directive)
		}
	}
}

// Words for a flag that a command does not have are a mistake of the code, which is not passed over.
func TestWordsOfAFlagThatIsNotThere(t *testing.T) {
	defer func() {
		if said := recover(); said == nil {
			t.Error("nobody notices")
		}
	}()
	completeWords(newCite(), "colour", []string{"red"})
}

package command

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/command/service"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/spf13/cobra"
)

// section is what stands in a page below a heading, up to the next one of its kind.
func section(t *testing.T, file, heading string) string {
	t.Helper()
	_, text, found := strings.Cut("\n"+read(t, filepath.Join("..", file)), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no %q", file, heading)
	}
	mark, _, _ := strings.Cut(heading, " ")
	text, _, _ = strings.Cut(text, "\n"+mark+" ")
	return text
}

var (
	jsonBlock = regexp.MustCompile("(?s)\n```json\n(.*?)\n```")
	firstCell = regexp.MustCompile("(?m)^\\| (`[^|]*) \\|")
	ticked    = regexp.MustCompile("`([^`]*)`")
)

// shapeOf lists the paths of the values of JSON with their types. What is named by files has one name for all.
func shapeOf(v any, path string, list map[string]string) map[string]string {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if path == ".files" || path == ".inputs" {
				key = "NAME"
			}
			shapeOf(value, path+"."+key, list)
		}
	case []any:
		for _, value := range v {
			shapeOf(value, path+"[]", list)
		}
	default:
		list[path] = fmt.Sprintf("%T", v)
	}
	return list
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// The JSON that a page shows has the keys and types of what is written, and where it must the values: of a manifest with data, and of tags.
func TestPagesShowTheJSONThatIsWritten(t *testing.T) {
	manifest, tags := section(t, "docs/formats/manifest.md", "# manifest.json"), section(t, "docs/formats/manifest.md", "## tags.json")
	t.Chdir(t.TempDir())
	write(t, "people.csv", oneWorld)
	succeeds(t, append([]string{"run", "polarized", "--quiet", "--no-check", "--tag", "paper", "--tag", "baseline", "--out", "r"},
		"--set", "population={size: 3, dim: 2, law: file, file: people.csv}", "--set", "optimum.starts=1", "--iterations", "5", "--trials", "1")...)
	for file, page := range map[string]string{"manifest.json": manifest, "tags.json": tags} {
		block := jsonBlock.FindStringSubmatch(page)
		if block == nil {
			t.Fatalf("no JSON on %s", file)
		}
		shown, written := decoded(t, block[1]), decoded(t, read(t, filepath.Join("r", file)))
		got, want := shapeOf(shown, "", map[string]string{}), shapeOf(written, "", map[string]string{})
		for _, known := range []string{".code.revision", ".code.program", ".code.modified", ".code.module"} { // by how the program was built
			delete(got, known)
			delete(want, known)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the page shows\n%v\nand written is\n%v", file, got, want)
		}
		for _, key := range []string{"format", "kind", "case", "seed", "spec", "tags"} {
			a, b := shown.(map[string]any)[key], written.(map[string]any)[key]
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %s is %v on the page, written is %v", file, key, a, b)
			}
		}
		if a, b := shown.(map[string]any)["build"], written.(map[string]any)["build"]; a != nil {
			if a, b := a.(map[string]any), b.(map[string]any); a["version"] != b["version"] || a["numeric"] != b["numeric"] {
				t.Errorf("%s: the page is of %v, this is %v", file, a, b)
			}
		}
	}
}

// The tables of docs/formats/run.md name all keys of summary.json, of its answer and of what is known of its points, and no others.
func TestPagesNameTheKeysThatAreWritten(t *testing.T) {
	text := section(t, "docs/formats/run.md", "## summary.json")
	summary, rest, _ := strings.Cut(text, "`answer` is what")
	answer, evidence, _ := strings.Cut(rest, "`evidence` says")
	dir := t.TempDir()
	few := []string{"--quiet", "--iterations", "5", "--trials", "2", "--set", "optimum.starts=2", "--out"}
	var top, told, known []map[string]any
	for i, args := range [][]string{
		{"run", "polarized", "--set", "record.rollout=3", "--set", "population.size=50", "--set", "population.dim=8", "--set", "dynamics.sigma=0.8"},
		{"run", "../examples/duopoly.yaml", "--no-check"}, {"run", "../examples/surge/surge.yaml", "--no-check"}, {"run", "../examples/constraints.yaml", "--no-check", "--set", "population.size=30"},
	} {
		out := filepath.Join(dir, fmt.Sprint(i))
		succeeds(t, append(append(args, few...), out)...)
		s := decoded(t, read(t, filepath.Join(out, "summary.json"))).(map[string]any)
		top = append(top, s)
		if a, ok := s["answer"].(map[string]any); ok {
			told = append(told, a)
		}
		points, _ := s["rests"].([]any)
		for _, p := range append(points, s["optimum"], s["stable"]) {
			if p, ok := p.(map[string]any); ok && p["evidence"] != nil {
				known = append(known, p["evidence"].(map[string]any))
			}
		}
	}
	for _, c := range []struct {
		what, table string
		written     []map[string]any
		rare        []string // keys of problems that are not among the runs here
	}{
		{"summary.json", summary, top, []string{"columns", "draws"}},
		{"answer", answer, told, nil},
		{"evidence", evidence, known, []string{"bound", "kink", "jump", "missed"}},
	} {
		var named, written []string
		for _, row := range firstCell.FindAllStringSubmatch(c.table, -1) {
			for _, word := range ticked.FindAllStringSubmatch(row[1], -1) {
				named = append(named, word[1])
			}
		}
		for _, one := range c.written {
			for key := range one {
				written = append(written, key)
			}
		}
		for _, key := range written {
			if !slices.Contains(named, key) {
				t.Errorf("%s has %q, which docs/formats/run.md does not name", c.what, key)
			}
		}
		for _, key := range named {
			if !slices.Contains(written, key) && !slices.Contains(c.rare, key) {
				t.Errorf("docs/formats/run.md names %q of %s, which nothing writes", key, c.what)
			}
		}
	}
}

var typedCommand = regexp.MustCompile("(?m)(?:^|`)kedge ([a-z][^`\n]*)")

// README names every command but those that talk to a service, which docs/service.md names; and what either page types is a command, with its
// flags.
func TestPagesNameTheCommands(t *testing.T) {
	var talking []string
	for _, c := range service.Commands(kind.Standard()) {
		talking = append(talking, c.Name())
	}
	for _, file := range []string{"README.md", "docs/service.md"} {
		text := read(t, filepath.Join("..", file))
		named := map[string]bool{}
		for _, found := range typedCommand.FindAllStringSubmatch(text, -1) {
			words := wordsOf(found[1])
			root := newRoot(kind.Standard())
			root.InitDefaultCompletionCmd("kedge")
			c, args, err := root.Find(words)
			if err != nil || c == root {
				t.Errorf("%s types %q: %v", file, "kedge "+found[1], err)
				continue
			}
			for ; c.Parent() != root; c = c.Parent() {
			}
			named[c.Name()] = true
			wantFlags(t, file, found[1], root, words, args)
		}
		for _, c := range newRoot(kind.Standard()).Commands() {
			isService := slices.Contains(talking, c.Name())
			if c.IsAvailableCommand() && isService == (file == "docs/service.md") && !named[c.Name()] {
				t.Errorf("%s says nothing of kedge %s", file, c.Name())
			}
		}
	}
}

// wordsOf are the words of a line that is typed, up to its comment, pipe or next command.
func wordsOf(line string) []string {
	line, _, _ = strings.Cut(line, "#")
	for _, end := range []string{"|", ">", "<", ";", "&", "…"} {
		line, _, _ = strings.Cut(line, end)
	}
	return strings.Fields(line)
}

// wantFlags wants every flag of a line to be one of its command.
func wantFlags(t *testing.T, file, line string, root *cobra.Command, words, args []string) {
	t.Helper()
	c, _, _ := root.Find(words)
	for _, word := range args {
		name, isFlag := strings.CutPrefix(word, "--")
		if name, _, _ = strings.Cut(name, "="); isFlag && c.Flag(name) == nil && c.InheritedFlags().Lookup(name) == nil {
			t.Errorf("%s types %q, and kedge %s has no flag --%s", file, line, c.Name(), name)
		}
	}
}

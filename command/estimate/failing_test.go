package estimate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// quick are flags with which a command has little to do.
func quick(command string) []string {
	flags := []string{command, "a.yaml", "--starts", "0", "--out", "found"}
	if command == "backtest" {
		flags = append(flags, "--draws", "0", "--from", "8")
	}
	return flags
}

// What cannot be printed is told, with the code of what failed on its way: here to a file that is closed, as a pipe is whose reader went away.
func TestWhatCannotBePrintedIsTold(t *testing.T) {
	closed, err := os.Create(filepath.Join(t.TempDir(), "printed"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, command := range []string{"fit", "backtest"} {
		for _, more := range []string{"", "--json"} {
			code, err := calledInto(t, closed, logOf(false), append(quick(command), strings.Fields(more)...)...)
			if code != 1 || !errors.Is(err, os.ErrClosed) {
				t.Errorf("%s %s ends with %d, %v", command, more, code, err)
			}
		}
		if code, err := calledInto(t, closed, logOf(false), append(quick(command), "--quiet")...); code != 0 || err != nil {
			t.Errorf("%s --quiet ends with %d, %v, and prints nothing", command, code, err)
		}
	}
}

// What cannot be written is told in the same way: here since a folder is where a file should be.
func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	for command, file := range map[string]string{"fit": "draws.csv", "backtest": "backtest.csv"} {
		out := filepath.Join(t.TempDir(), "found")
		if err := os.MkdirAll(filepath.Join(out, file, "in the way"), 0o755); err != nil {
			t.Fatal(err)
		}
		flags := append(quick(command), "--out", out, "--overwrite")
		if printed, code, err := called(t, logOf(false), flags...); code != 1 || err == nil || !strings.Contains(err.Error(), file) || printed != "" {
			t.Errorf("%s ends with %d, %v, and prints %q", command, code, err, printed)
		}
		if err := os.RemoveAll(filepath.Join(out, file)); err != nil {
			t.Fatal(err)
		}
		if _, code, err := called(t, logOf(false), flags...); code != 0 || err != nil {
			t.Errorf("%s ends with %d, %v", command, code, err)
		}
	}
}

// Where decisions moved in the last week alone, the whole log tells the numbers and none of its past dates does: what was done is shown and written, and the
// end says that rules would have set nothing.
func TestBacktestOfAMoveAtTheEnd(t *testing.T) {
	for first, want := range map[int]int{9: 1, 8: 0} {
		printed, code, err := called(t, logFrom(first), quick("backtest")...)
		if code != want || (err != nil) != (want == 1) || want == 1 && !strings.Contains(err.Error(), "a.yaml: at no date does the log tell what a rule would have set: pull cannot be told: q never moved") {
			t.Errorf("a move in week %d: %d, %v", first, code, err)
		}
		if strings.Contains(printed, "cannot be told yet") != (want == 1) || !strings.Contains(printed, "8 to 9: 1 date") && !strings.Contains(printed, "0 to 9: 1 date") {
			t.Errorf("a move in week %d prints\n%s", first, printed)
		}
		if text, err := os.ReadFile("found/backtest.json"); err != nil || !strings.Contains(string(text), `"rule": "done"`) {
			t.Errorf("a move in week %d is not written: %v", first, err)
		}
	}
}

// What is in the way of a fit is told before anything is written: its pages cannot be made, a file where its folder should be, a link to nowhere, a spec or a
// figure of a fit before that cannot be taken away.
func TestWhatIsInTheWayOfAFitIsTold(t *testing.T) {
	broken := errors.New("no pages")
	files := func() (map[string][]byte, error) { return map[string][]byte{"fit.html": []byte("page")}, nil }
	for name, c := range map[string]struct {
		lay   func(out string) error
		pages func() (map[string][]byte, error)
		want  string
	}{
		"pages":  {func(string) error { return nil }, func() (map[string][]byte, error) { return nil, broken }, broken.Error()},
		"a file": {func(out string) error { return os.WriteFile(out, nil, 0o644) }, files, "is no folder"},
		"a link": {func(out string) error { return os.Symlink(out+"-gone", out) }, files, "found"},
		"a spec": {func(out string) error { return os.MkdirAll(filepath.Join(out, "fitted.yaml", "mine"), 0o755) }, files, "fitted.yaml"},
		"figure": {func(out string) error { return os.MkdirAll(filepath.Join(out, "fit-old.svg", "mine"), 0o755) }, files, "fit-old.svg"},
		"":       {func(out string) error { return os.MkdirAll(filepath.Join(out, "fit-old.txt", "mine"), 0o755) }, files, ""},
	} {
		out := filepath.Join(t.TempDir(), "found")
		if err := c.lay(out); err != nil {
			if name == "a link" {
				continue // not everybody may make one everywhere
			}
			t.Fatal(name, err)
		}
		err := (&fitFlags{out: out}).put(map[string][]byte{"fit.json": []byte("{}"), "fitted.yaml": []byte("model: {}")}, isOfAFit, c.pages)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(out, "fit.json")); (err == nil) != (c.want == "") {
			t.Errorf("%s in the way, and fit.json: %v", name, err)
		}
	}
}

// Files of a fit before that this one does not write are taken away, those of others stay; a look back, whose files have one name each, takes nothing away.
func TestWhatAFitTakesAway(t *testing.T) {
	pages := func() (map[string][]byte, error) { return map[string][]byte{"new.html": []byte("page")}, nil }
	for want, isOld := range map[string]func(name string) bool{"[diary.txt fit-new.svg new.html]": isOfAFit, "[diary.txt draws.csv fit-new.svg fit-old.svg fitted.yaml new.html]": nil} {
		out := t.TempDir()
		for _, name := range []string{"diary.txt", "fit-old.svg", "fit-new.svg", "draws.csv", "fitted.yaml"} {
			if err := os.WriteFile(filepath.Join(out, name), []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := (&fitFlags{out: out}).put(map[string][]byte{"fit-new.svg": []byte("new")}, isOld, pages); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(out, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range found {
			found[i] = filepath.Base(name)
		}
		if text, err := os.ReadFile(filepath.Join(out, "fit-new.svg")); fmt.Sprint(found) != want || string(text) != "new" {
			t.Errorf("left are %v, want %s; the new one is %q, %v", found, want, text, err)
		}
	}
}

package command

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	talker "github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// problemNames are the types of problems that the server has, from the table of their pages.
var problemNames = regexp.MustCompile(`(?m)^\t\t\{([\w.]+), \d{3}, "`)

// The line that a page of a problem gives can be typed as it stands, where the page was read, and is answered.
func TestProblemPagesCanBeTyped(t *testing.T) {
	s := newServing(t)
	l := talker.Open("http://" + s.address).Loop("shop")
	_, err := l.Create(t.Context(), "shop", shopSpec, session.Live)
	if err == nil {
		_, err = l.Ask(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	typed, pages := typing(t), 0
	for _, name := range problemsOf(t) {
		reply, err := http.Get("http://" + s.address + "/problems/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reply.Body)
		reply.Body.Close()
		_, line, found := strings.Cut(string(text), "\n\n    ")
		if err != nil || reply.StatusCode != 200 || !found || strings.Count(line, "\n") != 1 {
			t.Errorf("%s: %d, %v: %s", name, reply.StatusCode, err, text)
			continue
		}
		pages++
		out, err := typed(strings.TrimSpace(line))
		if err != nil || out == "" || strings.Contains(out, `"type":"/problems/`) && !strings.Contains(out, `"type":"/problems/`+name+`"`) {
			t.Errorf("%s: %s%v: %.300s", name, line, err, out)
		}
		if strings.Contains(line, "curl -si ") && !regexp.MustCompile(`(?im)^(allow|etag):`).MatchString(out) {
			t.Errorf("%s: the remedy is in a header that is not there: %s", name, out)
		}
	}
	if pages < 35 {
		t.Errorf("%d pages", pages)
	}
}

// typing returns what types a line into a shell that has the program, in a folder with the examples.
func typing(t *testing.T) func(line string) (string, error) {
	t.Helper()
	kedge, err := program.Path()
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := errors.Join(os.Symlink(kedge, filepath.Join(dir, "kedge")), os.Symlink(examples, filepath.Join(dir, "examples"))); err != nil {
		t.Fatal(err)
	}
	return func(line string) (string, error) {
		c := exec.Command("bash", "-ec", line)
		c.Dir, c.Env = dir, append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "COLUMNS=80")
		out, err := c.Output()
		return string(out), err
	}
}

// problemsOf are the names of all problems, which the table has as constants.
func problemsOf(t *testing.T) (names []string) {
	t.Helper()
	text := ""
	for _, pattern := range []string{"../server/*.go", "../server/*/*.go", "../session/event.go", "../batch/batch.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text += string(b)
		}
	}
	for _, found := range problemNames.FindAllStringSubmatch(text, -1) {
		word := found[1][strings.LastIndex(found[1], ".")+1:]
		if value := regexp.MustCompile(`(?m)^\t` + word + `\s+= "([a-z-]+)"`).FindStringSubmatch(text); value != nil {
			names = append(names, value[1])
		} else {
			t.Errorf("nothing says what %s is", word)
		}
	}
	return names
}

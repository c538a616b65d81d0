package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	talker "github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// pythonTells tells two batches of a file to a loop, the first as arrays where there is NumPy, and prints the hashes and the next decision.
const pythonTells = `
import json, sys
import kedge
try:
    import numpy
except ImportError:
    numpy = None
url, name, at = sys.argv[1:]
loop = kedge.connect(url).loop(name)
people = json.load(open("people.json"))
array = numpy.array if numpy else list
k = loop.ask().k
loop.deploy(k, array([3.0, 3.0]))
seen = []
for batch in ("b", "a"):
    one = people[batch]
    seen.append(loop.tell(k, batch=batch, p=array(one["p"]), d=array(one["d"]), w=array(one["w"]), ids=array(one["id"]), observed_at=at)["content"])
loop.close(k)
print(json.dumps({"content": seen[::-1], "u": loop.ask().u, "numpy": numpy is not None}))
`

// toldBy is what came of two batches.
type toldBy struct {
	Content []string  `json:"content"`
	U       []float64 `json:"u"`
	NumPy   bool      `json:"numpy"`
}

// The same people have the same hashes and lead to the same decision, whether they are told by the client in Go, by curl or by the client in
// Python, with arrays of NumPy where it is there.
func TestGoCurlAndPythonTellTheSame(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	python, s, dir := pythonOf(t), newServing(t), t.TempDir()
	url := "http://" + s.address
	at := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	batches := map[string]talker.Answers{
		"a": {P: [][]float64{{7.1, 5e-3}, {1. / 3, 5.25}}, D: [][]float64{{10, 8}, {9.7, 8.3}}, W: []float64{1, 0.5}, ID: []string{"17", "18"}, ObservedAt: &at},
		"b": {P: [][]float64{{6.8, 4.9}}, D: [][]float64{{1e-7, 12}}, W: []float64{2}, ID: []string{"19"}, ObservedAt: &at},
	}
	text, err := json.Marshal(batches)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "people.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	spec := strings.Replace(shopSpec, "samples: {least: 2}", "samples: {least: 2, weights: required, ids: required}", 1)
	for _, name := range []string{"go", "curl", "python"} {
		if _, err := talker.Open(url).Create(t.Context(), name, spec, session.Live); err != nil {
			t.Fatal(err)
		}
	}
	byGo := tellByGo(t, talker.Open(url).Loop("go"), batches)
	byCurl := tellByCurl(t, url+"/v1/loops/curl", dir, batches)
	c := exec.Command(python, "-c", pythonTells, url, "python", at.Format(time.RFC3339))
	c.Dir, c.Env = dir, append(os.Environ(), "PYTHONPATH="+absolute(t, "../clients/python/src"), "PYTHONDONTWRITEBYTECODE=1")
	c.Stderr = os.Stderr
	out, err := c.Output()
	var byPython toldBy
	if err != nil || json.Unmarshal(out, &byPython) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("with NumPy: %t; the next decision is %v", byPython.NumPy, byGo.U)
	for how, got := range map[string]toldBy{"curl": byCurl, "Python": byPython} {
		if !slices.Equal(got.Content, byGo.Content) || !slices.Equal(got.U, byGo.U) {
			t.Errorf("by %s %+v, by Go %+v", how, got, byGo)
		}
	}
	if byGo.U[0] == 3 {
		t.Error("the decision has not moved")
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tellByGo tells with the client in Go.
func tellByGo(t *testing.T, l *talker.Remote, batches map[string]talker.Answers) (told toldBy) {
	t.Helper()
	ctx := t.Context()
	if _, err := l.Ask(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Deploy(ctx, 1, []float64{3, 3}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		got, err := l.Tell(ctx, 1, name, batches[name])
		if err != nil {
			t.Fatal(err)
		}
		told.Content = append(told.Content, got.Content.String())
	}
	if _, err := l.Close(ctx, 1); err != nil {
		t.Fatal(err)
	}
	next, err := l.Ask(ctx)
	if err != nil {
		t.Fatal(err)
	}
	told.U = next.U
	return told
}

// tellByCurl tells with curl.
func tellByCurl(t *testing.T, loop, dir string, batches map[string]talker.Answers) (told toldBy) {
	t.Helper()
	send := func(into any, method, path, body string) {
		t.Helper()
		out, err := exec.Command("curl", "-sf", "-X", method, loop+path, "-d", body).Output()
		if err == nil && into != nil {
			err = json.Unmarshal(out, into)
		}
		if err != nil {
			t.Fatalf("curl %s %s: %v: %s", method, path, err, out)
		}
	}
	send(nil, "POST", "/ask", "")
	send(nil, "PUT", "/decisions/1/deployment", `{"u":[3,3]}`)
	for _, name := range []string{"a", "b"} {
		text, err := json.Marshal(batches[name])
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Content string }
		send(&got, "PUT", fmt.Sprintf("/decisions/1/batches/%s", name), "@"+filepath.Join(dir, name+".json"))
		told.Content = append(told.Content, got.Content)
	}
	send(nil, "POST", "/decisions/1/close", "{}")
	send(&told, "POST", "/ask", "")
	return told
}

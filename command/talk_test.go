package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const shopSpec = `
iterations: 100
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  next: 0.5*p + 0.5*(d - q)
  maximize: dot(p, q)
  subject to: 0 <= q <= 20
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
start: {law: values, values: [3, 3]}
algorithms:
  - {name: composite, kind: composite, step: 0.05, batch: 10}
live: {samples: {least: 2}, cap: {norm: 0.5}, safe: [4, 4]}
`

// said is what a command printed and how it ended.
type said struct {
	out, complaint string
	code           int
}

// typed runs a real kedge with something on its standard input.
func typed(t *testing.T, input string, args ...string) said {
	t.Helper()
	c, complaint := process(t, args...)
	var out bytes.Buffer
	c.Stdin, c.Stdout = strings.NewReader(input), &out
	err := c.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return said{out.String(), complaint.String(), c.ProcessState.ExitCode()}
}

// A job that runs once a day needs no service: commands on a data folder reply what those on a service do.
func TestCommandsOnADataFolderReplyAsAService(t *testing.T) {
	s, dir := newServing(t), t.TempDir()
	spec, table := filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "pm.csv")
	for name, text := range map[string]string{spec: shopSpec, table: "p.0,p.1,d.0,d.1\n7,5,10,8\n6.5,5.25,9.5,8\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(dir, "data")
	const people = `{"p":[7,5],"d":[10,8]}` + "\n"
	for _, one := range []struct {
		command, input string
		code           int
	}{
		{"loop create shop " + spec + " --mode live", "", 0},
		{"ask shop", "", 0},
		{"deploy shop 1 3 3", "", 0},
		{"tell shop 1 am", people, 0},
		{"tell shop 1 am", `{"p":[1,1],"d":[1,1]}`, exitFailed},
		{"close shop 1", "", exitHolds}, // one person of two
		{"ask shop", "", 0},
		{"deploy shop 2 3.01 3", "", 0},
		{"tell shop 2 pm " + table, "", 0},
		{"close shop 2", "", 0},
		{"ask nowhere", "", exitFailed},
		{"deploy shop two 3", "", exitUsage},
		{"loop pause shop", "", 0},
		{"ask shop", "", exitHolds},
		{"loop list", "", 0},
	} {
		args := strings.Fields(one.command)
		over := typed(t, one.input, append(args, "--json", "--server", "http://"+s.address)...)
		in := typed(t, one.input, append(args, "--json", "--data", data)...)
		if over.code != one.code || in.code != one.code || over.complaint != in.complaint || !reflect.DeepEqual(timeless(t, over.out), timeless(t, in.out)) {
			t.Fatalf("kedge %s, want exit code %d\non a service: %+v\non a folder:  %+v", one.command, one.code, over, in)
		}
	}
	if got := typed(t, "", "ask", "shop", "--data", s.data); got.code != exitUsage || !strings.Contains(got.complaint, "--server") {
		t.Errorf("a folder that a service has open: %+v", got)
	}
	if got := typed(t, "", "ask", "shop", "--data", filepath.Join(dir, "none")); got.code != exitUsage || !strings.Contains(got.complaint, "kedge loop create") {
		t.Errorf("a folder that is not there: %+v", got)
	}
	if got := typed(t, "", "ask", "shop", "--data", data); got.code != exitHolds || !strings.Contains(got.out, "(hold): ") || !strings.Contains(got.complaint, "the loop is paused") {
		t.Errorf("in words: %+v", got)
	}
}

// timeless is a reply without what no two loops have in common.
func timeless(t *testing.T, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var clean func(any)
	clean = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				clean(one)
			}
		case map[string]any:
			for _, key := range []string{"epoch", "hash", "since", "deploy_by", "data_by", "deployed_at", "measure_after", "observed_at"} {
				delete(v, key)
			}
			for _, one := range v {
				clean(one)
			}
		}
	}
	clean(v)
	return v
}

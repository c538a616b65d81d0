package rival

import (
	"flag"
	"os/exec"
	"strings"
	"testing"
)

// A Python that answers is heard, with the numbers that it was handed; one that does not is named with what it lacks.
func TestAsk(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	var got struct {
		Sum     float64
		Threads string
	}
	script := `import json, os, struct, sys; n, a, b = struct.unpack("<qdd", sys.stdin.buffer.read()); print(json.dumps({"Sum": n + a + b, "Threads": os.environ["OMP_NUM_THREADS"]}))`
	l := Library{Python: "python3", Script: script, Lacks: "sums (pip install sums)", Threads: 3}
	if err := l.Ask(t.Context(), &got, int64(2), []float64{0.5, 0.25}); err != nil || got.Sum != 2.75 || got.Threads != "3" {
		t.Errorf("%+v, %v", got, err)
	}
	l.Script = "import nothing_of_that_name"
	if err := l.Ask(t.Context(), &got); err == nil || !strings.Contains(err.Error(), "python3 has no sums (pip install sums)") || !strings.Contains(err.Error(), "nothing_of_that_name") {
		t.Error(err)
	}
	if err := l.Ask(t.Context(), &got, "a text"); err == nil {
		t.Error("a text was handed over")
	}
}

func TestParse(t *testing.T) {
	n := 0
	for _, c := range []struct {
		args string
		ok   bool
	}{{"--n 3", true}, {"--n 0", false}, {"--n 3 more", false}, {"--nonsense", false}} {
		var complaint strings.Builder
		err := Parse("test", strings.Fields(c.args), &complaint, func(f *flag.FlagSet) { f.IntVar(&n, "n", 1, "") }, func() bool { return n > 0 }, "--n above 0")
		if (err == nil) != c.ok || (complaint.Len() == 0) != c.ok {
			t.Errorf("%s: %v, %q", c.args, err, complaint.String())
		}
	}
}

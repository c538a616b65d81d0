package conform

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/stream"
)

// recorder is a testing.TB that keeps failures to itself, and the files where they are told: those of the first function on the way that is no helper.
type recorder struct {
	testing.TB
	failures, files []string
	helpers         []string
}

func (r *recorder) Helper() {
	at, _ := framesAbove(2).Next()
	r.helpers = append(r.helpers, at.Function)
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
	frames := framesAbove(2)
	for {
		at, more := frames.Next()
		if !more || !strings.Contains(at.Function, "(*recorder)") && !slices.Contains(r.helpers, at.Function) {
			r.files = append(r.files, at.File)
			return
		}
	}
}

// framesAbove are those of the caller's caller and on, or from further above.
func framesAbove(skip int) *runtime.Frames {
	pcs := make([]uintptr, 64)
	return runtime.CallersFrames(pcs[:runtime.Callers(skip+1, pcs)])
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failuresOf runs a conformance test and returns what it reports, all of it as of the test that asked.
func failuresOf(t *testing.T, test func(t testing.TB)) []string {
	t.Helper()
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	for i, file := range r.files {
		if !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%q is told of %s", r.failures[i], file)
		}
	}
	return r.failures
}

// twin is a broken implementation and the check that must catch it.
type twin struct {
	name   string
	caught string
	test   func(t testing.TB)
}

// catch runs the twins. Each must be caught by its check, and each check must have a twin; what all checks say of them is as when that was recorded.
func catch(t *testing.T, checks []string, twins []twin) {
	missing, said := slices.Clone(checks), []string{}
	for _, w := range twins {
		t.Run(w.name, func(t *testing.T) {
			failures := failuresOf(t, w.test)
			for _, f := range failures {
				if !strings.Contains(f, "in parallel") { // whose order is any
					said = append(said, w.name+": "+strings.ReplaceAll(f, "\n", " / "))
				}
			}
			if !slices.ContainsFunc(failures, func(f string) bool { return strings.HasPrefix(f, w.caught+":") }) {
				t.Errorf("not caught by %q; failures: %q", w.caught, failures)
			}
		})
		missing = slices.DeleteFunc(missing, func(c string) bool { return c == w.caught })
	}
	for _, c := range missing {
		t.Errorf("no twin for the check %q: add an implementation that breaks it", c)
	}
	evidence.AsRecorded(t, "testdata/"+t.Name()+".txt", said)
}

func checkNames(checks []check) (names []string) {
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

func propertyNames(properties []property) (names []string) {
	for _, p := range properties {
		names = append(names, p.name)
	}
	return names
}

// As many cases, points, decisions and turns are drawn as are wanted, or as the comments say; and of everything right nothing is said.
func TestHowMuchIsDrawn(t *testing.T) {
	for want, usual := range map[int][2]int{0: {32, 8}, 5: {5, 5}} {
		calls := [4]int{}
		c := toyCases()
		draw, c2, c3, c4 := c.Draw, points(), responses(), turns()
		c.Count, c2.Count, c3.Count, c4.Count = want, want, want, want
		c.Draw = func(r *stream.Stream) (p, u, d []float64) { calls[0]++; return draw(r) }
		draw2, decide, observe := c2.Draw, c3.Decide, c4.Observe
		c2.Draw = func(r *stream.Stream) []float64 { calls[1]++; return draw2(r) }
		c3.Decide = func(r *stream.Stream) []float64 { calls[2]++; return decide(r) }
		c4.Observe = func(r *stream.Stream, round int, u []float64) kedge.Observation {
			if calls[3]++; round != calls[3]-1 {
				t.Errorf("round %d is observed after %d", round, calls[3]-1)
			}
			return observe(r, round, u)
		}
		Dynamics(t, newToy(), c)
		Set(t, region(box), c2)
		Population(t, crowd(habits{}), c3)
		Algorithm(t, start(bends{}), c4)
		if calls != [4]int{blockRows * usual[0], usual[0], usual[1], usual[1]} {
			t.Errorf("of %d are drawn %v", want, calls)
		}
	}
}

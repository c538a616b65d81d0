package conform

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// recorder is a testing.TB that keeps failures to itself.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failuresOf runs a conformance test and returns what it reports.
func failuresOf(test func(t testing.TB)) []string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r.failures
}

// twin is a broken implementation and the check that must catch it.
type twin struct {
	name   string
	caught string
	test   func(t testing.TB)
}

// catch runs the twins. Each must be caught by its check, and each check must have a twin.
func catch(t *testing.T, checks []string, twins []twin) {
	missing := slices.Clone(checks)
	for _, w := range twins {
		t.Run(w.name, func(t *testing.T) {
			failures := failuresOf(w.test)
			if !slices.ContainsFunc(failures, func(f string) bool { return strings.HasPrefix(f, w.caught+":") }) {
				t.Errorf("not caught by %q; failures: %q", w.caught, failures)
			}
		})
		missing = slices.DeleteFunc(missing, func(c string) bool { return c == w.caught })
	}
	for _, c := range missing {
		t.Errorf("no twin for the check %q: add an implementation that breaks it", c)
	}
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

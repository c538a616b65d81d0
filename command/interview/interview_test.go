package interview_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/command/interview"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// asked is what is said to somebody who answers so and has given some flags, and what it comes to.
func asked(t *testing.T, answers string, w interview.Wishes, isSilent bool, flags ...string) (list []string) {
	t.Helper()
	var out bytes.Buffer
	w.Kinds = kind.Standard()
	i := &interview.Interview{Kinds: w.Kinds, In: bufio.NewReader(strings.NewReader(answers)), Out: &out, Silent: isSilent, Given: func(flag string) bool { return strings.Contains(strings.Join(flags, " ")+" ", flag+" ") }}
	err := w.Complete(i)
	list = strings.Split(out.String(), "\n")
	if err != nil {
		return append(list, "error: "+err.Error())
	}
	if _, err := problem.Parse(w.Kinds, "the answers", []byte(w.YAML())); err != nil {
		t.Errorf("%q makes no spec: %v", answers, err)
	}
	return append(list, strings.Split(w.YAML(), "\n")...)
}

// Interviews go as they went when this was recorded; what comes of each is a spec.
func TestInterviewsAsRecorded(t *testing.T) {
	var got []string
	note := func(name string, lines []string) {
		got = append(got, "== "+name)
		for _, line := range lines {
			got = append(got, strings.TrimRight(line, " "))
		}
	}
	for _, answers := range []string{
		"\n\n\n\n\n\n\n",
		"affine\n3\nquadratic\nbox\n50\n100\n2\n",
		"nobody\nformula\n0\n51\nx\n50\n\n800\n3\n",
		"affine\n2\nquadratic\nwhole\n1\n1\n1",
	} {
		note(fmt.Sprintf("%q", answers), asked(t, answers, interview.Wishes{}, false))
	}
	for _, dynamics := range (&interview.Wishes{Kinds: kind.Standard()}).SimpleDynamics() {
		note("silent "+dynamics, asked(t, "", interview.Wishes{Dynamics: dynamics}, true, "dynamics"))
		note("silent, given "+dynamics, asked(t, "", interview.Wishes{Dynamics: dynamics, Dim: 3, People: 9, Trials: 2, Iterations: 401}, true, "dynamics", "dim", "people", "trials", "iterations"))
	}
	note("opinions in a box", asked(t, "", interview.Wishes{Dynamics: "friedkin-johnsen", Set: "box"}, true, "dynamics", "set-kind"))
	note("wrong dynamics", asked(t, "", interview.Wishes{Dynamics: "nobody"}, true, "dynamics"))
	for _, dim := range []int{0, 1, 50, 51} {
		note(fmt.Sprint("formulas of ", dim), asked(t, "", interview.Wishes{Dynamics: "formula", Dim: dim}, true, "dynamics", "dim"))
	}
	for _, flag := range []string{"objective", "set-kind"} {
		note("formulas with "+flag, asked(t, "", interview.Wishes{Dynamics: "formula"}, true, "dynamics", flag))
		note("wrong "+flag, asked(t, "", interview.Wishes{Dynamics: "affine", Objective: "x", Set: "x"}, true, "dynamics", flag))
	}
	for _, flag := range []string{"people", "trials", "iterations"} {
		note("no "+flag, asked(t, "", interview.Wishes{Dynamics: "affine"}, true, "dynamics", flag))
		note("no formulas' "+flag, asked(t, "", interview.Wishes{Dynamics: "formula"}, true, "dynamics", flag))
	}
	evidence.AsRecorded(t, "testdata/interviews.txt", got)
}

// Who stops an interview gets no answer, and nothing waits for one.
func TestInterviewsAreStopped(t *testing.T) {
	stop, never, out := make(chan struct{}), &silence{make(chan struct{})}, &bytes.Buffer{}
	defer close(never.over)
	close(stop)
	i := &interview.Interview{Stop: stop, In: bufio.NewReader(never), Out: out}
	if answer, err := i.Ask("Why", "so", func(string) error { return nil }); answer != "" || !errors.Is(err, interview.ErrStopped) || out.String() != "Why [so]: \n" {
		t.Errorf("%q, %v: %q", answer, err, out)
	}
	if answer, err := (&interview.Interview{Silent: true}).Ask("Why", "so", func(s string) error { return errors.New(s) }); answer != "so" || err == nil || err.Error() != "so" {
		t.Errorf("%q, %v", answer, err)
	}
}

// The end of the input is no answer, and what is said about it begins in a line of its own.
func TestInterviewsThatEnd(t *testing.T) {
	var out bytes.Buffer
	i := &interview.Interview{In: bufio.NewReader(strings.NewReader("")), Out: &out}
	answer, err := i.Ask("Why", "so", func(string) error { return nil })
	if answer != "" || err == nil || !strings.HasPrefix(err.Error(), `no answer to "Why"; `) || out.String() != "Why [so]: \n" {
		t.Errorf("%q, %v: %q", answer, err, &out)
	}
}

// silence is somebody who says nothing.
type silence struct{ over chan struct{} }

func (s *silence) Read([]byte) (int, error) { <-s.over; return 0, io.EOF }

package world

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/stream"
)

// read reads what a codec makes of a value, and what was wrong with it.
func read[T any](c form.Codec[T], text string) (x T, ok bool, told string) {
	found := &form.Mistakes{}
	root := form.ReadText(found, form.Place{File: "x.yaml"}, "model: "+text)
	root.Locate("")
	x, ok = c.Read(found, root.Items[0])
	if err := found.Join(); err != nil {
		told = "  refused: " + strings.ReplaceAll(err.Error(), "\n", "\n  refused: ")
	}
	return x, ok, told
}

// Noise is read, refused, written and drawn as when this was recorded.
func TestNoiseAsRecorded(t *testing.T) {
	var got []string
	c := Noises()
	for _, text := range []string{
		"{w: 'normal(0, 0.1)'}", "{w: 'normal( 1 ,2 )', 'v[3]': 'uniform(-1, 1)'}", "{w: 'normal(−2, 1e−05)'}", "{w: 'normal(-1e-9, 0)'}", "{w: normal( 1 ,2 )}", "{w: 'normal(0)'}", "{w: 'normal(0, 1, 2)'}", "{w: 'normal(0, 1,)'}", "{w: 'normal(0, x)'}", "{w: 'normal(x, 0)'}", "{w: 'normal(0, -1)'}", "{w: 'normal()'}", "{w: 'normal'}", "{w: 'normal(0, 1) '}", "{w: ' laplace (0, 1)'}", "{w: 'normal((0), 1)'}", "{w: 'norml(0, 1)'}", "{w: 'zzzzzz(1)'}", "{w: 3}", "{w: [1]}", "{w: {a: 1}}", "[1]", "x", "{}",
		"{w: 'uniform(1, 0)'}", "{w: 'laplace(0, 1)'}", "{w: 'student(3, 1)'}", "{w: 'student(1, -1)'}", "{w: 'lognormal(0, 1)'}", "{w: 'exponential(2)'}", "{w: 'exponential(-2)'}", "{w: 'bernoulli(0.5)'}", "{w: 'bernoulli(2)'}", "{w: 'poisson(3)'}", "{w: 'normal(1e3, 1.25)'}", "{w: 'normal(nan, 1)'}", "{w: 'normal(0, inf)'}",
	} {
		list, ok, told := read(c, text)
		got = append(got, fmt.Sprintf("%s: %v", text, ok))
		if told != "" {
			got = append(got, told)
			continue
		}
		for _, one := range list {
			s := stream.New(3, one.Name)
			got = append(got, fmt.Sprintf("  %s ~ %s draws %.10g, %.10g", one.Name, one.Words(), one.Law.Draw(s), one.Law.Draw(s)))
		}
		written := c.Write(list).Flow()
		got = append(got, "  "+written)
		if again, ok, told := read(c, written); !ok || c.Write(again).Flow() != written {
			t.Errorf("%s is not what it was when it is read again: %s", written, told)
		}
	}
	schema, err := json.Marshal(c.Schema)
	got = append(got, fmt.Sprint(c.Want, string(schema), err))
	evidence.AsRecorded(t, "testdata/noise.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// Groups are read, refused and written as when this was recorded.
func TestGroupsAsRecorded(t *testing.T) {
	var got []string
	c := Groups()
	for _, text := range []string{
		"{north: {share: 0.4, habit: 0.8}, south: {share: 0.6, habit: 0.25, b: -2}}", "{all: {share: 1}}", "{north: {habit: 0.8}}", "{north: {share: 0}}", "{north: {share: 1.5}}", "{north: {share: -1}}", "{north: {share: x}}", "{north: {share: 0.5, habit: x}}", "{north: {habit: y, share: 0.5}}", "{north: {habit: .inf, share: 0.5}}", "{north: 0.5}", "{north: [0.5]}", "{north: {}}", "{north: {share: null}}", "north", "{}",
	} {
		list, ok, told := read(c, text)
		got = append(got, fmt.Sprintf("%s: %v", text, ok))
		if told != "" {
			got = append(got, told)
			continue
		}
		for _, one := range list {
			got = append(got, fmt.Sprintf("  %s %v%s", one.Name, one.Share, one.Told()))
		}
		got = append(got, "  "+c.Write(list).Flow())
	}
	schema, err := json.Marshal(c.Schema)
	got = append(got, fmt.Sprint(c.Want, string(schema), err))
	evidence.AsRecorded(t, "testdata/groups.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

package logs

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// ending is a context that ends after so many questions.
type ending struct {
	context.Context
	left *atomic.Int64
}

func endingAfter(t *testing.T, questions int64) *ending {
	c := &ending{t.Context(), &atomic.Int64{}}
	c.left.Store(questions)
	return c
}

func (c *ending) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A fit ends with its context, whenever that does: at each of the first and the last of its questions, and some between.
func TestFitsOfLogsStop(t *testing.T) {
	people, _ := sectionLog(4, 12)
	for _, c := range []recordedLog{
		{"a bound and a prior", bareSpec, []string{`pull: "?"`, `pull: "? ~ normal(2, 1)"`}, swung(-0.12), Options{}},
		{"people and a bound", bareSpec, []string{"pull*q*d", "pull*q + d", "traits: one", "effects: person"}, swung(-0.12), Options{Bootstrap: 2}},
		{"sections", sampled, []string{"KIND", "sections", "TRAITS", ", traits: d"}, people, Options{}},
	} {
		s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(strings.NewReplacer(c.replace...).Replace(c.spec)))
		if err != nil {
			t.Fatal(c.name, err)
		}
		find := func(ctx context.Context) error {
			_, err := Fit(ctx, s, fstest.MapFS{"log.csv": {Data: []byte(c.log)}}, Options{Seed: 1, Bootstrap: c.o.Bootstrap})
			return err
		}
		const most = 1 << 40
		whole := endingAfter(t, most)
		if err := find(whole); err != nil {
			t.Fatal(c.name, err)
		}
		asked := most - whole.left.Load()
		for n := int64(0); n < asked; n += 1 + max(0, min(n, asked-n)-10)/2 {
			if err := find(endingAfter(t, n)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: after %d of %d questions: %v", c.name, n, asked, err)
			}
		}
	}
}

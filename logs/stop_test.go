package logs

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

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
		evidence.Stops(t, c.name, 4, find)
	}
}

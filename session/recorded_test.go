package session_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/session"
)

// Scripts of loops of all kinds go as they went when this was recorded: the same events, answers, refusals and states. Other tests say that those are right.
func TestScriptsGoAsRecorded(t *testing.T) {
	specs := map[string]string{
		"shop":       shop,
		"approval":   with("approval: always", "lead: 0.1", "deadlines: {approve: 3h, deploy: 5h}"),
		"beyond":     with("approval: beyond", "beyond: 0.2"),
		"guardrails": with("guardrails:", "  - {name: complaints, kind: external, most: 3}", "  - {name: load, of: 'mean(p[0])', most: 4.5, action: rollback}"),
		"alarms":     with("guardrails:", "  - {name: complaints, kind: external, most: 3, action: kill}", "  - {name: load, of: 'mean(p[0])', most: 4.5, action: hold}", "approval: beyond", "beyond: 0.4"),
	}
	var got []string
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		for seed := range uint64(16) {
			s := newScene(t, specs[name], []session.Mode{session.Live, session.Live, session.Shadow}[seed%3])
			got = append(got, fmt.Sprintf("%s %d: %s", name, seed, scripted(s, seed)))
		}
	}
	evidence.AsRecorded(t, "testdata/scripts.txt", got)
}

// scripted is what came of a random script: how often each kind of event and refusal, and sums of all that was written and answered.
func scripted(s *scene, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 11))
	answers, refused := sha256.New(), map[string]int{}
	var last session.Command
	for range 150 {
		c := draw(s, r, last)
		s.now = s.now.Add(time.Duration(r.IntN(400)-100) * time.Minute)
		reply, err := s.do(c)
		if no, is := err.(*session.Refusal); is {
			refused[no.Type]++
			fmt.Fprintln(answers, text(no))
		} else if err != nil {
			s.Fatalf("%T: %v", c, err)
		}
		due, ever := s.loop.Due()
		fmt.Fprintln(answers, text(reply), text(s.loop.Status()), due, ever)
		last = c
	}
	kinds, written := map[string]int{}, sha256.New()
	for _, e := range s.past.events {
		if kinds[string(e.Kind)]++; e.Kind != session.Created { // which says by what version
			fmt.Fprintln(written, e.At, e.Actor, e.Kind, e.K, e.Ref, string(e.Body), e.Drops)
		}
	}
	return fmt.Sprintf("%s; refused %s; events %.8x answers %.8x", counts(kinds), counts(refused), written.Sum(nil), answers.Sum(nil))
}

func counts(of map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, fmt.Sprintf("%s %d", name, of[name]))
	}
	return strings.Join(list, ", ")
}

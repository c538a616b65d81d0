package logs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// sectionLog is of other people every time, who keep 0.7 of what they did and answer a price by -0.5 a unit; and the means of all.
func sectionLog(times, each int) (people, means string) {
	s := stream.New(11, "test", "sections")
	people, means = "t,q,p,d\n", "t,q,p\n"
	trait, state := make([]float64, 40*each), make([]float64, 40*each)
	for i := range trait {
		trait[i] = 10 + s.Normal()
		state[i] = trait[i]
	}
	for t := range times {
		q, mean := 4+s.Normal(), 0.0
		for i, d := range trait {
			if t > 0 {
				state[i] = 0.7*state[i] + 0.3*(d-0.5*q)
			}
			mean += state[i] / float64(len(state))
		}
		for range each {
			i := s.Intn(len(trait))
			people += fmt.Sprintf("%d,%v,%v,%v\n", t, q, state[i], trait[i])
		}
		means += fmt.Sprintf("%d,%v,%v\n", t, q, mean)
	}
	return people, means
}

// Numbers are found from people who are not seen again, and from means of people whom the spec describes: those that logs were made with.
func TestPeopleNotSeenAgain(t *testing.T) {
	const spec = `
iterations: 30
model:
  decision: q
  state: p
  trait: d
  let: {habit: "? in [0, 1]", answer: "?"}
  next: habit*p + (1-habit)*(d + answer*q)
  maximize: p*q
  subject to: 0 <= q <= 15
data: {file: log.csv, kind: KIND, time: t, decision: q, states: pTRAITS}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`
	people, means := sectionLog(10, 150)
	for _, c := range []struct{ kind, more, log, population string }{
		{"sections", ", traits: d", people, ""},
		{"aggregates", "", means, "population: {size: 400, law: normal, mean: 10, deviation: 1}\n"},
	} {
		e, err := fitted(t, strings.Replace(strings.Replace(spec, "KIND", c.kind, 1), "TRAITS", c.more, 1)+c.population, c.log, Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.kind, err)
		}
		if e.Method != Matching || math.Abs(float64(e.Found[0].Value)-0.7) > 0.05 || math.Abs(float64(e.Found[1].Value)+0.5) > 0.05 {
			t.Errorf("%s: found %+v by %s", c.kind, e.Found, e.Method)
		}
		files, err := e.Files("")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := problem.Parse(kind.Standard(), "fitted.yaml", files[SpecFile]); err != nil {
			t.Errorf("%s: %v\n%s", c.kind, err, files[SpecFile])
		}
	}
}

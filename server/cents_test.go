package server_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
)

// buyers are the four people of the case lq2, who move by p⁺ = Ap + Bu + Ed with the matrices of its spec.
type buyers struct{ p, d [][]float64 }

func newBuyers() *buyers {
	b := &buyers{}
	for _, d := range [][]float64{{2, -0.5}, {2, -1.5}, {0, -0.5}, {0, -1.5}} {
		b.p, b.d = append(b.p, []float64{d[0], d[1]}), append(b.d, d)
	}
	return b
}

// meet moves them under a decision, and returns them as a batch.
func (b *buyers) meet(u []float64) string {
	for i, p := range b.p {
		p[0], p[1] = 0.5*p[0]+0.25*p[1]+0.5*u[0]+0.5*b.d[i][0], 0.5*p[1]+0.25*u[0]+0.5*u[1]+0.5*b.d[i][1]
	}
	text, _ := json.Marshal(map[string]any{"p": b.p, "d": b.d})
	return string(text)
}

// market is a loop of lq2 whose every round is one exchange.
type market struct {
	*site
	k int
	u []float64 // what was decided last
}

func newMarket(t *testing.T) *market {
	t.Helper()
	spec, ok := problem.Case("lq2")
	if !ok {
		t.Fatal("there is no case lq2")
	}
	m := &market{site: newSite(t)}
	m.createOf("lq2", "live", strings.Replace(string(spec), "{name: composite, step: 0.1,", "{name: composite, step: 0.05,", 1)+"\nlive: {algorithm: composite, samples: {least: 4}, cap: {norm: 0.2}, safe: [0, 0]}\n")
	m.take(m.want(200, "POST", "/v1/loops/lq2/exchange", `{"k":0,"ask":true}`))
	return m
}

func (m *market) take(reply map[string]any) {
	next := reply["next"].(map[string]any)
	m.k, m.u = int(next["k"].(float64)), numbersOf(next["u"])
}

// round deploys something, which people answer.
func (m *market) round(b *buyers, u []float64) {
	m.Helper()
	live, _ := json.Marshal(u)
	reply := m.want(200, "POST", "/v1/loops/lq2/exchange", fmt.Sprintf(`{"k":%d,"deployment":{"u":%s},"batch_id":"all","batch":%s,"close":{},"ask":true}`, m.k, live, b.meet(u)))
	if closed := reply["closed"].(map[string]any); closed["outcome"] != "step" {
		m.Fatalf("decision %d: %v", m.k, closed)
	}
	m.take(reply)
}

// The optimum of lq2 is (−56/229, 99/229), solved by hand: what is live in whole cents ends within a cent of it, although the last steps of the
// rule are shorter than half a cent.
func TestPricesInCents(t *testing.T) {
	m, b := newMarket(t), newBuyers()
	u := make([]float64, 2)
	for range 300 {
		for i, v := range m.u {
			u[i] = math.Round(100*v) / 100
		}
		m.round(b, u)
	}
	if off := max(math.Abs(u[0]+56.0/229), math.Abs(u[1]-99.0/229)); off > 0.01 {
		t.Errorf("%v is live, %.2f cents from the optimum", u, 100*off)
	}
}

// Decisions that nobody follows: the next one is within the cap of what is live, always.
func TestPricesThatNobodyFollows(t *testing.T) {
	times := 100
	if evidence.Whole() {
		times = 1000
	}
	m, b := newMarket(t), newBuyers()
	stay := []float64{1, 1}
	for range times {
		m.round(b, stay)
		if off := math.Hypot(m.u[0]-1, m.u[1]-1); off > 0.2*(1+1e-9) || off == 0 {
			t.Fatalf("decision %d is %g from what is live", m.k, off)
		}
	}
}

// What is live and not feasible raises an alarm, and no step is taken until something feasible is live.
func TestInfeasiblePrices(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/ask", "")
	if r := s.want(201, "PUT", at+"/decisions/1/deployment", `{"u":[-1,3]}`); r["feasible"] != false {
		t.Errorf("deployed: %v", r)
	}
	alarms := func() string { s.Helper(); return fmt.Sprint(s.want(200, "GET", at, "")["alarms"]) }
	if got := alarms(); !strings.Contains(got, "what is live since decision 1 breaks the set of the spec by 1") {
		t.Errorf("alarms %s", got)
	}
	s.want(201, "PUT", at+"/decisions/1/batches/am", twoPeople)
	if c := s.want(200, "POST", at+"/decisions/1/close", ""); c["outcome"] != "hold" || len(c["reasons"].([]any)) == 0 {
		t.Errorf("closed: %v", c)
	}
	next := s.want(200, "POST", at+"/ask", "")
	if got := s.want(200, "GET", at, ""); got["turns"] != 0.0 {
		t.Errorf("a step was taken: %v", got)
	}
	if next["basis"] != "hold" || fmt.Sprint(next["u"]) != "[-1 3]" { // for nothing feasible is within the cap
		t.Errorf("then: %v", next)
	}
	if r := s.want(201, "PUT", at+"/decisions/2/deployment", `{"u":[-1,3]}`); r["feasible"] != false || !strings.Contains(alarms(), "since decision 2 breaks the set") {
		t.Errorf("deployed once more: %v, alarms %s", r, alarms())
	}
	s.want(201, "PUT", at+"/decisions/2/batches/am", twoPeople)
	if c := s.want(200, "POST", at+"/decisions/2/close", ""); c["outcome"] != "hold" {
		t.Errorf("closed once more: %v", c)
	}
	s.want(200, "POST", at+"/ask", "")
	if r := s.want(201, "PUT", at+"/decisions/3/deployment", `{"u":[0,3]}`); r["feasible"] != true || strings.Contains(alarms(), "feasible") {
		t.Errorf("deployed: %v, alarms %s", r, alarms())
	}
	s.want(201, "PUT", at+"/decisions/3/batches/am", twoPeople)
	if c := s.want(200, "POST", at+"/decisions/3/close", ""); c["outcome"] != "step" {
		t.Errorf("closed: %v", c)
	}
}

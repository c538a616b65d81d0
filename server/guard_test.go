package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// round is a decision from ask to close: 40 people who answer so many times as much as the model says, and the first of whom is somewhere else.
func (s *script) round(times, first float64, between ...func(decision string)) map[string]any {
	s.Helper()
	a := s.want(200, "POST", s.loop+"/ask", "")
	u, decision := a["u"].([]any), fmt.Sprintf("%s/decisions/%v", s.loop, a["k"])
	var live [2]float64
	live[0], live[1] = u[0].(float64), u[1].(float64)
	s.want(201, "PUT", decision+"/deployment", fmt.Sprintf(`{"u":[%v,%v]}`, live[0], live[1]))
	body := struct {
		P [][2]float64 `json:"p"`
		D [][2]float64 `json:"d"`
	}{}
	for i := range 40 {
		d := [2]float64{10 + float64(i%8)/4, 8 + float64(i%5)/2}
		body.P, body.D = append(body.P, [2]float64{d[0] - times*live[0], d[1] - times*live[1]}), append(body.D, d)
	}
	body.P[0][0] += first
	text, _ := json.Marshal(body)
	s.want(201, "PUT", decision+"/batches/am", string(text))
	for _, do := range between {
		do(decision)
	}
	return s.want(200, "POST", decision+"/close", "")
}

// narrow is the space before a percent sign.
const narrow = "\u202f"

// cards are the words of all cards, by name.
func (s *script) cards() map[string]string {
	s.Helper()
	out := map[string]string{}
	for _, one := range s.want(200, "GET", s.loop+"/health", "")["cards"].([]any) {
		c := one.(map[string]any)
		out[fmt.Sprint(c["name"])] = strings.ReplaceAll(fmt.Sprintf("%v: %v %v", c["state"], c["words"], c["do"]), narrow, " ")
	}
	return out
}

func (s *script) says(card, words string) {
	s.Helper()
	if got := s.cards()[card]; !strings.Contains(got, words) {
		s.Errorf("card %s says %q, want %q in it; there are %v", card, got, words, s.cards())
	}
}

// What guards say is in the reply of a close, in cards and in metrics.
func TestGuards(t *testing.T) {
	s := newScript(t, `, trust: {window: 6}, guardrails: [{name: demand, of: 'mean(p[0] + p[1])', least: 2}, {name: complaints, kind: external, most: 3, action: warn}]`)
	tell := func(value string) func(string) {
		return func(decision string) {
			s.is(s.do(201, "PUT", strings.TrimPrefix(decision, s.loop)+"/metrics/complaints", `{"value":`+value+`,"se":0.1,"n":12000}`), "name", "complaints")
		}
	}
	c := s.round(1, 0, tell("2.7"))
	s.is(c, "outcome", "step")
	if got := fmt.Sprint(c["guardrails"]); !strings.Contains(got, "verdict:pass") || strings.Contains(got, "verdict:fail") {
		t.Errorf("guardrails: %s", got)
	}
	for range 3 {
		s.is(s.round(1, 0, tell("2.7")), "outcome", "step")
	}
	c = s.round(1, 400, tell("2.7"))
	s.is(c, "outcome", "hold")
	if got := fmt.Sprint(c["reasons"], c["sample"], c["quarantine"]); !strings.Contains(got, "of answers are far from all seen before") || !strings.Contains(got, "quarantined:1") || !strings.Contains(got, "row:0") {
		t.Errorf("one of 40 far away: %s", got)
	}
	s.says("people", "hold: Holding: 2.50")
	s.round(1, 0, tell("3.9"))
	c = s.round(1, 0, tell("3.9"))
	s.is(c, "outcome", "step") // complaints only warn
	s.says("guardrail complaints", "alarm: Complaints is 3.9 (3.64 … 4.16), wanted at most 3")
	if trust := c["trust"].(map[string]any); trust["verdict"] != "trusted" {
		t.Errorf("trust: %v", trust)
	}
	s.says("model", "The model is trusted")
	s.is(s.want(404, "PUT", s.loop+"/decisions/7/metrics/unknown", `{"value":1}`), "type", "/problems/not-found")
	s.is(s.want(409, "PUT", s.loop+"/decisions/7/metrics/complaints", `{"value":1}`), "type", "/problems/decision-not-open")
	reply, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	for _, want := range []string{`kedge_guardrail{loop="shop",name="complaints",verdict="fail"} 1`, `kedge_guardrail{loop="shop",name="demand",verdict="pass"} 1`, `kedge_answer_ratio{edge="ratio",loop="shop"} `, `kedge_holds_total{loop="shop",reason="outliers"} 1`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
}

// Guardrails are tried on closes of the past, and a model that people do not follow holds the loop.
func TestGuardrailsInHindsight(t *testing.T) {
	s := newScript(t, `, trust: {window: 6}`)
	for range 8 {
		s.round(3, 0)
	}
	s.is(s.round(3, 0), "outcome", "hold")
	s.says("model", "hold: The model is not trusted. People answer")
	s.says("close", "of what the model says")
	test := func(rails string) map[string]any {
		return s.want(200, "POST", s.loop+"/guardrails/test", `{"guardrails":[`+rails+`],"last":5}`)
	}
	s.is(test(`{"name":"low","of":"quantile(p[0], 0.5)","least":-100}`), "closes", 5, "pass", 5, "fail", 0, "would", "[]")
	failing := test(`{"name":"high","of":"share(d[0] >= 10)","most":0.5,"action":"rollback"}`)
	s.is(failing, "closes", 5, "fail", 5)
	if would := failing["would"].([]any); would[0].(map[string]any)["action"] != "none" || would[1].(map[string]any)["action"] != "rollback" {
		t.Errorf("would: %v", would)
	}
	s.is(s.want(422, "POST", s.loop+"/guardrails/test", `{"guardrails":[{"name":"x","of":"mean(nothing)","most":1}]}`), "type", "/problems/bad-spec")
}

// A batch may be one person of one number: who is outside of what people can be counts in hindsight as little as at the close.
func TestHindsightOfOnePerson(t *testing.T) {
	s := newScriptOf(t, `
iterations: 100
model:
  decision: q
  state: p
  trait: d
  next: 0.5*p + 0.5*(d - q)
  maximize: p*q
  subject to: 0 <= q <= 20
population: {size: 10, law: normal, mean: 10, deviation: 1}
start: {law: values, values: [3]}
algorithms:
  - {name: composite, kind: composite, step: 0.05, batch: 10}
live: {samples: {least: 1}, cap: {norm: 0.5}, safe: [4], outliers: {state: [0, 100]}}
`)
	for k, p := range []float64{6, 500, 7} {
		decision := fmt.Sprintf("%s/decisions/%d", s.loop, k+1)
		u := s.want(200, "POST", s.loop+"/ask", "")["u"].([]any)
		s.want(201, "PUT", decision+"/deployment", fmt.Sprintf(`{"u":[%v]}`, u[0]))
		s.want(201, "PUT", decision+"/batches/am", fmt.Sprintf(`{"p":[[%v]],"d":[[10]]}`, p))
		s.want(200, "POST", decision+"/close", "")
	}
	s.is(s.want(200, "POST", s.loop+"/guardrails/test", `{"guardrails":[{"name":"low","of":"mean(p[0])","most":100}],"last":5}`), "closes", 2, "pass", 2, "lacking", 1)
}

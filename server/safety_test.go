package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// answers are people who answer a decision, a row each.
type answers struct {
	P [][2]float64 `json:"p"`
	D []any        `json:"d"`
	W []float64    `json:"w,omitempty"`
}

// settledUnder are people who answer as the model says.
func settledUnder(u []float64, n int) (a answers) {
	for i := range n {
		d := [2]float64{10 + float64(i%8)/4, 8 + float64(i%5)/2}
		a.P, a.D = append(a.P, [2]float64{d[0] - u[0], d[1] - u[1]}), append(a.D, d)
	}
	return a
}

// goes is a decision from ask to close: what is deployed instead, and how people who are n answer.
func (s *script) goes(n int, deploy func(u []float64), answer func(a *answers), between ...func(decision string)) (offer, closed map[string]any) {
	s.Helper()
	offer = s.want(200, "POST", s.loop+"/ask", "")
	u, decision := numbersOf(offer["u"]), fmt.Sprintf("%s/decisions/%v", s.loop, offer["k"])
	if deploy != nil {
		deploy(u)
	}
	s.want(201, "PUT", decision+"/deployment", fmt.Sprintf(`{"u":[%v,%v]}`, u[0], u[1]))
	if n > 0 {
		a := settledUnder(u, n)
		if answer != nil {
			answer(&a)
		}
		text, _ := json.Marshal(a)
		s.want(201, "PUT", decision+"/batches/am", string(text))
	}
	for _, do := range between {
		do(decision)
	}
	return offer, s.want(200, "POST", decision+"/close", "")
}

// steps are rounds that take one.
func (s *script) steps(n int) {
	s.Helper()
	for range n {
		_, c := s.goes(40, nil, nil)
		s.is(c, "outcome", "step")
	}
}

// held wants an outcome and its first reason, and a card that says so with what to do.
func (s *script) held(c map[string]any, outcome, reason, card, words string) {
	s.Helper()
	s.is(c, "outcome", outcome)
	if reasons := strings.ReplaceAll(fmt.Sprint(c["reasons"]), narrow, " "); !strings.HasPrefix(reasons, "["+reason) {
		s.Errorf("reasons are %s, want %s first", reasons, reason)
	}
	s.says(card, words)
}

// shift moves the first entry of everybody.
func shift(by float64) func(*answers) {
	return func(a *answers) {
		for i := range a.P {
			a.P[i][0] += by
		}
	}
}

// safetyRow is what keeps people from harm: what somebody does from outside, and what comes of it.
type safetyRow struct {
	name string
	live string // keys of the section, in place of those of the shop
	do   func(s *script)
}

// guardedShop is the shop with other keys of its section live, constraints and steps of its own where they are asked for.
func guardedShop(live string) string {
	spec := shop
	for key, is := range map[string]string{"samples": "samples: {least: 2, weights: optional, ids: optional, traits: optional}, ", "cap": "cap: {norm: 0.5}, "} {
		if strings.Contains(live, ", "+key+": ") {
			spec = strings.Replace(spec, is, "", 1)
		}
	}
	if strings.Contains(live, "kind: constraint") {
		spec = strings.Replace(spec, "algorithms:", "constraints:\n  - {name: load, kind: expectation, of: 'p[0]', bound: 20}\nalgorithms:", 1)
	}
	if strings.Contains(live, "kind: swing") { // u goes to u + 0.9 (d − 2u): to the other side of where it rests, 0.8 times as far
		spec = strings.Replace(spec, "step: 0.05", "step: 0.9", 1)
	}
	return strings.Replace(spec, "safe: [4, 4]", "safe: [4, 4]"+live, 1)
}

func safetyRows() []safetyRow {
	return slices.Concat(rowsOfPeople(), rowsOfDeployments(), rowsOfGuardrails(), rowsOfTheRule())
}

// rowsOfPeople is about who answered.
func rowsOfPeople() []safetyRow {
	return []safetyRow{
		{"a number that is none, a row that is too short", "", func(s *script) {
			s.want(200, "POST", s.loop+"/ask", "")
			s.want(201, "PUT", s.loop+"/decisions/1/deployment", `{"u":[3,3]}`)
			head := s.head("shop")
			for body, pointer := range map[string]string{`{"p":[[7,5],[7,1e999]],"d":[[10,8],[9,8]]}`: "/p/1/1", `{"p":[[7,5],[7]],"d":[[10,8],[9,8]]}`: "/p"} {
				status, p := s.call("PUT", s.loop+"/decisions/1/batches/am", body)
				if status != 422 && status != 400 || !strings.Contains(fmt.Sprint(p["errors"]), pointer) || s.head("shop") != head {
					s.Errorf("%s: %d %v", body, status, p)
				}
			}
		}},
		{"outside the ranges", ", outliers: {state: [-100, 100], share: 0.1}", func(s *script) {
			_, c := s.goes(40, nil, func(a *answers) { a.P[3][1] = 5000 })
			s.is(c, "outcome", "step")
			s.says("people", "fine: 1 of 40 people do not count: first row 3, whose p[1] is 5e+03, outside what live.outliers allows.")
		}},
		{"outliers", "", func(s *script) {
			s.steps(4)
			_, c := s.goes(40, nil, func(a *answers) { a.P[3][1] = 5000 })
			s.held(c, "hold", "2.50 % of answers are far from all seen before", "people", "hold: Holding: 2.50 % of answers are far from all seen before, 1 of 40 people: first row 3, whose p[1] is 5e+03, ")
			s.says("people", "deviations from the median of the last closes, where 12 are allowed.")
		}},
		{"too few, and too few who have traits", ", samples: {least: 20, traits: optional, weights: optional}", func(s *script) {
			_, c := s.goes(7, nil, nil)
			s.held(c, "inconclusive", "7 of the 20 people wanted have answered", "close", "took no step: 7 of the 20 people wanted have answered.")
			_, c = s.goes(40, nil, func(a *answers) { a.W = append(make([]float64, 39), 1) })
			s.held(c, "inconclusive", "1 of the 20 people wanted have answered", "close", "1 of the 20 people wanted")
			_, c = s.goes(60, nil, func(a *answers) {
				for i := range 35 {
					a.D[i] = nil
				}
			})
			s.held(c, "inconclusive", "only 25 of 60 people have the traits that the rule needs", "close", "only 25 of 60 people")
			s.want(200, "POST", s.loop+"/ask", "")
			s.says("samples", "wait: 0 of the 20 people wanted have answered. Tell more people before the close")
		}},
		{"who answers, beside those who did at first", ", mix: {of: [1]}", func(s *script) {
			s.steps(6)
			var c map[string]any
			for range 2 {
				_, c = s.goes(40, nil, func(a *answers) {
					for i, d := range a.D {
						a.D[i] = [2]float64{d.([2]float64)[0], 10}
					}
				})
			}
			s.held(c, "hold", "others answer than at first: the mix of trait 1 would be so by chance less than once in a million closes", "mix", "hold: Holding: others answer than at first")
		}},
		{"who answers, beside what is declared", ", mix: {declared: [{of: [1], edges: [9], shares: [0.1, 0.9]}]}", func(s *script) { // by the answers it is 0.6 and 0.4
			_, c := s.goes(40, nil, nil)
			s.is(c, "outcome", "step")
			_, c = s.goes(40, nil, nil)
			s.held(c, "hold", "others answer than the spec declares: the mix of trait 1 would be so by chance", "mix", "hold: Holding: others answer than the spec declares")
		}},
	}
}

// rowsOfDeployments is about what is live.
func rowsOfDeployments() []safetyRow {
	return []safetyRow{
		{"not deployed in time, no data in time, nor in twice that", "", func(s *script) {
			s.want(200, "POST", s.loop+"/ask", "")
			s.clock.move(25 * time.Hour)
			a := s.want(200, "POST", s.loop+"/ask", "")
			s.is(a, "k", 2, "basis", "again", "u", "[3 3]")
			s.says("not-deployed", "alarm: Decision 1 was not deployed by 2026-11-17T06:00:00Z. See whether the system that deploys still runs")
			s.want(201, "PUT", s.loop+"/decisions/2/deployment", `{"u":[3,3]}`)
			s.clock.move(37 * time.Hour)
			s.want(200, "POST", s.loop+"/ask", "")
			s.says("data-overdue", "alarm: Decision 2 is live since 2026-11-17T07:00:00Z and was not closed: people's answers were due by 2026-11-18T19:00:00Z. See whether")
			s.clock.move(36 * time.Hour)
			s.is(s.want(200, "POST", s.loop+"/ask", ""), "u", "[3 3]")
			s.is(s.want(200, "GET", s.loop+"/decisions/2", ""), "state", "closed")
			s.is(s.want(200, "POST", s.loop+"/decisions/2/close", ""), "outcome", "hold", "reasons", "[people's answers did not come in time]")
		}},
		{"something else deployed, nearer than the lead and farther", ", lead: 0.05", func(s *script) {
			_, c := s.goes(40, func(u []float64) { u[0] += 0.01 }, nil)
			s.is(c, "outcome", "step")
			s.says("deployment", "fine: What was deployed is 0.01 from what was decided; the rule learns at what was deployed.")
			_, c = s.goes(40, func(u []float64) { u[0], u[1] = 2.5, 3 }, nil)
			at := numbersOf(c["why"].(map[string]any)["at"])
			if s.is(c, "outcome", "step"); at[0] != 2.5 {
				s.Errorf("it is learned at %v", at)
			}
			s.says("deployment", "wait: What was deployed is ")
			s.says("deployment", "more than the lead of 0.05: the rule cannot get ahead of it.")
		}},
		{"what is live breaks the set", "", func(s *script) {
			_, c := s.goes(40, func(u []float64) { u[0] = -0.4 }, nil)
			s.held(c, "hold", "what is live breaks the set of the spec by 0.4", "infeasible", "alarm: What is live since decision 1 breaks the set of the spec by 0.4. Deploy something that the set of the spec allows")
			s.steps(1)
			if _, still := s.cards()["infeasible"]; still {
				s.Error("the alarm does not go")
			}
		}},
	}
}

// rowsOfGuardrails is about guardrails.
func rowsOfGuardrails() []safetyRow {
	rails := func(one string) string { return ", outliers: {beyond: .inf}, guardrails: [" + one + "]" }
	return []safetyRow{
		{"a guardrail on people", rails("{name: demand, of: 'mean(p[0])', least: 5, action: rollback}"), func(s *script) {
			s.steps(1)
			good, c := s.goes(40, nil, nil)
			s.is(c, "outcome", "step")
			s.says("guardrail demand", "fine: Demand is ")
			_, c = s.goes(40, nil, shift(-9))
			s.is(c, "outcome", "hold")
			s.says("guardrail demand", "wanted at least 5; it acts when 2 closes in a row fail, and this is number 1. Find out why.")
			s.goes(40, nil, shift(-9))
			s.says("guardrail.demand", "it has failed at 2 closes in a row, and acts.")
			s.is(s.want(200, "POST", s.loop+"/ask", ""), "basis", "rollback", "u", fmt.Sprint(good["u"]))
			s.goes(40, nil, nil)
			s.is(s.want(200, "GET", s.loop, ""), "mode", "paused")
		}},
		{"a quantile of too few", rails("{name: poorest, of: 'quantile(p[0], 0.01)', least: 0}"), func(s *script) {
			_, c := s.goes(40, nil, nil)
			s.held(c, "inconclusive", "poorest cannot be judged: 40 people are too few for so rare a share of them", "guardrail poorest", "wait: Poorest cannot be judged: 40 people are too few for so rare a share of them. Ask more people.")
		}},
		{"a guardrail from outside", rails("{name: complaints, kind: external, most: 3, action: kill, after: 1}"), func(s *script) {
			tell := func(value string) func(string) {
				return func(decision string) {
					s.want(201, "PUT", decision+"/metrics/complaints", `{"value":`+value+`,"se":0.1}`)
				}
			}
			_, c := s.goes(40, nil, nil)
			s.held(c, "inconclusive", "complaints was not told", "guardrail complaints", "wait: Complaints was not told. Tell it before the close: kedge tell LOOP K --metric complaints=VALUE.")
			_, c = s.goes(40, nil, nil, tell("2.5"))
			s.is(c, "outcome", "step")
			_, c = s.goes(40, nil, nil, tell("3.1"))
			s.held(c, "inconclusive", "complaints is 3.1 (2.84 … 3.36), wanted at most 3: not certain either way", "guardrail complaints", "wait: Complaints is 3.1 (2.84 … 3.36), wanted at most 3")
			_, c = s.goes(40, nil, nil, tell("9"))
			s.is(c, "outcome", "hold")
			s.is(s.want(200, "POST", s.loop+"/ask", ""), "basis", "safe", "u", "[4 4]")
			s.says("mode", "alarm: The loop was killed: it answers the safe decision, 4 4.")
		}},
		{"a constraint of the spec", rails("{name: load, kind: constraint, of: load, after: 1}"), func(s *script) {
			s.steps(1)
			_, c := s.goes(30, nil, nil)
			s.held(c, "inconclusive", "load cannot be judged: 30 people count and 40 are wanted", "guardrail load", "wait: Load cannot be judged")
			_, c = s.goes(40, nil, shift(50))
			s.is(c, "outcome", "hold")
			s.says("guardrail load", "hold: Holding: load: constraint load is broken by ")
			_, c = s.goes(30, nil, nil)
			s.held(c, "hold", "load cannot be judged", "guardrail load", "; it acts until it passes.")
		}},
		{"the value", rails("{name: value, kind: value, by: 0.1, window: 2, after: 1}"), func(s *script) {
			s.steps(2)
			_, c := s.goes(60, nil, func(a *answers) { a.D[0], a.D[1] = nil, nil })
			s.held(c, "inconclusive", "value cannot be judged: 2 of 60 people have no traits, so that nobody knows what they are worth", "guardrail value", "wait: Value cannot be judged: 2 of 60 people have no traits")
			_, c = s.goes(40, nil, shift(-6))
			s.is(c, "outcome", "hold")
			s.says("guardrail value", "hold: Holding: value: the value is worse than the first 2 closes by ")
			s.says("guardrail value", "more than the 10.0 % allowed; it has failed at 1 close in a row, and acts.")
		}},
	}
}

// rowsOfTheRule is about the rule and who stops it.
func rowsOfTheRule() []safetyRow {
	return []safetyRow{
		{"steps that go to and fro", ", guardrails: [{name: swing, kind: swing, window: 4, after: 1}], trust: {window: 0}, lead: .inf, cap: {norm: .inf}", func(s *script) {
			for range 9 {
				_, c := s.goes(40, nil, nil)
				s.is(c, "outcome", "step")
			}
			s.says("guardrail swing", "alarm: Swing: the decision goes to and fro in 100 % of 4 turns, more than 80.0 %")
			s.says("guardrail swing", "Halve the step of the algorithm, and revise the spec.")
		}},
		{"the caps", ", cap: {norm: 0.1, each: 0.05, day: 0.12}", func(s *script) {
			s.steps(1)
			for _, most := range []float64{0.1, 0.12} { // of what was moved in all
				a, _ := s.goes(40, nil, nil)
				u := numbersOf(a["u"])
				if moved := max(u[0]-3, u[1]-3); moved <= 0 || moved > most {
					s.Errorf("it moved to %v", u)
				}
				if !strings.Contains(fmt.Sprint(a["reasons"]), "cap.") {
					s.Errorf("reasons %v", a["reasons"])
				}
			}
			s.says("cap", "wait: Cap.norm binds: ")
			s.says("cap", "If that goes on, raise the cap or lower the step.")
		}},
		{"a model that people do not follow", ", trust: {window: 6}", func(s *script) {
			var c map[string]any
			for range 9 {
				c = s.round(3, 0)
			}
			s.is(c, "outcome", "hold")
			s.says("model", "hold: The model is not trusted. People answer ")
			s.says("model", "of what the model says; ")
			s.says("trust", "alarm: People answer ")
		}},
		{"approval", ", approval: always", func(s *script) {
			s.goes2()
			a := s.want(200, "POST", s.loop+"/ask", "")
			s.is(a, "basis", "hold", "u", "[3 3]", "pending", 2)
			s.says("decision", "wait: Decision 2, ")
			s.says("decision", "from what is live, waits for approval. It is rejected unless somebody approves it by 2026-11-17T06:00:00Z. kedge loop approve, or reject.")
		}},
		{"a kill", "", func(s *script) {
			s.steps(2)
			s.is(s.want(200, "POST", s.loop+"/kill", `{"reason":"wrong"}`), "mode", "killed", "answers", "[4 4]")
			s.says("mode", "alarm: The loop was killed: it answers the safe decision, 4 4. kedge loop resume LOOP --reason …, once the cause is found.")
			_, c := s.goes(40, nil, nil)
			s.is(c, "outcome", "hold", "reasons", "[the loop is killed]")
			s.want(409, "POST", s.loop+"/resume", `{}`)
			s.want(200, "POST", s.loop+"/resume", `{"reason":"mended"}`)
			s.is(s.want(200, "POST", s.loop+"/ask", ""), "basis", "step")
		}},
	}
}

// goes2 approves the first decision and closes it.
func (s *script) goes2() {
	s.Helper()
	s.want(200, "POST", s.loop+"/ask", "")
	s.want(200, "POST", s.loop+"/decisions/1/approve", `{"reason":"fine"}`)
	s.want(201, "PUT", s.loop+"/decisions/1/deployment", `{"u":[3,3]}`)
	text, _ := json.Marshal(settledUnder([]float64{3, 3}, 40))
	s.want(201, "PUT", s.loop+"/decisions/1/batches/am", string(text))
	s.is(s.want(200, "POST", s.loop+"/decisions/1/close", ""), "outcome", "step")
}

// Everything that keeps people from harm is provoked from outside: it answers as written, and the card says why in words, with the number and what to do.
func TestEverySafetyRow(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-safety", Text: "what keeps people from harm, provoked over HTTP (numbers that are none, ranges, outliers, too few, others, deadlines, other deployments, sets, guardrails of every kind, caps, trust, learning, errors of the rule, approval, kills): cases that answer otherwise than written, or whose card does not say why with the number and what to do"})
	for _, one := range safetyRows() {
		ok := t.Run(one.name, func(t *testing.T) { one.do(newScriptOf(t, guardedShop(one.live))) })
		row.Case(ok, "%s", one.name)
	}
	row.Case(t.Run("a rule that learns, and one that cannot step", learnsAndFails), "learning")
}

// A rule that learns people's answer says so while it takes the steps of retraining; what the rule cannot step on holds, and says why.
func learnsAndFails(t *testing.T) {
	s := newScriptOf(t, strings.Replace(shop, "step: 0.05,", "sensitivity: learned, learn: {dither: 0.1}, step: 0.05,", 1))
	s.want(200, "POST", s.loop+"/ask", "")
	s.says("learning", "wait: Learning: what was learned of people's answer is not trusted yet (0 of 1), so that the rule takes the step that retraining would take.")
	_, c := s.goes(40, nil, nil)
	s.is(c, "outcome", "step")
	s = newScript(t, "")
	_, c = s.goes(40, nil, shift(1e308)) // whose sum is infinite
	s.is(c, "outcome", "hold", "terms", nil)
	s.says("close", "hold: Decision 1 took no step: ")
}

package server_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// What the model guesses of people in a fork: they settle at d − u, so that they are worth the mean of (d − u)·u. It is in the reply only if somebody
// asks, and the fork itself is the same.
func TestForksWithGuesses(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	deployed := [][2]float64{{3, 3}, {3.19, 3.11}, {3.5, 3}}
	for i, u := range deployed {
		s.want(200, "POST", at+"/exchange", fmt.Sprintf(`{"k":%d,"deployment":{"u":[%g,%g]},"batch_id":"am","batch":%s,"close":{},"ask":true}`, i+1, u[0], u[1], twoOfAll))
	}
	worth := func(u [2]float64) float64 { return worthSettled(u, [][2]float64{{10, 8}, {9.5, 8}}) }
	set := `"set":{"algorithms.composite.step":0.1}`
	plain := s.want(201, "POST", at+"/fork", `{"name":"plain","at_k":2,`+set+`}`)
	if plain["guesses"] != nil {
		t.Errorf("guesses that nobody asked for: %v", plain["guesses"])
	}
	made := s.want(201, "POST", at+"/fork", `{"name":"guessed","at_k":2,"simulate":true,`+set+`}`)
	list, _ := made["guesses"].([]any)
	if len(list) != 2 {
		t.Fatalf("%d guesses of decisions 2 and 3: %v", len(list), list)
	}
	for i, one := range list {
		g, k := one.(map[string]any), i+2
		d := s.want(200, "GET", fmt.Sprintf("/v1/loops/plain/decisions/%d", k), "")
		u := numbersOf(d["u"])
		seen := (7*deployed[k-1][0] + 5*deployed[k-1][1] + 6.5*deployed[k-1][0] + 5.25*deployed[k-1][1]) / 2
		for name, want := range map[string]float64{"k": float64(k), "people": 2, "value": seen, "guess": worth([2]float64{u[0], u[1]}), "guess_deployed": worth(deployed[k-1])} {
			if got := g[name].(float64); math.Abs(got-want) > 1e-9 {
				t.Errorf("decision %d: %s is %g, want %g", k, name, got, want)
			}
		}
		if fmt.Sprint(g["proposed"]) != fmt.Sprint(d["u"]) || fmt.Sprint(numbersOf(g["deployed"])) != fmt.Sprint(deployed[k-1]) {
			t.Errorf("decision %d: %v, want what %v has", k, g, d)
		}
	}
}

// A fork that is refused leaves nothing behind, also where that is only seen after many events: a spec that is none, one for other people, people who were erased.
func TestRefusedForksLeaveNothing(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	for k := 1; k <= 3; k++ {
		s.want(200, "POST", at+"/exchange", fmt.Sprintf(`{"k":%d,"deployment":{"u":[3,3]},"batch_id":"am","batch":%s,"close":{},"ask":true}`, k, twoOfAll))
	}
	s.call("PUT", at+"/decisions/1/batches/pm", twoOfAll) // late: a fork looks for the decision in what it has written
	refused := func(body string) {
		t.Helper()
		before := fmt.Sprint(s.want(200, "GET", "/v1/heads", "")["loops"])
		if status, reply := s.call("POST", at+"/fork", body); status < 400 || status >= 500 || fmt.Sprint(s.want(200, "GET", "/v1/heads", "")["loops"]) != before {
			t.Errorf("%s: %d %v, and the heads were %v and are %v", body, status, reply, before, s.want(200, "GET", "/v1/heads", "")["loops"])
		}
	}
	s.want(200, "POST", at+"/exchange", fmt.Sprintf(`{"k":4,"deployment":{"u":[3,3]},"batch_id":"am","batch":%s,"close":{},"ask":true}`, twoOfAll))
	refused(`{"name":"odd","at_k":5,"set":{"algorithms.composite.step":-1}}`)
	refused(`{"name":"odd","at_k":5,"set":{"model.decision":"q[3]"}}`)
	s.want(200, "POST", at+"/erase", `{"who":"a"}`)
	refused(`{"name":"odd","at_k":1}`)
}

// worthSettled is what people of some traits are worth once they have settled under u, at d − u: the mean of (d − u)·u.
func worthSettled(u [2]float64, traits [][2]float64) (v float64) {
	for _, d := range traits {
		v += ((d[0]-u[0])*u[0] + (d[1]-u[1])*u[1]) / float64(len(traits))
	}
	return v
}

// What the model guesses of a decision, of another one, and of what vanilla would have decided, has closed forms: people settle at d − u, the gradient of
// their value p·u is p by itself and −u by their answer, and the step is 0.05.
func TestGuessOfADecision(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	if f := s.want(200, "GET", at+"/decisions/1/guess", ""); f["people"] != 0.0 || f["decided"] != nil || f["words"] == nil {
		t.Errorf("before anybody answered: %v", f)
	}
	if a := s.want(200, "GET", at+"/sensitivity", ""); a["people"] != 0.0 || len(a["answers"].([]any)) != 0 || a["words"] == nil {
		t.Errorf("before anybody answered: %v", a)
	}
	s.want(200, "POST", at+"/exchange", `{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":`+twoOfAll+`,"close":{},"ask":true}`)
	traits := [][2]float64{{10, 8}, {9.5, 8}}
	near := func(name string, got any, want float64) {
		t.Helper()
		if g, ok := got.(float64); !ok || math.Abs(g-want) > 1e-9 {
			t.Errorf("%s is %v, want %g", name, got, want)
		}
	}
	part := func(f map[string]any, name string, u [2]float64) {
		t.Helper()
		o, _ := f[name].(map[string]any)
		if o == nil {
			t.Fatalf("no %s in %v", name, f)
		}
		for i, v := range numbersOf(o["u"]) {
			near(name+" u", v, u[i])
		}
		near(name, o["value"].(map[string]any)["mean"], worthSettled(u, traits))
		if gain, _ := o["gain"].(map[string]any); gain != nil {
			near(name+" gain", gain["mean"], worthSettled(u, traits)-worthSettled([2]float64{3, 3}, traits))
		}
		for j, v := range numbersOf(o["states"]) { // the mean of d − u
			near(name+" state", v, []float64{9.75, 8}[j]-u[j])
		}
	}
	seen := [2]float64{6.75, 5.125} // the mean of the states that were told
	composite, vanilla := [2]float64{3 + .05*(seen[0]-3), 3 + .05*(seen[1]-3)}, [2]float64{3 + .05*seen[0], 3 + .05*seen[1]}
	f := s.want(200, "GET", at+"/decisions/2/guess", "")
	if f["k"] != 1.0 || f["people"] != 2.0 {
		t.Errorf("of %v people of decision %v", f["people"], f["k"])
	}
	near("as they answered", f["value"].(map[string]any)["mean"], 3*(seen[0]+seen[1]))
	part(f, "stays", [2]float64{3, 3})
	part(f, "decided", composite)
	part(f, "vanilla", vanilla)
	s.want(201, "PUT", at+"/decisions/2/deployment", `{"u":[3.2,3.1]}`)
	s.want(201, "PUT", at+"/decisions/2/batches/am", twoOfAll)
	answered := s.want(200, "GET", at+"/decisions/2/guess", "") // by its own people; what was live before is still what it is beside
	if answered["k"] != 2.0 {
		t.Errorf("of people of decision %v", answered["k"])
	}
	part(answered, "stays", [2]float64{3, 3})
	part(answered, "decided", composite)
	other := s.want(200, "GET", at+"/decisions/2/guess?u=5,-1", "")
	part(other, "decided", [2]float64{5, -1})
	part(other, "vanilla", vanilla)
	if o := other["decided"].(map[string]any); o["feasible"] != false {
		t.Errorf("below 0: %v", o)
	}
	s.want(422, "GET", at+"/decisions/2/guess?u=5", "")
	s.want(400, "GET", at+"/decisions/2/guess?u=5,NaN", "")
	s.want(404, "GET", at+"/decisions/9/guess", "")
	a := s.want(200, "GET", at+"/sensitivity", "")
	if fmt.Sprint(a["answers"], a["states"], a["entries"]) != "[[-1 0] [0 -1]] [0 1] [0 1]" { // of d − u
		t.Errorf("sensitivity: %v", a)
	}
	people := s.want(200, "GET", at+"/distribution?k=1&entry=0&bins=2&u=4,4", "") // 7 and 6.5 now, 6 and 5.5 settled
	if fmt.Sprint(people["edges"], people["now"], people["settled"], people["w1"]) != "[5.5 6.25 7] [0 1] [1 0] 1" {
		t.Errorf("settled under another decision: %v", people)
	}
	who := s.want(200, "GET", at+"/distribution?k=1&of=d&entry=0&bins=2", "")
	if fmt.Sprint(who["edges"], who["now"], who["first"]) != "[9.5 9.75 10] [0.5 0.5] <nil>" {
		t.Errorf("traits: %v", who)
	}
	s.want(422, "GET", at+"/distribution?k=1&of=d&entry=2", "")
}

// Who answers is shown beside who answered at first: half and half of a trait's two values there, all of the larger one here. Four people
// beside twenty are so different by chance once in 16: of the table (10, 10; 0, 4) χ² is 24·(10·4 − 10·0)²/(20·4·10·14) = 24/7, with one degree of freedom.
func TestWhoAnsweredBesideWhoShould(t *testing.T) {
	s := newSite(t)
	s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(strings.Replace(shop, "live: {", "live: {mix: {of: [0]}, ", 1))))
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	for k := 1; k <= 6; k++ {
		d := `[[10,8],[9,8],[10,8],[9,8]]`
		if k == 6 {
			d = `[[10,8],[10,8],[10,8],[10,8]]`
		}
		s.want(200, "POST", at+"/exchange", fmt.Sprintf(`{"k":%d,"deployment":{"u":[3,3]},"batch_id":"am","batch":{%s"p":[[7,5],[6,5],[7,5],[6,5]],"d":%s},"close":{},"ask":true}`, k, future, d))
	}
	who := s.want(200, "GET", at+"/distribution?k=6&of=d&entry=0", "")
	if fmt.Sprint(who["edges"], who["now"], who["first"]) != "[8.5 9.5 10.5] [0 1] [0.5 0.5]" {
		t.Errorf("the mix: %v", who)
	}
	if p, _ := who["chance"].(float64); math.Abs(p-0.0640775) > 1e-6 { // erfc(√(12/7))
		t.Errorf("by chance %v", who["chance"])
	}
	if other := s.want(200, "GET", at+"/distribution?k=6&of=d&entry=1&bins=2", ""); other["first"] != nil {
		t.Errorf("a trait that nobody watches: %v", other)
	}
}

// After a close without a step what is live is not what the step was taken on: changes are told from what is live, and vanilla keeps to its caps.
func TestWhyAfterAHold(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	s.want(200, "POST", at+"/exchange", `{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":`+twoOfAll+`,"close":{},"ask":true}`)
	s.want(200, "POST", at+"/exchange", `{"k":2,"deployment":{"u":[3.25,3]},"batch_id":"am","batch":{`+future+`"p":[[7,5]],"d":[[10,8]]},"close":{},"ask":true}`) // one of two who are wanted
	d := s.want(200, "GET", at+"/decisions/3", "")
	u := numbersOf(d["u"])
	e := s.want(200, "GET", at+"/decisions/3/explain", "")
	if want := fmt.Sprintf("falls by 0.0625, from 3.25 to %g", u[0]); u[0] != 3.1875 || !strings.Contains(fmt.Sprint(e["words"]), want) { // the rule is where its step led
		t.Errorf("decision 3 is %v: %v\nwant %s", u, e["words"], want)
	}
	v := numbersOf(s.want(200, "GET", at+"/decisions/3/guess", "")["vanilla"].(map[string]any)["u"])
	if math.Abs(v[0]-3.3375) > 1e-9 || math.Abs(v[1]-3.25625) > 1e-9 { // 0.27 from what is live
		t.Errorf("vanilla would decide %v", v)
	}
}

// In the shadow the guess is of what would have been decided, not of what stays live.
func TestGuessInTheShadow(t *testing.T) {
	s := newSite(t)
	s.create("shop", "shadow")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	s.want(200, "POST", at+"/exchange", `{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":`+twoOfAll+`,"close":{},"ask":true}`)
	f := s.want(200, "GET", at+"/decisions/2/guess", "")
	if u := numbersOf(f["decided"].(map[string]any)["u"]); math.Abs(u[0]-3.1875) > 1e-9 || f["vanilla"] == nil { // one step of the rule, as TestExplain has it
		t.Errorf("decision 2 would have been %v: %v", u, f)
	}
}

// How people moved is shown of all decisions whose people are still kept, also behind one whose people were erased; where nobody is left, that is said.
func TestQuantilesOfWhoIsKept(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	for i, who := range []string{"a", "b", "a", "c"} {
		s.want(200, "POST", at+"/exchange", fmt.Sprintf(`{"k":%d,"deployment":{"u":[3,3]},"batch_id":"am","batch":{"observed_at":"2099-01-01T00:00:00Z","id":[%q],"p":[[7,5]],"d":[[10,8]]},"close":{},"ask":true}`, i+1, who))
	}
	for _, left := range []struct{ gone, k string }{{"", "[1 2 3 4]"}, {"b", "[1 3 4]"}, {"a", "[4]"}} {
		if left.gone != "" {
			s.want(200, "POST", at+"/erase", fmt.Sprintf(`{"who":%q}`, left.gone))
		}
		if f := s.want(200, "GET", at+"/quantiles", ""); fmt.Sprint(f["k"]) != left.k || len(f["quantiles"].([]any)) != len(f["k"].([]any)) {
			t.Errorf("without %q: %v, want those of %s", left.gone, f, left.k)
		}
	}
	s.want(200, "POST", at+"/erase", `{"who":"c"}`)
	if status, f := s.call("GET", at+"/quantiles", ""); status != 404 || !strings.Contains(f["detail"].(string), "dropped or erased") {
		t.Errorf("where nobody is left: %d %v", status, f)
	}
}

// People who were seen before they had the time to answer, or were erased, hide nobody who counts either.
func TestWhoDoesNotCountHidesNobody(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	s.want(200, "POST", at+"/exchange", `{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":`+twoOfAll+`,"close":{},"ask":true}`)
	s.want(200, "POST", at+"/exchange", `{"k":2,"deployment":{"u":[3,3]},"batch_id":"am","batch":{"observed_at":"1999-01-01T00:00:00Z","id":["c"],"p":[[7,5]],"d":[[10,8]]}}`)
	for _, path := range []string{"/decisions/2/guess", "/sensitivity", "/distribution"} {
		if f := s.want(200, "GET", at+path, ""); f["people"] != 2.0 {
			t.Errorf("%s: %v, want the two of decision 1", path, f)
		}
	}
}

package server_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

// numbersOf are those of a list of a reply.
func numbersOf(v any) (list []float64) {
	all, _ := v.([]any)
	for _, one := range all {
		f, ok := one.(float64)
		if !ok {
			f = math.NaN()
		}
		list = append(list, f)
	}
	return list
}

const (
	future   = `"observed_at":"2099-01-01T00:00:00Z",`
	twoOfAll = `{` + future + `"p":[[7,5],[6.5,5.25]],"d":[[10,8],[9.5,8]],"w":[1,1],"id":["a","b"]}`
)

// An exchange is all or nothing: whichever part is refused, nothing has happened; the same again changes nothing.
func TestExchange(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	first := s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)["next"].(map[string]any)
	if first["k"] != 1.0 {
		t.Fatalf("asked: %v", first)
	}
	head := fmt.Sprint(s.want(200, "GET", at, "")["hash"])
	for body, status := range map[string]int{
		`{"k":1,"epoch":"other","deployment":{"u":[3,3]}}`:                                                                                409,
		`{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":{"p":[[7]],"d":[[1,2]]}}`:                                                422,
		`{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":` + twoOfAll + `,"close":{"expect":{"rows":3}},"ask":true}`:              409,
		`{"k":1,"deployment":{"u":[3,3]},"batch_id":"a m","batch":` + twoOfAll + `,"close":{},"ask":true}`:                                400,
		`{"k":2,"deployment":{"u":[3,3]},"ask":true}`:                                                                                     404,
		`{"k":1,"deployment":{"u":[3,3]},"batch":` + twoOfAll + `}`:                                                                       400,
		`{"k":1,"deployment":{"u":[3,3]},"close":{"expect":{"batches":["am"]}},"batch_id":"pm","batch":` + twoOfAll + `,"colour":"blue"}`: 400,
	} {
		if p := s.want(status, "POST", at+"/exchange", body); p["type"] == nil {
			t.Errorf("%s: %v", body, p)
		}
		if now := s.want(200, "GET", at, ""); fmt.Sprint(now["hash"]) != head || now["state"] != "open" {
			t.Fatalf("%s left %v", body, now)
		}
	}
	whole := `{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":` + twoOfAll + `,"close":{"expect":{"rows":2}},"ask":true}`
	got := s.want(200, "POST", at+"/exchange", whole)
	head = fmt.Sprint(s.want(200, "GET", at, "")["hash"])
	again := s.want(200, "POST", at+"/exchange", whole)
	if fmt.Sprint(got["closed"]) != fmt.Sprint(again["closed"]) || got["next"].(map[string]any)["k"] != 2.0 || head != fmt.Sprint(s.want(200, "GET", at, "")["hash"]) {
		t.Errorf("an exchange %v, and again %v", got, again)
	}
	// One step of the rule by hand: maximize p·q with p settled at d − q, so that the gradient of the loss at u = (3, 3) is −p + u, here with the
	// mean p of (6.75, 5.125): (−3.75, −2.125). The step of 0.05 along it is 0.216 long, below the cap of 0.5.
	if u := numbersOf(got["next"].(map[string]any)["u"]); math.Abs(u[0]-3.1875) > 1e-12 || math.Abs(u[1]-3.10625) > 1e-12 {
		t.Errorf("the next decision is %v, want (3.1875, 3.10625)", u)
	}
}

// Why decision 2 is what it is, with the numbers of TestExchange.
func TestExplain(t *testing.T) {
	s := newSite(t)
	named := strings.Replace(shop, "decision: q[2]", "decision: q[apples, pears] in EUR", 1)
	s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(named)))
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	if e := s.want(200, "GET", at+"/decisions/1/explain", ""); e["words"] != "This is where the spec begins: nothing was learned yet." {
		t.Errorf("the first decision: %v", e["words"])
	}
	s.want(200, "POST", at+"/exchange", `{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":`+twoOfAll+`,"close":{},"ask":true}`)
	e := s.want(200, "GET", at+"/decisions/2/explain", "")
	for name, want := range map[string][2]float64{
		"from": {3, 3}, "at": {3, 3}, "direct": {-6.75, -5.125}, "answer": {3, 3}, "stepped": {3.1875, 3.10625}, "projected": {3.1875, 3.10625}, "u": {3.1875, 3.10625},
	} {
		if got := numbersOf(e[name]); len(got) != 2 || math.Hypot(got[0]-want[0], got[1]-want[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if e["eta"] != 0.05 || e["capped"] != nil {
		t.Errorf("eta %v, capped %v", e["eta"], e["capped"])
	}
	if want := "Apples rises by 0.1875 EUR, from 3 to 3.1875 EUR: the value gains by it at once, which outweighs how people answer once they have settled (2.25 times)."; !strings.HasPrefix(fmt.Sprint(e["words"]), want) {
		t.Errorf("%v\nwant %s", e["words"], want)
	}
	s.want(200, "POST", at+"/exchange", `{"k":2,"deployment":{"u":[3.1875,3.10625]},"close":{},"ask":true}`)
	if e := s.want(200, "GET", at+"/decisions/3/explain", ""); e["words"] != "Nothing changes: no close since that of decision 1 took a step." {
		t.Errorf("nobody has answered decision 2: %v", e["words"])
	}
	s.want(404, "GET", at+"/decisions/4/explain", "")
	s.want(200, "POST", at+"/pause", `{"reason":"stock-take"}`)
	k := s.want(200, "POST", at+"/ask", "")["k"].(float64)
	if e := s.want(200, "GET", fmt.Sprintf("%s/decisions/%d/explain", at, int(k)), ""); e["words"] != "What is live stays live. The loop is paused." {
		t.Errorf("paused: %v", e["words"])
	}
}

// An ask waits for a decision after the one that it knows, and no longer than it says.
func TestAskWaits(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/ask", `{"after_k":0,"wait":"30s"}`)
	began := time.Now()
	if a := s.want(200, "POST", at+"/ask", `{"after_k":1,"wait":"150ms"}`); a["k"] != 1.0 || time.Since(began) < 150*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(began), a)
	}
	s.want(400, "POST", at+"/ask", `{"wait":"long"}`)
	s.want(400, "POST", at+"/ask", `{"wait":"1h"}`)
	asked := make(chan map[string]any)
	go func() {
		r, err := http.Post(s.url+at+"/ask", "application/json", strings.NewReader(`{"after_k":1,"wait":"30s"}`))
		var v map[string]any
		if err == nil {
			json.NewDecoder(r.Body).Decode(&v)
			r.Body.Close()
		}
		asked <- v
	}()
	s.want(200, "POST", at+"/exchange", `{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":`+twoOfAll+`}`)
	select {
	case a := <-asked:
		t.Fatalf("it did not wait for the close: %v", a)
	case <-time.After(50 * time.Millisecond):
	}
	s.want(200, "POST", at+"/decisions/1/close", "")
	select {
	case a := <-asked:
		if a["k"] != 2.0 {
			t.Errorf("waited for %v", a)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the close woke nobody")
	}
}

// What was measured, thinned: the least and the largest of neighbours, which brute force finds too. People, and where they settle: at d − u.
func TestSeriesAndDistribution(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	const rounds = 9
	var values, u0 []float64
	for k := 1; k <= rounds; k++ {
		u := fmt.Sprintf("[%g,3]", 3+0.01*float64(k%4))
		r := s.want(200, "POST", at+"/exchange", fmt.Sprintf(`{"k":%d,"deployment":{"u":%s},"batch_id":"am","batch":%s,"close":{},"ask":true}`, k, u, twoOfAll))
		values = append(values, r["closed"].(map[string]any)["value"].(map[string]any)["mean"].(float64))
		u0 = append(u0, 3+0.01*float64(k%4))
	}
	s.want(200, "POST", at+"/pause", `{"reason":"stock-take"}`)
	r := s.want(200, "GET", at+"/series?name=value,deployed.0,rows&points=5&from_k=2", "")
	if got := fmt.Sprint(r["k"]); got != "[2 4 6 8 10]" {
		t.Errorf("k: %s", got)
	}
	for name, list := range map[string][]float64{"value": values[1:], "deployed.0": u0[1:]} {
		b := r[name].(map[string]any)
		low, high := numbersOf(b["min"]), numbersOf(b["max"])
		for i := range 4 {
			if a, b := list[2*i], list[2*i+1]; low[i] != min(a, b) || high[i] != max(a, b) {
				t.Errorf("%s %d: %g to %g, want those of %g and %g", name, i, low[i], high[i], a, b)
			}
		}
	}
	if marks := r["marks"].([]any); len(marks) != 1 || marks[0].(map[string]any)["words"] != "paused: stock-take" || marks[0].(map[string]any)["k"] != rounds+1.0 {
		t.Errorf("marks: %v", marks)
	}
	for _, twice := range []string{`{"reason":"a","reason":"b"}`, `{"reason":"a","Reason":"b"}`} {
		if detail := fmt.Sprint(s.want(400, "POST", at+"/resume", twice)["detail"]); !strings.Contains(detail, "is there twice") {
			t.Errorf("%s: %s", twice, detail)
		}
	}
	s.want(400, "GET", at+"/series?name=u.2", "")
	s.want(400, "GET", at+"/series?name=profit", "")
	d := s.want(200, "GET", at+"/distribution?entry=0&bins=2", "")
	live := u0[rounds-1] // states 7 and 6.5 settle at 10 − u and 9.5 − u
	if got := d["w1"].(float64); math.Abs(got-math.Abs(7-(10-live))) > 1e-9 || fmt.Sprint(d["now"]) != "[0.5 0.5]" || d["people"] != 2.0 {
		t.Errorf("%v, want W₁ = %g", d, 7-(10-live))
	}
	s.want(422, "GET", at+"/distribution?entry=2", "")
	for path, says := range map[string]string{
		"/series?names=u.0": `"names" is nothing that this call asks for; its query has name, from_k, points, times`, "/series?times=yes": "times is true or false",
		"/series?name=u.0&name=u.1": "the query has name 2 times", "/series?name=%zz": "the query: ", "/distribution?of=x": "of is p, people's states, or d, their traits",
		"/health?all=1": "it has no query", "?k=1": "it has no query",
	} {
		if detail := fmt.Sprint(s.want(400, "GET", at+path, "")["detail"]); !strings.Contains(detail, says) {
			t.Errorf("%s: %s, want %q", path, detail, says)
		}
	}
	s.want(409, "GET", at+fmt.Sprintf("/distribution?k=%d", rounds+1), "")
	cards := fmt.Sprint(s.want(200, "GET", at+"/health", "")["cards"])
	for _, want := range []string{"The loop is paused", "kedge loop resume", fmt.Sprintf("Decision %d is live", rounds)} {
		if !strings.Contains(cards, want) {
			t.Errorf("no %q in %s", want, cards)
		}
	}
}

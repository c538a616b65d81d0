package server_test

import (
	"fmt"
	"math"
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
	worth := func(u [2]float64) (v float64) {
		for _, d := range [][2]float64{{10, 8}, {9.5, 8}} {
			v += ((d[0]-u[0])*u[0] + (d[1]-u[1])*u[1]) / 2
		}
		return v
	}
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

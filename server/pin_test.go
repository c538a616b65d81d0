package server_test

import (
	"strings"
	"testing"
)

// A pin that would answer no decision is refused with what to write instead, and nothing happens.
func TestPinsThatAreOver(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	for _, c := range []struct{ end, pointer, detail string }{
		{`"until_k":1`, "/until_k", "is 1, and the next decision is 2: name that or a later one"},
		{`"until_k":-3`, "/until_k", "is -3, and the next decision is 2"},
		{`"until":"2020-01-01T00:00:00Z"`, "/until", "is 2020-01-01T00:00:00Z, which is over: name a later time"},
	} {
		p := s.want(422, "PUT", "/v1/loops/shop/pin", `{"u":[3.5,3],"reason":"x",`+c.end+`}`)
		fault := p["errors"].([]any)[0].(map[string]any)
		if p["type"] != "/problems/outside-range" || fault["pointer"] != c.pointer || !strings.Contains(fault["detail"].(string), c.detail) {
			t.Errorf("%s: %v", c.end, p)
		}
	}
	if status := s.want(200, "GET", "/v1/loops/shop", ""); status["pin"] != nil || status["seq"] != 2.0 {
		t.Errorf("a pin that was refused left %v", status)
	}
	s.want(200, "PUT", "/v1/loops/shop/pin", `{"u":[3.5,3],"reason":"x","until_k":2}`)
	if a := s.want(200, "POST", "/v1/loops/shop/ask", ""); a["basis"] != "pinned" || a["k"] != 2.0 {
		t.Errorf("pinned until decision 2: %v", a)
	}
	s.want(200, "POST", "/v1/loops/shop/decisions/2/abandon", `{"reason":"x"}`)
	if a := s.want(200, "POST", "/v1/loops/shop/ask", ""); a["basis"] == "pinned" || a["k"] != 3.0 {
		t.Errorf("after it: %v", a)
	}
}

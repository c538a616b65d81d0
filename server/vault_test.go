package server_test

import "testing"

// A service without a place for copies refuses to make and to take them, for good: who sent the same message again would do so for ever.
func TestCopiesWithoutAPlaceForThem(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	for _, c := range [][2]string{{"POST", "/v1/backup"}, {"POST", "/v1/loops/import"}, {"GET", "/v1/loops/shop/export"}} {
		if p := s.want(501, c[0], c[1], ""); p["type"] != "/problems/elsewhere" || p["retryable"] != false {
			t.Errorf("%s: %v", c[1], p)
		}
	}
}

package client_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/kedge-opt/kedge/client"
)

// A client with faults loses, repeats and reorders, and its calls still come back.
func TestFaults(t *testing.T) {
	f, err := client.ParseFaults("drop=0.2, repeat=0.2,reorder")
	if err != nil || f != (client.Faults{Drop: 0.2, Repeat: 0.2, Reorder: 0.1}) {
		t.Fatal(f, err)
	}
	for _, text := range []string{"drop=1", "drop=x", "lose", "drop=-0.1", ""} {
		if _, err := client.ParseFaults(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	arrived, newest, old := 0, 0, 0
	c := client.Inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived++
		var k int
		fmt.Sscanf(r.URL.Path, "/v1/loops/shop/decisions/%d", &k)
		if newest = max(newest, k); k < newest {
			old++
		}
		fmt.Fprintf(w, `{"k":%d}`, k)
	}))
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return f.Through(next, 1) })
	const calls = 60
	for k := range calls {
		if d, err := c.Loop("shop").Decision(t.Context(), k+1); err != nil || d.K != k+1 {
			t.Fatalf("decision %d: %+v, %v", k+1, d, err)
		}
	}
	if arrived <= calls+calls/10 || old == 0 {
		t.Errorf("%d calls: %d messages arrived, %d of them out of order", calls, arrived, old)
	}
}

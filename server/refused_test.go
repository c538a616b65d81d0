package server_test

import "testing"

// Times that an ask may wait, encodings and keys: what is at the edge is taken, and what is beyond is refused by its name.
func TestWhatIsTakenAndRefused(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	ask, batch := "/v1/loops/shop/ask", "/v1/loops/shop/decisions/1/batches/am"
	for _, x := range []struct {
		status             int
		method, path, body string
		headers            []string
	}{
		{200, "POST", ask, `{"wait":"0s"}`, nil},
		{200, "POST", ask, `{"wait":"5m"}`, nil}, // there is one already
		{400, "POST", ask, `{"wait":"5m1ns"}`, nil},
		{400, "POST", ask, `{"wait":"-1ns"}`, nil},
		{400, "POST", ask, `{"wait":"soon"}`, nil},
		{415, "PUT", batch, "x", []string{"Content-Encoding", "br"}},
		{415, "PUT", batch, "x", []string{"Content-Encoding", "gzip", "Content-Type", "application/vnd.apache.parquet"}},
		{201, "PUT", batch, `{"p":[[7,5]],"d":[[10,8]]}`, []string{"Content-Encoding", "identity"}},
		{400, "POST", "/v1/keys", `{"rights": 3}`, nil},
		{400, "POST", "/v1/keys", `{"rights": ["observe"], "loops": ["*"], "colour": "blue"}`, nil},
	} {
		if status, reply := s.call(x.method, x.path, x.body, x.headers...); status != x.status {
			t.Errorf("%s %s %s: %d %v, want %d", x.method, x.path, x.body, status, reply, x.status)
		}
	}
}

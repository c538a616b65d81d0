package server_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// deaf is a watcher to whom nothing can be written after some writes, though the request goes on.
type deaf struct {
	*httptest.ResponseRecorder
	left int
}

func (d *deaf) Write(text []byte) (int, error) {
	if d.left--; d.left < 0 {
		return 0, errors.New("nobody takes it")
	}
	return d.ResponseRecorder.Write(text)
}

// A stream ends once nothing can be written to it, whatever it is of: it does not wait for what will never be read.
func TestStreamsThatNobodyTakesEnd(t *testing.T) {
	own := server.New(server.Setup{Journal: store.NewMemory(), Clock: server.Wall(), Limits: server.DefaultLimits(), Build: "test"})
	defer own.Stop()
	web := httptest.NewServer(own)
	defer web.Close()
	s := &site{T: t, url: web.URL}
	s.create("shop", "shadow")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	for _, path := range []string{"/v1/events", "/v1/loops/shop/events"} {
		for _, left := range []int{0, 1} {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				own.ServeHTTP(&deaf{httptest.NewRecorder(), left}, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
			}()
			select {
			case <-ended:
			case <-time.After(5 * time.Second):
				t.Errorf("%s goes on though nothing is taken after %d writes", path, left)
			}
		}
	}
}

package client

import (
	"bytes"
	"io"
	"net/http"
)

// Inside is a client of a service in the same program, which no network lies between.
func Inside(service http.Handler) *Client {
	return Open("http://localhost", Over(inside{service}))
}

// inside hands requests to a handler.
type inside struct{ service http.Handler }

func (t inside) RoundTrip(r *http.Request) (*http.Response, error) {
	own := r.Clone(r.Context())
	own.RemoteAddr, own.RequestURI = "127.0.0.1:0", r.URL.RequestURI()
	if own.Body == nil {
		own.Body = http.NoBody
	}
	w := &answer{header: http.Header{}}
	t.service.ServeHTTP(w, own)
	w.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// answer keeps what a handler writes.
type answer struct {
	header http.Header
	status int // 0: not written yet
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

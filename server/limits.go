package server

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/session"
)

// Allowance on what clients send. GET /version shows them.
type Allowance struct {
	Body        int64         `json:"body_bytes"`
	Batch       int64         `json:"batch_bytes"`             // JSON and NDJSON, also unpacked
	Table       int64         `json:"table_bytes"`             // Parquet and NPZ
	Ratio       int64         `json:"unpack_ratio"`            // beyond the first MB
	Held        int64         `json:"bytes_at_work"`           // of all bodies together
	Depth       int           `json:"json_depth"`              //
	Rows        int           `json:"rows_a_batch"`            //
	AllRows     int           `json:"rows_a_decision"`         //
	Batches     int           `json:"batches_a_decision"`      //
	Entries     int           `json:"entries_a_decision"`      //
	AtWork      int           `json:"requests_at_work"`        //
	Waiting     int           `json:"requests_waiting"`        // beyond those: 503
	KeyRate     float64       `json:"requests_a_second_a_key"` // then 429
	KeyBytes    float64       `json:"bytes_a_second_a_key"`    // the same
	Loops       int           `json:"loops"`                   //
	Watchers    int           `json:"watchers"`                //
	HeaderBytes int           `json:"header_bytes"`            //
	Header      time.Duration `json:"header_ns"`               // to send the headers
	Pace        int64         `json:"body_bytes_a_second"`     // at least, after the time for headers
	Reply       time.Duration `json:"reply_ns"`                // to take a reply
}

// DefaultLimits are those of a server that nobody gave others.
func DefaultLimits() Allowance {
	text, table := batch.DefaultMost(batch.JSON), batch.DefaultMost(batch.Parquet)
	return Allowance{
		Body: 1 << 20, Batch: text.Bytes, Table: table.Bytes, Ratio: text.Ratio, Held: 256 << 20, Depth: 8,
		Rows: session.MostRows, AllRows: session.MostOfAllRows, Batches: session.MostBatches, Entries: 10_000,
		AtWork: 512, Waiting: 1024, KeyRate: 2000, KeyBytes: 64 << 20, Loops: 100_000, Watchers: 2_000,
		HeaderBytes: 64 << 10, Header: 5 * time.Second, Pace: 16 << 10, Reply: 30 * time.Second,
	}
}

// of are the limits of a format.
func (a Allowance) of(f batch.Format) batch.Most {
	if f.IsText() {
		return batch.Most{Rows: a.Rows, Bytes: a.Batch, Ratio: a.Ratio}
	}
	return batch.Most{Rows: a.Rows, Bytes: a.Table, Ratio: a.Ratio}
}

// Web is an HTTP server of it with the limits on connections.
func (s *Server) Web() *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: s.limits.Header, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: s.limits.HeaderBytes}
}

// body is what a client sends: not more than so much, and not too slowly.
func (c *call) body(most int64) (io.Reader, error) {
	if c.ContentLength > most {
		return nil, &http.MaxBytesError{Limit: most}
	}
	return &paced{from: http.MaxBytesReader(c.w, c.Request.Body, most), out: http.NewResponseController(c.w), began: time.Now(), limits: &c.limits}, nil
}

// paced is a body that must keep coming.
type paced struct {
	from   io.Reader
	out    *http.ResponseController
	began  time.Time
	n      int64
	limits *Allowance
}

func (p *paced) Read(b []byte) (int, error) {
	late := p.limits.Header + time.Duration(float64(p.n)/float64(p.limits.Pace)*float64(time.Second))
	p.out.SetReadDeadline(p.began.Add(late)) // a connection that has none is not slow
	n, err := p.from.Read(b)
	p.n += int64(n)
	switch {
	case err == io.EOF:
		p.out.SetReadDeadline(time.Time{}) // or it would end the request while it is at work
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = problem(tooSlow, fmt.Sprintf("%d bytes came in %v, want %d a second", p.n, late.Round(time.Second), p.limits.Pace))
	case err != nil && !isTooLong(err):
		err = problem(session.Malformed, "the body ends early: "+err.Error())
	}
	return n, err
}

func isTooLong(err error) bool {
	_, long := errors.AsType[*http.MaxBytesError](err)
	return long
}

// meter counts what a body takes among all that are at work, until the request ends.
type meter struct {
	from io.Reader
	*call
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.from.Read(b)
	m.held += int64(n)
	if m.Server.held.Add(int64(n)) > m.limits.Held {
		return n, problem(overloaded, "the bodies of all requests together are too large")
	}
	return n, err
}

// Ballast is memory that nobody writes to and that the system therefore never gives. The collector counts it, and so waits until there is as
// much to collect: a service of few loops would otherwise collect several times a second, and whoever asks meanwhile would wait for it. There is
// none where the user has limited memory. It counts for as long as somebody holds it.
func Ballast() []byte {
	if debug.SetMemoryLimit(-1) < math.MaxInt64 {
		return nil
	}
	return make([]byte, ballast)
}

const ballast = 64 << 20

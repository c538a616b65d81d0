// Package served measures the decision service on this machine, each figure beside a yardstick of the same run: it is what
// `kedge bench --service` prints.
package served

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/bench"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// Trial says how much is measured.
type Trial struct {
	Rounds   int           // interleaved, of which medians are taken
	Span     time.Duration // of a round of a rate
	Small    bool          // a tenth of the loops, watchers and events, so that it ends within a minute or two
	Database string        // a PostgreSQL database that alone is measured, or [Own]; empty: everything
	Log      io.Writer     // where it says what it measures next; nil: nowhere
}

// Rated is one figure of the service beside its yardstick.
type Rated struct {
	Name      string  `json:"name"`
	Unit      string  `json:"unit"`
	Value     float64 `json:"value"` // a median
	Beside    string  `json:"yardstick"`
	Yardstick float64 `json:"yardstick_value,omitempty"` // in the same unit
	Ratio     float64 `json:"ratio,omitempty"`           // of the value to the yardstick, the median over rounds
	Bar       string  `json:"bar,omitempty"`             // empty: it is shown for comparison alone
	Met       bool    `json:"met"`
	Absent    string  `json:"absent,omitempty"` // why there is no figure
}

// Table is what was measured, in the order of the measurements.
type Table []Rated

// Print writes a row a figure.
func (list Table) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "figure\tvalue\tyardstick\t\tratio\tbar\t")
	for _, m := range list {
		if m.Absent != "" {
			fmt.Fprintf(t, "%s\t–\t%s\t\t–\t%s\t%s\n", m.Name, m.Beside, m.Bar, m.Absent)
			continue
		}
		yardstick, ratio, verdict := "", "", "met"
		if m.Yardstick != 0 {
			yardstick, ratio = fmt.Sprintf("%.4g %s", m.Yardstick, m.Unit), fmt.Sprintf("%.3g×", m.Ratio)
		}
		switch {
		case m.Bar == "":
			verdict = ""
		case !m.Met:
			verdict = "short"
		}
		fmt.Fprintf(t, "%s\t%.4g %s\t%s\t%s\t%s\t%s\t%s\n", m.Name, m.Value, m.Unit, m.Beside, yardstick, ratio, m.Bar, verdict)
	}
	return t.Flush()
}

// Measure measures everything.
func (b Trial) Measure(ctx context.Context) (bench.Printer, error) {
	ballast := server.Ballast() // as kedge serve has it
	defer runtime.KeepAlive(ballast)
	type part struct {
		name    string
		measure func(context.Context) ([]Rated, error)
	}
	parts := []part{
		{"tells of 64 clients", b.tells}, {"500 tells and 500 asks a second", b.paced}, {"turns of one client", b.turns}, {"many loops", b.crowd},
		{"watchers", b.watchers}, {"a cold start", b.cold}, {"a replay", b.replay}, {"a long series", b.series},
	}
	shared := part{"tells on PostgreSQL", b.database}
	if parts = append(parts, shared); b.Database != "" {
		parts = []part{shared}
	}
	var list Table
	for _, part := range parts {
		if b.Log != nil {
			fmt.Fprintf(b.Log, "measuring %s …\n", part.name)
		}
		figures, err := part.measure(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		list = append(list, figures...)
	}
	return list, nil
}

// atLeast is a figure that is better the larger it is, against a yardstick, by rounds.
func atLeast(name, unit string, values []float64, beside string, yardsticks []float64, bar float64) Rated {
	m := against(name, unit, values, beside, yardsticks)
	m.Bar, m.Met = fmt.Sprintf("≥ %g×", bar), m.Ratio >= bar
	return m
}

// atMost is a figure that is better the smaller it is.
func atMost(name, unit string, values []float64, beside string, yardsticks []float64, bar float64) Rated {
	m := against(name, unit, values, beside, yardsticks)
	m.Bar, m.Met = fmt.Sprintf("≤ %g×", bar), m.Ratio <= bar
	return m
}

func against(name, unit string, values []float64, beside string, yardsticks []float64) Rated {
	ratios := make([]float64, len(values))
	for i := range values {
		ratios[i] = values[i] / yardsticks[i]
	}
	return Rated{Name: name, Unit: unit, Value: bench.Median(values), Beside: beside, Yardstick: bench.Median(yardsticks), Ratio: bench.Median(ratios)}
}

// below is a figure without a yardstick.
func below(name, unit string, value, bar float64) Rated {
	return Rated{Name: name, Unit: unit, Value: value, Bar: fmt.Sprintf("≤ %g %s", bar, unit), Met: value <= bar}
}

// tenth is n, or a tenth of it in a small trial.
func (b Trial) tenth(n int) int {
	if b.Small {
		return n / 10
	}
	return n
}

// site is a service that runs, on the disk and on a port of the loopback.
type site struct {
	dir     string
	journal *store.SQLite // nil: in a database
	shut    func() error  // the journal
	server  *server.Server
	web     *http.Server
	address string
}

// open starts a service on an own folder. Wrap, unless it is nil, stands between the service and its database.
func open(dir string, wrap func(session.Journal) session.Journal) (*site, error) {
	journal, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	var used session.Journal = journal
	if wrap != nil {
		used = wrap(journal)
	}
	s := &site{dir: dir, journal: journal, shut: journal.Close}
	return s, s.serve(used)
}

// serve starts the service of a journal.
func (s *site) serve(used session.Journal) error {
	s.server = server.New(server.Setup{Journal: used, Clock: server.Wall(), Limits: server.DefaultLimits()})
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, s.shut())
	}
	s.address = "http://" + ear.Addr().String()
	s.web = &http.Server{Handler: s.server}
	go s.web.Serve(ear)
	return nil
}

// close ends the service.
func (s *site) close() error {
	s.server.Stop()
	return errors.Join(s.web.Close(), s.shut())
}

// in runs something on a new service in a folder that is removed afterwards.
func in(wrap func(session.Journal) session.Journal, do func(*site) error) (err error) {
	dir, err := os.MkdirTemp("", "kedge-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := open(filepath.Join(dir, "data"), wrap)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.close())
}

// shop is a spec of so many decisions: a linear shop, composite.
func shop(n int) string {
	list := func(x float64) string {
		return "[" + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%g, ", x), n), ", ") + "]"
	}
	return fmt.Sprintf(`
iterations: 1
model:
  decision: q[%[1]d]
  state: p[%[1]d]
  trait: d[%[1]d]
  next: 0.5*p + 0.5*(d - q)
  maximize: dot(p, q)
  subject to: 0 <= q <= 20
population: {size: 10, law: normal, mean: %[2]s, deviation: %[3]s}
start: {law: values, values: %[4]s}
algorithms:
  - {name: composite, kind: composite, step: 0.05, batch: 10}
live: {trust: {otherwise: warn}, outliers: {share: 1}, samples: {least: 1}, cap: {norm: .inf}, safe: %[4]s}
`, n, list(10), list(1), list(4))
}

// answers are people who answer in a shop.
func answers(people, n, salt int) client.Answers {
	var a client.Answers
	for i := range people {
		p, d := make([]float64, n), make([]float64, n)
		for j := range n {
			d[j] = 10 + float64((i*31+j*17+salt*7)%9973)/9973
			p[j] = d[j] - 4 - float64((i*13+j*29+salt)%10)/50
		}
		a.P, a.D = append(a.P, p), append(a.D, d)
	}
	return a
}

// quantile is a quantile of times, in milliseconds.
func quantile(times []time.Duration, q float64) float64 {
	if len(times) == 0 {
		return 0
	}
	times = slices.Sorted(slices.Values(times))
	return float64(times[min(len(times)-1, int(q*float64(len(times))))]) / 1e6
}

// Package tally has the numbers of a service as Prometheus reads them.
package tally

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namedLoops is how many loops have numbers of their own; beyond them only loops with the label metrics: on.
const namedLoops = 1000

// Service is what a tally is about.
type Service struct {
	Journal  session.Journal
	Clock    session.Clock
	Kinds    *kind.Catalogue
	Watching func() int     // how many streams are open
	Free     func() float64 // bytes on the disk of the journal; nil: unknown
	Build    string
}

// Tally is the numbers of a service. They follow from events, so that loops which rest are left alone.
type Tally struct {
	service  Service
	registry *prometheus.Registry
	page     http.Handler

	events, decisions, turns, holds, rows *prometheus.CounterVec
	requests                              *prometheus.HistogramVec
	commit, together                      prometheus.Histogram
	refused                               prometheus.Counter
	value, step, ratio, rails             *prometheus.GaugeVec

	mu    sync.Mutex
	loops map[string]*account

	learning sync.Mutex // held by who reads the journal
}

// New is a tally of a service that begins.
func New(s Service) *Tally {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, append([]string{"loop"}, labels...))
	}
	m := &Tally{
		service: s, registry: prometheus.NewRegistry(), loops: map[string]*account{},
		events:    counter("kedge_events_total", "Events since the start, by kind.", "kind"),
		decisions: counter("kedge_decisions_total", "Decisions that ended, by how.", "loop", "end"),
		turns:     counter("kedge_turns_total", "Closes that took a step.", "loop"),
		holds:     counter("kedge_holds_total", "Closes that took none, by why.", "loop", "reason"),
		rows:      counter("kedge_batch_rows_total", "People who were told, by what became of them.", "loop", "fate"),
		requests:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "kedge_request_seconds", Help: "How long requests took.", Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15)}, []string{"route", "code"}),
		commit:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: "kedge_commit_seconds", Help: "How long commits took.", Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15)}),
		together:  prometheus.NewHistogram(prometheus.HistogramOpts{Name: "kedge_commit_events", Help: "Events of a commit.", Buckets: prometheus.ExponentialBuckets(1, 2, 12)}),
		refused:   prometheus.NewCounter(prometheus.CounterOpts{Name: "kedge_keys_refused_total", Help: "Requests whose key was missing, unknown or lacked a right."}),
		value:     gauge("kedge_value", "What the newest close says of what is live."),
		step:      gauge("kedge_step_norm", "How far the newest step moved the iterate."),
		ratio:     gauge("kedge_answer_ratio", "What part of the model's answer people show: the ratio, and the low and high edge of where it is.", "edge"),
		rails:     gauge("kedge_guardrail", "1 for the verdict of a guardrail at the newest close.", "name", "verdict"),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "kedge_build_info", Help: "The version of the server.", ConstLabels: prometheus.Labels{"version": s.Build}})
	build.Set(1)
	watchers := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "kedge_watchers", Help: "Streams that are open."}, func() float64 { return float64(s.Watching()) })
	m.registry.MustRegister(m.events, m.decisions, m.turns, m.holds, m.rows, m.requests, m.commit, m.together, m.refused, m.value, m.step, m.ratio, m.rails, build, watchers, standing{m})
	if s.Free != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "kedge_disk_free_bytes", Help: "Room on the disk of the journal."}, s.Free))
	}
	if j, tells := s.Journal.(interface {
		Observe(func(events int, took time.Duration))
	}); tells {
		j.Observe(func(events int, took time.Duration) {
			m.commit.Observe(took.Seconds())
			m.together.Observe(float64(events))
		})
	}
	m.page = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return m
}

// Tell counts events that are there to stay.
func (m *Tally) Tell(loop string, events []session.Event) {
	for i := range events {
		e := &events[i]
		m.events.WithLabelValues(string(e.Kind)).Inc()
		if session.IsOwn(loop) {
			continue
		}
		g, err := gistOf(e)
		if err != nil {
			continue
		}
		m.mu.Lock()
		a := m.of(loop, g.Labels)
		a.note(e, &g)
		isNamed := a.isNamed
		m.mu.Unlock()
		if isNamed {
			m.count(loop, e.Kind, &g)
		}
	}
}

// count counts an event of a loop that has numbers of its own.
func (m *Tally) count(loop string, kind session.Kind, g *gist) {
	switch kind {
	case session.Told:
		m.rows.WithLabelValues(loop, "stored").Add(float64(g.Rows))
		m.rows.WithLabelValues(loop, "without-trait").Add(float64(g.WithoutTrait))
	case session.ToldLate:
		m.rows.WithLabelValues(loop, "late").Add(float64(g.Rows))
	case session.Abandoned, session.Lapsed, session.Superseded, session.Rejected:
		m.decisions.WithLabelValues(loop, string(kind)).Inc()
	case session.Closed:
		m.decisions.WithLabelValues(loop, string(kind)).Inc()
		m.rows.WithLabelValues(loop, "early").Add(float64(g.Sample.Early))
		m.rows.WithLabelValues(loop, "counted").Add(float64(g.Sample.Rows))
		m.show(loop, g)
		if g.Outcome != session.Stepped {
			m.holds.WithLabelValues(loop, why(g)).Inc()
			return
		}
		m.turns.WithLabelValues(loop).Inc()
	}
}

// why is the reason of a hold, in one of few words.
func why(g *gist) string {
	if g.Outcome == session.Inconclusive {
		return "samples"
	}
	text := strings.Join(g.Reasons, " ")
	for _, known := range [][2]string{{"the loop is", "mode"}, {"breaks the set", "infeasible"}, {"of answers are", "outliers"}, {"others answer", "mix"}, {"of what the model says", "trust"}} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	if slices.ContainsFunc(g.Guardrails, func(j guard.Judged) bool { return j.Verdict != guard.Pass || j.Acts != "" }) {
		return "guardrail"
	}
	return "failed"
}

// standing collects how loops stand at the moment.
type standing struct{ *Tally }

// Describe says nothing: what there is depends on the loops.
func (standing) Describe(chan<- *prometheus.Desc) {}

// Collect sends the numbers.
func (m standing) Collect(out chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, modes := m.service.Clock.Now(), map[session.Mode]int{}
	send := func(name, help string, v float64, labels []string, values ...string) {
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue, v, values...)
	}
	for loop, a := range m.loops {
		modes[a.mode]++
		if !a.isNamed || a.mode == session.Ended {
			continue
		}
		of := []string{"loop"}
		send("kedge_alarms", "Alarms that are raised.", float64(len(a.alarms)), of, loop)
		if !a.since.IsZero() {
			send("kedge_live_age_seconds", "How long what is live has been.", now.Sub(a.since).Seconds(), of, loop)
		}
		send("kedge_chain_checked_seq", "The newest event up to which the chain was seen to hold, when it was read or written.", float64(a.seq), of, loop)
		if share, capped := a.share(); capped {
			send("kedge_cap_share", "How much of live.cap.norm the newest decision takes.", share, of, loop)
		}
		if !a.dataBy.IsZero() {
			send("kedge_data_overdue_seconds", "How long data has been due; 0: it is not.", max(0, now.Sub(a.dataBy).Seconds()), of, loop)
		}
	}
	for mode, n := range modes {
		send("kedge_loops", "Loops, by mode.", float64(n), []string{"mode"}, string(mode))
	}
}

// Took counts a request to a route, which began at some time.
func (m *Tally) Took(route string, status int, began time.Time) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(time.Since(began).Seconds())
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		m.refused.Inc()
	}
}

// ServeHTTP writes the numbers.
func (m *Tally) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.learn(r.Context()) // before any of them is gathered
	m.page.ServeHTTP(w, r)
}

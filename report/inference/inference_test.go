package inference_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/browser"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/logs/backtest"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/inference"
	"github.com/kedge-opt/kedge/stream"
)

const spec = `
iterations: 30
model:
  decision: q[2]
  state: p
  trait: d
  let: {habit: "? in [0, 1]", a: "?", b: "?"}
  next: habit*p + a*q[0] + b*q[1] + d
  maximize: p
  subject to: 0 <= q <= 15
data: {file: log.csv, person: who, time: week, decision: [qa, qb], states: p, effects: person}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`

// made is what is found in a log of people with the habit 0.5 who answer by 1 and -2; together makes both decisions move as one.
func made(t *testing.T, together bool) *logs.Inference {
	t.Helper()
	parsed, err := problem.Parse(kind.Standard(), "made.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	e, err := logs.Fit(t.Context(), parsed, fstest.MapFS{"log.csv": {Data: []byte(logOf(together))}}, logs.Options{Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// logOf is the log.
func logOf(together bool) string {
	s := stream.New(5, "test", "page")
	var text strings.Builder
	text.WriteString("who,week,qa,qb,p\n")
	for i := range 25 {
		p, d := 10.0, s.Normal()
		for week := range 14 {
			qa, qb := s.Normal(), s.Normal()
			if together {
				qb = 3 * qa
			}
			p = 0.5*p + qa - 2*qb + d + 0.3*s.Normal()
			fmt.Fprintf(&text, "<b>%d,%d,%v,%v,%v\n", i, week, qa, qb, p)
		}
	}
	return text.String()
}

var by = inference.Recipe{How: "Found by <i>trying</i>.", Command: "kedge fit made.yaml", Seed: 1}

func files(t *testing.T, e *logs.Inference) map[string][]byte {
	t.Helper()
	list, err := inference.Files(e, by)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The way to the settled answer is that of a decision that is raised once: b·(1 + habit + habit² …), which ends at b/(1-habit); what is seen less what is
// predicted has the spread of what was added, and errors do not come back but for -1/T.
func TestWhatThePageRestsOn(t *testing.T) {
	e := made(t, false)
	habit, b := float64(e.Found[0].Value), float64(e.Found[2].Value)
	path, sum := e.Answer.Entries[1].Path, 0.0
	for h, f := range path {
		if off := float64(f.Value) - sum; off > 1e-6 || off < -1e-6 || h > 0 && !(f.Low < f.Value && f.Value < f.High) {
			t.Errorf("after %d turns: %v within %v … %v, want %v", h, f.Value, f.Low, f.High, sum)
		}
		sum = habit*sum + b
	}
	if len(path) < 6 {
		t.Errorf("the path has %d turns", len(path))
	}
	square := 0.0
	for i, v := range e.Ahead.Seen {
		square += (v - e.Ahead.Said[i]) * (v - e.Ahead.Said[i]) / float64(len(e.Ahead.Seen))
	}
	if square < 0.07 || square > 0.1 { // 0.09·(1 - 28/325)
		t.Errorf("errors have the mean square %v", square)
	}
	q := e.Quality
	if q == nil || len(q.Steps) == 0 || !(q.Steps[0].Model[0] < q.Steps[0].Last[0]) || len(q.Halves) != 3 || len(q.Echoes) != 1 {
		t.Fatalf("%+v", q)
	}
	if share := float64(q.Echoes[0].Share); share > 0.15 || share < -0.3 {
		t.Errorf("errors come back by %v", share)
	}
}

// A look back has its page and its figure, the same ones from the same log, with what is assumed on both; a date without a decision is none of the figure's points.
func TestALookBackIsShown(t *testing.T) {
	parsed, err := problem.Parse(kind.Standard(), "made.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	log := fstest.MapFS{"log.csv": {Data: []byte(logOf(false))}}
	var before map[string][]byte
	for range 2 {
		h, err := backtest.Look(t.Context(), parsed, log, backtest.Lookback{From: "0.7", Every: 2, Draws: 20, Fit: logs.Options{Seed: 1, Starts: 1}})
		if err != nil {
			t.Fatal(err)
		}
		h.Dates[0].Rules[1].Decision, h.Dates[0].Rules[1].Why = nil, "cannot be told yet"
		got, err := inference.Lookback(h, "spec", by)
		if err != nil || len(got) != 2 {
			t.Fatal(len(got), err)
		}
		for name, text := range got {
			if before != nil && !bytes.Equal(text, before[name]) {
				t.Errorf("%s differs", name)
			}
		}
		before = got
		page, svg := string(got[inference.LookbackFile]), string(got[inference.LookbackFigure+".svg"])
		for _, assumed := range h.Assumptions {
			if !strings.Contains(page, "Assumed: "+assumed) {
				t.Errorf("the page does not say that %s", assumed)
			}
		}
		for _, words := range []string{"qa, set at each date", "qb, set at each date", "once settled", "the model that is fitted on the whole log"} {
			if !strings.Contains(svg, words) {
				t.Errorf("the figure does not say %q", words)
			}
		}
		if !strings.Contains(page, "cannot be told yet") || !strings.Contains(page, "Nothing of what rules would have done was seen.") {
			t.Error("the page hides what is not known")
		}
	}
}

func TestThePageIsAFunction(t *testing.T) {
	first, again := files(t, made(t, false)), files(t, made(t, false))
	for name, text := range first {
		if !bytes.Equal(text, again[name]) {
			t.Errorf("%s differs", name)
		}
		if name != inference.File && !inference.IsFigure(name) {
			t.Errorf("what is %s?", name)
		}
	}
	if len(first) != 9 { // the page, path, observed, errors, forecasts, answers, methods, scatter, spread
		t.Errorf("%d files", len(first))
	}
}

// What cannot be told has a dash and no figure that would show it as a number.
func TestWhatCannotBeTold(t *testing.T) {
	list := files(t, made(t, true))
	text := string(list[inference.File])
	if len(list) != 1 || !strings.Contains(text, "Not told by this log: a and b.") || !strings.Contains(text, "cannot be told") || strings.Contains(text, "Seen beside predicted") {
		t.Errorf("%d files; %.3000s", len(list), text[strings.Index(text, "<main>"):])
	}
}

// The page complains of nothing, asks for nothing, and at 360 px in the dark is found accessible and scrolls nowhere sideways; light is as on pages of runs.
func TestThePageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser")
	}
	axe, err := os.ReadFile("../testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	page := files(t, made(t, false))[inference.File]
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write(page)
	}))
	defer site.Close()
	w := browser.Open(t, site.URL)
	for _, look := range []struct {
		width  int64
		scheme string
	}{{1200, "light"}, {360, "dark"}} {
		w.Screen(look.width, 900, 1, look.scheme)
		w.Show(site.URL + "/")
		w.Until(`document.querySelectorAll('.plot canvas').length === 4`)
		if look.width == 360 {
			for _, fault := range w.Faults(string(axe)) {
				if !strings.HasPrefix(fault, "smaller than 44 px") && !(strings.HasPrefix(fault, "axe finds landmark-unique") && !strings.Contains(fault, "\n")) { // as on pages of runs
					t.Error(fault)
				}
			}
		}
		if text := w.Text(); !strings.Contains(text, "Found by <i>trying</i>.") || strings.Index(text, "The numbers") > strings.Index(text, "Is it any good?") {
			t.Errorf("%v: the page shows %.2000s", look, text)
		}
		for _, c := range w.Complaints() {
			if !strings.HasSuffix(c, "favicon.ico") {
				t.Errorf("%v: %s", look, c)
			}
		}
	}
}

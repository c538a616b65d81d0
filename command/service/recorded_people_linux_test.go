package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
)

// programs are people who are simulated by a shell, well and badly.
var programs = map[string]string{
	"good": `read hello; while read line; do echo '{"p": [[1, 2], [2, 1]], "d": [[4, 4], [3, 5]]}'; done`, "other": `read hello; while read line; do echo '{"p": [[1, 2], [2, 1]], "d": [[4, 4], [3, 5]], "u": [1.5, 2]}'; done`,
	"echo": `read hello; echo "$hello" >&2; read line; echo "$line" >&2; exit 3`, "ends": `read hello; exit 0`, "words": `read hello; read line; echo words that are no JSON at all and go on for longer than sixty characters`, "unknown": `read hello; read line; echo '{"p": [[1, 2]], "q": 1}'`,
	"sorry": `read hello; read line; echo '{"error": "out of \u001b people"}'`, "nobody": `read hello; read line; echo '{"p": []}'`, "narrow": `read hello; read line; echo '{"p": [[1]], "d": [[4]]}'`, "asleep": `read hello; read line; sleep 9`,
}

// Rehearsals with programs that answer, and with those that do not, come to what they came to when that was last read.
func TestRehearsalsAreAsRecorded(t *testing.T) {
	path, err := filepath.Abs("testdata/rehearsals.txt")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	spec := func(text string) *problem.Spec {
		s, err := problem.Parse(kind.Standard(), "shop", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	full := strings.Replace(smallShop, "APPROVAL", "", 1)
	bare, _, _ := strings.Cut(full, "live:")
	var lines []string
	for i, c := range []struct{ program, spec, rounds string }{
		{"good", full, "r.csv"}, {"good", bare, "r.csv"}, {"other", full, "r.csv"}, {"other", strings.Replace(full, "  safe: [1, 1]\n", "", 1), ""}, {"good", full, "missing/r.csv"}, {"echo", full, ""}, {"ends", full, ""}, {"words", full, ""}, {"unknown", full, ""}, {"sorry", full, ""},
		{"nobody", full, ""}, {"narrow", full, ""}, {"asleep", full, ""}, {"", full, ""}, {"missing", full, ""}, {"good", strings.Replace(bare, "iterations: 5", "iterations: 1", 1), ""},
	} {
		command := "sh p.sh"
		switch c.program {
		case "":
			command = "  "
		case "missing":
			command = "./missing program"
		}
		if err := os.WriteFile("p.sh", []byte(programs[c.program]), 0o600); err != nil {
			t.Fatal(err)
		}
		os.Remove("r.csv")
		s := &Simulation{reach: reach{kinds: kind.Standard(), source: source{data: fmt.Sprint("d", i)}}}
		release, err := s.Connect()
		if err != nil {
			t.Fatal(err)
		}
		patience := time.Minute
		if c.program == "asleep" {
			patience = 50 * time.Millisecond
		}
		var out bytes.Buffer
		err = (&Rehearsal{Population: command, patience: patience, rounds: c.rounds}).Run(t.Context(), &out, s, spec(c.spec), "Shop 1")
		table, _ := os.ReadFile("r.csv")
		var coded exit.Coded
		lines = append(lines, masked(fmt.Sprintf("%d %s: %v, exit %v", i, c.program, err, errors.As(err, &coded)))...)
		lines = append(append(lines, masked(out.String())...), evidence.Rounded(string(table))...)
		lines = append(lines, "released")
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	evidence.AsRecorded(t, path, lines)
}

// Loops of a folder that decide for simulated people go on where they were, and say why they do not.
func TestSimulationsAreAsRecorded(t *testing.T) {
	path, err := filepath.Abs("testdata/simulations.txt")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	text, _ := problem.Case("lq2")
	spec, err := problem.Parse(kind.Standard(), "lq2", text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("LQ 2", spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	note := func(format string, args ...any) { lines = append(lines, masked(fmt.Sprintf(format, args...))...) }
	note("%s", liveSpec(p, "composite", 3))
	people := kedge.Observation{P: []float64{1, 2, 3, 4, 5, 6, 7, 8}, D: []float64{1, 0, 0, 1, 1, 1, 0, 0}}
	for _, c := range []struct {
		faults string
		resume bool
		trial  int
		turns  int
		moved  float64
	}{{"", false, 0, 3, 0}, {"", false, 0, 1, 0}, {"", true, 0, 5, 0}, {"", true, 0, 1, 1}, {"drop=0.2,repeat=0.2", false, 1, 2, 0}, {"lose=1", false, 0, 0, 0}, {"", false, 2, 1, 0}, {"", false, 2, 1, 0}} {
		s := &Simulation{reach: reach{kinds: kind.Standard(), source: source{data: "d"}}, faults: c.faults, resume: c.resume, period: time.Millisecond}
		release, err := s.Connect()
		if err != nil {
			note("connect: %v", err)
			release()
			continue
		}
		note("%+v", c)
		a, err := s.Decider(t.Context(), p)(1, c.trial)
		for turn := 0; err == nil && turn < c.turns; turn++ {
			r := a.(*remote)
			u, centre := make([]float64, 2), make([]float64, 2)
			r.Ask(u)
			r.Center(centre)
			note("  %d: %.9g at %.9g, trust %v, multipliers %v", r.now.K, u, centre, r.Trust(), r.Multipliers())
			o := people
			u[0] += c.moved
			o.U = u
			err = a.Tell(o)
		}
		note("  ends with %v", err)
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	s := &Simulation{Prefix: "Über--Shop"}
	if long := strings.Repeat("x", 80); s.loopName(long, 1) == s.loopName(long, 2) || len(s.loopName(long, 12345)) > 63 {
		t.Errorf("trials share the loop %s", s.loopName(long, 1))
	}
	for _, name := range []string{"composite", "A b", strings.Repeat("x", 80), strings.Repeat("y", 50) + "-" + strings.Repeat("-", 9)} {
		note("%s, %s", s.loopName(name, 0), s.loopName(name, 12))
	}
	note("%v %v %v", split([]float64{1, 2, 3, 4}, 2), split([]float64{1, 2, 3}, 2), split(nil, 1))
	evidence.AsRecorded(t, path, lines)
}

// felt is people who remember what they met.
type felt struct {
	kedge.Population
	met [][]float64
}

func (f *felt) Respond(_ context.Context, u []float64) error {
	f.met = append(f.met, u)
	return nil
}

// What a demonstration says, where it keeps its data and what comes over its people are as when they were last looked at, and so is what it takes to be reached.
func TestPartsOfTheServiceAreAsRecorded(t *testing.T) {
	path, err := filepath.Abs("testdata/parts.txt")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	var out bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	r := &resident{say: func(words string) { line("  says %s", words) }}
	for k, outcome := range []string{session.Stepped, session.Held, session.Held, session.Inconclusive, session.Stepped, session.Stepped} {
		r.report(session.Closing{K: k, Outcome: &session.Outcome{Outcome: outcome, Reasons: []string{"a", "b"}}})
		line("%s: held %v", outcome, r.held)
	}
	crowd := &felt{}
	sour := &soured{Population: crowd, after: 2, over: 4, by: 1.5}
	for range 8 {
		u := []float64{1, 2}
		if err := sour.Respond(t.Context(), u); err != nil || u[0] != 1 {
			t.Error(u, err)
		}
	}
	line("%v", crowd.met)
	for _, w := range worlds() {
		if err := w.build(t.Context(), kind.Standard()); err != nil {
			t.Fatal(err)
		}
		_, soured := w.population().(*soured)
		line("%s %v %v, soured %v, %d people", w.name, w.labels, w.dearer, soured, w.trial.Batch)
	}
	for _, keep := range []string{"", "kept", "missing/deep"} {
		d := &demo{out: &out, speed: 2.5, keep: keep}
		d.welcome("http://x", worlds())
		d.farewell()
		dir, leave, err := d.place()
		line("in %s: %v, %v", strings.TrimPrefix(dir, os.TempDir()+"/")[:4], err, leave() == nil)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is there", dir)
		}
	}
	for _, system := range []string{"windows", "darwin", "linux"} {
		for _, variable := range []string{"", "SSH_CONNECTION", "DISPLAY", "WAYLAND_DISPLAY"} {
			line("%s with %s opens by %v", system, variable, opener(system, func(name string) string { return map[bool]string{true: "1"}[name == variable] }, "a"))
		}
	}
	for _, s := range []source{{data: "d"}, {db: "postgres://u:secret@h/x?password=y"}, {db: "postgresql://h/x", keep: "k"}, {db: "postgres://%zz"}} {
		line("%s, %s, folder %s, database %v, room %v", s.shown(), s.flag(), s.folder(), isDatabase(s.db), s.free() != nil)
	}
	line("%v", (&source{data: "."}).free()() > 0)
	for _, text := range []string{"http://h", "https://h/", "http://h/path", "ftp://h", "h:1", "http://", ":"} {
		traced, err := openTraces(t.Context(), text, "1", nil)
		line("traces to %s: %v, %v", text, traced != nil, err)
	}
	parts(t, line)
	evidence.AsRecorded(t, path, masked(out.String()))
}

// parts are those that a service is reached by.
func parts(t *testing.T, line func(format string, args ...any)) {
	for _, f := range []front{
		{listen: "127.0.0.1:1"}, {listen: "localhost:1"}, {listen: "h:1", hosts: []string{"a", "b"}}, {listen: ":1"}, {listen: "0.0.0.0:1"}, {listen: "unix:s"}, {listen: "unix:"}, {listen: "x"}, {listen: "h:1", cert: "c"}, {listen: "h:1", key: "k"}, {listen: "h:1", proxies: []string{"10.1.2.3/8"}, public: "https://p:8/x"}, {listen: "h:1", proxies: []string{"10.1.2.3/8"}, public: "http://p"},
		{listen: "h:1", proxies: []string{"10.1.2.3"}, public: "https://p"}, {listen: "h:1", proxies: []string{"10.1.2.3/8"}, public: "ftp://p"}, {listen: "h:1", proxies: []string{"10.1.2.3/8"}, public: "https://"}, {listen: "h:1", public: "https://p"}, {listen: "h:1", cert: "c", key: "k"},
	} {
		err := f.read()
		line("%s: local %v, %v; names %v, networks %v; %v", f.listen, f.local, err, f.names(nil), f.networks, errors.Join(f.check("--data d", false), f.check("--data d", true)))
	}
	for _, form := range []string{"text", "json", "xml", ""} {
		var said bytes.Buffer
		log, err := logger(&said, form)
		if log != nil {
			log.Info("words", "key", 1)
		}
		line("log %s: %v, %q", form, err, masked(said.String()))
	}
	var v visitors
	for _, state := range []http.ConnState{http.StateNew, http.StateNew, http.StateActive, http.StateIdle, http.StateHijacked, http.StateClosed} {
		v.note(nil, state)
		line("%v: %d inside", state, v.now.Load())
	}
	v.leave(time.Hour) // nobody is inside
	v.note(nil, http.StateNew)
	v.leave(time.Millisecond)
	heard, err := net.ListenPacket("unixgram", "notify")
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()
	notify("LOST=1")
	t.Setenv("NOTIFY_SOCKET", "notify")
	notify("READY=1")
	said := make([]byte, 99)
	n, _, err := heard.ReadFrom(said)
	line("systemd heard %s, %v", said[:n], err)
	var last tail
	for i := range 300 {
		fmt.Fprintf(&last, "line %d\n", i)
	}
	line("%d bytes are kept, at last %q, of nothing %q", len(last.end), last.text(), (&tail{}).text())
	line("%v; %v", &CrowdError{"c", 2, "is gone", ""}, &CrowdError{"c", 2, "is gone", "why\x1b"})
	line("%v %v", errors.Unwrap(exit.With(3, errors.New("e"))), math.IsNaN((&remote{}).Trust()))
}

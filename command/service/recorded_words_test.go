package service

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/session/word"
	"github.com/kedge-opt/kedge/store"
)

// as reads a reply as a service would send it.
func as[T any](text string) any {
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(text + ": " + err.Error())
	}
	return v
}

// replies are those of a service to all that can be asked, each in several variants.
func replies() []any {
	const live, at = `"live": {"k": 3, "u": [1.5, -2], "since": "2026-01-02T03:04:05Z"}`, `"2026-01-02T03:04:05Z"`
	return []any{
		as[session.Offer](`{"k": 4, "u": [0.1, 1e-7], "basis": "rule", "state": "open", "reasons": ["a \u001b why"], "deploy_by": ` + at + `, ` + live + `}`), as[session.Offer](`{"k": 4, "basis": "hold", "state": "open", "reasons": ["one", "two"]}`),
		as[session.Offer](`{"k": 5, "u": [2], "basis": "hold", "state": "deployed", "deploy_by": ` + at + `}`), as[session.Offer](`{"k": 6, "u": [2], "basis": "safe", "state": "closed"}`),
		as[session.Reached](`{"k": 2, "state": "abandoned"}`), as[session.Reached](`{"k": 2, "state": "deployed", "u": [3], "deployed_at": ` + at + `, "off": 0.25, "feasible": false, "late": true, "data_by": ` + at + `}`),
		as[session.Reached](`{"k": 2, "state": "deployed", "u": [3], "deployed_at": ` + at + `, "feasible": true}`), as[session.Received](`{"batch": "am", "rows": 1, "have": 7, "least": 9, "used": true}`), as[session.Received](`{"batch": "pm", "rows": 2}`), as[session.Received](`{"batch": "pm", "rows": 2, "late": true}`),
		as[session.Closing](`{"k": 3, "outcome": "step", "reasons": [], "sample": {"rows": 5, "quarantined": 1}, "value": {"mean": 1.23456, "low": 1, "high": 2}, "terms": {"step": 0.0125}, "iterate": [1, 2], "guardrails": [{"verdict": "pass", "words": "basket 13"}], "trust": {"ratio": 0.5, "low": 0.25, "high": 0.75, "verdict": "fine"}}`),
		as[session.Closing](`{"k": 3, "outcome": "hold", "reasons": ["too few", "others"], "sample": {"rows": 1}, "trust": {"verdict": "unknown"}}`), as[session.Closing](`{"k": 3, "outcome": "inconclusive", "sample": {"rows": 2, "quarantined": 2}}`),
		as[session.MetricVerdict](`{"name": "churn", "verdict": "pass"}`), as[guard.Hindsight](`{"closes": 4, "pass": 1, "fail": 2, "inconclusive": 1, "lacking": 3, "would": [{"k": 2, "verdict": "fail", "action": "hold", "words": "low"}]}`), as[guard.Hindsight](`{"closes": 1, "pass": 1}`),
		as[session.Switched](`{"mode": "live"}`), as[session.Switched](`{"mode": "killed", "answers": [4, 6]}`), as[session.Explanation](`{"k": 2, "basis": "rule", "u": [1], "words": "because"}`),
		as[[]word.Card](`[{"state": "fine", "words": "a", "do": "nothing"}, {"state": "alarm", "words": "b", "do": "look"}, {"state": "wait", "words": "c"}]`), as[session.RolledTo](`{"to": [1, 2.5]}`),
		as[session.Status](`{"loop": "shop", "epoch": "e1", "mode": "live", "revision": 2, "k": 7, "turns": 1, "state": "open", ` + live + `, "pin": {"u": [9]}, "alarms": {"b": "second", "a": "first \u0007"}, "seq": 12}`), as[session.Status](`{"loop": "shop", "mode": "shadow", "turns": 5}`),
		as[client.ForkMade](`{"loop": "fork", "mode": "shadow", "guesses": [{"k": 1, "proposed": [1], "deployed": [2], "value": 3, "guess": 4.5, "guess_deployed": -5}]}`), as[client.ForkMade](`{"loop": "fork", "mode": "shadow"}`),
		as[client.AllKilled](`{"killed": 3, "failed": [{"loop": "x", "detail": "no safe"}]}`), as[client.KeyMade](`{"key": "kedge_secret", "prefix": "kedge_se", "rights": ["ask", "tell"], "loops": ["*"]}`),
		as[[]keyring.Account](`[{"prefix": "kedge_a", "rights": ["read"], "loops": ["a", "b-*"], "expires": ` + at + `, "last_used": ` + at + `, "revoked": ` + at + `}, {"prefix": "kedge_b", "rights": ["admin"], "loops": ["*"]}]`), as[keyring.Account](`{"prefix": "kedge_c", "revoked": ` + at + `}`),
		as[[]session.Status](`[{"loop": "a", "mode": "live", "k": 3, "alarms": {"x": "bad", "y": "worse"}}, {"loop": "b", "mode": "paused"}]`),
		session.BackupMade{File: "f\x1b", Loops: 1, Events: 2}, store.Audit{Loops: 2, Events: 1, Blobs: 1}, store.Audit{Loops: 1, Events: 30, Blobs: 4, Dropped: 1, Anchors: 1}, store.Audit{Dropped: 2, Anchors: 3},
		store.Repaired{Audit: store.Audit{Loops: 1}, States: 1, Orphans: 2}, store.Repaired{Lost: 3}, exported{"shop", "out.tar"}, removal{chronicle.Removal{Tip: session.Tip{Loop: "a", Seq: 9}, Events: 1, Batches: 1}, false}, removal{chronicle.Removal{Events: 2, Batches: 3}, true},
		session.Compaction{Blobs: 1, Rows: 2}, session.Compaction{Blobs: 2, Rows: 1}, replay.Recap{Loop: "a", Events: 9, Decided: 8, Closes: 4, Lacking: []int{1, 2, 3, 7, 9, 10}}, replay.Recap{Loop: "a", Events: 3, Decided: 1, Closes: 1}, replay.Recap{Loop: "a", Events: 3, Decided: 1, Closes: 1, Lacking: []int{4}}, "something else",
	}
}

// Replies are put into words, and loops that hold are said to, as they were when that was last read.
func TestRepliesAreAsRecorded(t *testing.T) {
	var lines []string
	for _, r := range replies() {
		lines = append(lines, fmt.Sprintf("%T, holds %q", r, holds(r)))
		lines = append(lines, strings.Split(strings.TrimSuffix(words(r), "\n"), "\n")...)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, body := range []string{
		`{"u": [1, 2], "basis": "rule", "reasons": ["r1", "r2"]}`, `{"u": [1]}`, `{"outcome": "step", "value": {"mean": 1.23456}}`, `{"outcome": "hold", "reasons": ["few"]}`, `{"batch": "am", "rows": 1}`, `{"words": "w\u001b"}`, `{"mode": "live", "reason": "why"}`, `{"name": "n"}`, `{}`, `[]`,
	} {
		for k := range 2 {
			e := session.Event{Seq: 7, At: at, Kind: "kind", K: k, Body: json.RawMessage(body)}
			lines = append(lines, eventLine("shop", e, false), eventLine("shop", e, true))
		}
	}
	for _, list := range [][]int{nil, {1}, {1, 2}, {1, 3}, {1, 2, 3, 5, 7, 8}} {
		lines = append(lines, fmt.Sprint(list, " ", spans(list)))
	}
	for _, n := range []int{0, 1, 2} {
		lines = append(lines, phrase.People(n), phrase.Count(n, "loop"), phrase.Count(n, "batch", "batches"))
	}
	lines = append(lines, VerifiedLog{"p", store.Bundle, store.Audit{Loops: 1}}.Words(), then("a", "")+then("a", "b"))
	all, err := json.Marshal(ByPath(map[string]int{"run": 1}, []VerifiedLog{{Path: "log", Kind: store.Bundle}}))
	if err != nil {
		t.Fatal(err)
	}
	others, found, err := VerifyLogs(t.Context(), []string{"missing", "testdata/words.txt"})
	lines = append(lines, fmt.Sprint(others, found, err))
	_, _, err = VerifyLogs(t.Context(), []string{"postgres://u:secret@127.0.0.1:1/x"})
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.HasPrefix(err.Error(), "postgres://u:xxxxx@127.0.0.1:1/x: ") {
		t.Errorf("a database that is not there: %v", err)
	}
	evidence.AsRecorded(t, "testdata/words.txt", append(lines, string(all)))
}

package service

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/word"
)

// words are a reply as somebody reads it.
func words(reply any) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	switch r := reply.(type) {
	case session.Offer:
		line("decision %d (%s): %s", r.K, r.Basis, numbers(r.U))
		for _, why := range r.Reasons {
			line("  %s", phrase.Safe(why))
		}
		switch {
		case r.DeployBy != nil && r.State == session.IsOpen:
			line("deploy it by %s", moment(*r.DeployBy))
		case r.State != session.IsOpen:
			line("it is %s", r.State)
		}
		if r.Live != nil {
			line("live since %s, decision %d: %s", moment(r.Live.Since), r.Live.K, numbers(r.Live.U))
		}
	case session.Reached:
		line("decision %d is %s", r.K, r.State)
		if r.Deployment != nil {
			deployment(line, r)
		}
	case session.Received:
		received(line, r)
	case session.Closing:
		closing(line, r)
	case session.MetricVerdict:
		line("%s: %s", phrase.Safe(r.Name), r.Verdict)
	case guard.Hindsight:
		hindsight(line, r)
	case session.Switched:
		line("the loop is %s", r.Mode)
		if r.Answers != nil {
			line("it answers %s", numbers(r.Answers))
		}
	case session.Explanation:
		line("decision %d (%s): %s", r.K, r.Basis, numbers(r.U))
		line("%s", phrase.Safe(r.Words))
	case []word.Card:
		for _, c := range r {
			line("%-5s  %s", c.State, phrase.Safe(c.Words))
			if c.Do != "" && c.State != word.Fine {
				line("       %s", phrase.Safe(c.Do))
			}
		}
	case session.RolledTo:
		line("going back to %s", numbers(r.To))
	case session.Status:
		status(line, r)
	case client.ForkMade:
		forked(line, r)
	case client.AllKilled:
		line("loops that answer their safe decisions: %d", r.Killed)
		for _, one := range r.Failed {
			line("  %s does not: %s", one.Loop, phrase.Safe(one.Detail))
		}
	case client.KeyMade:
		line("%s", r.Key)
		line("this key is shown once: %s", aboutKey(keyring.Account{Grant: r.Grant}))
	case []keyring.Account:
		for _, k := range r {
			line("%s", aboutKey(k))
		}
	case keyring.Account:
		line("%s", aboutKey(r))
	case []session.Status:
		for _, s := range r {
			line("%-24s %-8s decision %-6d %s", s.Loop, s.Mode, s.K, strings.Join(alarms(s), "; "))
		}
	default:
		copied(line, reply)
	}
	return b.String()
}

// received says what became of a batch.
func received(line func(string, ...any), r session.Received) {
	line("batch %s: %s", r.ID, phrase.People(r.Rows))
	switch {
	case r.Late:
		line("  too late: kept, and not counted")
	case !r.Used:
		line("  seen before people had the time to answer: kept, and not counted")
	default:
		line("  %d of the %d people wanted have answered", r.Have, r.Least)
	}
}

func deployment(line func(string, ...any), r session.Reached) {
	line("live since %s: %s", moment(r.At), numbers(r.U))
	if r.Off > 0 {
		line("  %s from what was decided", phrase.Digits(r.Off, 3))
	}
	if !r.Feasible {
		line("  it is not feasible, so that no step will be taken")
	}
	if r.Late {
		line("  too late to be learned from")
	}
	if r.DataBy != nil {
		line("people's answers are due by %s", moment(*r.DataBy))
	}
}

func closing(line func(string, ...any), r session.Closing) {
	line("decision %d: %s", r.K, r.Outcome.Outcome)
	for _, why := range r.Reasons {
		line("  %s", phrase.Safe(why))
	}
	line("  %s counted", phrase.People(r.Sample.Rows))
	if n := r.Sample.Quarantined; n > 0 {
		line("  %s did not: outside their ranges, or far from all seen before", phrase.People(n))
	}
	for _, j := range r.Guardrails {
		line("  guardrail %s: %s", j.Verdict, phrase.Safe(j.Words))
	}
	if q := r.Trust; q != nil && q.Ratio != nil {
		line("  people answer %s (%s to %s) of what the model says: %s", phrase.Digits(*q.Ratio, 3), phrase.Digits(*q.Low, 3), phrase.Digits(*q.High, 3), q.Verdict)
	}
	if v := r.Value; v != nil {
		line("  value %s (%s to %s)", phrase.Digits(v.Mean, 4), phrase.Digits(v.Low, 4), phrase.Digits(v.High, 4))
	}
	if r.Terms != nil {
		line("  the rule moved by %s, to %s", phrase.Digits(r.Terms.Step, 3), numbers(r.Iterate))
	}
}

func hindsight(line func(string, ...any), h guard.Hindsight) {
	line("%s: %d pass, %d fail, %d inconclusive", phrase.Count(h.Closes, "close"), h.Pass, h.Fail, h.Inconclusive)
	if h.Lacking > 0 {
		line("of %d more the people are gone", h.Lacking)
	}
	for _, w := range h.Would {
		line("decision %d, %s, would do: %s (%s)", w.K, w.Verdict, w.Action, phrase.Safe(w.Words))
	}
}

func status(line func(string, ...any), s session.Status) {
	line("loop %s: %s, decision %d%s, %s of the rule", s.Loop, s.Mode, s.K, then(" is ", string(s.State)), phrase.Count(s.Turns, "step"))
	if s.Live != nil {
		line("live since %s, decision %d: %s", moment(s.Live.Since), s.Live.K, numbers(s.Live.U))
	}
	if s.Pin != nil {
		line("pinned to %s", numbers(s.Pin.U))
	}
	for _, a := range alarms(s) {
		line("alarm: %s", a)
	}
	line("epoch %s, revision %d, event %d %s", s.Epoch, s.Revision, s.Seq, s.Hash)
}

func alarms(s session.Status) []string {
	return lists.Of(slices.Sorted(maps.Keys(s.Alarms)), func(name string) string { return phrase.Safe(s.Alarms[name]) })
}

// then is some text behind a word, if there is any.
func then(word, text string) string {
	if text == "" {
		return ""
	}
	return word + text
}

// numbers are those of a decision, to the last digit: they are deployed as they stand.
func numbers(u []float64) string {
	return strings.Join(lists.Of(u, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }), " ")
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// holds says why the loop keeps what is live, or nothing.
func holds(reply any) string {
	because := func(reasons []string) string { return "the loop holds" + then(": ", strings.Join(reasons, "; ")) }
	switch r := reply.(type) {
	case session.Offer:
		if r.Basis == session.Hold {
			return because(r.Reasons)
		}
	case session.Closing:
		if r.Outcome.Outcome != session.Stepped {
			return because(r.Reasons)
		}
	}
	return ""
}

// aboutKey is a line on a key.
func aboutKey(k keyring.Account) string {
	rights := lists.Of(k.Rights, func(r keyring.Right) string { return string(r) })
	text := k.Prefix + "  " + strings.Join(rights, ",") + "  on " + strings.Join(k.Loops, ",")
	for _, one := range []struct {
		word string
		at   *time.Time
	}{{"expires", k.Expires}, {"last used", k.Used}, {"revoked", k.Revoked}} {
		if one.at != nil {
			text += ", " + one.word + " " + moment(*one.at)
		}
	}
	return text
}

// forked says how a fork stands, and what the model guesses.
func forked(line func(format string, args ...any), r client.ForkMade) {
	status(line, r.Status)
	if len(r.Guesses) > 0 {
		line("by the model, whose guesses these are, people who have settled would be worth:")
	}
	for _, g := range r.Guesses {
		line("  decision %d: %s under %s, proposed; %s under %s, deployed (%s seen)", g.K, phrase.Brief(g.Value), numbers(g.Proposed), phrase.Brief(g.Instead), numbers(g.Deployed), phrase.Brief(g.Seen))
	}
}

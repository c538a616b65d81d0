package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/kills"
)

// Right is what a key must have for a call; several are separated by spaces.
type Right = keyring.Right

// The rights.
const (
	Anybody Right = ""
	MayRead       = keyring.Read
	MayAsk        = keyring.Ask
	MayTell       = keyring.Tell
	Operate       = keyring.Operate
	Admin         = keyring.Admin
)

// route is one row of the table.
type route struct {
	Method, Path string
	Right        Right
	Says         string
	In, Out      any    // examples; nil: no body
	asks         string // the names of its query, dry_run left out
	streams      bool
	dry          bool // it can be tried, by dry_run=true
	ownLoops     bool // of a call without {loop}: it keeps to the loops of the key by itself; else it is for keys of all loops alone
	do           handler
}

// creating is the body of the call that makes a loop.
type creating struct {
	Name   string            `json:"name"`
	Spec   string            `json:"spec"`
	Mode   session.Mode      `json:"mode,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// reasoned is the body of calls that want a reason.
type reasoned struct {
	Reason string `json:"reason,omitempty"`
}

func routes() []route {
	const (
		loops     = "/v1/loops"
		loop      = loops + "/{loop}"
		decisions = loop + "/decisions"
		decision  = decisions + "/{k}"
	)
	list := slices.Concat(vaultRoutes(loops, loop), dashboardRoutes(loop), guardRoutes(loop, decision), []route{
		{Method: "POST", Path: loops, Right: Admin, Says: "Make a loop, in the shadow unless mode says live. The same again changes nothing.", In: creating{}, Out: session.Status{}, ownLoops: true, do: with(create)},
		{Method: "GET", Path: loops, Right: MayRead, Says: "All loops.", Out: heads{}, ownLoops: true, do: listLoops},
		{Method: "GET", Path: "/v1/heads", Right: MayRead, Says: "The newest event of every loop.", Out: heads{}, ownLoops: true, do: listLoops},
		{Method: "GET", Path: loop, Right: MayRead, Says: "How a loop stands.", Out: session.Status{}, do: show},
		{Method: "PUT", Path: loop + "/spec", Right: Admin, Says: "Revise the spec. If-Match names the revision that it is made from.", In: session.Revise{}, Out: session.RevisedTo{}, dry: true, do: with(revise)},
		{Method: "DELETE", Path: loop, Right: Admin, Says: "Archive a loop; its log stays.", Out: session.Status{}, do: func(c *call) (int, any, error) { return c.do(200, session.Archive{}) }},
		{Method: "POST", Path: loop + "/ask", Right: MayAsk, Says: "The decision to deploy. Until it comes to something the answer is the same.", In: asking{}, Out: session.Offer{}, do: with(ask)},
		{Method: "POST", Path: loop + "/exchange", Right: MayTell, Says: "A round in one call, all or nothing: what went live, who answered, the close, the next ask. It needs the right to ask, too.", In: exchanging{}, Out: session.Exchanged{}, do: exchange},
		{Method: "GET", Path: decision + "/explain", Right: MayRead, Says: "Why a decision is what it is, in numbers and in words.", Out: session.Explanation{}, do: about(explainDecision)},
		{Method: "GET", Path: loop + "/series", Right: MayRead, Says: "What was measured at every close, thinned to least and largest: name (value,u.0,…), from_k, points; times=true says when decisions were opened, too.", Out: map[string]json.RawMessage{}, asks: "name from_k points times", do: series},
		{Method: "GET", Path: loop + "/distribution", Right: MayRead, Says: "How people are distributed, now and settled, by the model, under what is live or under u=1,2,…: k, entry, bins; of=d looks at their traits, beside who answered at first.", Out: session.Distribution{}, asks: "k entry bins of u", do: distribution},
		{Method: "GET", Path: loop + "/health", Right: MayRead, Says: "How a loop is, in cards with words and what to do.", Out: cards{}, do: health},
		{Method: "PUT", Path: decision + "/deployment", Right: MayTell, Says: "Say what went live, which may differ from what was decided: 201, 202 if that is too late, 200 if it was said before.", In: session.Deploy{}, Out: session.Reached{}, do: with(deploy)},
		{Method: "PUT", Path: decision + "/batches/{batch}", Right: MayTell, Says: "Tell people who answered: 201, 202 if that is too late to count. The same batch again changes nothing: 200.", In: people{}, Out: session.Received{}, asks: "epoch observed_at", do: tell},
		{Method: "GET", Path: decision + "/batches", Right: MayRead, Says: "The receipts of the batches of a decision.", Out: []session.Receipt{}, do: about(receipts)},
		{Method: "POST", Path: decision + "/close", Right: MayTell, Says: "Learn from a decision: one step of the rule, or the reason why there is none.", In: session.Close{}, Out: session.Closing{}, dry: true, do: command(closing)},
		{Method: "POST", Path: decision + "/abandon", Right: MayTell, Says: "Give a decision up without learning from it.", In: session.Abandon{}, Out: session.Reached{}, do: command(abandon)},
		{Method: "POST", Path: decision + "/approve", Right: Operate, Says: "Let a proposal be deployed.", In: reasoned{}, Out: session.Reached{}, do: command(approve)},
		{Method: "POST", Path: decision + "/reject", Right: Operate, Says: "Refuse a proposal.", In: reasoned{}, Out: session.Reached{}, do: command(reject)},
		{Method: "GET", Path: decision, Right: MayRead, Says: "One decision, from its opening to its outcome.", Out: session.Decision{}, do: about(func(_ *call, d *session.Decision) (int, any, error) { return 200, d, nil })},
		{Method: "GET", Path: decisions, Right: MayRead, Says: "Decisions after after_k, up to page_size of them.", Out: page{}, asks: "after_k page_size", do: some},
		{Method: "POST", Path: loop + "/rollback", Right: Operate, Says: "Go back to what was deployed once, to safe or to baseline.", In: session.RollBack{}, Out: session.RolledTo{}, dry: true, do: command(itself[session.RollBack])},
		{Method: "PUT", Path: loop + "/pin", Right: Operate, Says: "Answer a decision whatever the rule says.", In: session.SetPin{}, Out: session.Status{}, dry: true, do: command(itself[session.SetPin])},
		{Method: "DELETE", Path: loop + "/pin", Right: Operate, Says: "Let the rule decide again.", Out: session.Status{}, do: func(c *call) (int, any, error) { return c.do(200, session.Unpin{}) }},
		{Method: "GET", Path: loop + "/log", Right: MayRead, Says: "Events after after, up to 1,000 of them.", Out: []session.Event{}, asks: "after", do: events},
		{Method: "GET", Path: loop + "/events", Right: MayRead, Says: "Events as they happen, as server-sent events; Last-Event-ID or after goes on after one; with every=250ms only the newest close of each interval.", streams: true, asks: "after every", do: stream},
		{Method: "GET", Path: "/v1/events", Right: MayRead, Says: "Where all loops are, and then every one that moves, as server-sent events.", ownLoops: true, streams: true, do: fleet},
		{Method: "POST", Path: loop + "/kill", Right: Operate, Says: "The loop is killed from now on, also on a full disk: durable says whether the event was written, or a mark that it is to be.", In: reasoned{}, Out: session.Switched{}, do: with(kill)},
		{Method: "POST", Path: "/v1/kill", Right: Operate, Says: "Kill every loop of the key: each answers its safe decision.", In: reasoned{}, Out: kills.Killed{}, ownLoops: true, do: with(killAll)},
		{Method: "POST", Path: "/v1/keys", Right: Admin, Says: "Make a key. It is shown this once.", In: keyring.Wanted{}, Out: keyring.Made{}, ownLoops: true, do: with(createKey)},
		{Method: "GET", Path: "/v1/keys", Right: Admin, Says: "All keys there ever were, by their prefixes.", Out: keyList{}, ownLoops: true, do: listKeys},
		{Method: "DELETE", Path: "/v1/keys/{prefix}", Right: Admin, Says: "Revoke a key, for good.", In: reasoned{}, Out: keyring.Account{}, ownLoops: true, do: with(revokeKey)},
		{Method: "GET", Path: "/healthz", Says: "Whether the process answers, and its journal is not stuck.", Out: struct{}{}, do: isAlive},
		{Method: "GET", Path: "/metrics", Right: MayRead, Says: "Numbers for Prometheus.", do: showNumbers},
		{Method: "GET", Path: "/readyz", Says: "Whether commands are taken.", Out: struct{}{}, do: isReady},
		{Method: "GET", Path: "/version", Says: "The build and the limits.", Out: version{}, do: func(c *call) (int, any, error) { return 200, version{c.setup.Build, c.limits}, nil }},
		{Method: "GET", Path: "/openapi.json", Says: "This table, as OpenAPI 3.1.", do: openAPI},
		{Method: "GET", Path: "/problems/{type}", Says: "What a problem is, and what to do.", do: explain},
	})
	for word, mode := range map[string]session.Mode{"pause": session.Paused, "resume": session.Live, "shadow": session.Shadow, "promote": session.Live} {
		list = append(list, route{Method: "POST", Path: loop + "/" + word, Right: Operate, Says: "The loop is " + string(mode) + " from now on.", In: reasoned{}, Out: session.Switched{}, dry: word == "resume", do: command(func(_ *call, b reasoned) session.Command {
			return session.Switch{To: mode, Reason: b.Reason}
		})})
	}
	slices.SortStableFunc(list, func(a, b route) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	return list
}

type heads struct {
	Loops []session.Tip `json:"loops"`
}

type version struct {
	Version string    `json:"version"`
	Limits  Allowance `json:"limits"`
}

type page struct {
	Decisions []session.Decision `json:"decisions"`
	Next      int                `json:"next_after_k,omitempty"`
}

func create(c *call, b creating) (int, any, error) {
	if !loopName.MatchString(b.Name) {
		return 0, nil, problem(session.Malformed, "a loop is called by up to 63 of a–z, 0–9 and hyphens, which it does not begin with")
	}
	if !c.sees(b.Name) {
		return 0, nil, problem(forbidden, c.reach())
	}
	c.loop = b.Name
	status := 200
	if err := c.isThere(); session.IsRefusal(err, session.NotFound) {
		status = 201
		all, err := c.journal.Loops(c.Context())
		if err != nil {
			return 0, nil, err
		}
		if len(all) >= c.limits.Loops {
			return 0, nil, problem(session.TooLarge, "there are "+strconv.Itoa(len(all))+" loops already")
		}
	} else if err != nil {
		return 0, nil, err
	}
	return c.do(status, session.Create{Spec: b.Spec, Mode: b.Mode, Labels: b.Labels, Epoch: session.NewEpoch()})
}

func listLoops(c *call) (int, any, error) {
	all, err := c.journal.Loops(c.Context())
	return 200, heads{slices.DeleteFunc(append([]session.Tip{}, all...), func(t session.Tip) bool { return !c.sees(t.Loop) })}, err
}

func show(c *call) (int, any, error) {
	status, err := c.status(c.Context(), c.loop)
	if err == nil {
		c.w.Header().Set("ETag", strconv.Quote(strconv.Itoa(status.Revision)))
	}
	return 200, status, err
}

func revise(c *call, b session.Revise) (int, any, error) {
	match := c.Header.Get("If-Match")
	if match == "" {
		return 0, nil, problem(needsMatch, "If-Match is missing")
	}
	revision, err := strconv.Atoi(strings.Trim(match, `"`))
	if err != nil {
		return 0, nil, problem(session.Malformed, "If-Match is the number of a revision, not "+match)
	}
	b.Revision = revision
	return c.do(200, b)
}

func deploy(c *call, b session.Deploy) (int, any, error) {
	b.K = c.k
	_, reply, err := c.do(201, b)
	r, _ := reply.(session.Reached)
	return put(r.Repeat, r.Late), reply, err
}

func tell(c *call) (int, any, error) {
	dim, err := c.host.Dims(c.Context(), c.loop)
	if err != nil {
		return 0, nil, err
	}
	t, err := c.readBatch(dim)
	if err != nil {
		return 0, nil, err
	}
	_, reply, err := c.do(201, session.Tell{K: c.k, Epoch: t.Epoch, ID: c.PathValue("batch"), Batch: t.Batch})
	r, _ := reply.(session.Received)
	return put(r.Repeat, r.Late), reply, err
}

func receipts(_ *call, d *session.Decision) (int, any, error) {
	if d.Batches == nil {
		d.Batches = []session.Receipt{}
	}
	return 200, d.Batches, nil
}

func closing(c *call, b session.Close) session.Command {
	b.K = c.k
	return b
}

func abandon(c *call, b session.Abandon) session.Command {
	b.K = c.k
	return b
}

func approve(c *call, b reasoned) session.Command {
	return session.Approve{K: c.k, Reason: b.Reason}
}

func reject(c *call, b reasoned) session.Command {
	return session.Reject{K: c.k, Reason: b.Reason}
}

func some(c *call) (int, any, error) {
	q := c.query()
	after, size := q.number("after_k", 0, 1<<53), q.number("page_size", 100, 1000)
	if q.err != nil {
		return 0, nil, q.err
	}
	status, err := c.status(c.Context(), c.loop)
	if err != nil {
		return 0, nil, err
	}
	p, newest := page{Decisions: []session.Decision{}}, status.K
	for k := after + 1; k <= newest && len(p.Decisions) < size; k++ {
		d, err := c.decision(k)
		if err != nil {
			return 0, nil, err
		}
		p.Decisions = append(p.Decisions, *d)
		if p.Next = k; k == newest {
			p.Next = 0
		}
	}
	return 200, p, nil
}

// mostEvents is how many a page of the log has.
const mostEvents = 1000

func events(c *call) (int, any, error) {
	q := c.query()
	after := q.number("after", 0, 1<<53)
	if q.err != nil {
		return 0, nil, q.err
	}
	if err := c.isThere(); err != nil {
		return 0, nil, err
	}
	list, err := eventsOf(c.Context(), c.journal, c.loop, after, mostEvents)
	return 200, append([]session.Event{}, list...), err
}

func showNumbers(c *call) (int, any, error) {
	c.tally.ServeHTTP(c.w, c.Request)
	return 200, nil, nil
}

// mostStuck is how long a commit may take.
const mostStuck = 10 * time.Second

func isAlive(c *call) (int, any, error) {
	if j, tells := c.journal.(interface{ Stuck() time.Duration }); tells && j.Stuck() > mostStuck {
		return 0, nil, problem(readOnly, "a commit has been under way for "+j.Stuck().Round(time.Second).String())
	}
	return 200, struct{}{}, nil
}

func isReady(c *call) (int, any, error) {
	if c.stopping.Load() {
		return 0, nil, problem(starting, "the server stops")
	}
	if c.setup.Ready != nil {
		if err := c.setup.Ready(); err != nil {
			return 0, nil, problem(readOnly, err.Error())
		}
	}
	if err := c.sound(c.Context()); err != nil {
		return 0, nil, problem(readOnly, err.Error())
	}
	if _, err := c.journal.Loops(c.Context()); err != nil {
		return 0, nil, problem(readOnly, err.Error())
	}
	return 200, struct{}{}, nil
}

func explain(c *call) (int, any, error) {
	t := typeOf(c.PathValue("type"))
	if t.remedy == "" {
		return 0, nil, problem(session.NotFound, "there is no such problem")
	}
	c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	here := "http://" + c.Host
	if c.TLS != nil || c.setup.ProxyTLS {
		here = "https://" + c.Host
	}
	line := strings.ReplaceAll(t.try, "{server}", here)
	fmt.Fprintf(c.w, "%s (%d %s)\n\nCause: %s\n\nEffect on the population: %s\n\nRemedy: %s\n\nTry, with a loop called shop:\n\n    %s\n", t.title, t.status, t.name, t.cause, t.effect, t.remedy, line)
	return 200, nil, nil
}

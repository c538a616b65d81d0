package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// ProblemDetails is what a client gets instead of a reply, by RFC 9457. Nothing has changed.
type ProblemDetails struct {
	Type      string          `json:"type"`
	Title     string          `json:"title"`
	Status    int             `json:"status"`
	Detail    string          `json:"detail,omitempty"`
	Instance  string          `json:"instance,omitempty"`
	Retryable bool            `json:"retryable"`
	State     string          `json:"state,omitempty"` // of the decision
	Errors    []session.Fault `json:"errors,omitempty"`

	wait time.Duration // before it is worth while to try again; 0: a moment
}

// problemType is what there is to know about one kind of problem.
type problemType struct {
	name   string
	status int
	title  string
	remedy string
}

// Problems that the server itself has.
const (
	wrongHost   = "wrong-host"
	unsupported = "unsupported-type"
	tooSlow     = "too-slow"
	noMethod    = "method-not-allowed"
	needsMatch  = "revision-needed"
	overloaded  = "overloaded"
	readOnly    = "read-only"
	diskFull    = "disk-full"
	fault       = "fault"
	forbidden   = "forbidden"

	unauthenticated = "unauthenticated"
	starting        = "starting"
	tooMany         = "too-many-requests"
)

// problemTypes are all of them; each has a page of the server.
var problemTypes = []problemType{
	{session.Malformed, 400, "The message cannot be read", "Send what the example of the call in /openapi.json shows. Nothing was stored."},
	{unauthenticated, 401, "The request has no key that counts", "It has none, or one that is unknown, revoked or has expired. Nothing was stored, and what is live stays live; a system that is locked out goes on with the last decision it was told. Send Authorization: Bearer with a key; kedge key create makes one."},
	{forbidden, 403, "The key may not do this", "The key lacks a right, or is for other loops, or the request comes from a page of another site. Nothing was stored, and what is live stays live. Use a key that has the right; kedge key list shows what each may do."},
	{session.NotFound, 404, "There is no such thing", "Look at the loop and its newest decision: GET /v1/loops/{loop}."},
	{noMethod, 405, "The address knows other methods", "The reply names them in Allow."},
	{tooSlow, 408, "The body came too slowly", "Send at least 16 KiB a second, in smaller batches if the line is slow. Nothing was stored."},
	{session.StaleEpoch, 409, "The loop was begun anew or restored since", "Ask again; what the old epoch decided no longer counts."},
	{session.NotOpen, 409, "The decision is past that", "The field state says how it ended. Ask for the current one."},
	{session.NotDeployed, 409, "Nobody has said that the decision is live", "Tell its deployment first, then close it."},
	{session.DeploymentConflict, 409, "Something else was said to be live", "Send correct: true with what really is live, before the decision is closed."},
	{session.BatchConflict, 409, "The batch was told with other content", "Give every batch a name of its own."},
	{session.Incomplete, 409, "Not all that is expected is there", "Tell the rest, or close without expecting it."},
	{session.NameTaken, 409, "A loop of that name has another spec", "Choose another name, or revise the spec of that loop."},
	{session.WrongMode, 409, "The mode of the loop does not allow it", "The field detail says which mode it is in."},
	{session.KeyReused, 409, "The Idempotency-Key was used for something else", "The same word came with another request before. Nothing was done, and what is live stays live. Give every request a word of its own, and the same one only to its repeats."},
	{session.IsArchived, 410, "The loop is archived", "Its log stays; make another loop to go on."},
	{session.StaleRevision, 412, "The spec was revised meanwhile", "Read the loop again and send its revision in If-Match."},
	{session.TooLarge, 413, "That is too much at once", "GET /version has the limits. Split it into batches."},
	{unsupported, 415, "The content type is not known", "Batches are application/json or application/x-ndjson, all else application/json."},
	{wrongHost, 421, "The server does not go by that name", "The request names another host than those the server was told of, as a page does that leads its own name here. Nothing was stored, and what is live stays live. Call it by the name of its certificate or of --listen, or start it with --host NAME."},
	{session.DimensionMismatch, 422, "A list has another length than the model", "GET /v1/loops/{loop} has the lengths in dims: decision, state, trait."},
	{session.NotFinite, 422, "A number is not finite", "The pointer says which. Leave that person out or mend the number; nothing of the batch was stored."},
	{session.OutsideRange, 422, "A value is outside its range", "The field detail says which one it is."},
	{session.BadWeights, 422, "Weights cannot be used", "Weights are not negative, and not all 0."},
	{session.BadSpec, 422, "The spec has mistakes", "Each is listed with its line; kedge check finds the same."},
	{session.Infeasible, 422, "The decision is not feasible", "It must be in the set of the spec."},
	{session.NoSafeDecision, 422, "The spec does not say what is safe", "Write live.safe and live.cap.norm."},
	{needsMatch, 428, "The revision that is changed must be named", "Send If-Match with the revision of the loop."},
	{tooMany, 429, "The key sends more than its share", "A key may send so many requests and bytes a second, so that it cannot starve others. Nothing of the request was stored, and what is live stays live. Send it again after the time in Retry-After, and larger batches less often; kedge serve --key-rate gives keys more."},
	{fault, 500, "The server is at fault", "Nothing is known to be stored; the same message again is safe. The log of the server says more."},
	{overloaded, 503, "Too much is waiting", "Try again after the time in Retry-After."},
	{starting, 503, "The server is about to start or to stop", "It takes nothing new at the moment. What is live stays live. Try again after the time in Retry-After."},
	{readOnly, 503, "The journal cannot be written", "Nothing more is taken until somebody looks at the disk and starts the server again. What is live stays live."},
	{diskFull, 507, "The disk is full", "Make room; the server goes on by itself. Nothing that was acknowledged is lost."},
}

func typeOf(name string) problemType {
	for _, t := range problemTypes {
		if t.name == name {
			return t
		}
	}
	return problemType{name, 500, "The server is at fault", ""}
}

func problem(name, detail string) *ProblemDetails {
	t := typeOf(name)
	return &ProblemDetails{Type: "/problems/" + t.name, Title: t.title, Status: t.status, Detail: detail, Retryable: t.status == 429 || t.status == 503 || t.status == 507 || t.status == 500}
}

func (p *ProblemDetails) Error() string { return p.Type + ": " + p.Detail }

// problemOf is any error as a problem.
func problemOf(err error) *ProblemDetails {
	var p *ProblemDetails
	var r *session.Refusal
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &r):
		p = problem(r.Type, r.Detail)
		p.State, p.Errors = r.State, r.Errors
		return p
	case errors.As(err, &large):
		return problem(session.TooLarge, fmt.Sprintf("the body has more than %d bytes", large.Limit))
	case errors.Is(err, session.ErrFull):
		return problem(diskFull, "nothing was stored")
	case errors.Is(err, session.ErrBusy), errors.Is(err, session.ErrConflict):
		return problem(overloaded, err.Error())
	case errors.Is(err, session.ErrReadOnly):
		return problem(readOnly, err.Error())
	}
	return problem(fault, err.Error())
}

// send writes a problem.
func (p *ProblemDetails) send(w http.ResponseWriter, r *http.Request) {
	p.Instance = r.URL.Path
	w.Header().Set("Content-Type", "application/problem+json")
	if p.Status == 429 || p.Status == 503 || p.Status == 507 {
		w.Header().Set("Retry-After", strconv.Itoa(int(max(p.wait, 2*time.Second).Seconds()+0.999)))
	}
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p)
}

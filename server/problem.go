package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/kills"
)

// ProblemDetails is what a client gets instead of a reply, by RFC 9457. Nothing has changed.
type ProblemDetails struct {
	Type      string          `json:"type"`
	Title     string          `json:"title"`
	Status    int             `json:"status"`
	Detail    string          `json:"detail,omitempty"`
	Instance  string          `json:"instance,omitempty"`
	Retryable bool            `json:"retryable"`
	Request   string          `json:"request,omitempty"` // as the log of the server has it
	State     string          `json:"state,omitempty"`   // of the decision
	Errors    []session.Fault `json:"errors,omitempty"`

	wait time.Duration // before it is worth while to try again; 0: a moment
}

// problem is one of the kinds with what happened this time.
func problem(name, detail string) *ProblemDetails {
	t := typeOf(name)
	return &ProblemDetails{Type: "/problems/" + t.name, Title: t.title, Status: t.status, Detail: detail, Retryable: t.waits() || t.status == 500}
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
	case errors.Is(err, kills.ErrUnread):
		return problem(starting, kills.ErrUnread.Error())
	case errors.Is(err, session.ErrFull):
		return problem(diskFull, "nothing was stored")
	case errors.Is(err, session.ErrBusy), errors.Is(err, session.ErrConflict), errors.Is(err, context.Canceled): // the last: whoever asked has left, or the server ends
		return problem(overloaded, err.Error())
	case errors.Is(err, session.ErrLost): // where it is concerns nobody else; the log has it
		return problem(journalLost, session.ErrLost.Error())
	case strings.Contains(err.Error(), "journal is closed"):
		return problem(journalLost, err.Error())
	case errors.Is(err, session.ErrReadOnly):
		return problem(readOnly, err.Error())
	}
	return problem(fault, err.Error())
}

// send writes a problem.
func (p *ProblemDetails) send(w http.ResponseWriter, r *http.Request) {
	p.Instance, p.Detail, p.Request = keyring.Hide(r.URL.Path), keyring.Hide(p.Detail), requestOf(r)
	for i, one := range p.Errors {
		p.Errors[i].Detail = keyring.Hide(one.Detail)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	if p.Status == 429 || p.Status == 503 || p.Status == 507 {
		w.Header().Set("Retry-After", strconv.Itoa(int(max(p.wait, 2*time.Second).Seconds()+0.999)))
	}
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p)
}

// nameOf is where a request carries its name.
type nameOf struct{}

// named gives every request a name, for the log and for problems.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), nameOf{}, rand.Text()[:16])))
	})
}

// requestOf is the name of a request.
func requestOf(r *http.Request) string {
	name, _ := r.Context().Value(nameOf{}).(string)
	return name
}

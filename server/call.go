package server

import (
	"net/http"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session"
)

// call is a request on its way through a route.
type call struct {
	*Server
	w http.ResponseWriter
	*http.Request
	loop string
	k    int
	held int64 // bytes of its body
}

// do carries a command out.
func (c *call) do(status int, command session.Command) (int, any, error) {
	reply, err := c.host.Do(c.Context(), c.loop, c.actor(), command)
	return status, reply, err
}

// actor is who sends the request.
func (c *call) actor() string { return "local" }

// number reads a whole number of the query.
func (c *call) number(name string, absent, most int) (int, error) {
	text := c.URL.Query().Get(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, problem(session.Malformed, name+" is a whole number from 0 to "+strconv.Itoa(most))
	}
	return n, nil
}

// dims are those of the loop.
func (c *call) dims() (dim kedge.Dims, err error) {
	err = c.host.Look(c.Context(), c.loop, func(l *session.Loop) error {
		d := l.Status().Dims
		dim = kedge.Dims{Decision: d[0], State: d[1], Trait: d[2]}
		return nil
	})
	return dim, err
}

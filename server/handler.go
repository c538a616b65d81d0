package server

import "github.com/kedge-opt/kedge/session"

// handler answers a call.
type handler = func(c *call) (status int, reply any, err error)

// with has a call answered by who wants to know its body.
func with[B any](answer func(c *call, b B) (int, any, error)) handler {
	return func(c *call) (int, any, error) {
		var b B
		if err := c.read(&b); err != nil {
			return 0, nil, err
		}
		return answer(c, b)
	}
}

// command has the command carried out that a body asks for.
func command[B any](of func(c *call, b B) session.Command) handler {
	return with(func(c *call, b B) (int, any, error) { return c.do(200, of(c, b)) })
}

// about has a call answered by who wants to know the decision that it names.
func about(answer func(c *call, d *session.Decision) (int, any, error)) handler {
	return func(c *call) (int, any, error) {
		d, err := c.decision(c.k)
		if err != nil {
			return 0, nil, err
		}
		return answer(c, d)
	}
}

// itself is the command that a body is.
func itself[B session.Command](_ *call, b B) session.Command { return b }

package session

// Exchange is a round in one command, all or nothing: what went live, who answered, the close, and the next ask.
type Exchange struct {
	K      int
	Epoch  string
	Deploy *Deploy // nil: nothing is said of it
	Tell   *Tell
	Close  *Close
	Ask    bool
}

// Exchanged is what became of each part.
type Exchanged struct {
	Deployed *Reached  `json:"deployed,omitempty"`
	Told     *Received `json:"told,omitempty"`
	Closed   *Closing  `json:"closed,omitempty"`
	Next     *Offer    `json:"next,omitempty"`
}

func (c Exchange) do(l *Loop) (any, error) {
	var r Exchanged
	err := c.parts(l, &r)
	if err != nil && len(l.out) > 0 { // some of it has happened in memory alone
		l.spoiled, l.out = true, nil
	}
	return r, err
}

func (c Exchange) parts(l *Loop, r *Exchanged) (err error) {
	if c.Deploy != nil {
		part := *c.Deploy
		part.K, part.Epoch = c.K, c.Epoch
		err = carryOut(l, part, &r.Deployed)
	}
	if c.Tell != nil && err == nil {
		part := *c.Tell
		part.K, part.Epoch = c.K, c.Epoch
		err = carryOut(l, part, &r.Told)
	}
	if c.Close != nil && err == nil {
		part := *c.Close
		part.K, part.Epoch = c.K, c.Epoch
		err = carryOut(l, part, &r.Closed)
	}
	if c.Ask && err == nil {
		err = carryOut(l, Ask{}, &r.Next)
	}
	return err
}

// carryOut carries a part out and keeps its reply.
func carryOut[R any](l *Loop, part Command, to **R) error {
	reply, err := part.do(l)
	if err != nil {
		return err
	}
	own := reply.(R)
	*to = &own
	return nil
}

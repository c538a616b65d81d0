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

func (c Exchange) parts(l *Loop, r *Exchanged) error {
	if c.Deploy != nil {
		part := *c.Deploy
		part.K, part.Epoch = c.K, c.Epoch
		if err := carryOut(l, part, &r.Deployed); err != nil {
			return err
		}
	}
	if c.Tell != nil {
		part := *c.Tell
		part.K, part.Epoch = c.K, c.Epoch
		if err := carryOut(l, part, &r.Told); err != nil {
			return err
		}
	}
	if c.Close != nil {
		part := *c.Close
		part.K, part.Epoch = c.K, c.Epoch
		if err := carryOut(l, part, &r.Closed); err != nil {
			return err
		}
	}
	if c.Ask {
		return carryOut(l, Ask{}, &r.Next)
	}
	return nil
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

package server

import (
	"errors"

	"github.com/kedge-opt/kedge/session"
)

// fan is how an entry of people's states moved: 5, 25, 50, 75 and 95 in 100 of those who answered each decision are below.
type fan struct {
	K         []int       `json:"k"`
	Quantiles [][]float64 `json:"quantiles"`
}

// quantiles shows how people moved over the newest decisions that somebody answered and whose answers are still kept.
func quantiles(c *call) (int, any, error) {
	entry, err := c.number("entry", 0, 1<<20)
	if err != nil {
		return 0, nil, err
	}
	last, err := c.number("last", 40, 100)
	if err != nil {
		return 0, nil, err
	}
	status, err := c.status(c.Context(), c.loop)
	if err != nil {
		return 0, nil, err
	}
	var gone error
	f := fan{K: []int{}, Quantiles: [][]float64{}}
	for k := status.K; k > max(0, status.K-last); k-- {
		d, err := c.decision(k)
		if err != nil {
			return 0, nil, err
		}
		if d.Deployed == nil || len(d.Batches) == 0 {
			continue
		}
		err = c.host.Look(c.Context(), c.loop, func(l *session.Loop) error {
			s, err := l.Distribution(d, session.Aspect{Entry: entry, Bins: 1}, session.PastOf(c.journal, c.loop))
			if err == nil {
				f.K, f.Quantiles = append([]int{k}, f.K...), append([][]float64{s.Ranks}, f.Quantiles...)
			}
			return err
		})
		if errors.Is(err, session.ErrDropped) {
			gone = err // by retention, or because somebody is erased: older ones may still be kept
		} else if err != nil && !session.IsRefusal(err, session.Incomplete) {
			return 0, nil, err
		}
	}
	if len(f.K) == 0 && gone != nil {
		return 0, nil, gone
	}
	return 200, f, nil
}

package chronicle

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Anchored is the kind of the server's notes of the heads of all loops.
const Anchored session.Kind = "anchors"

// Anchors are the heads of all loops at one moment. They show a loop that is gone, and one whose end was cut off.
type Anchors struct {
	Heads []session.Tip `json:"heads"`
}

// LoopRemoved is the kind of the server's note of a loop that is gone.
const LoopRemoved session.Kind = "removed"

// Removal is what is left of a loop that was removed: its anchor, and why it was.
type Removal struct {
	session.Tip
	Events  int    `json:"events"`
	Batches int    `json:"batches"`
	Reason  string `json:"reason"`
}

// Anchor writes the heads of all loops down, unless that was done not long ago.
func Anchor(ctx context.Context, j session.Journal, c session.Clock, every time.Duration) error {
	var last time.Time
	enough := errors.New("it was done not long ago")
	chain, err := Open(ctx, j, c, session.OfServer, func(e session.Event) error {
		if e.Kind == Anchored {
			last = e.At
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = chain.Write(ctx, "time", func(now time.Time) (Notice, error) {
		if now.Sub(last) < every {
			return Notice{}, enough
		}
		heads, err := j.Loops(ctx)
		if err != nil {
			return Notice{}, err
		}
		heads = slices.DeleteFunc(slices.Clone(heads), func(h session.Tip) bool { return session.IsOwn(h.Loop) })
		if len(heads) == 0 {
			return Notice{}, enough
		}
		return Notice{Kind: Anchored, Body: Anchors{heads}}, nil
	})
	if errors.Is(err, enough) {
		return nil
	}
	return err
}

package store

import (
	"context"

	"github.com/kedge-opt/kedge/session"
)

// perBlock is how many decisions a block of a series has. A block is written once all of them have ended, behind the commits; it can be made
// again from events.
const perBlock = 256

// Shelf is where blocks of the series of one loop are kept, and the events that they are made of.
type Shelf interface {
	// Blocks tells which are there of a name.
	Blocks(ctx context.Context, name string) (map[int]bool, error)
	// Stored are the blocks that are there from one on, all as they are at one moment: what is kept of a name, nil where no decision has it.
	Stored(ctx context.Context, name string, from int) (map[int][]byte, error)
	// NewestIn is the newest event of some decisions, 0 for none.
	NewestIn(ctx context.Context, first, last int) (seq int, err error)
	// Decisions visits decisions in their order.
	Decisions(ctx context.Context, first, last int, visit func(*session.Decision)) error
	// Last is the newest event of the loop.
	Last(ctx context.Context) (session.Tip, error)
	// Since is the first of some decisions that an event after another is about, and beyond the last of them if there is none. Where the log has that
	// other event no longer it is the first of all.
	Since(ctx context.Context, event session.Tip, first, last int) (k int, err error)
	// Keep writes a block of decisions by its names, unless the newest event of those is another by now. What is not kept is worked out again.
	Keep(ctx context.Context, block int, all map[string][]byte, first, last, newest int)
}

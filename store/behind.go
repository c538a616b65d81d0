package store

import (
	"context"
	"database/sql"
	"sync"

	"github.com/kedge-opt/kedge/session"
)

// Drawing is whose series lack blocks, which one goroutine makes behind the commits, so that nobody who looks at them waits for that.
type Drawing struct {
	mu     sync.Mutex
	behind map[string]bool
	more   chan struct{} // that there are some
}

// NewDrawing is one that knows of none.
func NewDrawing() *Drawing {
	return &Drawing{behind: map[string]bool{}, more: make(chan struct{}, 1)}
}

// Takes notes a loop whose events complete a block, or change a decision of one.
func (d *Drawing) Takes(loop string, events []session.Event) {
	for i := range events {
		if e := &events[i]; e.Kind == session.DeployedLate || (e.Kind == session.Opened || e.Kind == session.Proposed) && e.K > 1 && e.K%perBlock == 1 {
			d.Note(loop)
		}
	}
}

// Note notes a loop.
func (d *Drawing) Note(loop string) {
	d.mu.Lock()
	d.behind[loop] = true
	d.mu.Unlock()
	select {
	case d.more <- struct{}{}:
	default:
	}
}

// Draw makes what lacks, until ctx ends. What fails is made when it is wanted.
func (d *Drawing) Draw(ctx context.Context, of func(ctx context.Context, loop string) (*Strip, error)) {
	for {
		for loop, is := d.next(); is && ctx.Err() == nil; loop, is = d.next() {
			if g, err := of(ctx, loop); err == nil {
				g.Complete(ctx)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-d.more:
		}
	}
}

// next takes one of them.
func (d *Drawing) next() (loop string, is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for loop := range d.behind {
		delete(d.behind, loop)
		return loop, true
	}
	return "", false
}

// draw makes blocks that are not there, until the journal is closed: first those that an earlier run left. What fails is made when it is wanted.
func (s *SQLite) draw(ctx context.Context) {
	s.drawLeft(ctx)
	s.drawing.Draw(ctx, s.graphOf)
}

// drawLeft notes the loops that have whole blocks.
func (s *SQLite) drawLeft(ctx context.Context) {
	each(ctx, s.peek, func(row *sql.Rows) error {
		var loop string
		if row.Scan(&loop) == nil {
			s.drawing.Note(loop)
		}
		return nil
	}, `SELECT l.name FROM loops l WHERE `+newestOf+` > ?`, perBlock)
}

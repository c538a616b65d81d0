package store

import (
	"database/sql"
	"sync"

	"github.com/kedge-opt/kedge/session"
)

// Drawing is whose series lack blocks, which one goroutine makes behind the commits, so that nobody who looks at them waits for that.
type Drawing struct {
	mu     sync.Mutex
	behind map[string]bool
	More   chan struct{} // that there are some
}

// NewDrawing is one that knows of none.
func NewDrawing() *Drawing {
	return &Drawing{behind: map[string]bool{}, More: make(chan struct{}, 1)}
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
	case d.More <- struct{}{}:
	default:
	}
}

// Next takes one of them.
func (d *Drawing) Next() (loop string, is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for loop := range d.behind {
		delete(d.behind, loop)
		return loop, true
	}
	return "", false
}

// outdate removes the block of a decision that went live after its block was made.
func outdate(tx *sql.Tx, loop int64, k int) error {
	_, err := tx.Exec(`DELETE FROM series WHERE loop = ? AND block = ?`, loop, BlockOf(k))
	return err
}

package store

import (
	"database/sql"
	"sync"

	"github.com/kedge-opt/kedge/session"
)

// drawing is whose series lack blocks, which one goroutine makes behind the commits, so that nobody who looks at them waits for that.
type drawing struct {
	mu     sync.Mutex
	behind map[string]bool
	more   chan struct{}
}

// noteBlocks notes loops of events that complete a block, or change a decision of one.
func (d *drawing) noteBlocks(all []*request, results []error) {
	for i, r := range all {
		if results[i] != nil {
			continue
		}
		for j := range r.events {
			if e := &r.events[j]; e.Kind == session.DeployedLate || (e.Kind == session.Opened || e.Kind == session.Proposed) && e.K > 1 && e.K%perBlock == 1 {
				d.note(r.loop)
			}
		}
	}
}

func (d *drawing) note(loop string) {
	d.mu.Lock()
	d.behind[loop] = true
	d.mu.Unlock()
	select {
	case d.more <- struct{}{}:
	default:
	}
}

func (d *drawing) next() (loop string, is bool) {
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
	_, err := tx.Exec(`DELETE FROM series WHERE loop = ? AND block = ?`, loop, (k-1)/perBlock)
	return err
}

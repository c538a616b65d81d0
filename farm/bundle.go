package farm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Results travel in bundles: those of several cells in one message, whose subject names the cells and whose head says what of its bytes belongs to which.
const (
	headWorker  = "Kedge-Worker"
	headResults = "Kedge-Results" // a list of result

	mostBundled = 32 // cells of a bundle
	cellMark    = "-"

	kindCell  = "cell"  // the files of the cell
	kindError = "error" // what it died of, the same wherever it is computed
	kindLost  = "lost"  // it was given up
)

// result is what a bundle says of a cell.
type result struct {
	Cell   string      `json:"cell"`
	Kind   string      `json:"kind"`
	Bytes  int         `json:"bytes"`            // of the message that are its own
	Under  string      `json:"under,omitempty"`  // where its bytes are if not in the message
	Parcel *parcelHead `json:"parcel,omitempty"` // what they are then
}

// unbundle takes the results of a message apart. Nothing in it is believed: every cell must be one that the subject names, and every byte belong to one.
func unbundle(subject, head string, body []byte) (list []result, bodies [][]byte, err error) {
	if err := json.Unmarshal([]byte(head), &list); err != nil {
		return nil, nil, fmt.Errorf("its head cannot be read: %w", err)
	}
	ids := cellsOf(subject)
	if len(list) != len(ids) || len(list) > mostBundled {
		return nil, nil, fmt.Errorf("it has results of %d cells and names %d", len(list), len(ids))
	}
	for i, r := range list {
		if r.Cell != ids[i] || r.Bytes < 0 || r.Bytes > len(body) || r.Parcel != nil && r.Bytes > 0 {
			return nil, nil, fmt.Errorf("its head has %d bytes of cell %.20q", r.Bytes, r.Cell)
		}
		bodies, body = append(bodies, body[:r.Bytes]), body[r.Bytes:]
	}
	if len(body) > 0 {
		return nil, nil, fmt.Errorf("it has %d bytes of no cell", len(body))
	}
	return list, bodies, nil
}

// cellsOf are the cells that the subject of a message names.
func cellsOf(subject string) []string {
	return strings.Split(subject[strings.LastIndexByte(subject, '.')+1:], cellMark)
}

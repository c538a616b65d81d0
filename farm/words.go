package farm

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// WorkerState is what a worker says of itself.
type WorkerState struct {
	Name    string   `json:"name"`
	Host    string   `json:"host"`
	Process int      `json:"process"`
	Build   string   `json:"build"`
	Slots   int      `json:"slots"` // cells that it computes at once
	Done    int      `json:"done"`  // cells that it has computed
	Refused []string `json:"refused,omitempty"`
	At      []AtWork `json:"at"`
}

// AtWork is a cell that a worker has.
type AtWork struct {
	Sweep   string  `json:"sweep"` // the key of the queue
	Cell    string  `json:"cell"`
	Turns   int64   `json:"turns"`
	Of      int64   `json:"of"` // turns in all; 0 while nobody knows
	Seconds float64 `json:"seconds"`
	Phase   string  `json:"phase"` // computing, or delivering its result
}

// QueuedSweep is how the queue of a sweep stands.
type QueuedSweep struct {
	Key         string `json:"key"`
	Name        string `json:"name"`
	Cells       int    `json:"cells"`
	Done        *int   `json:"done"` // nil while no collector is there, who alone knows
	Failed      *int   `json:"failed"`
	Waiting     int    `json:"waiting"`
	Leased      int    `json:"leased"`
	Redelivered int    `json:"redelivered"`
	Results     int    `json:"results"` // that wait for the collector
	Build       string `json:"build"`
}

// QueueState is how a server stands.
type QueueState struct {
	Sweeps  []QueuedSweep `json:"sweeps"`
	Workers []WorkerState `json:"workers"`
}

// tallySheet is what a collector answers when it is asked.
type tallySheet struct {
	Done   int `json:"done"`
	Failed int `json:"failed"`
}

const (
	roll     = "kedge.who" // where workers are asked for
	rollWait = 700 * time.Millisecond
)

// callRoll asks all workers of a server who they are.
func callRoll(ctx context.Context, nc *nats.Conn) ([]WorkerState, error) {
	inbox := nc.NewRespInbox()
	sub, err := nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	if err := nc.PublishRequest(roll, inbox, nil); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, rollWait)
	defer stop()
	list, seen := []WorkerState{}, map[string]bool{}
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return list, nil
		}
		var w WorkerState
		if json.Unmarshal(m.Data, &w) == nil && w.Name != "" && !seen[w.Name] {
			seen[w.Name] = true
			list = append(list, w)
		}
	}
}

// has tells whether a worker is at a cell.
func (s *WorkerState) has(key, cell string) bool {
	return slices.ContainsFunc(s.At, func(at AtWork) bool { return at.Sweep == key && at.Cell == cell })
}

// whois asks one worker what it does, or whether it still is.
func (q *queue) whois(ctx context.Context, worker string) (state WorkerState, err error) {
	err = patiently(ctx, q.wait, func(ctx context.Context) error {
		reply, err := q.nc.RequestWithContext(ctx, roll+"."+worker, nil)
		if err == nil {
			err = json.Unmarshal(reply.Data, &state)
		}
		return err
	})
	return state, err
}

// queues are the sweeps of a server, by the streams of their cells.
func queues(ctx context.Context, js jetstream.JetStream) ([]*jetstream.StreamInfo, error) {
	l := js.ListStreams(ctx, jetstream.WithStreamListSubject("kedge.*.cell.*"))
	var list []*jetstream.StreamInfo
	for info := range l.Info() {
		if info.Config.Metadata[metaLayout] != "" {
			list = append(list, info)
		}
	}
	return list, l.Err()
}

// keyIn is the key of a queue, by the stream of its cells.
func keyIn(info *jetstream.StreamInfo) string {
	return strings.TrimSuffix(strings.TrimPrefix(info.Config.Name, "kedge-"), "-cells")
}

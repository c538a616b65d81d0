package session

import (
	"errors"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/session/guard"
)

// Mode is what a loop does when it is asked.
type Mode string

// The modes of a loop.
const (
	Shadow Mode = "shadow" // answers what is live, and learns what it would have done
	Live   Mode = "live"   // answers what the rule proposes
	Paused Mode = "paused" // answers what is live, and learns nothing
	Killed Mode = "killed" // answers the safe decision
	Ended  Mode = "archived"
)

// Loop is one rule against one live population. It is for one goroutine at a time.
type Loop struct {
	name string
	plan *Brief
	make Planner

	seq  int
	head Hash
	at   time.Time // of the newest event

	epoch    string
	spec     string
	revision int
	keeps    []string // what the newest revision kept
	mode     Mode
	labels   map[string]string

	k       int       // of the newest decision
	current *Decision // nil: none
	live    *alive    // what is live; nil: nobody said
	again   bool      // the newest decision came to nothing, so that the next is the same
	target  []float64 // of a rollback that is not there yet
	pin     *pinned   // nil: none
	ramps   bool      // it is gone to under the caps
	rests   bool      // once there the loop pauses
	moves   []move    // of the last 24 hours
	turns   int       // steps of the rule
	alarms  map[string]string
	guard   *guard.Guard // nil: of a loop that was made before there were guards

	compacted int          // the newest decision whose people were dropped
	kept      Hash         // the state of the rule that was kept then
	build     folder.Build // that wrote the newest event
	own       folder.Build // this one
	blind     bool         // people that the rule learned from are gone, so that nobody knows what it remembers
	lost      int          // the decision whose they were

	held    map[Hash]*Batch // of the current decision, where they were just told
	holding int             // numbers of those
	drafted *Brief          // of the spec that a loop is about to begin with; nil: it is to be made
	stepped int             // the decision whose close is being written down and whose step the rule has taken; 0: none

	spoiled bool // what it is was never written down: it must be read again
	saved   provenance

	past Past
	part func(name string) (end func()) // of the command under way; nil: nobody wants to know
	out  []Event                        // of the command under way

	supposed func(e *Event, body any) bool // of a loop that is decided again: gives an event the content of the log and sees to it that it is the body's
	now      time.Time
	who      string
}

// alive is the newest deployment.
type alive struct {
	K     int       `json:"k"`
	U     []float64 `json:"u"`
	Since time.Time `json:"since"`
}

// move is a change of what is live.
type move struct {
	At   time.Time
	Size float64
}

// pinned is a decision that is answered whatever the rule says.
type pinned struct {
	U      []float64  `json:"u"`
	UntilK int        `json:"until_k,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
	Reason string     `json:"reason,omitempty"`
}

// creation is the body of created and of revised.
type creation struct {
	Spec     string            `json:"spec"`
	Mode     Mode              `json:"mode,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Epoch    string            `json:"epoch,omitempty"`
	Revision int               `json:"revision"`
	Keeps    []string          `json:"keeps,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Build    *folder.Build     `json:"build,omitempty"`  // of created
	Guards   int               `json:"guards,omitempty"` // which guards it has; 0: none
}

// switching is the body of mode.
type switching struct {
	Mode   Mode   `json:"mode"`
	Reason string `json:"reason,omitempty"`
}

// turnBack is the body of rolled-back.
type turnBack struct {
	To     []float64 `json:"to"`
	Ramp   bool      `json:"ramp,omitempty"`
	Pause  bool      `json:"pause,omitempty"` // once there
	Reason string    `json:"reason,omitempty"`
}

// renewal is the body of restored.
type renewal struct {
	Epoch  string `json:"epoch"`
	Reason string `json:"reason,omitempty"`
}

// alarm is the body of alarm and cleared.
type alarm struct {
	Name  string `json:"name"`
	Words string `json:"words,omitempty"`
}

// New is a loop without events. A Create must come first.
func New(name string, make Planner) *Loop {
	return &Loop{name: name, make: make, own: thisBuild(), alarms: map[string]string{}, held: map[Hash]*Batch{}}
}

// Suppose has a loop that is decided again give its events the content of the log, where who supposes says that there is one which they could
// be and sees to it that the body says so; false: there is none.
func (l *Loop) Suppose(supposed func(e *Event, body any) bool) { l.supposed = supposed }

// Head is the number of the newest event, and its hash.
func (l *Loop) Head() (seq int, hash Hash) { return l.seq, l.head }

// Replay folds an event of the past into the loop. Everything that was decided is decided again: an error says what came out otherwise.
func (l *Loop) Replay(e Event, past Past) error {
	if err := e.Follow(l.name, l.seq, l.head); err != nil {
		return err
	}
	l.past = past
	return l.apply(&e)
}

// Do carries out a command at a time, for somebody. The events are what must be written down before the reply counts; there may be some even
// with an error, of what time had brought. If they cannot be written the loop must be thrown away and read again.
func (l *Loop) Do(now time.Time, actor string, c Command, past Past) (reply any, events []Event, err error) {
	l.now, l.who, l.past, l.out = Later(now, l.at), actor, past, nil
	if l.seq > 0 {
		if err := errors.Join(l.adopt(), l.vouch()); err != nil {
			return nil, l.out, err
		}
		for happened := -1; happened < len(l.out); { // what time brings may bring more
			happened = len(l.out)
			if err := l.pass(); err != nil {
				return nil, l.out, err
			}
		}
	}
	reply, err = c.do(l)
	return reply, l.out, err
}

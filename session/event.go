package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/session/chain"
)

// Event is something that happened to a loop. Events are never changed; each carries the hash of all that came before it.
type Event struct {
	Seq   int             `json:"seq"` // 1, 2, …
	At    time.Time       `json:"at"`
	Kind  Kind            `json:"kind"`
	Actor string          `json:"actor"`
	K     int             `json:"k,omitempty"`   // the decision it belongs to; 0: none
	Ref   string          `json:"ref,omitempty"` // of which a decision has one alone, as b/am of a batch
	Body  json.RawMessage `json:"body"`
	Hash  Hash            `json:"hash"`

	Blob  []byte `json:"-"` // what the body names by its hash; only of an event that is new
	Drops []Hash `json:"-"` // blobs of the loop that go with it; the same

	Removes Tip `json:"-"` // another loop, all of which goes with it, if that is its newest event; the same

	said any // what the body was written from; the same
}

// Kind says what happened.
type Kind string

// The kinds of events.
const (
	Created      Kind = "created"
	Opened       Kind = "opened"
	Proposed     Kind = "proposed"
	Approved     Kind = "approved"
	Rejected     Kind = "rejected"
	Deployed     Kind = "deployed"
	Corrected    Kind = "corrected"
	DeployedLate Kind = "deployed-late"
	Told         Kind = "batch"
	ToldLate     Kind = "batch-late"
	Closed       Kind = "closed"
	Abandoned    Kind = "abandoned"
	Lapsed       Kind = "lapsed"
	Superseded   Kind = "superseded"
	ModeChanged  Kind = "mode"
	Pinned       Kind = "pinned"
	Unpinned     Kind = "unpinned"
	RolledBack   Kind = "rolled-back"
	Revised      Kind = "revised"
	Raised       Kind = "alarm"
	Cleared      Kind = "cleared"
	Archived     Kind = "archived"
	Answered     Kind = "answered"
	Restored     Kind = "restored"
)

// Hash is SHA-256, written in hexadecimal.
type Hash = chain.Hash

// Chained is the hash of an event of a loop after the event of hash prev.
func (e *Event) Chained(loop string, prev Hash) Hash {
	l := chain.Link{Prev: prev, Loop: loop, Seq: e.Seq, At: e.At, Kind: string(e.Kind), Actor: e.Actor, K: e.K, Ref: e.Ref, Body: e.Body}
	return l.Sum()
}

// Kept is an event as a journal gives it back: its body alone says what happened.
func (e Event) Kept() Event {
	e.Blob, e.Drops, e.Removes, e.said = nil, nil, Tip{}, nil
	return e
}

// Receipt is the body of an event that tells people.
func (e *Event) Receipt() (r Receipt, err error) { return r, unmarshal(e, &r) }

// BlobSum is the hash of the blob.
func (e *Event) BlobSum() Hash {
	if r, told := e.said.(Receipt); told {
		return r.Content
	}
	return sha256.Sum256(e.Blob)
}

// SpecOf is the spec that an event gives its loop, empty if it gives none.
func SpecOf(e *Event) string {
	var b struct {
		Spec string `json:"spec"`
	}
	if e.Kind == Created || e.Kind == Revised {
		json.Unmarshal(e.Body, &b)
	}
	return b.Spec
}

// Past is where a loop looks up what it does not hold.
type Past interface {
	// Decision returns the events of a decision, in their order; none of a decision that there never was.
	Decision(k int) ([]Event, error)
	// Find returns the event of a decision, or of none if k is 0, that has a ref; nil if there is none.
	Find(k int, ref string) (*Event, error)
	// Blob returns what an event names by its hash.
	Blob(sum Hash) ([]byte, error)
}

// ChainError says which event does not follow from those before it.
type ChainError struct {
	Loop string
	Seq  int
	Why  string
}

func (e *ChainError) Error() string {
	return fmt.Sprintf("event %d of loop %s: %s", e.Seq, e.Loop, e.Why)
}

// Follow checks that an event is the next one after the event numbered seq of hash prev.
func (e *Event) Follow(loop string, seq int, prev Hash) error {
	switch {
	case e.Seq != seq+1:
		return &ChainError{loop, e.Seq, fmt.Sprintf("comes after event %d", seq)}
	case e.Chained(loop, prev) != e.Hash:
		return &ChainError{loop, e.Seq, "its hash is not that of its content after the events before it"}
	}
	return nil
}

// Refusal is a command that cannot be carried out; nothing has changed.
type Refusal struct {
	Type   string // a word that programs go by, as in stale-epoch
	Detail string
	State  string // of the decision, where that is the reason
	Errors []Fault
}

// Fault is one thing that is wrong with a message.
type Fault struct {
	Pointer string `json:"pointer"` // RFC 6901
	Detail  string `json:"detail"`
}

func (r *Refusal) Error() string { return r.Type + ": " + r.Detail }

// The types of refusals.
const (
	NotFound           = "not-found"
	StaleEpoch         = "stale-epoch"
	NotOpen            = "decision-not-open"
	NotDeployed        = "not-deployed"
	DeploymentConflict = "deployment-conflict"
	BatchConflict      = "batch-conflict"
	Incomplete         = "incomplete"
	NameTaken          = "name-taken"
	WrongMode          = "wrong-mode"
	IsArchived         = "archived"
	TooLarge           = batch.TooLarge
	DimensionMismatch  = batch.DimensionMismatch
	NotFinite          = batch.NotFinite
	OutsideRange       = "outside-range"
	BadWeights         = batch.BadWeights
	BadSpec            = "bad-spec"
	Infeasible         = "infeasible"
	NoSafeDecision     = "no-safe-decision"
	StaleRevision      = "stale-revision"
	Malformed          = batch.Malformed
	KeyReused          = "key-reused"
)

func refuse(kind, format string, args ...any) error {
	return &Refusal{Type: kind, Detail: fmt.Sprintf(format, args...)}
}

// NewEpoch is a random word for an epoch.
func NewEpoch() string { return strings.ToLower(rand.Text()[:12]) }

// IsRefusal tells whether an error is a refusal of some type.
func IsRefusal(err error, kind string) bool {
	r, refused := errors.AsType[*Refusal](err)
	return refused && r.Type == kind
}

// OfServer is the chain in which a service writes down what happens to itself: keys, backups, kills of all loops. It is no loop, and no user
// can give or read its name.
const OfServer = "_server"

// IsOwn tells whether a name is one that a service keeps to itself: lists of loops leave it out.
func IsOwn(name string) bool { return strings.HasPrefix(name, "_") }

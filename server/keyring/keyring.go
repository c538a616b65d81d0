// Package keyring knows the keys of a service: what each may do, on which loops and until when. What it knows follows from the events of a
// log alone, and no key is in them, only what it hashes to.
package keyring

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A key is its mark and 256 random bits in base64url. Its first characters are no secret: they name it in lists, logs and events.
const (
	mark      = "kedge_"
	keyBytes  = 32
	prefixLen = 8
	// MostKeys is how many keys there can ever be: prefixes are not given twice, so that a name in the log is one key.
	MostKeys = 4000
)

// Account is all that is known of a key.
type Account struct {
	Grant
	Created time.Time  `json:"created"`
	By      string     `json:"by"`
	Used    *time.Time `json:"last_used,omitempty"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

// The kinds of events that a ring is made of.
const (
	KeyCreated = "key-created"
	KeyRevoked = "key-revoked"
	KeysUsed   = "keys-used"
)

// Creation is the body of key-created.
type Creation struct {
	Grant
	Sum string `json:"sum"` // SHA-256 of the key
}

// Revocation is the body of key-revoked.
type Revocation struct {
	Prefix string `json:"prefix"`
	Reason string `json:"reason,omitempty"`
}

// Ring is all keys there ever were. It is safe for concurrent use.
type Ring struct {
	mu   sync.RWMutex
	keys map[string]*held
}

type held struct {
	Account
	sum  [sha256.Size]byte
	used atomic.Int64 // nanoseconds since 1970; 0: never
	gone chan struct{}
}

// New is a ring without keys.
func New() *Ring { return &Ring{keys: map[string]*held{}} }

// Fold takes an event into account; those that are not of keys it leaves alone.
func (r *Ring) Fold(kind string, at time.Time, actor string, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kind {
	case KeyCreated:
		var c Creation
		if err := json.Unmarshal(body, &c); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		h := &held{Account: Account{Grant: c.Grant, Created: at, By: actor}, gone: make(chan struct{})}
		if n, err := hex.Decode(h.sum[:], []byte(c.Sum)); err != nil || n != len(h.sum) || r.keys[c.Prefix] != nil {
			return fmt.Errorf("%s: key %s has no sum, or is there already", kind, c.Prefix)
		}
		r.keys[c.Prefix] = h
	case KeyRevoked:
		var v Revocation
		if err := json.Unmarshal(body, &v); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		h := r.keys[v.Prefix]
		if h == nil {
			return fmt.Errorf("%s: there is no key %s", kind, v.Prefix)
		}
		if h.Revoked == nil {
			h.Revoked = &at
			close(h.gone)
		}
	case KeysUsed:
		var used map[string]time.Time
		if err := json.Unmarshal(body, &used); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		for prefix, t := range used {
			if h := r.keys[prefix]; h != nil {
				h.used.Store(max(h.used.Load(), t.UnixNano()))
				if h.Used == nil || t.After(*h.Used) {
					h.Used = &t
				}
			}
		}
	}
	return nil
}

// Draw draws a key for a grant, whose prefix no other key has. The ring knows it once it was told of the creation.
func (r *Ring) Draw(g Grant) (key string, c Creation, err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.keys) >= MostKeys {
		return "", c, fmt.Errorf("there were %d keys already, which is as many as can be told apart", len(r.keys))
	}
	for {
		var random [keyBytes]byte
		rand.Read(random[:]) // which never fails
		key = mark + base64.RawURLEncoding.EncodeToString(random[:])
		if g.Prefix = key[:prefixLen]; r.keys[g.Prefix] == nil {
			sum := sha256.Sum256([]byte(key))
			return key, Creation{g, hex.EncodeToString(sum[:])}, nil
		}
	}
}

// Why a key opens nothing.
var (
	ErrUnknown = errors.New("the key is not one of this service")
	ErrRevoked = errors.New("the key is revoked")
	ErrExpired = errors.New("the key has expired")
)

// Find knows a key: what it may do, and a channel that is closed when it is revoked. How long it takes tells nothing of the keys there are.
func (r *Ring) Find(key string, now time.Time) (g Grant, gone <-chan struct{}, err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	sum, prefix := sha256.Sum256([]byte(key)), key[:min(len(key), prefixLen)]
	h := r.keys[prefix]
	var want [sha256.Size]byte
	if h != nil {
		want = h.sum
	}
	switch {
	case subtle.ConstantTimeCompare(sum[:], want[:]) != 1 || h == nil:
		return g, nil, ErrUnknown
	case h.Revoked != nil:
		return g, nil, ErrRevoked
	case h.Expires != nil && !now.Before(*h.Expires):
		return g, nil, ErrExpired
	}
	h.used.Store(now.UnixNano())
	return h.Grant, h.gone, nil
}

// Empty tells whether there never was a key. One that is revoked or has expired still is one: it opens nothing to others.
func (r *Ring) Empty() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.keys) == 0
}

// List is all keys, by their prefixes.
func (r *Ring) List() (list []Account) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, prefix := range slices.Sorted(maps.Keys(r.keys)) {
		list = append(list, r.keys[prefix].account())
	}
	return list
}

// Get is one key.
func (r *Ring) Get(prefix string) (Account, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	h := r.keys[prefix]
	if h == nil {
		return Account{}, false
	}
	return h.account(), true
}

func (h *held) account() Account {
	out := h.Account
	if n := h.used.Load(); n != 0 {
		out.Used = new(time.Unix(0, n).UTC())
	}
	return out
}

// Unwritten are the last uses that no event has, for one to be written.
func (r *Ring) Unwritten() map[string]time.Time {
	r.mu.RLock()
	defer r.mu.RUnlock()
	list := map[string]time.Time{}
	for prefix, h := range r.keys {
		if n := h.used.Load(); n != 0 && (h.Used == nil || n > h.Used.UnixNano()) {
			list[prefix] = time.Unix(0, n).UTC()
		}
	}
	return list
}

var anyKey = regexp.MustCompile(mark + `[A-Za-z0-9_-]{20,}`)

// IsKey tells whether a text has a key in it, or most of one.
func IsKey(text string) bool { return anyKey.MatchString(text) }

// Hide leaves no more of keys in a text than their prefixes. Somebody may send one where it does not belong, and it would be told to others.
func Hide(text string) string {
	return anyKey.ReplaceAllStringFunc(text, func(key string) string { return key[:prefixLen] + "…" })
}

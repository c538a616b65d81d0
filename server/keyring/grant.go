package keyring

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/lists"
)

// Right is what a key may do. Each stands by itself: who may administer may not operate.
type Right string

// The rights.
const (
	Read    Right = "read"
	Ask     Right = "ask"
	Tell    Right = "tell"
	Operate Right = "operate"
	Admin   Right = "admin"
)

// Rights are all of them.
func Rights() []Right { return []Right{Read, Ask, Tell, Operate, Admin} }

// Grant is what a key may do, and on which loops.
type Grant struct {
	Prefix  string     `json:"prefix"`
	Rights  []Right    `json:"rights"`
	Loops   []string   `json:"loops"` // names, or how names begin and a star; a star alone is all
	Expires *time.Time `json:"expires,omitempty"`
}

// Wanted is what a key shall be for, as it is asked for.
type Wanted struct {
	Rights  []Right    `json:"rights"`
	Loops   []string   `json:"loops"` // names, or how names begin and a star, as shop-*
	Expires *time.Time `json:"expires,omitempty"`
}

// Made is a key that was just made: the only time that it is shown.
type Made struct {
	Key string `json:"key"`
	Grant
}

// All may do everything on all loops.
func All(name string) Grant {
	return Grant{Prefix: name, Rights: Rights(), Loops: []string{everything}}
}

const everything = "*"

var pattern = regexp.MustCompile(`^(\*|[a-z0-9][a-z0-9-]{0,62}\*?)$`)

// Check says what is wrong with a grant that is asked for at some time.
func (g Grant) Check(now time.Time) error {
	var all []error
	if len(g.Rights) == 0 {
		all = append(all, fmt.Errorf("rights are missing: some of %s", words(Rights())))
	}
	for _, r := range g.Rights {
		if !slices.Contains(Rights(), r) {
			all = append(all, fmt.Errorf("there is no right %q; there are %s", r, words(Rights())))
		}
	}
	if len(g.Loops) == 0 {
		all = append(all, errors.New("loops are missing: names, or how names begin and a star, as shop-*"))
	}
	for _, p := range g.Loops {
		if !pattern.MatchString(p) {
			all = append(all, fmt.Errorf("%q is neither the name of a loop nor how names begin and a star, as shop-*", p))
		}
	}
	if len(g.Loops) > 1000 {
		all = append(all, errors.New("a key has at most 1,000 names of loops; a star stands for many"))
	}
	if g.Expires != nil && !g.Expires.After(now) {
		all = append(all, fmt.Errorf("the key would have expired at %s already", g.Expires.Format(time.RFC3339)))
	}
	return errors.Join(all...)
}

func words(list []Right) string {
	return strings.Join(lists.Of(list, func(r Right) string { return string(r) }), ", ")
}

// May tells whether all of some rights, separated by spaces, are given.
func (g Grant) May(rights Right) bool {
	return !slices.ContainsFunc(strings.Fields(string(rights)), func(r string) bool { return !slices.Contains(g.Rights, Right(r)) })
}

// Sees tells whether a loop is one of the key's.
func (g Grant) Sees(loop string) bool {
	return slices.ContainsFunc(g.Loops, func(p string) bool { return within(loop, p) })
}

// Whole tells whether all loops are, also those that are yet to come.
func (g Grant) Whole() bool { return slices.Contains(g.Loops, everything) }

// Covers tells whether all loops of another key are this key's as well.
func (g Grant) Covers(other Grant) bool {
	return !slices.ContainsFunc(other.Loops, func(p string) bool { return !g.Sees(p) })
}

// within tells whether a name, or all names that begin in some way, are of a pattern.
func within(name, pattern string) bool {
	start, open := strings.CutSuffix(pattern, everything)
	if !open {
		return name == pattern
	}
	return strings.HasPrefix(strings.TrimSuffix(name, everything), start)
}

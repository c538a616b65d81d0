package set

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
)

// Stage is a set that holds from a turn on.
type Stage struct {
	From int
	Set  kedge.Set
}

// Changing is a set that changes with the turns: the stages in order, the first from turn 0. Rules of package online tell it the
// turn. Its projection is that of the stage.
type Changing struct {
	Stages []Stage
	turn   int
}

var _ kedge.Set = (*Changing)(nil)

// Check says whether the stages follow each other, and joins their checks.
func (c *Changing) Check(n int) error {
	if len(c.Stages) == 0 || c.Stages[0].From != 0 {
		return errors.New("set: the first stage of a set that changes begins with turn 0")
	}
	var err error
	for i, s := range c.Stages {
		if i > 0 && s.From <= c.Stages[i-1].From {
			err = errors.Join(err, fmt.Errorf("set: stage %d begins with turn %d, not after the one before", i, s.From))
		}
		err = errors.Join(err, Check(s.Set, n))
	}
	return err
}

// At makes it the set of a turn.
func (c *Changing) At(turn int) { c.turn = turn }

// Now returns the set of the turn.
func (c *Changing) Now() kedge.Set {
	now := c.Stages[0].Set
	for _, s := range c.Stages[1:] {
		if s.From <= c.turn {
			now = s.Set
		}
	}
	return now
}

// Project moves u to the nearest point of the set of the turn. On an error u is unchanged.
func (c *Changing) Project(u []float64) error { return c.Now().Project(u) }

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

// Changing is a set that changes with the turns: the stages in order, the first from turn 0. Its projection is that of the stage.
type Changing []Stage

var _ kedge.TimedSet = Changing{}

// Check says whether the stages follow each other, and joins their checks.
func (c Changing) Check(n int) error {
	if len(c) == 0 || c[0].From != 0 {
		return errors.New("set: the first stage of a set that changes begins with turn 0")
	}
	var err error
	for i, s := range c {
		if i > 0 && s.From <= c[i-1].From {
			err = errors.Join(err, fmt.Errorf("set: stage %d begins with turn %d, not after the one before", i, s.From))
		}
		err = errors.Join(err, Check(s.Set, n))
	}
	return err
}

// At returns the set of a turn.
func (c Changing) At(turn int) kedge.Set {
	now := c[0].Set
	for _, s := range c[1:] {
		if s.From <= turn {
			now = s.Set
		}
	}
	return now
}

// Project moves u to the nearest point of the first stage. On an error u is unchanged.
func (c Changing) Project(u []float64) error { return c.At(0).Project(u) }

// ProjectAt moves u to the nearest point of the set of the turn. On an error u is unchanged.
func (c Changing) ProjectAt(u []float64, turn int, last []float64) error {
	return projectAt(c.At(turn), u, turn, last)
}

// projectAt tells a set the time if it wants to know it.
func projectAt(s kedge.Set, u []float64, turn int, last []float64) error {
	if t, ok := s.(kedge.TimedSet); ok {
		return t.ProjectAt(u, turn, last)
	}
	return s.Project(u)
}

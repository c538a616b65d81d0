package session

import (
	"fmt"
	"sync"

	"github.com/kedge-opt/kedge/folder"
)

// BuildChanged is the kind of the first event that another build of kedge wrote.
const BuildChanged Kind = "build"

// thisBuild is the program that runs.
var thisBuild = sync.OnceValue(folder.CurrentBuild)

// adopt pauses a loop that was run with another arithmetic: its rule would go on with other bits.
func (l *Loop) adopt() error {
	if l.build.Numeric == l.own.Numeric || l.build.Numeric == 0 || l.mode == Ended {
		return nil
	}
	defer l.as("kedge")()
	was := l.build
	if err := l.emit(BuildChanged, 0, "", l.own, nil); err != nil || l.mode != Live && l.mode != Shadow {
		return err
	}
	_, err := Switch{To: Paused, Reason: fmt.Sprintf("kedge now computes with arithmetic %d, the loop was run with %d: resume it once that was looked at", l.own.Numeric, was.Numeric)}.do(l)
	return err
}

// GoBy has a loop whose past is decided again go by the build that wrote an event, which had the same arithmetic or is found to differ.
func (l *Loop) GoBy(e *Event) {
	var b creation
	switch {
	case e.Kind == BuildChanged:
		l.own = l.build
	case e.Kind == Created && unmarshal(e, &b) == nil && b.Build != nil:
		l.own = *b.Build
	}
}

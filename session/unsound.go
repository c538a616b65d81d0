package session

// provenance is where a loop in memory comes from.
type provenance int

const (
	soundState   provenance = 1 + iota // from its saved state; 0: from its log alone
	unsoundState                       // from its log alone, since its saved state was unsound
)

// stateUnsound is the alarm of a saved state that was damaged. Nothing is lost by that, but whatever did it may do more.
const (
	stateUnsound = "state-unsound"
	unsoundWords = "the saved state of the loop was damaged, and it was worked out of the log again; look at the disk"
)

// vouch raises an alarm if the saved state was unsound, and takes it back when one is found sound again.
func (l *Loop) vouch() error {
	defer l.as("kedge")()
	switch {
	case l.mode == Ended:
		return nil
	case l.saved == unsoundState:
		l.saved = 0
		return l.raise(0, stateUnsound, unsoundWords)
	case l.saved == soundState:
		l.saved = 0
		return l.clear(stateUnsound)
	}
	return nil
}

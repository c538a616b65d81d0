package command

import "errors"

// Exit codes.
const (
	exitFailed      = 1   // something went wrong while running
	exitUsage       = 2   // the command or the spec is wrong; nothing was run or written
	exitInterrupted = 130 // stopped by Ctrl-C; what was finished is in the output folder
)

// coded is an error with an exit code of its own.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

// failed is an error of what was running, if there is one.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return coded{err, exitFailed}
}

// exitCode is that of the error or, where it has none, that of a mistake: in flags and arguments, as cobra reports them, or in a spec.
func exitCode(err error) int {
	var c coded
	if errors.As(err, &c) {
		return c.code
	}
	return exitUsage
}

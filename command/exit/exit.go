// Package exit is how commands end: with which code of the process.
package exit

import (
	"errors"
	"io/fs"
)

// The codes. A program in Go that crashes ends with 2, so that 2 is none of them.
const (
	Failed      = 1   // something went wrong while running
	Holds       = 3   // a loop holds: what is live stays live
	Usage       = 64  // the command or the spec is wrong, or asks for too much; nothing was run or written
	Interrupted = 130 // stopped by Ctrl-C; what was finished is in the output folder
)

// Coded is an error that ends the process with a code of its own.
type Coded struct {
	Err  error
	Code int
}

func (c Coded) Error() string { return c.Err.Error() }

// Unwrap is what it ends for.
func (c Coded) Unwrap() error { return c.Err }

// With gives an error a code.
func With(code int, err error) error { return Coded{err, code} }

// Failure is an error of what was running, if there is one.
func Failure(err error) error {
	if err == nil {
		return nil
	}
	return Coded{err, Failed}
}

// CodeOf is the code of an error or, where it has none, that of a mistake: in flags and arguments, as cobra reports them, or in a spec. What could not be
// written, as on a full disk, is no mistake of who asked.
func CodeOf(err error) int {
	if c, is := errors.AsType[Coded](err); is {
		return c.Code
	}
	if lost, is := errors.AsType[*fs.PathError](err); is && lost.Op == "write" {
		return Failed
	}
	return Usage
}

package command

import (
	"errors"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
	"github.com/spf13/cobra"
)

// Exit codes. A program in Go that crashes ends with 2, so that 2 is none of them.
const (
	exitFailed      = 1   // something went wrong while running
	exitUsage       = 64  // the command or the spec is wrong, or asks for too much; nothing was run or written
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

// judged gives an error of a run the code that its cause asks for.
func judged(c *cobra.Command, err error) error {
	var other *lab.CheckpointError
	switch {
	case errors.As(err, &other), errors.Is(err, folder.ErrInUse):
		return err
	case c.Context().Err() != nil && errors.Is(err, c.Context().Err()):
		return coded{err, exitInterrupted}
	}
	return failed(err)
}

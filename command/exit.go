package command

import (
	"errors"
	"strings"

	"github.com/kedge-opt/kedge/command/service"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/spf13/cobra"
)

// Exit codes. A program in Go that crashes ends with 2, so that 2 is none of them.
const (
	exitFailed      = 1                 // something went wrong while running
	exitHolds       = service.CodeHolds // a loop holds: what is live stays live
	exitUsage       = 64                // the command or the spec is wrong, or asks for too much; nothing was run or written
	exitInterrupted = 130               // stopped by Ctrl-C; what was finished is in the output folder
)

// complaint is what a user reads of an error, safe on a terminal whatever names are in it. Lines are broken between errors that were joined,
// and nowhere else.
func complaint(err error) string {
	text, out := err.Error(), ""
	for _, cause := range causes(err) {
		before, after, found := strings.Cut(text, cause.Error())
		if found && cause.Error() != "" {
			out += broken(before) + complaint(cause)
			text = after
		}
	}
	return out + broken(text)
}

// broken is safe text beside or between causes: a line break alone is one. What cobra suggests comes in lines of its own.
func broken(text string) string {
	if text == "\n" {
		return text
	}
	return phrase.Safe(strings.NewReplacer("\n\nDid you mean this?\n\t", "; did you mean ", "\n\t", " or ").Replace(strings.TrimSuffix(text, "\n")))
}

func causes(err error) []error {
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if cause := err.Unwrap(); cause != nil {
			return []error{cause}
		}
	case interface{ Unwrap() []error }:
		return err.Unwrap()
	}
	return nil
}

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
	var e service.Exit
	var own interface{ ExitCode() int }
	switch {
	case errors.As(err, &c):
		return c.code
	case errors.As(err, &e):
		return e.Code
	case errors.As(err, &own):
		return own.ExitCode()
	}
	return exitUsage
}

// interrupted gives an error that comes of a stop its code, and leaves others as they are.
func interrupted(c *cobra.Command, err error) error {
	if stop := c.Context().Err(); stop != nil && errors.Is(err, stop) {
		return coded{errors.New("stopped; nothing was written"), exitInterrupted}
	}
	return err
}

// judged gives an error of a run the code that its cause asks for.
func judged(c *cobra.Command, err error) error {
	var other *lab.CheckpointError
	var large *problem.MemoryError
	var unfit *problem.UnknownsError
	switch {
	case errors.As(err, &unfit), lab.Unfit(err):
		return err
	case errors.As(err, &other), errors.As(err, &large), errors.Is(err, disk.ErrInUse):
		return err
	}
	if stopped := interrupted(c, err); exitCode(stopped) == exitInterrupted {
		return stopped
	}
	return failed(err)
}

package command

import (
	"errors"
	"strings"

	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/spf13/cobra"
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

// broken is safe text beside or between causes: a line break alone is one.
func broken(text string) string {
	if text == "\n" {
		return text
	}
	return phrase.Safe(phrase.Suggested(strings.TrimSuffix(text, "\n")))
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

// interrupted gives an error that comes of a stop its code, and leaves others as they are.
func interrupted(c *cobra.Command, err error) error {
	if stop := c.Context().Err(); stop != nil && errors.Is(err, stop) {
		return exit.With(exit.Interrupted, errors.New("stopped; nothing was written"))
	}
	return err
}

// judged gives an error of a run the code that its cause asks for.
func judged(c *cobra.Command, err error) error {
	if lab.Unfit(err) || errors.As(err, new(*problem.UnknownsError)) || errors.As(err, new(*lab.CheckpointError)) ||
		errors.As(err, new(*problem.MemoryError)) || errors.Is(err, disk.ErrInUse) {
		return err
	}
	if stopped := interrupted(c, err); exit.CodeOf(stopped) == exit.Interrupted {
		return stopped
	}
	return exit.Failure(err)
}

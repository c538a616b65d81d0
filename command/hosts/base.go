package hosts

import (
	"errors"
	"os"

	"github.com/kedge-opt/kedge/farm"
	"github.com/spf13/cobra"
)

func isBuild(err error) bool { return errors.As(err, new(*farm.BuildError)) }

// ended is an error with the exit code of the command.
type ended struct {
	error
	code int
}

// ExitCode is the code that the command ends with.
func (e ended) ExitCode() int { return e.code }

func (e ended) Unwrap() error { return e.error }

const (
	codeFailed  = 1
	codeStopped = 130
)

// queueVariable is where the address of a queue comes from if no flag has it: arguments are seen by everybody on the machine.
const queueVariable = "KEDGE_QUEUE"

// where is the flag that says where a queue is.
type where struct{ text string }

func (w *where) offer(c *cobra.Command) {
	c.Flags().StringVar(&w.text, "queue", "", "the address of the queue, or @FILE that holds it (default the variable "+queueVariable+")")
}

func (w *where) address() (farm.Address, error) {
	text := w.text
	if text == "" {
		text = os.Getenv(queueVariable)
	}
	if text == "" {
		return farm.Address{}, &farm.AddressError{Why: "no address is given, by --queue or by the variable " + queueVariable}
	}
	return farm.ParseAddress(text)
}

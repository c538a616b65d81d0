// Package rival is what programs have in common that measure kedge beside a library of Python, in one run.
package rival

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// Main parses flags and measures until it is done or interrupted.
func Main[Options any](name string, parse func(args []string, complain io.Writer) (Options, error), measure func(context.Context, Options, io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:], os.Stderr)
	if err != nil {
		os.Exit(2) // it was said what is wrong
	}
	if err := measure(ctx, o, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Parse reads flags, and says what is wrong with them: what flag says, or what is wanted where they do not suit or something else follows.
func Parse(name string, args []string, complain io.Writer, declare func(f *flag.FlagSet), suit func() bool, want string) error {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(complain)
	declare(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	if !suit() || f.NArg() > 0 {
		err := errors.New("want " + want + " and nothing else")
		fmt.Fprintln(complain, err)
		return err
	}
	return nil
}

// Usual is the Python that is asked where no other is named.
func Usual() string { return cmp.Or(os.Getenv("KEDGE_PYTHON"), "python3") }

// Library is one of Python.
type Library struct {
	Python, Script string
	Lacks          string // what is said where the library is missing: its name, and how to get it
	Threads        int    // that it may use; 0: one
}

// Ask hands numbers over in binary and reads the answer as JSON.
func (l Library) Ask(ctx context.Context, answer any, parts ...any) error {
	var numbers bytes.Buffer
	for _, part := range parts {
		if err := binary.Write(&numbers, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	c := exec.CommandContext(ctx, l.Python, "-c", l.Script)
	threads := strconv.Itoa(max(1, l.Threads))
	c.Env = append(os.Environ(), "OMP_NUM_THREADS="+threads, "OPENBLAS_NUM_THREADS="+threads)
	c.Stdin = &numbers
	text, err := c.Output()
	if json.Unmarshal(text, answer) == nil {
		return nil
	}
	complaint := &exec.ExitError{}
	errors.As(err, &complaint)
	lines := strings.Split(strings.TrimSpace(string(complaint.Stderr)), "\n")
	return fmt.Errorf("%s has no %s: %s", l.Python, l.Lacks, lines[len(lines)-1])
}

package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// crowd is a program that simulates people: it reads a decision a line and answers with people a line.
type crowd struct {
	command string
	wait    time.Duration
	process *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	lines   chan []byte // closed when there is none any more
	broken  error       // why, if the program did not just end
	last    tail        // of what it says on its standard error
	ended   sync.Once
}

// CrowdError says what a program that simulates people did wrong, and at which turn.
type CrowdError struct {
	Command string
	Turn    int // 0: at its start
	Why     string
	Said    string // its last words on the standard error
}

func (e *CrowdError) Error() string {
	text := fmt.Sprintf("--population %q, turn %d: it %s", e.Command, e.Turn, e.Why)
	if e.Said != "" {
		text += "; it said: " + phrase.Safe(e.Said)
	}
	return text
}

// greeting is the first line of kedge to the program.
type greeting struct {
	Protocol int            `json:"protocol"`
	Loop     string         `json:"loop"`
	Seed     uint64         `json:"seed"`
	Turns    int            `json:"turns"`
	Dims     map[string]int `json:"dims"`
}

// turn is every further line.
type turn struct {
	Turn   int       `json:"turn"`
	K      int       `json:"k"`
	U      []float64 `json:"u"`
	People int       `json:"people"` // that are wanted
}

// response is what the program answers a turn with.
type response struct {
	P     [][]float64 `json:"p"`
	D     [][]float64 `json:"d,omitempty"`
	W     []float64   `json:"w,omitempty"`
	ID    []string    `json:"id,omitempty"`
	U     []float64   `json:"u,omitempty"` // what was deployed, if that is not what was decided
	Error string      `json:"error,omitempty"`
}

func (r *response) answers() client.Answers { return client.Answers{P: r.P, D: r.D, W: r.W, ID: r.ID} }

// mostLine is how long a line of the program may be.
const mostLine = 64 << 20

// startCrowd starts the program. Its words are parted by blanks; there is no shell.
func startCrowd(ctx context.Context, command string, wait time.Duration, hello greeting) (*crowd, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, &usage{"--population names no program"}
	}
	c := &crowd{command: command, wait: wait, process: exec.CommandContext(ctx, words[0], words[1:]...), lines: make(chan []byte)}
	c.process.Stderr = &c.last
	c.process.WaitDelay = time.Second
	var err error
	if c.in, err = c.process.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.process.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.process.Start(); err != nil {
		return nil, c.fault(0, "does not start: "+err.Error())
	}
	go c.read(ctx)
	return c, c.send(0, hello)
}

// read hands on the lines of the program, and how they end.
func (c *crowd) read(ctx context.Context) {
	defer close(c.lines)
	scan := bufio.NewScanner(c.out)
	scan.Buffer(nil, mostLine)
	for scan.Scan() {
		select {
		case c.lines <- bytes.Clone(scan.Bytes()):
		case <-ctx.Done():
			return
		}
	}
	c.broken = scan.Err()
}

func (c *crowd) send(turn int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() { _, err := c.in.Write(append(text, '\n')); sent <- err }()
	select {
	case err = <-sent:
	case <-time.After(c.wait):
		return c.fault(turn, fmt.Sprintf("does not read its standard input, for %s", c.wait))
	}
	if err != nil {
		return c.gone(turn)
	}
	return nil
}

// meet has the people meet a decision.
func (c *crowd) meet(ctx context.Context, t turn) (r response, err error) {
	if err := c.send(t.Turn, t); err != nil {
		return r, err
	}
	select {
	case <-ctx.Done():
		return r, ctx.Err()
	case <-time.After(c.wait):
		return r, c.fault(t.Turn, fmt.Sprintf("did not answer for %s (--patience)", c.wait))
	case line, more := <-c.lines:
		switch {
		case more:
			return r, c.decode(t.Turn, line, &r)
		case errors.Is(c.broken, bufio.ErrTooLong):
			return r, c.fault(t.Turn, fmt.Sprintf("answered with a line of more than %d bytes", mostLine))
		case c.broken != nil:
			return r, c.fault(t.Turn, c.broken.Error())
		}
		return r, c.gone(t.Turn)
	}
}

func (c *crowd) decode(turn int, line []byte, r *response) error {
	if err := intake.Decode(line, r); err != nil {
		return c.fault(turn, fmt.Sprintf("answered %s, which is no line of the protocol: %v", phrase.Safe(phrase.Cut(string(line), 60)), err))
	}
	switch {
	case r.Error != "":
		return c.fault(turn, "reports: "+phrase.Safe(r.Error))
	case len(r.P) == 0:
		return c.fault(turn, "answered with nobody: p has no rows")
	}
	return nil
}

// gone says how the program ended.
func (c *crowd) gone(turn int) error {
	c.in.Close()
	err := c.process.Wait()
	if err != nil {
		return c.fault(turn, "ended: "+err.Error())
	}
	return c.fault(turn, "ended before its people were asked for the last time")
}

// fault says what went wrong; after that nobody waits for the program.
func (c *crowd) fault(turn int, why string) error {
	if c.process.Process != nil {
		c.kill()
	}
	return &CrowdError{c.command, turn, why, c.last.text()}
}

// end closes the program's standard input, which tells it to end, and makes it end if it does not.
func (c *crowd) end() {
	c.ended.Do(func() {
		c.in.Close()
		late := time.AfterFunc(farewell, c.kill)
		defer late.Stop()
		for range c.lines { // what nobody asked for
		}
		c.process.Wait()
	})
}

// kill ends the program at once, and does not listen to programs that it has started and that live on.
func (c *crowd) kill() {
	c.process.Process.Kill()
	c.out.Close()
}

// tail keeps the end of what is written.
type tail struct {
	mu  sync.Mutex
	end []byte
}

// Write keeps the last bytes.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	t.end = t.end[max(0, len(t.end)-1000):]
	return len(b), nil
}

// text is the last line.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.end)), "\n")
	return lines[len(lines)-1]
}

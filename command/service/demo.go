package service

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/command/exit"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/spf13/cobra"
)

//go:embed demo/*.yaml
var demoSpecs embed.FS

// demo is a service whose people are simulated, for who wants to see one.
type demo struct {
	kinds     *kind.Catalogue
	front     front
	port      int
	speed     float64       // rounds a second
	span      time.Duration // that it lives; 0: until somebody stops it
	keep      string        // a folder; empty: nothing is kept
	noBrowser bool
	out       io.Writer
	talking   sync.Mutex // one line at a time
}

// The course of a demonstration, in rounds.
const (
	history  = 30 // that are over when somebody begins to look
	trouble  = 60 // after which a rival of the shop opens
	troubles = 10 // in which all of its customers come to know
)

// world is a loop of the demonstration and its people.
type world struct {
	name, says string
	labels     map[string]string
	dearer     float64 // by how much decisions seem larger to people after the trouble; 0: there is none

	spec  string
	trial *problem.Trial
}

// worlds are those of the demonstration.
func worlds() []*world {
	return []*world{
		{name: "party-position", says: "a party looks for its place among 1,000 voters who polarize", labels: map[string]string{"rule": "composite"}},
		{name: "ride-prices", says: "a ride service learns how its riders answer; nobody has told it", labels: map[string]string{"rule": "learned"}},
		{name: "shop-prices", says: "a shop prices three products; soon a rival opens, and a guardrail holds the prices", labels: map[string]string{"rule": "composite"}, dearer: 1.5},
	}
}

func newDemo(kinds *kind.Catalogue) *cobra.Command {
	d := &demo{kinds: kinds}
	c := &cobra.Command{
		Use:   "demo",
		Short: "See the service at work on simulated people, in a browser",
		Long: `Start a service with three loops whose people are simulated, and show its dashboard: a party among voters who polarize, a ride service that
learns how riders answer, and a shop. Some rounds after the start a rival of the shop opens. No model knew of it: customers buy less
than their guardrail wants, the loop holds, and its card says why.

It is the real service, on the loopback alone, with a data folder of its own that is removed at the end, or kept with --keep. All that an
operator can do can be done: roll the shop back, pause, pin, kill. No key is needed, and nothing leaves the machine.

The browser opens by itself where there is a screen. Ctrl-C stops everything and leaves nothing behind.`,
		Example: `  kedge demo
  kedge demo --speed 10                   ten rounds a second
  kedge demo --no-browser --port 7070     only print the address
  kedge demo --for 60s --keep demo-data   then: kedge serve --data demo-data`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("port") {
				d.front.listen = "127.0.0.1:" + strconv.Itoa(d.port)
			}
			d.out = c.OutOrStdout()
			return d.run(c.Context(), slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelError})))
		},
	}
	c.Flags().StringVar(&d.front.listen, "listen", "127.0.0.1:0", "the address, on the loopback; port 0 is any that is free")
	c.Flags().IntVar(&d.port, "port", 0, "the port on 127.0.0.1 (default any that is free)")
	c.Flags().Float64Var(&d.speed, "speed", 2, "rounds a second of every loop")
	c.Flags().DurationVar(&d.span, "for", 0, "end by itself after this time, as 60s (default when it is stopped)")
	c.Flags().StringVar(&d.keep, "keep", "", "keep the data in this folder, which must be new or empty")
	c.Flags().BoolVar(&d.noBrowser, "no-browser", false, "open no browser, only print the address")
	c.MarkFlagsMutuallyExclusive("port", "listen")
	return c
}

// check refuses what cannot be meant.
func (d *demo) check() error {
	switch {
	case !(d.speed > 0 && d.speed <= 1000):
		return fmt.Errorf("--speed %v: want rounds a second, above 0 and up to 1000", d.speed)
	case d.span < 0:
		return fmt.Errorf("--for %v: want a time, as 60s", d.span)
	case d.port < 0 || d.port > math.MaxUint16:
		return fmt.Errorf("--port %d: want 0 to %d; 0 is any that is free", d.port, math.MaxUint16)
	}
	if err := d.front.read(); err != nil {
		return err
	}
	if !d.front.local || strings.HasPrefix(d.front.listen, socketScheme) {
		return fmt.Errorf("--listen %s: a demonstration has no key and is looked at in a browser; want an address of the loopback, as 127.0.0.1:7070", d.front.listen)
	}
	return nil
}

// place is the folder of the data, and what becomes of it at the end.
func (d *demo) place() (dir string, leave func() error, err error) {
	if d.keep == "" {
		dir, err = os.MkdirTemp("", "kedge-demo-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	there, err := os.ReadDir(d.keep)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("--keep: %w", err)
	}
	if len(there) > 0 {
		return "", nil, fmt.Errorf("--keep %s: the folder is not empty; kedge serve --data %s serves the data of an earlier demonstration", d.keep, d.keep)
	}
	return d.keep, func() error { return nil }, nil
}

// run lets people live until the context ends.
func (d *demo) run(ctx context.Context, log *slog.Logger) (err error) {
	if err := d.check(); err != nil {
		return err
	}
	all := worlds()
	for _, w := range all {
		if err := w.build(ctx, d.kinds); err != nil {
			return err
		}
	}
	dir, leave, err := d.place()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // a terminal that is closed
	defer stop()
	if d.span > 0 {
		within, cancel := context.WithTimeout(ctx, d.span)
		defer cancel()
		ctx = within
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var living sync.WaitGroup
	ready := func(address string) {
		if err := d.begin(ctx, &living, fail, address, all); err != nil {
			fail(err)
		}
	}
	err = serve(ctx, ready, &source{data: dir}, "", log, &d.front, server.DefaultLimits(), d.kinds)
	fail(nil)
	living.Wait()
	if why := context.Cause(ctx); !errors.Is(why, context.Canceled) && !errors.Is(why, context.DeadlineExceeded) {
		return errors.Join(exit.Failure(why), err)
	}
	if err == nil {
		d.farewell()
	}
	return err
}

// begin makes the loops, says where they are to be seen, and lets people live under them.
func (d *demo) begin(ctx context.Context, living *sync.WaitGroup, fail func(error), address string, all []*world) error {
	service := client.Open(address)
	for _, w := range all {
		if _, err := service.Make(ctx, client.LoopWanted{Name: w.name, Spec: w.spec, Mode: session.Live, Labels: w.labels}); err != nil {
			return fmt.Errorf("loop %s: %w", w.name, err)
		}
	}
	d.welcome(address, all)
	for _, w := range all {
		living.Go(func() {
			if err := d.live(ctx, service.Loop(w.name), w); err != nil && ctx.Err() == nil {
				fail(fmt.Errorf("loop %s: %w", w.name, err))
			}
		})
	}
	if !d.noBrowser {
		browse(address + "/")
	}
	return nil
}

// build makes the people.
func (w *world) build(ctx context.Context, kinds *kind.Catalogue) error {
	text, err := demoSpecs.ReadFile("demo/" + w.name + ".yaml")
	if err != nil {
		return err
	}
	w.spec = string(text)
	spec, err := problem.Parse(kinds, w.name, text)
	if err != nil {
		return err
	}
	made, err := problem.BuildWithin(ctx, w.name, spec, nil)
	if err != nil {
		return err
	}
	w.trial, err = made.Trial(0, 0, math.NaN())
	return err
}

// live lets people live under a loop until the context ends, or somebody archives the loop or makes a key.
func (d *demo) live(ctx context.Context, at *client.Remote, w *world) error {
	crowd := w.trial.Population
	rule := &resident{remote: &remote{ctx: ctx, loop: at, dim: crowd.Dims()}, pace: time.Duration(float64(time.Second) / d.speed), rush: history, say: func(words string) { d.line("%s  %s %s\n", time.Now().Format(time.TimeOnly), w.name, words) }}
	err := rule.next()
	if err == nil {
		err = (&loop.Loop{Population: w.population(), Algorithm: rule, Objective: w.trial.Objective, Turns: math.MaxInt, Batch: w.trial.Batch}).Run(ctx)
	}
	end := ""
	switch problem := new(client.Error); {
	case client.IsProblem(err, session.IsArchived):
		end = "is archived; its people are left alone"
	case errors.As(err, &problem) && problem.Status == http.StatusUnauthorized: // somebody has made the first key
		end = "wants a key from now on; its people have none and are left alone"
	default:
		return err
	}
	d.line("%s  %s %s\n", time.Now().Format(time.TimeOnly), w.name, end)
	return nil
}

// population is the people, with whatever is to come over them.
func (w *world) population() kedge.Population {
	if w.dearer == 0 {
		return w.trial.Population
	}
	return &soured{Population: w.trial.Population, after: trouble, over: troubles, by: w.dearer}
}

func (d *demo) line(format string, args ...any) {
	d.talking.Lock()
	defer d.talking.Unlock()
	fmt.Fprintf(d.out, format, args...)
}

// welcome says what is to be seen, and where.
func (d *demo) welcome(address string, all []*world) {
	text := fmt.Sprintf("Three loops decide for people who are simulated, %v rounds a second:\n\n", d.speed)
	for _, w := range all {
		text += fmt.Sprintf("  %-15s  %s\n", w.name, w.says)
	}
	text += fmt.Sprintf("\n  %s/\n\nNo key is needed, and nothing leaves this machine. Ctrl-C stops everything", address)
	if d.keep == "" {
		text += " and leaves nothing behind"
	}
	d.line("%s.\n", text)
}

// farewell says what is left.
func (d *demo) farewell() {
	if d.keep == "" {
		d.line("stopped; nothing is left behind\n")
		return
	}
	d.line("stopped; %s has all that happened: kedge serve --data %s shows it, kedge verify %s checks it\n", d.keep, d.keep, d.keep)
}

// resident is a loop that simulated people live under: whatever it makes of what they did, and whoever steps in, they go on living.
type resident struct {
	*remote
	pace  time.Duration // between decisions, once the first turns are over
	rush  int           // turns that are over as fast as they can be
	turns int
	held  bool
	say   func(words string)
}

// Tell says what people did, and asks for the next decision.
func (r *resident) Tell(o kedge.Observation) error {
	c, err := r.close(o)
	var refused *client.Error
	switch {
	case errors.As(err, &refused): // somebody has stepped in meanwhile: what people met is no longer the current decision
	case err != nil:
		return err
	default:
		r.report(c)
	}
	if r.turns++; r.turns >= r.rush {
		r.period = r.pace
	}
	return r.next()
}

// report says when the loop begins to hold, and when it steps again.
func (r *resident) report(c session.Closing) {
	switch was := r.held; {
	case !was && c.Outcome.Outcome == session.Held:
		r.held = true
		r.say(fmt.Sprintf("holds at decision %d: %s", c.K, strings.Join(c.Reasons, "; ")))
	case was && c.Outcome.Outcome == session.Stepped:
		r.held = false
		r.say(fmt.Sprintf("steps again at decision %d", c.K))
	}
}

// soured is people who come to answer as if every number of a decision were larger: a rival has opened, and all seems dear.
type soured struct {
	kedge.Population
	after, over int // turns before that begins, and in which it grows
	by          float64
	turn        int
}

// Respond lets people answer what a decision seems to be.
func (s *soured) Respond(ctx context.Context, u []float64) error {
	s.turn++
	part := min(1, max(0, float64(s.turn-s.after)/float64(s.over)))
	felt := slices.Clone(u)
	for i := range felt {
		felt[i] += float64(s.by * part)
	}
	return s.Population.Respond(ctx, felt)
}

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/kedge-opt/kedge/session/fork"
	"github.com/kedge-opt/kedge/session/plan"
)

// Vault copies loops out of the journal and into it.
type Vault interface {
	// Backup makes a checked copy of everything, where the service keeps such.
	Backup(ctx context.Context) (session.BackupMade, error)
	// Export writes all of a loop, as a tar.
	Export(ctx context.Context, loop string, w io.Writer) error
	// Import takes the loop of such a tar, if allowed says yes to its name.
	Import(ctx context.Context, r io.Reader, allowed func(loop string) error) (loop string, err error)
}

// forking is the body of the call that forks a loop.
type forking struct {
	Name string                     `json:"name"`
	AtK  int                        `json:"at_k"`
	Set  map[string]json.RawMessage `json:"set,omitempty"`

	Simulate bool `json:"simulate,omitempty"` // add what the model guesses of people
}

// forkedLoop is a fork, with what the model says of the people in it.
type forkedLoop struct {
	session.Status
	Guesses []plan.Guess `json:"guesses,omitempty"` // by the model: what people would have done nobody knows
}

// erasing is the body of the call that forgets somebody.
type erasing struct {
	Who string `json:"who"`
}

// mostImported is how large a bundle may be.
const mostImported = 1 << 30

// vaultRoutes are the calls about copies, and about what is to be gone.
func vaultRoutes(loops, loop string) []route {
	return []route{
		{Method: "GET", Path: loop + "/export", Right: MayRead, Says: "All of a loop, as a tar: events, people, spec and a manifest.", do: export},
		{Method: "POST", Path: loops + "/import", Right: Admin, Says: "Take in the loop of such a tar, which begins another epoch.", Out: session.Status{}, ownLoops: true, do: vaulted(importLoop)},
		{Method: "POST", Path: loop + "/fork", Right: Admin, Says: "Make a loop in the shadow of all that happened to this one, from a decision on with another spec: it says what would have been proposed, with simulate also what the model guesses that people would have done, for up to 1,000 decisions.", In: forking{}, Out: forkedLoop{}, do: with(forked)},
		{Method: "POST", Path: loop + "/erase", Right: Admin, Says: "Drop the batches that hold somebody. Events name them by their hash alone, and stay.", In: erasing{}, Out: session.Compaction{}, do: with(erase)},
		{Method: "POST", Path: "/v1/backup", Right: Admin, Says: "Copy everything, and check the copy.", Out: session.BackupMade{}, do: vaulted(backup)},
		{Method: "DELETE", Path: loop + "/log", Right: Admin, Says: "Remove an archived loop, with its events and its people, for good. The server keeps its anchor, the number and the hash of its newest event. It wants a reason.", In: reasoned{}, Out: chronicle.Removal{}, dry: true, do: with(remove)},
	}
}

// edit changes keys of a spec.
func (s *Server) edit(spec string, set []string) (string, error) {
	return session.EditSpec(s.setup.Kinds, spec, set)
}

// vaulted has a call answered by who copies, where there is somewhere to copy to.
func vaulted(answer func(c *call, v Vault) (int, any, error)) handler {
	return func(c *call) (int, any, error) {
		if c.setup.Vault == nil {
			return 0, nil, problem(Elsewhere, "this service has nowhere to copy to; one that kedge serve starts has")
		}
		return answer(c, c.setup.Vault)
	}
}

func export(c *call) (int, any, error) {
	if err := c.isThere(); err != nil {
		return 0, nil, err
	}
	return vaulted(exported)(c)
}

func exported(c *call, v Vault) (int, any, error) {
	f, err := os.CreateTemp("", "kedge-export-") // so that a fault is told before anything is sent
	if err != nil {
		return 0, nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := v.Export(c.Context(), c.loop, f); err != nil {
		return 0, nil, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, nil, err
	}
	c.w.Header().Set("Content-Type", "application/x-tar")
	c.w.Header().Set("Content-Length", fmt.Sprint(size))
	c.w.Header().Set("Content-Disposition", "attachment; filename="+c.loop+".tar")
	defer c.turns.rest()() // whoever takes it slowly keeps nobody waiting
	for out := http.NewResponseController(c.w); err == nil; {
		out.SetWriteDeadline(time.Now().Add(c.limits.Reply))
		_, err = io.CopyN(c.w, f, mostSlow)
	}
	return 200, nil, nil
}

// mostSlow is how many bytes of a copy somebody may take as long for as for a reply.
const mostSlow = 64 << 10

func importLoop(c *call, v Vault) (int, any, error) {
	if kind := c.Header.Get("Content-Type"); kind != "application/x-tar" {
		return 0, nil, problem(unsupported, "a bundle is application/x-tar, not "+kind)
	}
	in, err := c.body(mostImported)
	if err != nil {
		return 0, nil, err
	}
	name, err := v.Import(c.Context(), in, func(name string) error {
		if !loopName.MatchString(name) {
			return problem(session.Malformed, fmt.Sprintf("no loop can be called %q", name))
		}
		if !c.sees(name) {
			return problem(forbidden, c.reach())
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	status, err := c.status(c.Context(), name)
	return 201, status, err
}

func forked(c *call, b forking) (int, any, error) {
	if !loopName.MatchString(b.Name) {
		return 0, nil, problem(session.Malformed, "name is that of the new loop: up to 63 of a–z, 0–9 and hyphens, which it does not begin with")
	}
	if !c.sees(b.Name) {
		return 0, nil, problem(forbidden, c.reach())
	}
	f := session.Forking{Of: c.loop, AtK: b.AtK}
	for _, key := range slices.Sorted(maps.Keys(b.Set)) {
		f.Set = append(f.Set, key+"="+string(b.Set[key]))
	}
	var made forkedLoop
	var err error
	if made.Status, err = fork.Fork(c.Context(), c.host, f, b.Name, func(spec string) (string, error) { return c.edit(spec, f.Set) }); err != nil {
		return 0, nil, err
	}
	if b.Simulate {
		made.Guesses, err = c.guesses(b.Name, b.AtK, made.K)
	}
	return 201, made, err
}

// guesses are what the model says of the people of some decisions.
func (c *call) guesses(loop string, from, to int) (list []plan.Guess, err error) {
	for k := from; k <= to && len(list) < mostEvents; k++ {
		d, err := c.past(loop, k)
		if err != nil {
			return nil, err
		}
		err = c.host.Look(c.Context(), loop, func(l *session.Loop) error {
			g, err := l.Guess(d, session.PastOf(c.journal, loop))
			if g != nil {
				list = append(list, *g)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func erase(c *call, b erasing) (int, any, error) {
	if b.Who == "" {
		return 0, nil, problem(session.Malformed, "who is the id of somebody, as batches have it")
	}
	return c.do(200, session.Erase{Who: batch.WhoIs(b.Who)})
}

func backup(c *call, v Vault) (int, any, error) {
	made, err := v.Backup(c.Context())
	return 200, made, err
}

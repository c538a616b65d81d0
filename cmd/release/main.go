// Command release makes what people install without Go: archives with kedge and its shell completions for every system, wheels of the
// Python package that carry it, a bill of materials of each program (CycloneDX), and their checksums, signed.
//
//	go run ./cmd/release key release.key               # once: a key to sign with, and release.key.pub, which anybody may have
//	go run ./cmd/release -key release.key              # everything, into dist, signed
//	go run ./cmd/release -targets host -out /tmp       # for this machine alone
//	go run ./cmd/release verify release.key.pub dist   # whether files are what was released
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/kedge-opt/kedge/internal/release"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); errors.Is(err, flag.ErrHelp) {
		return
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "release: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	switch {
	case len(args) == 2 && args[0] == "key":
		return release.NewKey(args[1])
	case len(args) == 3 && args[0] == "verify":
		return verify(args[1], args[2])
	case len(args) > 0 && (args[0] == "key" || args[0] == "verify"):
		return errors.New("release key FILE, or release verify FILE.pub FOLDER")
	}
	o := release.Making{Root: ".", Log: os.Stdout}
	set := flag.NewFlagSet("release", flag.ContinueOnError)
	set.Usage = func() {
		fmt.Fprint(set.Output(), "go run ./cmd/release [flags] makes a release; release key FILE makes a key to sign with;\nrelease verify FILE.pub FOLDER checks what was released.\n\nFlags:\n")
		set.PrintDefaults()
	}
	set.StringVar(&o.Out, "out", "dist", "folder for what is made")
	set.BoolVar(&o.Modified, "modified", false, "also of a tree that no revision has")
	set.StringVar(&o.Key, "key", "", "file of the ed25519 key that signs the checksums, as release key makes it")
	targets := set.String("targets", "all", "systems and architectures, as in linux/amd64,darwin/arm64; host is this one")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return fmt.Errorf("there is nothing to do with %q: key, verify, or flags", set.Args())
	}
	if o.Platforms, err = release.ParsePlatforms(*targets); err != nil {
		return err
	}
	return release.Make(ctx, o)
}

// verify says which files of a release are as they were signed.
func verify(public, dir string) error {
	c, err := release.Verify(dir, public)
	if err != nil {
		return err
	}
	for _, name := range c.Files {
		fmt.Println("as signed:", name)
	}
	for _, name := range c.Missing {
		fmt.Println("not here: ", name)
	}
	return nil
}
